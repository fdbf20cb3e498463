import { expect, it, test } from 'vitest'
import { fieldsOf } from '../../lib/http/exchange.ts'
import { answer, refused, served } from '../../lib/judge/testing/exchanges.ts'
import { rule, wrongSecret } from '../../lib/run/plan/cases.ts'
import { contextOf } from '../../lib/run/testing/contexts.ts'
import type { Meets } from '../../lib/run/testing/in-memory.ts'
import { played, type Sent } from '../../lib/run/testing/played.ts'
import { clients } from '../../lib/serve/reference/clients.ts'
import { askedAsOthers, otherClients } from './side-doors.ts'

const ruleId = 'authentication/no-side-door'
const acceptance = { RUN_PROFILE: 'acceptance' }
const context = await contextOf(acceptance)
const asked = askedAsOthers(context)
const agents = asked.map(({ request }) => fieldsOf(request.request, 'user-agent')[0])
const names = [...new Set(agents)]

it('requests as others are plain or lack the key, the first three also have a wrong secret, and nothing else differs', () => {
  const plain = context.list.request
  const expected = names.flatMap((agent, at) => {
    const as = agent === undefined ? plain.without('user-agent') : plain.with('user-agent', agent)
    const wrong = as.with('x-secret-key', wrongSecret(context))
    return [as, as.without('x-api-key'), ...(at < 3 ? [wrong] : [])]
  })

  expect(asked.map(({ request }) => request.hash)).toEqual(expected.map(({ hash }) => hash))
  for (const { request } of asked)
    expect(request.traits).toEqual({ ...plain.traits, plain: false, transportMayRefuse: true })
})

it('requests as others use each common client name once, never name the suite, and end without a name', () => {
  const known = ['Chrome/', 'iPhone', 'Firefox/', 'curl/', 'python-requests/', 'okhttp/']
  const all = [...known, 'Go-http-client/', 'Java-http-client/', 'axios/']

  expect(all.map((one) => names.filter((name) => name?.includes(one)).length)).toEqual(all.map(() => 1))
  expect(names).toHaveLength(10)
  expect(agents.join()).not.toContain('conformance')
  expect(agents.map((agent) => agent === undefined)).toEqual([...Array(21).fill(false), true, true])
})

const cost = { requests: 23, least: 23, byClient: { target: 23 } }
const form = { name: 'as-other-clients', ...cost, last: true }
const replayed = 'as-other-clients'

it.each([
  ['in an acceptance', acceptance, null, [form]],
  ['unless each request must name the suite', { ...acceptance, RUN_IDENTIFY: 'true' }, null, []],
  ['except with one case per rule', { ...acceptance, RUN_ESSENTIAL: 'true' }, null, []],
  ['not in a gate', {}, null, []],
  ['not in a nightly run', { RUN_PROFILE: 'nightly' }, null, []],
  ['in every replay', {}, replayed, [form]],
  ['in no replay if each request must name the suite', { RUN_IDENTIFY: 'true' }, replayed, []],
])('requests as others are one scenario after all other cases, %s', async (_, env, name, expected) => {
  expect(otherClients(await contextOf(env, { replayed: name }))).toMatchObject(expected)
})

const blockPage = (status = 403): Meets =>
  answer(status, '<p>error code: 1010</p>', { fields: [['content-type', 'text/html']] })

const isChrome = ({ agent = '' }: Sent): boolean => agent.includes('Chrome/')
const isKeyless = ({ apiKey }: Sent): boolean => apiKey === undefined
const isKeylessChrome = (one: Sent): boolean => isChrome(one) && isKeyless(one)
const isWrong = ({ secretKey }: Sent): boolean => secretKey !== clients.permitted.secretKey
const isNamed = ({ agent = '' }: Sent): boolean => agent.startsWith('card-switch-conformance/')
const isNobodys = (one: Sent): boolean => one.agent === undefined && isKeyless(one)
const isPlain = (one: Sent): boolean => !isKeyless(one) && !isWrong(one)

type Reply = (one: Sent) => Meets
const to = (isMeant: (one: Sent) => boolean, reply: Meets) => (one: Sent) => (isMeant(one) ? reply : null)

