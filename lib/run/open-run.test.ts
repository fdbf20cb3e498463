import { describe, expect, it } from 'vitest'
import type { Response } from '../http/exchange.ts'
import { answer, refused, served } from '../judge/testing/exchanges.ts'
import { Secret } from '../redact/secret.ts'
import { clients } from '../serve/reference/clients.ts'
import { runWideRules, type RuleId } from '../specification/rules.ts'
import type { SuiteContext } from './plan/suite-context.ts'
import type { Context, TestRequest } from './plan/test-request.ts'
import { open } from './testing/open.ts'
import { snapshotOf } from './open-run.ts'

const context: Context = { rule: 'authentication/api-key-missing', case: 'absent' }
const page = answer(500, '<html>oops', { fields: [['content-type', 'text/html']] })
const { apiKey, secretKey } = clients.permitted

type Change = (plain: TestRequest) => TestRequest

/** What comes of a request that is answered so by a service which serves plain valid ones. */
async function sent(
  change: (plain: TestRequest, context: SuiteContext) => TestRequest,
  response: Response | ((key: string) => Response),
) {
  const {
    run,
    plain,
    arrived,
    context: made,
  } = await open({
    reply: ({ plain: isPlain, apiKey: key = '' }) =>
      isPlain ? served : typeof response === 'function' ? response(key) : response,
  })
  await run.requests.send(change(plain, made), context)
  const of = (rule: RuleId) => run.record.findings.of(rule).findings
  const accused = [...runWideRules, 'endpoints/list-succeeds' as const].filter((rule) => of(rule).length > 0)
  return { run, of, accused, plain: arrived.map((one) => one.plain) }
}

const withoutKey: Change = (plain) => plain.without('x-api-key')
const observed: Change = (plain) => plain.without('x-api-key').trait({ observed: true })
const coded = (status: number, code: string): Response =>
  answer(status, { error_code: code, error_message: 'a' }, { fields: [['content-type', 'text/x']] })
const aboutBodies = [
  'conventions/json-response',
  'conventions/json-content-type',
  'errors/body-shape',
  'errors/documented-pairs',
]

describe('an answer', () => {
  it.each<[about: string, change: Change, response: Response, accused: readonly string[]]>([
    ['that is documented', withoutKey, refused(400, '1001'), []],
    ['that is a page', withoutKey, page, aboutBodies],
    ['that is only observed, under 404', observed, coded(404, '9'), []],
    ['that is only observed, under 501', observed, coded(501, '9'), []],
    ['that is only observed, under 500', observed, coded(500, '9'), ['errors/documented-pairs']],
    // With a documented code, 503 is an answer and not a gateway's.
    ['that is only observed, under 503', observed, coded(503, '1001'), ['errors/documented-pairs']],
    ['that is only observed, with the secret', observed, answer(400, secretKey), ['security/no-secret-echo']],
  ])('%s breaks the rules for all answers that it must', async (_, change, response, expected) => {
    expect((await sent(change, response)).accused).toEqual(expected)
  })

  it('that breaks several rules is confirmed once, by sending it twice more with a health check between', async () => {
    const { run, of, accused, plain } = await sent(withoutKey, page)

    expect(plain).toEqual([true, false, false, true, false])
    for (const rule of accused)
      expect(of(rule)).toMatchObject([
        { case: `${context.rule}:20260101:absent`, count: 1, reproduced: '3 of 3' },
      ])
    expect(snapshotOf(run)).toMatchObject({ sent: 5, retried: 0, confirming: 3 })
  })

  it('without a success for the second client names what else may explain it', async () => {
    const { of } = await sent(
      (plain, { fixtures: { second } }) => plain.as('second', second ?? expect.fail('no second client')),
      refused(401, '1013'),
    )

    expect(of('endpoints/list-succeeds').map(({ summary }) => summary)).toEqual([
      'answered 401 / 1013 where success is documented, or the client of FIXTURE_SECOND_API_KEY may not use the endpoint',
    ])
  })

  const near = new Secret(
    'TARGET_API_KEY with character 7 changed',
    `${apiKey.slice(0, 7)}#${apiKey.slice(8)}`,
  )

  it.each<[about: string, change: Change, name: string, credential: string, status: number]>([
    ['a credential', (plain) => plain.without('x-version'), 'TARGET_API_KEY', apiKey, 400],
    ['a near miss', (plain) => plain.with('x-api-key', near), near.name, apiKey.slice(0, 7), 401],
  ])(
    'with %s in the place of a code is a finding without it',
    async (_, change, name, credential, status) => {
      const { of } = await sent(change, (key) =>
        answer(
          status,
          { error_code: key, error_message: `invalid: ${key}` },
          {
            fields: [
              ['content-type', 'application/json'],
              ['location', `/?key=${key}`],
            ],
          },
        ),
      )
      const [finding] = of('errors/documented-pairs')

      expect(finding?.answered).toEqual({ status, errorCode: `<${name}>` })
      expect(finding?.summary).toContain(`<${name}>`)
      expect(finding?.exchange.response?.body).toContain(`invalid: <${name}>`)
      expect(JSON.stringify(finding)).not.toContain(credential)
    },
  )
})

it('a service that only just starts, or refuses a rate, is quoted where it sends no JSON, and not blamed', async () => {
  const replies = [
    { ...page, status: 503 },
    answer(429, 'slow', { fields: [['content-type', 'text/plain']] }),
  ]
  const { run, plain } = await open({ reply: () => replies.shift() ?? null })
  await run.requests.send(plain, context)

  expect(snapshotOf(run).observations.find(({ id }) => id === 'not-json')?.value).toEqual({
    '429 without 1020': 'a body that is not JSON (text/plain), although every body is documented as JSON',
    '503 before the first answer':
      'a body that is not JSON (text/html), although every body is documented as JSON',
  })
  expect(runWideRules.filter((rule) => run.record.findings.of(rule).findings.length > 0)).toEqual([])
})
