import { describe, expect, it } from 'vitest'
import type { Exchange } from '../../lib/http/exchange.ts'
import { type Request, fieldsOf, nextOf } from '../../lib/http/request.ts'
import { answer, refused } from '../../lib/judge/testing/exchanges.ts'
import type { Scenario, Stage } from '../../lib/run/plan/cases.ts'
import type { TestRequest } from '../../lib/run/plan/test-request.ts'
import { contextOf } from '../../lib/run/testing/contexts.ts'
import { httpMessages } from './http-messages.ts'

type Env = Readonly<Record<string, string>>
const contextWith = (env: Env = {}) => contextOf({ RUN_PROFILE: 'acceptance', ...env })

async function scenariosOf(env: Env = {}): Promise<readonly Scenario[]> {
  const cases = httpMessages(await contextWith(env))
  if ('untested' in cases) throw new Error(cases.untested)
  return cases.filter((one) => one.kind === 'scenario')
}

const notFound = refused(400, '1010')

/** A stage that answers each request with 1010 and adds what `heard` returns. */
function stageWith(
  sent: TestRequest[],
  heard: (request: TestRequest) => Pick<Exchange, 'behind'> & Partial<Exchange>,
): Stage {
  const exchange = (one: TestRequest): Exchange => {
    sent.push(one)
    return { request: one.request, response: notFound, durationMs: 1, reused: false, ...heard(one) }
  }
  const never = (): never => {
    throw new Error('unexpected call')
  }
  return {
    cancelled: new AbortController().signal,
    observations: { observe: never, note: never },
    affordable: 0,
    send: async (one) => exchange(one),
    known: async (one) => exchange(one),
    attempt: async (one) => exchange(one),
    judge: never,
    judgeKnown: never,
    enact: never,
    served: never,
    servedKnown: never,
    silence: never,
    sentAs: never,
    crowd: never,
    connection: never,
    compareWith: never,
  }
}

async function sentBy(scenarios: readonly Scenario[]): Promise<readonly TestRequest[]> {
  const sent: TestRequest[] = []
  for (const one of scenarios) await one.play(stageWith(sent, () => ({})))
  return sent
}

const isPair = ({ form }: Request) => typeof form?.followedBy === 'object' && form.followedBy.isInSameSegment

describe('messages on the raw socket', () => {
  it('are few, use only GET or HEAD, and name the suite', async () => {
    const sent = await sentBy(await scenariosOf())
    const requests = sent.flatMap(({ request }) => [request, ...nextOf(request)])

    expect(requests.length).toBeLessThanOrEqual(40)
    for (const request of requests) {
      expect(['GET', 'HEAD']).toContain(request.method)
      expect(request.target).toMatch(
        /^\/api\/(?:customizations\/list(?:\?_=zz[a-z]+)?|zz[a-z]+(?:%0d%0ax-zz[a-z]+:%201)?)$/,
      )
      expect(fieldsOf(request, 'user-agent')).toEqual(['card-switch-conformance/test'])
    }
  })

  it('end with two pairs in one segment, whose second request must be refused', async () => {
    const scenarios = await scenariosOf()
    const context = await contextWith()
    const pairs = (await sentBy(scenarios)).filter(({ request }) => isPair(request))

    expect(pairs).toHaveLength(2)
    expect(scenarios.filter(({ last }) => last === true)).toEqual(scenarios.slice(-2))
    for (const pair of pairs) {
      const [next] = nextOf(pair.request).map((request) => pair.apply(() => request))
      expect(next && context.documented(next).every(({ errorCode }) => errorCode !== null)).toBe(true)
    }
  })

  it('include at most four pairs per run, counting confirmations', async () => {
    const pairs = (await scenariosOf()).slice(-2)
    await sentBy([...pairs, ...pairs])

    await expect(sentBy(pairs)).rejects.toMatchObject({ none: 'unavailable' })
  })

  it('include no pairs below two requests per second', async () => {
    const sent = await sentBy(await scenariosOf({ RUN_MAX_RPS: '1' }))

    expect(sent.filter(({ request }) => isPair(request))).toEqual([])
    expect(sent.length).toBeGreaterThan(10)
  })

  it.for(['gate', 'nightly'])('are not sent in %s', async (profile) => {
    expect(httpMessages(await contextWith({ RUN_PROFILE: profile }))).toHaveProperty('untested')
  })
})

const nothing = { strayBytes: 0, isClosed: true, next: null }

it.for([
  ['passes if the connection is closed', {}, []],
  ['fails for stray bytes', { strayBytes: 1 }, ['bytes behind an answer', 'content behind HEAD']],
  ['fails if the connection stays open', { isClosed: false }, ['connection: close not heeded']],
  ['passes if the next request is refused', { next: notFound }, []],
  ['fails if the next is served', { next: answer(200, []) }, ['second request served']],
] as const)('the check of bytes after an answer %s', async ([, more, differences]) => {
  const heard = { behind: { ...nothing, ...more } }
  const found: string[] = []
  for (const one of await scenariosOf()) {
    const judged = await one.play(stageWith([], ({ request }) => (request.form === undefined ? {} : heard)))
    for (const { judgement } of judged)
      if (judgement.kind === 'violates') found.push(judgement.breach.difference)
  }
  expect([...new Set(found)].toSorted()).toEqual(differences.toSorted())
})