/**
 * What comes of the requests as others: how many are sent, to how many names, how many answers are judged, and how often
 * a finding is reproduced, with its summary; by default no findings.
 */
type Came = Partial<Record<'requests' | 'names' | 'answers' | 'found' | 'observed' | 'left', unknown>>
const stopped = (outcome: string): Came => {
  return { names: 3, answers: 6, observed: { 'Chrome on Windows': outcome } }
}
/** All names are tried, then twice more for confirmation. */
const detected = (summary: string): Came => ({ requests: 3 * 23, found: [`3 of 3: ${summary}`] })
const servedFor = (code: string): string => `answered 200 with JSON where ${code} is documented`
const invalid = 'answered 401 / 1006 where 400 / 1001 is documented'
const notExpected = 'answered 401 / 1013 where success is documented'
const servedUntilChrome: Reply = (one) => (isChrome(one) ? blockPage() : to(isKeyless, served)(one))

const blocked = '403 without error_code'
const asOkhttp = { observed: { okhttp: blocked } }
const rateRefused = { names: 3, left: [expect.stringMatching(/^the service refused the rate of requests/)] }
const failing = { names: 10, found: expect.arrayContaining([expect.stringContaining('answered 500')]) }
const found3 = [expect.stringMatching(/^3 of 3/)]
const earlier = { ...stopped(blocked), answers: 5, requests: 3 * 6 + 1, found: found3 }

test.each<[claim: string, reply: Reply, came: Came]>([
  ['ignores their names is not blamed', () => null, { requests: 23, answers: 23 }],
  ['blocks one by a page gets no further name', to(isChrome, blockPage()), stopped(blocked)],
  ['blocks one by a status gets no further name', to(isChrome, answer(403, '')), stopped(blocked)],
  ['blocks one by a page with 200 gets no further name', to(isChrome, blockPage(200)), stopped('200')],
  ['closes a connection gets no further name', to(isChrome, 'closed'), stopped('not answered')],
  ['blocks one by a gateway gets no further name', to(isChrome, blockPage(503)), stopped('not answered')],
  ['limits the rate leaves the rule open', to(isChrome, blockPage(429)), rateRefused],
  ['blocks keyless ones gets no more', to(isKeyless, blockPage()), { requests: 2, ...asOkhttp }],
  ['blocks all leaves nothing to judge', () => blockPage(), { requests: 1, ...asOkhttp }],
  ['is wrong before it blocks is not asked for more to confirm it', servedUntilChrome, earlier],
  ['serves a keyless browser is detected', to(isKeylessChrome, served), detected(servedFor('400 / 1001'))],
  ['serves wrong secrets is detected', to(isWrong, served), detected(servedFor('401 / 1007'))],
  ['serves nameless keyless ones is detected', to(isNobodys, served), detected(servedFor('400 / 1001'))],
  ['refuses other names is detected', to(isPlain, refused(401, '1013')), detected(notExpected)],
  ['calls an absent key invalid is detected', to(isKeyless, refused(401, '1006')), detected(invalid)],
  ['fails for one is detected', to(isChrome, answer(500, { oops: true })), failing],
])('a service that knows other clients and %s', async (_, reply, { observed, ...came }) => {
  const service: Reply = (one) => (isNamed(one) ? null : reply(one))
  const rules = [rule(ruleId, otherClients)]
  const { sent, left, verdict } = await played({ rules, service, env: acceptance })
  const { findings = [], answers = 0 } = verdict.rules.find(({ id }) => id === ruleId) ?? {}
  const asOthers = sent.filter((one) => !isNamed(one))
  const found = findings.map(({ reproduced, summary }) => `${reproduced}: ${summary}`)
  const counts = { requests: asOthers.length, names: new Set(asOthers.map(({ agent }) => agent)).size }

  expect({ ...counts, answers, found, left }).toMatchObject({ found: [], left: [], ...came })
  expect(verdict.observations.find(({ id }) => id === 'refused-user-agents')?.value).toEqual(observed)
  expect(findings.map((one) => one.case)).toEqual(found.map(() => `${ruleId}:20260101:as-other-clients`))
})
