import { describe } from 'vitest'
import { expectIncomplete, run, test } from './program-test.ts'
import { rulesThat, settingsFor } from './program.ts'

describe.concurrent('a run that takes longer than RUN_MAX_MINUTES is incomplete, and says so:', () => {
  test('a service that is slow', async ({ reference, expect }) => {
    const service = await reference({ latencyMs: 500 })

    const result = await run(['--max-minutes', '0.1'], { env: settingsFor(service) })

    expectIncomplete(expect, result, ['the run took longer than 0.1 minutes (RUN_MAX_MINUTES)'])
    expect(rulesThat(result.verdict, 'inconclusive')).toContain('quota/exhausted')
    expect(result.verdict?.requests.sent).toBeLessThanOrEqual(service.requests() + 8)
    // All of its requests would take 25 seconds.
    expect(service.requests()).toBeLessThan(300)
    expect(result.verdict?.durationMs).toBeGreaterThanOrEqual(5_000)
  })

  test('a service that never answers', async ({ reference, expect }) => {
    const service = await reference({ intervene: () => true })
    const env = { ...settingsFor(service), RUN_MAX_MINUTES: '0.05' }

    const result = await run(['--timeout-ms', '600000'], { env })

    expectIncomplete(expect, result, ['the run took longer than 0.05 minutes (RUN_MAX_MINUTES)'])
    // Far less than the ten minutes after which the first request would be given up.
    expect(result.durationMs).toBeLessThan(60_000)
  })

  test('what was found before counts', async ({ reference, expect }) => {
    let requests = 0
    const intervene = (): boolean => {
      requests += 1
      return requests > 200
    }
    const service = await reference({ intervene, faults: ['missing-api-key-called-invalid'] })
    const flags = ['--max-minutes', '0.15', '--timeout-ms', '600000']

    const result = await run(flags, { env: settingsFor(service) })

    expect(result.verdict).toMatchObject({ verdict: 'nonconformant', exitCode: 1 })
    expect(result.verdict?.because.join()).toContain('the run took longer than 0.15 minutes')
    expect(result.code).toBe(1)
  })
})
