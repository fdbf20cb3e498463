import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mendable } from './support/mendable.ts'
import { run } from './support/program-test.ts'
import { emptyFolder, readVerdict, settingsFor, type ProgramResult } from './support/program.ts'

test('--failed judges again the rules that failed in the last finished run, until all pass', async () => {
  const { service, fault } = await mendable()
  const cwd = await emptyFolder()
  const judge = (...args: readonly string[]): Promise<ProgramResult> =>
    run(args, { cwd, env: settingsFor(service) })
  const { verdict: whole } = await judge(
    '--only',
    'authentication/*-missing,authentication/no-bypass,versioning/*',
  )
  const failed = whole?.rules.filter(({ status }) => status === 'failed').map(({ id }) => id) ?? []
  expect(failed).toContain('authentication/api-key-missing')
  expect(failed.length).toBeLessThan((whole?.rules.length ?? 0) / 2)

  const wrong = await judge('--timeout-ms', 'soon')
  expect(wrong).toMatchObject({ code: 2, verdict: whole })
  const one = await judge('plan', '--failed', '--only', 'authentication/api-key-missing')
  expect(one.stdout).toMatch(/^ {2}authentication\/api-key-missing +\d+$/m)
  expect(one.stdout).not.toMatch(/^ {2}authentication\/no-bypass/m)

  const other = await run(['--failed', '--base-url', 'embedded'], { cwd })
  expect(other.code).toBe(2)
  expect(other.stderr).toMatch(/the last run judged http:\/\/127\.0\.0\.1:\d+/)

  const again = await judge('--failed')
  expect(again).toMatchObject({ code: 1, verdict: { selection: { only: failed } } })
  expect(again.verdict?.rules.map(({ id, status }) => [id, status])).toEqual(
    failed.map((id) => [id, 'failed']),
  )

  const planned = await judge('plan', '--failed')
  expect([planned.code, planned.stdout]).toEqual([
    0,
    expect.stringContaining('authentication/api-key-missing'),
  ])
  expect(planned.stdout).not.toContain('versioning/')

  fault.isBent = false
  const mended = await judge('--failed')
  expect(mended).toMatchObject({ code: 0, verdict: { verdict: 'conformant', selection: { only: failed } } })
  expect(mended.stdout).toContain('PARTIAL')

  const nothing = await judge('--failed')
  expect([nothing.code, nothing.stderr]).toEqual([
    2,
    expect.stringContaining('there is nothing to judge again'),
  ])
  expect(await readVerdict(join(cwd, 'reports', 'verdict.json'))).toEqual(mended.verdict)
})
