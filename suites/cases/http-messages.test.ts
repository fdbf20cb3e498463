import { expect, it } from 'vitest'
import { type Exchange, type Request, fieldsOf, nextOf } from '../../lib/http/exchange.ts'
import { answer, exchange, refused } from '../../lib/judge/testing/exchanges.ts'
import type { Scenario, Stage } from '../../lib/run/plan/cases.ts'
import type { TestRequest } from '../../lib/run/plan/suite-context.ts'
import { contextOf } from '../../lib/run/testing/contexts.ts'
import { packageVersion } from '../../lib/settings/package-version.ts'
import { httpMessages } from './http-messages.ts'

type Env = Readonly<Record<string, string>>
const contextWith = (env: Env = {}) => contextOf({ RUN_PROFILE: 'acceptance', ...env })

async function scenariosOf(env: Env = {}): Promise<readonly Scenario[]> {
  const cases = httpMessages(await contextWith(env))
  if ('untested' in cases) throw new Error(cases.untested)
  return cases.filter((one) => one.kind === 'scenario')
}

const knownOrUnknown = /^\/api\/(?:customizations\/list(?:\?_=zz[a-z]+)?|zz[a-z]+(?:%0d%0ax-zz[a-z]+:%201)?)$/
const notFound = refused(400, '1010')

const never = (): never => expect.fail('unexpected call')
const ofJudging = { judge: never, judgeKnown: never, served: never, servedKnown: never }
const others = { silence: never, sentAs: never, crowd: never, connection: never, compareWith: never }
const observations = { observe: never, note: never }
const { signal: cancelled } = new AbortController()
const unused = { ...ofJudging, ...others, cancelled, observations, affordable: 0 }

/** A stage that answers each request with 1010, followed by what is heard after answers to unusual messages. */
function stageWith(sent: TestRequest[], heard: Partial<Exchange> = {}): Stage {
  const send = async (one: TestRequest): Promise<Exchange> => {
    sent.push(one)
    return { ...exchange(notFound, one.request), ...(one.request.form === undefined ? {} : heard) }
  }
  return { ...unused, send, known: send, attempt: send }
}

async function sentBy(scenarios: readonly Scenario[]): Promise<readonly TestRequest[]> {
  const sent: TestRequest[] = []
  for (const one of scenarios) await one.play(stageWith(sent))
  return sent
}

const isPair = ({ form }: Request) => typeof form?.followedBy === 'object' && form.followedBy.isInSameSegment

it('messages on the raw socket are few, use only GET or HEAD, and name the suite', async () => {
  const sent = await sentBy(await scenariosOf())
  const requests = sent.flatMap(({ request }) => [request, ...nextOf(request)])

  expect(requests.length).toBeLessThanOrEqual(40)
  for (const request of requests) {
    expect(['GET', 'HEAD']).toContain(request.method)
    expect(request.target).toMatch(knownOrUnknown)
    expect(fieldsOf(request, 'user-agent')).toEqual([`card-switch-conformance/${packageVersion()}`])
  }
})

it('messages on the raw socket end with two pairs in one segment, whose second request must be refused', async () => {
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

it('messages on the raw socket include at most four pairs per run, counting confirmations', async () => {
  const pairs = (await scenariosOf()).slice(-2)
  await sentBy([...pairs, ...pairs])

  await expect(sentBy(pairs)).rejects.toMatchObject({ none: 'unavailable' })
})

it('messages on the raw socket include no pairs below two requests per second', async () => {
  const sent = await sentBy(await scenariosOf({ RUN_MAX_RPS: '1' }))

  expect(sent.filter(({ request }) => isPair(request))).toEqual([])
  expect(sent.length).toBeGreaterThan(10)
})

const nothing = { strayBytes: 0, isClosed: true, next: null }

it.for([
  ['passes if the connection is closed', {}, []],
  ['fails for stray bytes', { strayBytes: 1 }, ['bytes behind an answer', 'content behind HEAD']],
  ['fails if the connection stays open', { isClosed: false }, ['connection: close not heeded']],
  ['passes if the next request is refused', { next: notFound }, []],
  ['fails if the next is served', { next: answer(200, []) }, ['second request served']],
] as const)('the check of bytes after an answer %s', async ([, more, differences]) => {
  const stage = stageWith([], { behind: { ...nothing, ...more } })
  const judged = (await Promise.all((await scenariosOf()).map((one) => one.play(stage)))).flat()
  const found = judged.flatMap(({ judgement: one }) => (one.kind === 'violates' ? one.breach.difference : []))
  expect([...new Set(found)].toSorted()).toEqual(differences.toSorted())
})

/** The `content-length` of an answer, by the number of its request and its method; null for none. */
type Length = (at: number, method: string) => number | null

const shorterOnce = (of: number, first: number): readonly [string, Length] => [
  `holds if one in ${of} answers is shorter, from number ${first} on`,
  (at) => ((at + first) % of === 0 ? 727 : 785),
]

it.for<readonly [string, Length]>([
  ['violates the rule if it is always another', (_, method) => (method === 'HEAD' ? 785 : 727)],
  ['holds if it is that of GET', () => 727],
  ['holds if there is none', (_, method) => (method === 'HEAD' ? null : 727)],
  ['holds if GET has none', (_, method) => (method === 'HEAD' ? 0 : null)],
  ['holds if every answer is longer than the one before', (at) => 700 + at],
  ...[2, 3, 4, 5, 6, 7].flatMap((of) => Array.from({ length: of }, (_, first) => shorterOnce(of, first))),
])('the length of the answer to HEAD %s', async ([title, lengthOf]) => {
  const [one] = (await scenariosOf()).filter(({ name }) => name === 'content-length-of-head')
  let at = 0
  const send = async ({ request }: TestRequest): Promise<Exchange> => {
    const length = lengthOf(at++, request.method)
    const fields = length === null ? [] : ([['content-length', `${length}`]] as const)
    return exchange(answer(200, {}, { fields }), request)
  }
  const judged = await one?.play({ ...stageWith([]), send, attempt: send })

  expect(judged?.map(({ judgement: { kind } }) => title.startsWith(kind))).toEqual([true])
})
