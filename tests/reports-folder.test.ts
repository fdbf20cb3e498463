import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { emptyFolder, rulesThat, settingsFor } from './program.ts'
import { run, test } from './program-test.ts'

const reportNames = ['verdict.json', 'index.html', 'junit.xml', 'summary.md', 'allure-results'] as const

/** What an earlier run left: every report, all saying "yesterday", the history, and a file of the user's own. */
async function leaveYesterday(reports: string): Promise<void> {
  await mkdir(join(reports, 'allure-results'), { recursive: true })
  for (const name of ['verdict.json', 'index.html', 'junit.xml', 'summary.md', 'notes.txt']) {
    await writeFile(join(reports, name), '"yesterday"\n')
  }
  await writeFile(join(reports, 'allure-results', 'yesterday-result.json'), '"yesterday"\n')
  await writeFile(join(reports, 'history.jsonl'), '{"yesterday":true}\n')
}

/** The files of a reports folder that still hold what yesterday's run wrote. */
async function yesterdays(reports: string): Promise<readonly string[]> {
  const entries = await readdir(reports, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return files
    .filter((_, index) => texts[index]?.includes('yesterday') === true)
    .map((file) => file.slice(reports.length + 1))
    .toSorted()
}

describe.concurrent("yesterday's reports", () => {
  test('are gone before the first request', async ({ reference, expect }) => {
    const cwd = await emptyFolder()
    const reports = join(cwd, 'reports')
    await leaveYesterday(reports)
    const seen: (readonly string[])[] = []
    const service = await reference({
      intervene: () => {
        seen.push(reportNames.filter((name) => name !== 'allure-results' && existsSync(join(reports, name))))
        return false
      },
    })

    const { code } = await run(['--only', 'endpoints/list-succeeds'], { cwd, env: settingsFor(service) })

    expect(seen[0]).toEqual([])
    expect(await yesterdays(reports)).toEqual(['history.jsonl', 'notes.txt'])
    expect(code).toBe(0)
  })

  test('are gone after a mistake', async ({ expect }) => {
    const cwd = await emptyFolder()
    await leaveYesterday(join(cwd, 'reports'))

    const { code } = await run(['--target-version', 'one'], { cwd })

    expect(await yesterdays(join(cwd, 'reports'))).toEqual(['history.jsonl', 'notes.txt'])
    expect(code).toBe(2)
  })

  test('are gone from the folder that was named beside an unknown flag', async ({ expect }) => {
    const cwd = await emptyFolder()
    await leaveYesterday(join(cwd, 'elsewhere'))

    const { code } = await run(['--reports-dir', 'elsewhere', '--nonsense'], { cwd })

    expect(await yesterdays(join(cwd, 'elsewhere'))).toEqual(['history.jsonl', 'notes.txt'])
    expect(code).toBe(2)
  })

  test('are gone when nobody listens', async ({ reference, expect }) => {
    const cwd = await emptyFolder()
    await leaveYesterday(join(cwd, 'reports'))
    const service = await reference()
    await service.close()

    const { code } = await run([], { cwd, env: settingsFor(service) })

    expect(await yesterdays(join(cwd, 'reports'))).toEqual(['history.jsonl', 'notes.txt'])
    expect(code).toBe(3)
  })
})

describe.concurrent('the reports folder', () => {
  test('may be elsewhere, also where nothing is yet', async ({ expect }) => {
    const cwd = await emptyFolder()
    const elsewhere = join(await emptyFolder(), 'build', 'reports of today')

    const { code, verdict, stdout } = await run(['--base-url', 'embedded', '--only', 'endpoints/*'], {
      cwd,
      env: { RUN_REPORTS_DIR: elsewhere },
    })

    expect(verdict).toMatchObject({ verdict: 'conformant' })
    expect(stdout).toContain(elsewhere)
    expect(existsSync(join(cwd, 'reports'))).toBe(false)
    expect(code).toBe(0)
  })

  test('a file in its place is a mistake of the setting', async ({ expect }) => {
    const cwd = await emptyFolder()
    await writeFile(join(cwd, 'results'), 'a file\n')

    const { code, verdict, stderr } = await run(['--base-url', 'embedded', '--reports-dir', 'results'], {
      cwd,
    })

    expect(stderr).toContain('RUN_REPORTS_DIR (--reports-dir)')
    expect(stderr).toContain('results (a file)')
    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 2 })
    expect(code).toBe(2)
  })

  test('a file in the place of the default one: 4 over 2, with path and reason', async ({ expect }) => {
    const cwd = await emptyFolder()
    await writeFile(join(cwd, 'reports'), 'a file\n')

    const { code, stdout, stderr } = await run(['--base-url', 'embedded'], { cwd })

    expect(stderr).toContain(join(cwd, 'reports'))
    expect(stderr).toContain('RUN_REPORTS_DIR')
    expect(stdout).toContain('exit 4')
    expect(code).toBe(4)
  })

  test('a place where no folder can be made: 4, with path and reason', async ({ reference, expect }) => {
    const cwd = await emptyFolder()
    await writeFile(join(cwd, 'results'), 'a file\n')
    const service = await reference()

    const { code, stdout, stderr } = await run(['--reports-dir', 'results/today'], {
      cwd,
      env: settingsFor(service),
    })

    expect(stderr).toContain(join(cwd, 'results', 'today'))
    expect(stderr).toMatch(/ENOTDIR|not a directory/)
    expect(stdout).toContain('exit 4')
    expect(service.requests()).toBe(0)
    expect(code).toBe(4)
  })

  test('lost in the middle of the run: 4, and the verdict on the terminal all the same', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    const service = await reference({
      faults: ['missing-api-key-called-invalid'],
      intervene: async () => {
        if (service.requests() !== 100) return false
        await rm(join(cwd, 'reports'), { recursive: true })
        await writeFile(join(cwd, 'reports'), 'a file\n')
        return false
      },
    })

    const { code, stdout, stderr } = await run([], { cwd, env: settingsFor(service) })

    expect(stderr).toContain(join(cwd, 'reports'))
    expect(stdout).toContain('authentication/api-key-missing')
    expect(stdout).toContain('answered 401 / 1006 where 400 / 1001 is documented')
    expect(code).toBe(4)
  })
})

describe.concurrent('--format json prints the verdict on standard output and nothing else:', () => {
  test('of a run', async ({ expect }) => {
    const { code, verdict, stdout } = await run(['--format', 'json', '--base-url', 'embedded'])

    expect(JSON.parse(stdout)).toEqual(verdict)
    expect(rulesThat(verdict, 'failed')).toEqual([])
    expect(code).toBe(0)
  })

  test('of a mistake', async ({ expect }) => {
    const { code, verdict, stdout } = await run(['--format', 'json', '--base-url', 'staging'])

    expect(JSON.parse(stdout)).toEqual(verdict)
    expect(code).toBe(2)
  })

  test('of a command line that cannot be read', async ({ expect }) => {
    const { code, verdict, stdout } = await run(['--format', 'json', '--nonsense'])

    expect(JSON.parse(stdout)).toEqual(verdict)
    expect(code).toBe(2)
  })

  test('of a service that is not there', async ({ reference, expect }) => {
    const service = await reference()
    await service.close()

    const { code, verdict, stdout } = await run(['--format', 'json'], { env: settingsFor(service) })

    expect(JSON.parse(stdout)).toEqual(verdict)
    expect(code).toBe(3)
  })
})
