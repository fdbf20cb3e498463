import { describe, expect, it, vi } from 'vitest'
import { Secret } from '../../redact/secret.ts'
import { clients } from '../../serve/reference/clients.ts'
import { runWideRules, type RuleId } from '../../specification/rules.ts'
import type { SuiteContext } from '../plan/suite-context.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'
import { Inconclusive, NoResponse, RunEnded } from '../plan/errors.ts'
import { open, refusal, type Arrived, type Reply } from '../testing/open.ts'
import { endOf, snapshotOf, type OpenRun } from './open-run.ts'

vi.mock('../send/sleep.ts', () => import('../testing/at-once.ts'))

const context: Context = { rule: 'authentication/api-key-missing', case: 'absent' }
const page: Reply = { status: 500, body: '<html>oops', fields: { 'content-type': 'text/html' } }

/** The rules that have findings. */
function accused(run: OpenRun): readonly RuleId[] {
  const all: readonly RuleId[] = [
    ...runWideRules,
    'endpoints/list-succeeds',
    'quota/per-client',
    'authentication/api-key-missing',
  ]
  return all.filter((rule) => run.record.findings.of(rule).findings.length > 0)
}

function asSecond(plain: TestRequest, { fixtures: { second } }: SuiteContext): TestRequest {
  return second === null ? expect.fail('no second client') : plain.as('second', second)
}

function exhaustedIn({ list }: SuiteContext): TestRequest {
  return list.of('exhausted')[0] ?? expect.fail('no exhausted client')
}

