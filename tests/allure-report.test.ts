import { existsSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { errorVerdict, nonconformantVerdict, verdictWith } from '../lib/report/verdict.testing.ts'
import { reportAllure, reportsWith } from './allure-report.ts'
import { leaks } from './leaks.ts'
import { emptyFolder, settingsFor } from './program.ts'
import { run, test } from './program-test.ts'

async function lines(file: string): Promise<readonly string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
}

describe.concurrent('npm run report:allure', () => {
  test('makes a page of every run, with the runs before, and without a credential', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    const reports = join(cwd, 'reports')
    const [page, history] = ['allure.html', 'allure-history.jsonl'].map((name) => join(reports, name))
    const service = await reference({ faults: ['missing-api-key-called-invalid'] })
    const env = settingsFor(service)

    await run(['--only', 'authentication/*-missing'], { cwd, env })
    const first = await reportAllure([reports])
    const again = await reportAllure([reports])
    const { code } = await run(['--only', 'authentication/*-missing'], { cwd, env })
    const isGone = !existsSync(page ?? '')
    const second = await reportAllure([reports])

    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('1 run in its history') })
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('1 run in its history') })
    expect([code, isGone]).toEqual([1, true])
    expect(second.stderr).toBe('')
    expect(second).toMatchObject({ code: 0, stdout: expect.stringContaining(`${page}`) })
    expect(await lines(history ?? '')).toHaveLength(2)
    expect(await readFile(page ?? '', 'utf8')).not.toContain('googletagmanager')
    const { stdout, stderr } = second
    const credentials = Object.entries(env).flatMap(([name, value]) => (name.endsWith('_KEY') ? [value] : []))
    expect(await leaks({ stdout, stderr, reportsFolder: reports }, credentials)).toEqual([])
  })

  test('takes the folder of the settings where none is named', async ({ expect }) => {
    const folder = await reportsWith(verdictWith())

    const { code } = await reportAllure([], { RUN_REPORTS_DIR: folder })

    expect(code).toBe(0)
    expect(existsSync(join(folder, 'allure.html'))).toBe(true)
  })

  test('starts a new trend for another target, and keeps the old one', async ({ expect }) => {
    const folder = await reportsWith(nonconformantVerdict())
    const history = join(folder, 'allure-history.jsonl')
    const other = `${JSON.stringify({ uuid: 'a', name: 'https://another.example, gate, 1', testResults: {} })}\n`
    await writeFile(history, `${other}{"half`)

    const { code, stdout } = await reportAllure([folder])

    expect(stdout).toContain('1 run in its history')
    const names = (await lines(history)).map((line) => /"name":"([^"]*)"/.exec(line)?.[1])
    expect(names).toEqual([
      'https://another.example, gate, 1',
      'https://staging.example.com/cards, vendor build 42, gate, 2026-11-20T02:00:00.000Z',
    ])
    expect(code).toBe(0)
  })

  test('has nothing to show of a run that never began', async ({ expect }) => {
    const folder = await reportsWith(errorVerdict())
    await rm(join(folder, 'allure-results'), { recursive: true })

    const { code, stderr } = await reportAllure([folder])

    expect(stderr).toContain(`${join(folder, 'allure-results')} holds no results of Allure`)
    expect(existsSync(join(folder, 'allure.html'))).toBe(false)
    expect(code).toBe(2)
  })

  test('refuses a verdict of another format', async ({ expect }) => {
    const folder = await reportsWith(verdictWith())
    await writeFile(join(folder, 'verdict.json'), '{"format":"card-switch-conformance/verdict/9"}')

    const { code, stderr } = await reportAllure([folder])

    expect(stderr).toContain('"card-switch-conformance/verdict/9"')
    expect(code).toBe(2)
  })

  test.for([[['--open']], [['reports', 'more']]])('refuses %j', async ([args = []], { expect }) => {
    const { code, stderr } = await reportAllure(args)

    expect(stderr).toContain('npm run report:allure -- FOLDER')
    expect(code).toBe(2)
  })

  test('leaves no page where it cannot be made, and says why', async ({ expect }) => {
    const folder = await reportsWith(verdictWith())
    await writeFile(join(folder, 'allure-results', 'categories.json'), '[{"name": "half')

    const { code, stderr } = await reportAllure([folder])

    expect(stderr).toContain('categories.json is not JSON')
    expect(existsSync(join(folder, 'allure.html'))).toBe(false)
    expect(existsSync(join(folder, 'allure-history.jsonl'))).toBe(false)
    expect(code).toBe(4)
  })
})
