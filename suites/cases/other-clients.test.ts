import { describe, expect, it } from 'vitest'
import type { Case } from '../../lib/run/plan/cases.ts'
import { suiteContext, type SuiteContext } from '../../lib/run/plan/suite-context.ts'
import { userAgent } from '../../lib/run/plan/test-request.ts'
import { snapshotOf } from '../../lib/run/open-run.ts'
import { judgeRule } from '../../lib/run/judge-rule.ts'
import {
  open,
  refusal,
  told,
  type Arrived,
  type Opened,
  type Reply,
  type ToldReasons,
} from '../../lib/run/testing/open.ts'
import { fieldsOf } from '../../lib/http/request.ts'
import { clients } from '../../lib/serve/reference/clients.ts'
import { read, settingsOf, target } from '../../lib/settings/testing/read.ts'
import { wrongSecret } from '../../lib/run/plan/flawed-requests.ts'
import { askedAsOthers, otherClients } from './other-clients.ts'

const rule = 'authentication/no-side-door'
const acceptance = { RUN_PROFILE: 'acceptance' }

async function contextOf(env: Readonly<Record<string, string>>): Promise<SuiteContext> {
  return suiteContext(settingsOf(await read({ ...target, ...env })), userAgent('0.0.0'))
}

const context = await contextOf(acceptance)
const asked = askedAsOthers(context)
const agents = asked.map(({ request }) => fieldsOf(request.request, 'user-agent'))

describe('requests under the names of other clients', () => {
  it('are a plain one and one without a key, plus one with a wrong secret for the first three names', () => {
    const flaws = [...new Set(asked.map(({ name }) => name))].map((client) =>
      asked
        .filter(({ name }) => name === client)
        .map(({ request }) => context.documented(request).map(({ errorCode }) => errorCode ?? 'success'))
        .join(', '),
    )

    expect(flaws.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => 'success, 1001, 1007'))
    expect(flaws.slice(3)).toEqual(Array.from({ length: 7 }, () => 'success, 1001'))
  })

  it('differ from the plain request only in name and flaw, and the transport may refuse them', () => {
    for (const { name, request } of asked) {
      const [agent] = fieldsOf(request.request, 'user-agent')
      const plain = context.list.request
      const as = agent === undefined ? plain.without('user-agent') : plain.with('user-agent', agent)
      const bytes = [as, as.without('x-api-key'), as.with('x-secret-key', wrongSecret(context))].map(
        ({ hash }) => hash,
      )

      expect(bytes, name).toContain(request.hash)
      expect(request.traits, name).toEqual({ ...plain.traits, plain: false, transportMayRefuse: true })
    }
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
    const replayed = { rule, case: 'as-other-clients' } as const
    const again = async (env: Readonly<Record<string, string>>): Promise<readonly Case[]> =>
      otherClients(suiteContext(settingsOf(await read({ ...target, ...env })), 'test', { replayed }))

    expect(await again({})).toHaveLength(1)
    expect(await again({ RUN_IDENTIFY: 'true' })).toEqual([])
  })
})

const page = { 'content-type': 'text/html' }
const blockPage: Reply = { status: 403, body: '<p>error code: 1010</p>', fields: page }
const list: Reply = { status: 200, body: { items: [] } }

const isChrome = ({ agent = '' }: Arrived): boolean => agent.includes('Chrome/')
const isKeyless = ({ apiKey }: Arrived): boolean => apiKey === undefined
const isWrong = ({ secretKey }: Arrived): boolean => secretKey !== clients.permitted.secretKey
const isNamed = ({ agent = '' }: Arrived): boolean => agent.startsWith('card-switch-conformance/')

const isNobodys = (one: Arrived): boolean => one.agent === undefined && isKeyless(one)
const isPlain = (one: Arrived): boolean => !isKeyless(one) && !isWrong(one)
const servedFor = (code: string): string => `answered 200 with JSON where ${code} is documented`
const invalid = 'answered 401 / 1006 where 400 / 1001 is documented'

interface Played extends ToldReasons {
  readonly opened: Opened
  /** The requests that arrived without the suite's name, confirmations included. */
  readonly asOthers: readonly Arrived[]
}

/** Plays the scenario. The service uses `reply` for requests that do not name the suite, and answers others as documented. */
async function played(reply: (arrived: Arrived) => Reply | null): Promise<Played> {
  const opened = await open({ env: acceptance, reply: (one) => (isNamed(one) ? null : reply(one)) })
  const { run, arrived } = opened
  run.sender.budget.reserve(rule, 100)
  const left = told(await judgeRule(run, rule, { kind: 'cases', cases: otherClients(opened.context) }))
  return { opened, asOthers: arrived.filter((one) => !isNamed(one)), ...left }
}

function observed({ opened: { run } }: Played): unknown {
  return run.record.observations.all().find(({ id }) => id === 'refused-user-agents')?.value
}

