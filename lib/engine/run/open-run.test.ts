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
})

describe('the preflight', () => {
  it('that meets refused credentials ends the run before anything else is sent, and blames nobody', async () => {
    const { run, plain, arrived } = await open({ reply: () => refusal(401, '1006') })
    const sending = [1, 2, 3].map(() => thrownBy(run.driver.send(plain.without('x-api-key'), context)))

    for (const error of await Promise.all(sending)) expect(error).toBeInstanceOf(RunEnded)
    expect(await thrownBy(run.driver.send(plain, context))).toBeInstanceOf(RunEnded)
    expect(arrived.map((one) => one.plain)).toEqual([true])
    expect(endOf(run)?.message).toMatch(/check TARGET_API_KEY/)
    expect(snapshotOf(run).ended).toMatch(/check TARGET_API_KEY/)
    expect(accused(run)).toEqual([])
  })

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
})

describe('a request that is never answered', () => {
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
