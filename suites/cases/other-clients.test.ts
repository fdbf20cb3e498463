import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../../lib/http/request.ts'
import { answer, refused, served } from '../../lib/judge/testing/exchanges.ts'
import type { Case } from '../../lib/run/plan/cases.ts'
import { wrongSecret } from '../../lib/run/plan/flawed-requests.ts'
import { rule } from '../../lib/run/plan/rule.ts'
import { type SuiteContext, suiteContext } from '../../lib/run/plan/suite-context.ts'
import { userAgent } from '../../lib/run/plan/test-request.ts'
import { wrong } from '../../lib/run/testing/answers.ts'
import type { Meets } from '../../lib/run/testing/in-memory.ts'
import { type Sent, played } from '../../lib/run/testing/played.ts'
import { clients } from '../../lib/serve/reference/clients.ts'
import { read, settingsOf, target } from '../../lib/settings/testing/read.ts'
import { askedAsOthers, otherClients } from './other-clients.ts'

const ruleId = 'authentication/no-side-door'
const acceptance = { RUN_PROFILE: 'acceptance' }

async function contextOf(env: Readonly<Record<string, string>>): Promise<SuiteContext> {
  return suiteContext(settingsOf(await read({ ...target, ...env })), userAgent('0.0.0'))
}

const context = await contextOf(acceptance)
const asked = askedAsOthers(context)
const agents = asked.map(({ request }) => fieldsOf(request.request, 'user-agent'))

describe('requests under the names of other clients', () => {
  it('are plain or lack the key, the first three also have a wrong secret, and nothing else differs', () => {
    const plain = context.list.request
    const expected = [...new Set(agents.map(([agent]) => agent))].flatMap((agent, at) => {
      const as = agent === undefined ? plain.without('user-agent') : plain.with('user-agent', agent)
      const wrong = as.with('x-secret-key', wrongSecret(context))
      return [as, as.without('x-api-key'), ...(at < 3 ? [wrong] : [])]
    })

    expect(asked.map(({ request }) => request.hash)).toEqual(expected.map(({ hash }) => hash))
    for (const { request } of asked)
      expect(request.traits).toEqual({ ...plain.traits, plain: false, transportMayRefuse: true })
  })

  it('use each common client name once, never name the suite, and end without a name', () => {
    const names = [...new Set(agents.map(([agent]) => agent))]

    const browsers = ['Chrome/', 'iPhone', 'Firefox/']
    const programs = [
      'curl/',
      'python-requests/',
      'okhttp/',
      'Go-http-client/',
      'Java-http-client/',
      'axios/',
    ]
    for (const known of [...browsers, ...programs])
      expect([known, names.filter((name) => name?.includes(known)).length]).toEqual([known, 1])
    expect(names).toHaveLength(10)
    expect(agents.flat().join()).not.toContain('conformance')
    expect(agents.map(({ length }) => length)).toEqual([...Array.from({ length: 21 }, () => 1), 0, 0])
  })

  it('form one scenario, played after all other cases of the rule', () => {
    const [one, ...more] = otherClients(context)

    expect(more).toEqual([])
    expect(one).toMatchObject({
      name: 'as-other-clients',
      requests: 23,
      least: 23,
      requestsAlone: 23,
      byClient: { target: 23 },
      last: true,
    })
  })

  it.each([
    ['acceptance', {}, 1],
    ['acceptance', { RUN_IDENTIFY: 'true' }, 0],
    ['acceptance', { RUN_ESSENTIAL: 'true' }, 0],
    ['gate', {}, 0],
    ['nightly', {}, 0],
  ])('in %s with %o form %i scenarios', async (RUN_PROFILE, more, count) => {
    expect(otherClients(await contextOf({ RUN_PROFILE, ...more }))).toHaveLength(count)
  })

  it('can be replayed by case name in every profile, unless each request must name the suite', async () => {
    const replayed = { rule: ruleId, case: 'as-other-clients' } as const
    const again = async (env: Readonly<Record<string, string>>): Promise<readonly Case[]> =>
      otherClients(suiteContext(settingsOf(await read({ ...target, ...env })), 'test', { replayed }))

    expect(await again({})).toHaveLength(1)
    expect(await again({ RUN_IDENTIFY: 'true' })).toEqual([])
  })
})

const blockPage = (status = 403): Meets =>
  answer(status, '<p>error code: 1010</p>', { fields: [['content-type', 'text/html']] })

const isChrome = ({ agent = '' }: Sent): boolean => agent.includes('Chrome/')
const isKeyless = ({ apiKey }: Sent): boolean => apiKey === undefined
const isWrong = ({ secretKey }: Sent): boolean => secretKey !== clients.permitted.secretKey
const isNamed = ({ agent = '' }: Sent): boolean => agent.startsWith('card-switch-conformance/')

const isNobodys = (one: Sent): boolean => one.agent === undefined && isKeyless(one)
const isPlain = (one: Sent): boolean => !isKeyless(one) && !isWrong(one)
const servedFor = (code: string): string => `answered 200 with JSON where ${code} is documented`
const invalid = 'answered 401 / 1006 where 400 / 1001 is documented'