async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  try {
    await work
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** A service that closes the connection of requests without x-api-key, and answers all others. */
const silent = ({ apiKey }: Arrived): Reply | null => (apiKey === undefined ? 'closed' : null)

describe('a client', () => {
  it('sends nothing before it is asked to, then one plain valid request first', async () => {
    const { run, plain, arrived } = await open()
    expect(arrived).toEqual([])

    const exchange = await run.driver.send(plain.without('x-api-key'), context)
    expect(exchange.response.status).toBe(400)
    expect(arrived.map((one) => one.plain)).toEqual([true, false])
    expect(snapshotOf(run)).toMatchObject({ sent: 2, retried: 0, confirming: 0, ended: null })
  })

  it('writes down what a service that only just starts, or refuses a rate, says instead of JSON, and blames nobody', async () => {
    const replies: readonly Reply[] = [
      { ...page, status: 503 },
      { status: 429, body: 'slow down', fields: { 'content-type': 'text/plain' } },
    ]
    const { run, plain } = await open({ reply: ({ index }) => replies[index] ?? null })
    await run.driver.send(plain, context)

    expect(snapshotOf(run).observations.find(({ id }) => id === 'not-json')?.value).toEqual({
      '429 without 1020': 'a body that is not JSON (text/plain), where every body is documented to be JSON',
      '503 before the first answer':
        'a body that is not JSON (text/html), where every body is documented to be JSON',
    })
    expect(accused(run)).toEqual([])
  })

  it('has nothing to say against the reference service, and has judged it by every run-wide rule', async () => {
    const { run, plain } = await open()
    await run.driver.send(plain, context)
    await run.driver.send(plain.without('x-secret-key'), context)

    expect(accused(run)).toEqual([])
    for (const rule of ['conventions/json-response', 'conventions/json-content-type'] as const) {
      expect(run.record.answers.answers(rule)).toBe(3)
    }
    expect(run.record.answers.answers('errors/body-shape')).toBe(1)
    expect(run.record.answers.answers('endpoints/list-succeeds')).toBe(2)
    expect(snapshotOf(run).latencyMs?.max).toBeGreaterThan(0)
  })

  it('sends nothing at all once the run was cancelled', async () => {
    const cancelled = new AbortController()
    const reason = new Error('interrupted')
    const { run, plain, arrived } = await open({ signal: cancelled.signal })
    cancelled.abort(reason)

    expect(await thrownBy(run.driver.send(plain, context))).toBe(reason)
    expect(arrived).toEqual([])
  })
})

describe('the preflight', () => {
  it.each<[string, Reply, RegExp]>([
    ['refused credentials', refusal(401, '1006'), /check TARGET_API_KEY/],
    ['refused input', refusal(400, '1030'), /TARGET_QUERY/],
    ['a used-up quota', refusal(429, '1020'), /^the daily quota of the client of TARGET_API_KEY is used up/],
    ['trouble', 'closed', /closed the connection/],
  ])(
    'that meets %s ends the run before anything else is sent, and blames nobody',
    async (_, reply, sentence) => {
      const { run, plain, arrived } = await open({ reply: () => reply })
      const sending = [1, 2, 3].map(() => thrownBy(run.driver.send(plain.without('x-api-key'), context)))

      for (const error of await Promise.all(sending)) expect(error).toBeInstanceOf(RunEnded)
      expect(await thrownBy(run.driver.send(plain, context))).toBeInstanceOf(RunEnded)
      expect(arrived.every((one) => one.plain)).toBe(true)
      expect(endOf(run)?.message).toMatch(sentence)
      expect(snapshotOf(run).ended).toMatch(sentence)
      expect(accused(run)).toEqual([])
    },
  )

  it('that is answered wrongly is judged, and the run goes on', async () => {
    const { run, plain } = await open({ reply: ({ plain: isPlain }) => (isPlain ? page : null) })
    await run.driver.send(plain.without('x-api-key'), context)

    expect(endOf(run)).toBeNull()
    expect(accused(run)).toEqual([
      'conventions/json-response',
      'conventions/json-content-type',
      'errors/body-shape',
      'errors/documented-pairs',
      'endpoints/list-succeeds',
    ])
    expect(run.record.findings.of('endpoints/list-succeeds').findings[0]).toMatchObject({
      case: `endpoints/list-succeeds:20260101:plain`,
      reproduced: '3 of 3',
    })
  })
})

describe('a wrong answer', () => {
  const onlyWithoutKey = ({ apiKey }: Arrived): Reply | null => (apiKey === undefined ? page : null)

  it('is confirmed by sending it twice more with a health check between, once for all rules that it breaks', async () => {
    const { run, plain, arrived } = await open({ reply: onlyWithoutKey })
    await run.driver.send(plain.without('x-api-key'), context)

    expect(arrived.map((one) => (one.plain ? 'plain' : 'flawed'))).toEqual([
      'plain',
      'flawed',
      'flawed',
      'plain',
      'flawed',
    ])
    expect(accused(run)).toEqual([
      'conventions/json-response',
      'conventions/json-content-type',
      'errors/body-shape',
      'errors/documented-pairs',
    ])
    for (const rule of accused(run)) {
      expect(run.record.findings.of(rule).findings).toHaveLength(1)
      expect(run.record.findings.of(rule).findings[0]).toMatchObject({
        case: 'authentication/api-key-missing:20260101:absent',
        count: 1,
        reproduced: '3 of 3',
      })
    }
    expect(snapshotOf(run)).toMatchObject({ sent: 5, retried: 0, confirming: 3 })
  })

  it('is confirmed once for each kind, however often it is met', async () => {
    const { run, plain, arrived } = await open({ reply: onlyWithoutKey })
    for (const name of ['one', 'two', 'three']) {
      await run.driver.send(plain.without('x-api-key'), { ...context, case: name })
    }

    expect(arrived).toHaveLength(1 + 3 + 3)
    expect(run.record.findings.of('errors/body-shape').findings).toHaveLength(1)
    expect(run.record.findings.of('errors/body-shape').findings[0]).toMatchObject({
      count: 3,
      reproduced: '3 of 3',
    })
  })

  it('shows the request, the answer and a curl line, and no credential', async () => {
    const { permitted } = clients
    const { run, plain } = await open({
      reply: ({ version, secretKey, apiKey }) =>
        version === undefined
          ? {
              status: 500,
              body: `${apiKey} and ${btoa(secretKey ?? '')}`,
              fields: { 'x-echo': secretKey ?? '' },
            }
          : null,
    })
    await run.driver.send(plain.without('x-version'), context)

    expect(accused(run)).toContain('security/no-secret-echo')
    const everything = JSON.stringify([
      runWideRules.map((rule) => [run.record.findings.of(rule).findings, run.record.answers.sample(rule)]),
      snapshotOf(run),
    ])
    for (const secret of [permitted.apiKey, permitted.secretKey, btoa(permitted.secretKey).slice(0, 20)]) {
      expect(everything).not.toContain(secret)
    }
    const [finding] = run.record.findings.of('security/no-secret-echo').findings
    expect(finding?.curl).toContain('-H "x-api-key: $TARGET_API_KEY"')
    expect(finding?.exchange.request.headers[0]).toEqual(['x-api-key', '<TARGET_API_KEY>'])
    expect(finding?.exchange.response?.status).toBe(500)
  })
})

describe('a wrong answer that repeats a credential in the place of a code', () => {
  it('is a finding without it', async () => {
    const { run, plain } = await open({
      reply: ({ version, apiKey }) =>
        version === undefined ? { status: 400, body: { error_code: apiKey, error_message: 'a' } } : null,
    })
    await run.driver.send(plain.without('x-version'), context)
    const [finding] = run.record.findings.of('errors/documented-pairs').findings

    expect(finding?.answered).toEqual({ status: 400, errorCode: '<TARGET_API_KEY>' })
    expect(JSON.stringify(finding)).not.toContain(clients.permitted.apiKey)
  })
})

describe('a wrong answer that repeats a near miss of a credential in the place of a code', () => {
  it('is a finding that names what was sent, and shows no part of it', async () => {
    const { run, plain } = await open({
      reply: ({ plain: isPlain, apiKey }) =>
        isPlain
          ? null
          : {
              status: 401,
              body: { error_code: apiKey, error_message: `invalid: ${apiKey}` },
              fields: { 'content-type': 'application/json', location: `/?key=${apiKey}` },
            },
    })
    const { apiKey } = clients.permitted
    const near = new Secret(
      'TARGET_API_KEY with character 7 changed',
      `${apiKey.slice(0, 7)}#${apiKey.slice(8)}`,
    )
    await run.driver.send(plain.with('x-api-key', near), context)
    const [finding] = run.record.findings.of('errors/documented-pairs').findings

    expect(finding?.answered).toEqual({ status: 401, errorCode: `<${near.name}>` })
    expect(finding?.summary).toContain(`<${near.name}>`)
    expect(finding?.exchange.response?.body).toContain(`invalid: <${near.name}>`)
    expect(JSON.stringify(finding)).not.toContain(apiKey.slice(0, 7))
  })
})

describe('the second client that is not served', () => {
  it('is a breach that names what else may explain it', async () => {
    const {
      run,
      plain,
      context: made,
    } = await open({
      reply: ({ apiKey }) => (apiKey === clients.second.apiKey ? refusal(401, '1013') : null),
    })
    await run.driver.send(asSecond(plain, made), context)

    expect(run.record.findings.of('endpoints/list-succeeds').findings.map(({ summary }) => summary)).toEqual([
      'answered 401 / 1013 where success is documented, or the client of FIXTURE_SECOND_API_KEY may not use the endpoint',
    ])
  })
})

describe('an exchange that is only observed', () => {
  it.each([
    [404, []],
    [501, []],
    [500, ['errors/documented-pairs']],
    [503, ['errors/documented-pairs']],
  ] as const)('with %i breaks: %o', async (status, expected) => {
    const { run, plain } = await open({
      // With a documented code, 503 is an answer and not a gateway's.
      reply: ({ apiKey }) =>
        apiKey === undefined
          ? {
              status,
              body: { error_code: status === 503 ? '1001' : '9', error_message: 'a' },
              fields: { 'content-type': 'text/x' },
            }
          : null,
    })
    await run.driver.send(plain.without('x-api-key').trait({ observed: true }), context)

    expect(accused(run)).toEqual(expected)
  })

  it('that repeats the secret breaks its rule all the same', async () => {
    const { run, plain } = await open({
      reply: ({ apiKey, secretKey }) =>
        apiKey === undefined ? { status: 400, body: secretKey ?? '' } : null,
    })
    await run.driver.send(plain.without('x-api-key').trait({ observed: true }), context)

    expect(accused(run)).toEqual(['security/no-secret-echo'])
  })

  it('is a near miss of a path that is redirected', async () => {
    const reply: Reply = { status: 301, body: '', fields: { location: '/api/customizations/list' } }
    const { run, plain } = await open({ reply: ({ target }) => (target.endsWith('/') ? reply : null) })
    await run.driver.send(plain.to('/api/customizations/list/').trait({ mayRedirect: true }), context)
    expect(accused(run)).toEqual([])

    await run.driver.send(plain.to('/api/customizations/list/'), context)
    expect(accused(run)).toContain('errors/documented-pairs')
  })
})

describe('a request that is never answered', () => {
  it('while plain valid ones are is the fault of the service', async () => {
    const { run, plain, arrived } = await open({ reply: silent })
    const error = await thrownBy(run.driver.send(plain.without('x-api-key'), context))

    expect(error).toBeInstanceOf(NoResponse)
    expect(error).toMatchObject({
      difference: 'no answer: connection-closed',
      reproduced: { seen: 6, of: 6 },
    })
    expect(arrived.filter((one) => !one.plain)).toHaveLength(6)
    // The first of the run, one after each retry, and one on a new connection: a ban may spare old ones.
    expect(arrived.filter((one) => one.plain)).toHaveLength(4)
    expect(endOf(run)).toBeNull()
    expect(snapshotOf(run)).toMatchObject({ sent: 10, retried: 3 })
  })

  it('is proven with a health check between where it is like a known one, and not where that is not served', async () => {
    let isServed = true
    const { run, plain } = await open({
      reply: ({ apiKey }) => (apiKey === undefined ? 'closed' : isServed ? null : page),
    })
    expect(await thrownBy(run.driver.send(plain.without('x-api-key'), context))).toBeInstanceOf(NoResponse)

    isServed = false
    const error = await thrownBy(run.driver.send(plain.without('x-api-key', 'accept'), context))
    expect(error).toBeInstanceOf(Inconclusive)
    expect(error).not.toBeInstanceOf(RunEnded)
  })

  it('makes those with further flaws be tried twice, with a served health check between', async () => {
    const { run, plain, arrived } = await open({ reply: silent })
    await thrownBy(run.driver.send(plain.without('x-api-key'), context))
    const before = arrived.length
    const error = await thrownBy(run.driver.send(plain.without('x-api-key', 'x-version'), context))

    expect(error).toMatchObject({ reproduced: { seen: 2, of: 2 } })
    expect(arrived.slice(before).map((one) => (one.plain ? 'plain' : 'flawed'))).toEqual([
      'flawed',
      'plain',
      'flawed',
    ])
  })
})

describe('a used-up quota that nobody asked for', () => {
  it('of the target client ends the run', async () => {
    const { run, plain, arrived } = await open({ quotas: { permitted: 3 } })
    const sent: unknown[] = []
    for (let index = 0; index < 5; index += 1) {
      sent.push(
        await run.driver.send(plain.trait({}), context).then(
          () => 'sent',
          (error: unknown) => error,
        ),
      )
    }

    expect(sent.slice(0, 2)).toEqual(['sent', 'sent'])
    for (const error of sent.slice(2)) expect(error).toBeInstanceOf(RunEnded)
    expect(endOf(run)?.message).toMatch(/^the daily quota of the client of TARGET_API_KEY is used up/)
    // The preflight, two served requests, the refused one, and the three health checks that prove it.
    expect(arrived).toHaveLength(7)
    expect(accused(run)).toEqual([])
  })

  it('of another client leaves that client alone from then on, and the others in peace', async () => {
    const { run, plain, context: made, arrived } = await open({ quotas: { second: 1 } })
    const other = asSecond(plain, made)
    await run.driver.send(other, context)

    const refused = await thrownBy(run.driver.send(other, context))
    const before = arrived.length
    const again = await thrownBy(run.driver.send(other, context))
    expect([refused, again]).toEqual([expect.any(Inconclusive), expect.any(Inconclusive)])
    expect(String(refused)).toContain('the client of FIXTURE_SECOND_API_KEY')
    expect(arrived).toHaveLength(before)
    expect(endOf(run)).toBeNull()
    expect((await run.driver.send(plain, context)).response.status).toBe(200)
    expect(accused(run)).toEqual([])
  })
})

describe('a used-up quota that was asked for', () => {
  it('is an answer, and others are still served', async () => {
    const { run, context: made, arrived } = await open()
    const exhausted = exhaustedIn(made)
    const asking = exhausted.trait({ asksForQuota: true })

    expect((await run.driver.send(asking, context)).response.status).toBe(429)
    expect((await run.driver.send(asking, context)).response.status).toBe(429)
    expect(arrived.filter((one) => one.plain)).toHaveLength(2)
    expect(accused(run)).toEqual([])
  })

  it('that takes the target client with it is a breach, and ends the run', async () => {
    let ranOut = false
    const {
      run,
      context: made,
      plain,
    } = await open({
      reply: ({ apiKey }) => {
        ranOut ||= apiKey === clients.exhausted.apiKey
        return ranOut ? refusal(429, '1020') : null
      },
    })
    const exhausted = exhaustedIn(made)
    await run.driver.send(plain, context)
    await run.driver.send(exhausted.trait({ asksForQuota: true }), context)

    expect(accused(run)).toEqual(['quota/per-client'])
    expect(run.record.findings.of('quota/per-client').findings[0]).toMatchObject({
      reproduced: '3 of 3',
      answered: { status: 429, errorCode: '1020' },
    })
    expect(await thrownBy(run.driver.send(plain, context))).toBeInstanceOf(RunEnded)
    expect(endOf(run)?.message).toContain('quota/per-client')
  })
})

describe('a client that is refused again and again', () => {
  it('and then locked out ends the run instead of being blamed on the service', async () => {
    let refusals = 0
    const { run, plain } = await open({
      reply: ({ apiKey }) => {
        refusals += apiKey === undefined ? 1 : 0
        return refusals >= 20 && apiKey !== undefined ? refusal(401, '1006') : null
      },
    })
    const errors: unknown[] = []
    for (let index = 0; index < 60; index += 1) {
      await run.driver.send(plain.without('x-api-key'), context).catch((error: unknown) => errors.push(error))
    }

    expect(errors.length).toBeGreaterThan(0)
    for (const error of errors) expect(error).toBeInstanceOf(RunEnded)
    expect(endOf(run)?.message).toContain('the client may have been locked out')
    expect(accused(run)).toEqual([])
  })
})

describe('the budget of a client', () => {
  it('is not passed by one, whatever goes wrong', async () => {
    for (const limit of [1, 2, 3, 5, 8]) {
      const { run, plain, arrived } = await open({
        env: { RUN_MAX_REQUESTS: String(limit) },
        reply: ({ apiKey, index }) => (apiKey === undefined ? (index % 2 === 0 ? page : 'closed') : null),
      })
      await Promise.allSettled(
        Array.from({ length: 10 }, (_, index) =>
          run.driver.send(plain.without('x-api-key'), { ...context, case: String(index) }),
        ),
      )

      expect(arrived.length).toBeLessThanOrEqual(limit)
      expect(snapshotOf(run).sent).toBe(limit)
    }
  })
})
