import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import type { Response } from '../../http/exchange.ts'
import { answer, credentials, damaged, exchange, fieldsWith } from '../../judge/testing/exchanges.ts'
import { ruleIds } from '../../specification/rules.ts'
import { KnownAnswers } from './known-answers.ts'
import { Observations } from './observations.ts'
import { PowerRecord } from './power-record.ts'
import { PassiveChecks, type CaseExchange } from './passive-checks.ts'
import { successChecks } from './success-checks.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { findingRecorder, requestOf } from '../testing/layers.ts'

const secret = credentials.secretKey.reveal()
const refusal = { error_code: '1006', error_message: 'unknown' }
const bodies = [refusal, { ...refusal, error_code: 1006 }, { error_code: '1006' }, { items: [] }, [1], secret]
const texts = ['', '<html>', '\uFEFF{}', '{"a":1,"a":2}', ...bodies.map((body) => JSON.stringify(body))]
const labels = [['application/json'], [], ['text/html'], ['application/json', 'text/html']]
const rarely = fc.integer({ min: 0, max: 7 }).map((drawn) => drawn === 7)

function met(response: Response, request: TestRequest): CaseExchange {
  const context = { rule: 'fuzz/api-key', case: 'one' } as const
  return { request, exchange: exchange(response, request.request), context }
}

const anyResponse = fc
  .record({
    status: fc.constantFrom(200, 204, 400, 401, 404, 500),
    text: fc.constantFrom(...texts),
    given: fc.constantFrom(...labels),
    echo: fc.constantFrom('', secret),
    isDamaged: rarely,
  })
  .map(({ status, text, given, echo, isDamaged }) => {
    const fields = [...given, echo].map(
      (value, at) => [at < given.length ? 'content-type' : 'x', value] as const,
    )
    return isDamaged ? damaged(status, text, { fields }) : answer(status, text, { fields })
  })
const anyRequest = fc
  .record({
    method: fc.constantFrom('GET', 'HEAD'),
    fields: fc.constantFrom(fieldsWith({}), fieldsWith({ 'x-secret-key': null })),
    traits: fc.record({
      plain: rarely,
      observed: rarely,
      transportMayRefuse: rarely,
      mayRedirect: rarely,
      fieldMayBeRefused: rarely,
    }),
  })
  .map(({ traits, ...changes }) => requestOf(traits, changes))
/** Few different answers, each many times and to several requests. */
const anyRun = fc
  .tuple(
    fc.array(anyResponse, { minLength: 1, maxLength: 3 }),
    fc.array(anyRequest, { minLength: 1, maxLength: 3 }),
  )
  .chain(([responses, requests]) =>
    fc.array(fc.tuple(fc.constantFrom(...responses), fc.constantFrom(...requests)), { minLength: 4 }),
  )
  .map((run) => run.map(([response, request]) => met(response, request)))

/** Everything that the run-wide rules say of these exchanges, and how many of them had to be judged by each rule. */
async function saidOf(
  run: readonly CaseExchange[],
): Promise<{ readonly said: unknown; readonly slow: number }> {
  const model = { clients: [], endpoints: [], unsupportedVersion: '9' }
  const findings = findingRecorder()
  const checks = new PassiveChecks({
    places: { baseUrl: 'https://staging.example', paths: [] },
    seed: 7,
    model,
    findings,
    observations: new Observations(),
    power: new PowerRecord(model),
    baseline: null,
    successCheck: successChecks([]),
    confirm: () => Promise.resolve({ seen: 3, of: 3 }),
  })
  let slow = 0
  for (const one of run) {
    const judged = checks.judge(one)
    if (judged !== null) slow += 1
    await judged
  }
  const said = ruleIds.map((rule) => [rule, findings.answers(rule), findings.sample(rule), findings.of(rule)])
  return { said, slow }
}

describe('an answer that is known', () => {
  it('is judged as one that is not, whatever else was answered before', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async (run) => {
        const fast = await saidOf(run)
        const forgetful = vi.spyOn(KnownAnswers.prototype, 'rulesThatHold').mockReturnValue(null)
        const plain = await saidOf(run)
        forgetful.mockRestore()

        expect(fast.said).toEqual(plain.said)
        expect(plain.slow).toBe(run.length)
      }),
      { numRuns: 60 },
    )
  })

  it('is not judged rule by rule if it keeps them all, even to another request', async () => {
    const two = ['/api/customizations/list', '/api/other'].map((target) =>
      met(answer(401, refusal), requestOf({}, { target })),
    )

    expect((await saidOf(two)).slow).toBe(0)
  })
})