/** Plays the scenario. The service uses `reply` for requests that do not name the suite, and answers others as documented. */
async function met(reply: (sent: Sent) => Meets) {
  const { sent, left, verdict } = await played({
    rules: [rule(ruleId, otherClients)],
    service: (one) => (isNamed(one) ? null : reply(one)),
    env: acceptance,
  })
  const { findings = [], answers = 0 } = verdict.rules.find(({ id }) => id === ruleId) ?? {}
  const observed = verdict.observations.find(({ id }) => id === 'refused-user-agents')?.value
  return { asOthers: sent.filter((one) => !isNamed(one)), sent, left, findings, answers, observed }
}

describe('a service that ignores the user agent', () => {
  it('gets all requests one at a time, in order, and is not blamed', async () => {
    const came = await met(() => null)

    expect(came.asOthers.map(({ agent }) => agent)).toEqual(agents.map(([agent]) => agent))
    expect(came.findings).toEqual([])
    expect(came.observed).toBeUndefined()
    expect(came.left).toEqual([])
    expect(came.answers).toBe(23)
  })
})

describe('a firewall that refuses a name', () => {
  it.each<[string, Meets, string]>([
    ['by a page', blockPage(), '403 without error_code'],
    ['by a status alone', answer(403, ''), '403 without error_code'],
    ['by a page with status 200', blockPage(200), '200'],
    ['by a closed connection', 'closed', 'not answered'],
    ['by a gateway page', blockPage(503), 'not answered'],
  ])('%s is not blamed, gets no further name and is noted', async (_, reply, outcome) => {
    const came = await met((one) => (isChrome(one) ? reply : null))

    const names = new Set(came.asOthers.map(({ agent }) => agent))
    expect(names).toEqual(new Set(agents.slice(0, 7).flat()))
    expect(came.asOthers.filter(isKeyless)).toHaveLength(2)
    expect(came.left).toEqual([])
    expect(came.findings).toEqual([])
    expect(came.observed).toEqual({ 'Chrome on Windows': outcome })
    expect(came.answers).toBe(6)
    expect(came.sent.length).toBeLessThanOrEqual(12)
  })

  it('by limiting the rate gets no further name and makes the rule inconclusive', async () => {
    const came = await met((one) => (isChrome(one) ? blockPage(429) : null))

    expect(new Set(came.asOthers.map(({ agent }) => agent)).size).toBe(3)
    expect(came.left).toEqual([expect.stringMatching(/^the service refused the rate of requests/)])
    expect(came.findings).toEqual([])
  })

  it('only without a key also gets no further request', async () => {
    const came = await met((one) => (isKeyless(one) ? blockPage() : null))

    expect(came.asOthers).toHaveLength(2)
    expect(came.findings).toEqual([])
    expect(came.observed).toEqual({ okhttp: '403 without error_code' })
  })

  it('from the first request on leaves nothing to judge', async () => {
    const came = await met(() => blockPage())

    expect(came.asOthers).toHaveLength(1)
    expect(came.findings).toEqual([])
  })

  it('hides no earlier breach, and is not asked again to confirm it', async () => {
    const came = await met((one) => (isChrome(one) ? blockPage() : isKeyless(one) ? served : null))

    expect(came.findings).toMatchObject([{ reproduced: '3 of 3' }])
    expect(came.asOthers.filter(isChrome)).toHaveLength(1)
    expect(came.asOthers).toHaveLength(3 * 6 + 1)
    expect(came.observed).toEqual({ 'Chrome on Windows': '403 without error_code' })
  })
})

describe('a service that recognises the suite by name', () => {
  it.each<[string, (one: Sent) => boolean, Meets, string]>([
    ['serves a keyless browser', (one) => isChrome(one) && isKeyless(one), served, servedFor('400 / 1001')],
    ['serves other names with a wrong secret', isWrong, served, servedFor('401 / 1007')],
    ['serves requests without a name or key', isNobodys, served, servedFor('400 / 1001')],
    ['refuses other names', isPlain, refused(401, '1013'), 'answered 401 / 1013 where success is documented'],
    ['calls an absent key invalid', isKeyless, refused(401, '1006'), invalid],
  ])('is detected if it %s', async (_, when, reply, summary) => {
    const came = await met((one) => (when(one) ? reply : null))
    const [finding, ...more] = came.findings

    expect(more).toEqual([])
    expect(finding).toMatchObject({
      case: `${ruleId}:20260101:as-other-clients`,
      summary,
      reproduced: '3 of 3',
    })
    // All names are tried, then twice more for confirmation.
    expect(came.asOthers).toHaveLength(3 * 23)
    expect(came.observed).toBeUndefined()
  })

  it('is detected if it fails for other names', async () => {
    const came = await met((one) => (isChrome(one) ? answer(500, { oops: true }) : null))

    expect(came.findings[0]?.summary).toContain('answered 500')
    expect(came.asOthers.length).toBeGreaterThanOrEqual(23)
  })
})
