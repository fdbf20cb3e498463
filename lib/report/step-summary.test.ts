import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { appendStepSummary } from './step-summary.ts'

async function fileWith(text: string | null): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'step-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'summary')
  if (text !== null) await writeFile(file, text)
  return file
}

it('appends to what is there, and makes the file where it is missing', async () => {
  const [missing, full] = [await fileWith(null), await fileWith('before\n')]

  expect(await appendStepSummary(missing, '## new\n')).toBeNull()
  expect(await appendStepSummary(full, '## new\n')).toBeNull()
  expect(await readFile(missing, 'utf8')).toBe('## new\n')
  expect(await readFile(full, 'utf8')).toBe('before\n\n## new\n')
})

it('keeps the file within 1 MiB, above which GitHub shows nothing of it', async () => {
  const file = await fileWith('x'.repeat(1024 * 1024 - 10_000))

  expect(await appendStepSummary(file, 'line\n'.repeat(10_000))).toBeNull()
  expect((await stat(file)).size).toBeLessThanOrEqual(1024 * 1024)
  expect(await readFile(file, 'utf8')).toContain('cut here')
  expect(await appendStepSummary(file, 'line\n'.repeat(10_000))).toMatch(/GITHUB_STEP_SUMMARY.*full/)
})

it('says why it could not', async () => {
  const file = join(await fileWith('a file'), 'below')

  expect(await appendStepSummary(file, 'x')).toMatch(/below \(GITHUB_STEP_SUMMARY\): ENOTDIR/)
})