function findingsOf({ opened: { run } }: Played) {
  return run.record.findings.of(rule).findings
}

describe('a service that ignores the user agent', () => {
  it('gets all requests one at a time, in order, and is not blamed', async () => {
    const met = await played(() => null)

    expect(met.asOthers.map(({ agent }) => agent)).toEqual(agents.map(([agent]) => agent))
    expect(findingsOf(met)).toEqual([])
    expect(observed(met)).toBeUndefined()
    expect(met).toMatchObject({ unjudged: [], untested: [] })
    expect(met.opened.run.record.answers.answers(rule)).toBe(23)
  })
})

describe('a firewall that refuses a name', () => {
  it.each<[string, Reply, string]>([
    ['by a page', blockPage, '403 without error_code'],
    ['by a status alone', { status: 403, body: '' }, '403 without error_code'],
    ['by a page with status 200', { ...blockPage, status: 200 }, '200'],
    ['by a closed connection', 'closed', 'not answered'],
    ['by a gateway page', { ...blockPage, status: 503 }, 'not answered'],
  ])('%s is not blamed, gets no further name and is noted', async (_, reply, outcome) => {
    const met = await played((one) => (isChrome(one) ? reply : null))

    const names = new Set(met.asOthers.map(({ agent }) => agent))
    expect(names).toEqual(new Set(agents.slice(0, 7).flat()))
    expect(met.asOthers.filter(isKeyless)).toHaveLength(2)
    expect(met).toMatchObject({ unjudged: [], untested: [] })
    expect(findingsOf(met)).toEqual([])
    expect(observed(met)).toEqual({ 'Chrome on Windows': outcome })
    expect(met.opened.run.record.answers.answers(rule)).toBe(6)
    expect(snapshotOf(met.opened.run).sent).toBeLessThanOrEqual(12)
  })

  it('by limiting its rate gets no further name and makes the rule inconclusive', async () => {
    const met = await played((one) => (isChrome(one) ? { ...blockPage, status: 429 } : null))

    expect(new Set(met.asOthers.map(({ agent }) => agent)).size).toBe(3)
    expect(met.unjudged).toEqual([expect.stringMatching(/^the service refused the rate of requests/)])
    expect(findingsOf(met)).toEqual([])
  })

  it('only without a key gets no further request either', async () => {
    const met = await played((one) => (isKeyless(one) ? blockPage : null))

    expect(met.asOthers).toHaveLength(2)
    expect(findingsOf(met)).toEqual([])
    expect(observed(met)).toEqual({ okhttp: '403 without error_code' })
  })

  it('from the first request on leaves nothing to judge', async () => {
    const met = await played(() => blockPage)

    expect(met.asOthers).toHaveLength(1)
    expect(findingsOf(met)).toEqual([])
  })

  it('hides no earlier breach, and is not asked again to confirm it', async () => {
    const met = await played((one) => (isChrome(one) ? blockPage : isKeyless(one) ? list : null))

    expect(findingsOf(met)).toMatchObject([{ reproduced: '3 of 3' }])
    expect(met.asOthers.filter(isChrome)).toHaveLength(1)
    expect(met.asOthers).toHaveLength(3 * 6 + 1)
    expect(observed(met)).toEqual({ 'Chrome on Windows': '403 without error_code' })
  })
})

describe('a service that recognises the suite by name', () => {
  it.each<[string, (one: Arrived) => boolean, Reply, string]>([
    [
      'serves a browser without a key',
      (one) => isChrome(one) && isKeyless(one),
      list,
      servedFor('400 / 1001'),
    ],
    ['serves others with a wrong secret', isWrong, list, servedFor('401 / 1007')],
    ['serves requests without a name or key', isNobodys, list, servedFor('400 / 1001')],
    ['refuses other names', isPlain, refusal(401, '1013'), 'answered 401 / 1013 where success is documented'],
    ['calls an absent key invalid', isKeyless, refusal(401, '1006'), invalid],
  ])('is detected if it %s', async (_, when, reply, summary) => {
    const met = await played((one) => (when(one) ? reply : null))
    const [finding, ...more] = findingsOf(met)

    expect(more).toEqual([])
    expect(finding).toMatchObject({
      case: `${rule}:20260101:as-other-clients`,
      summary,
      reproduced: '3 of 3',
    })
    // All names are tried, then twice more for confirmation.
    expect(met.asOthers).toHaveLength(3 * 23)
    expect(observed(met)).toBeUndefined()
  })

  it('is detected if it fails for other names', async () => {
    const met = await played((one) => (isChrome(one) ? { status: 500, body: { oops: true } } : null))

    expect(findingsOf(met)[0]?.summary).toContain('answered 500')
    expect(met.asOthers.length).toBeGreaterThanOrEqual(23)
  })
})
