import { expect, test } from 'vitest'
import { startReference } from '../lib/reference/service.ts'
import { onTestFinished } from 'vitest'
import { runProgram, rulesThat, settingsFor } from './program.ts'

test('0: a conformant service', async () => {
  const service = await startReference()
  onTestFinished(() => service.close())

  const { code, verdict, stdout } = await runProgram([], { env: settingsFor(service) })

  expect(rulesThat(verdict, 'failed', 'warned', 'inconclusive', 'untested')).toEqual([
    'tolerance/no-breaking-change',
  ])
  expect(verdict).toMatchObject({ verdict: 'conformant', exitCode: 0, because: [] })
  expect(verdict?.requests.sent).toBe(service.requests())
  expect(code).toBe(0)
  expect(stdout).toContain('CONFORMANT')
})

test('1: a violation', async () => {
  const service = await startReference({ faults: ['missing-api-key-called-invalid'] })
  onTestFinished(() => service.close())

  const { code, verdict, stdout } = await runProgram([], { env: settingsFor(service) })

  expect(verdict).toMatchObject({ verdict: 'nonconformant', exitCode: 1 })
  expect(rulesThat(verdict, 'failed')).toContain('authentication/api-key-missing')
  expect(code).toBe(1)
  expect(stdout).toContain('NONCONFORMANT')
})
