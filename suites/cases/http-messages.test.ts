import { describe, expect, it } from 'vitest'
import type { Exchange, Response } from '../../lib/http/exchange.ts'
import { type Request, fieldsOf, nextOf } from '../../lib/http/request.ts'
import type { Scenario, Stage } from '../../lib/run/plan/cases.ts'
import { type SuiteContext, suiteContext } from '../../lib/run/plan/suite-context.ts'
import type { TestRequest } from '../../lib/run/plan/test-request.ts'
import { read, settingsOf, target } from '../../lib/settings/testing/read.ts'
import { httpMessages } from './http-messages.ts'

async function contextWith(settings: Readonly<Record<string, string>> = {}): Promise<SuiteContext> {
  const given = { ...target, RUN_PROFILE: 'acceptance', ...settings }
  return suiteContext(settingsOf(await read(given)), 'card-switch-conformance/test')
}

async function scenariosOf(settings: Readonly<Record<string, string>> = {}): Promise<readonly Scenario[]> {
  const cases = httpMessages(await contextWith(settings))
  if ('untested' in cases) throw new Error(cases.untested)
  return cases.filter((one) => one.kind === 'scenario')
}

const refused: Response = {
  status: 400,
  reason: '',
  fields: [],
  text: '{"error_code":"1010","error_message":""}',
  body: { kind: 'json', value: { error_code: '1010', error_message: '' } },
  trailers: [],
}

/** A stage that answers each request with `refused` and adds what `heard` returns. */
function stageWith(
  sent: TestRequest[],
  heard: (request: TestRequest) => Pick<Exchange, 'behind'> & Partial<Exchange>,
): Stage {
  const exchange = (one: TestRequest): Exchange => {
    sent.push(one)
    return { request: one.request, response: refused, durationMs: 1, reused: false, ...heard(one) }
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

function isPair({ form }: Request): boolean {
  return typeof form?.followedBy === 'object' && form.followedBy.isInSameSegment
}

describe('messages on the raw socket', () => {
  it('are few, use only GET or HEAD, and name the suite', async () => {
    const requests = (await sentBy(await scenariosOf())).flatMap(({ request }) => [
      request,
      ...nextOf(request),
    ])

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

describe('the check of bytes after an answer', () => {
  const nothing = { strayBytes: 0, isClosed: true, next: null }
  const success: Response = { ...refused, status: 200, body: { kind: 'json', value: [] } }

  it.for([
    ['passes if the connection is closed', {}, []],
    ['fails for stray bytes', { strayBytes: 1 }, ['bytes behind an answer', 'content behind HEAD']],
    ['fails if the connection stays open', { isClosed: false }, ['connection: close not heeded']],
    ['passes if the next request is refused', { next: refused }, []],
    ['fails if the next is served', { next: success }, ['second request served']],
  ] as const)('%s', async ([, more, differences]) => {
    const heard = { behind: { ...nothing, ...more } }
    const found: string[] = []
    for (const one of await scenariosOf()) {
      const judged = await one.play(stageWith([], ({ request }) => (request.form === undefined ? {} : heard)))
      for (const { judgement } of judged)
        if (judgement.kind === 'violates') found.push(judgement.breach.difference)
    }
    expect([...new Set(found)].toSorted()).toEqual(differences.toSorted())
  })
})
