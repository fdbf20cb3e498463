import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runInProcess } from './support/in-process.ts'
import { mendable } from './support/mendable.ts'
import { emptyFolder, folderWith, readVerdict, settingsFor, type ProgramResult } from './support/program.ts'

/** Runs against a service that can be mended, in one folder. */
async function started() {
  const { service, mend } = await mendable()
  const cwd = await emptyFolder()
  const run = (...args: readonly string[]): Promise<ProgramResult> =>
    runInProcess(args, { cwd, env: settingsFor(service) })
  return { cwd, run, mend }
}

const selected = ['authentication/*', 'versioning/*'].join(',')

test('--failed judges again what failed, until nothing is left', async () => {
  const { cwd, run, mend } = await started()
  const { verdict: whole } = await run('--only', selected)
  const failed = whole?.rules.filter(({ status }) => status === 'failed').map(({ id }) => id) ?? []
  expect(failed).toContain('authentication/api-key-missing')
  expect(failed.length).toBeLessThan((whole?.rules.length ?? 0) / 2)

  const again = await run('--failed')
  expect(again).toMatchObject({ code: 1, verdict: { selection: { only: failed } } })
  expect(again.verdict?.rules.map(({ id, status }) => [id, status])).toEqual(
    failed.map((id) => [id, 'failed']),
  )

  const planned = await run('plan', '--failed')
  expect(planned).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('authentication/api-key-missing'),
  })
  expect(planned.stdout).not.toContain('versioning/')

  mend()
  const mended = await run('--failed')
  expect(mended).toMatchObject({ code: 0, verdict: { verdict: 'conformant', selection: { only: failed } } })
  expect(mended.stdout).toContain('PARTIAL')

  const nothing = await run('--failed')
  expect(nothing.code).toBe(2)
  expect(nothing.stderr).toContain('nothing is left to judge again')
  expect(await readVerdict(join(cwd, 'reports', 'verdict.json'))).toEqual(mended.verdict)
})

test('--failed takes the finished run before one that did not finish', async () => {
  const { cwd, run } = await started()
  const { verdict: whole } = await run('--only', selected)
  const wrong = await run('--timeout-ms', 'soon')
  expect(wrong).toMatchObject({ code: 2, verdict: { verdict: 'error' } })

  const again = await run('--failed', '--only', 'authentication/api-key-missing')

  expect(whole?.verdict).toBe('nonconformant')
  expect(again.verdict?.rules.map(({ id }) => id)).toEqual(['authentication/api-key-missing'])
  expect(cwd).toBe(again.cwd)
})

test('--failed needs a last run of the same target', async () => {
  const none = await runInProcess(['--failed', '--base-url', 'embedded'])
  expect(none.code).toBe(2)
  expect(none.stderr).toMatch(/RUN_FAILED.*--failed[^]*the verdict of a finished run in the reports folder/)

  const { cwd, run } = await started()
  await run('--only', 'authentication/api-key-missing')
  const other = await runInProcess(['--failed', '--base-url', 'embedded'], { cwd })
  expect(other.code).toBe(2)
  expect(other.stderr).toMatch(/the last one judged http:\/\/127\.0\.0\.1:\d+/)

  const damaged = await folderWith({})
  await writeFile(join(damaged, 'verdict.json'), '{}')
  const unread = await runInProcess(['--failed', '--base-url', 'embedded', '--reports-dir', '.'], {
    cwd: damaged,
  })
  expect(unread.code).toBe(2)
  expect(unread.stderr).toContain('is no verdict')
})
