import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, watch } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { list } from 'tar'
import { describe, type ExpectStatic } from 'vitest'
import type { ReferenceService } from '../lib/serve/reference/service.ts'
import { clearReports } from '../lib/report/folder/reports-folder.ts'
import { verdictMistakes } from '../lib/verdict/read-verdict.ts'
import {
  emptyFolder,
  folderWith,
  rulesThat,
  runProgram,
  settingsFor,
  type ProgramResult,
} from './support/program.ts'
import { run, runWhole, test } from './support/program-test.ts'

const reportNames = [
  'verdict.json',
  'index.html',
  'history.html',
  'junit.xml',
  'summary.md',
  'metrics.prom',
  'run.sha256',
  'allure-results',
] as const

/** What an earlier run left: every report, all saying "yesterday", the history, and a file of the user's own. */
async function leaveYesterday(reports: string): Promise<void> {
  await mkdir(join(reports, 'allure-results'), { recursive: true })
  for (const name of [...reportNames.filter((one) => !/\.prom|sha256|allure/.test(one)), 'notes.txt'])
    await writeFile(join(reports, name), '"yesterday"\n')
  await writeFile(join(reports, 'allure-results', 'yesterday-result.json'), '"yesterday"\n')
  await writeFile(join(reports, 'history.jsonl'), '{"yesterday":true}\n')
}

/** What stands in a reports folder, without the run before. */
async function filesIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name !== 'previous').toSorted()
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
  test('are gone before the first request, and the verdict says that the run did not finish', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    const reports = join(cwd, 'reports')
    await leaveYesterday(reports)
    const seen: (readonly string[])[] = []
    let first = ''
    const service = await reference({
      intervene: () => {
        if (seen.length === 0) first = readFileSync(join(reports, 'verdict.json'), 'utf8')
        seen.push(reportNames.filter((name) => name !== 'allure-results' && existsSync(join(reports, name))))
        return false
      },
    })

    const { code } = await run(['--only', 'endpoints/list-succeeds'], { cwd, env: settingsFor(service) })

    expect(seen[0]).toEqual(['verdict.json', 'metrics.prom'])
    expectUnfinished(expect, JSON.parse(first))
    expect(await yesterdays(reports)).toEqual(['history.jsonl', 'notes.txt'])
    expect(code).toBe(0)
  })

  test.for([
    ['after a mistake', ['--target-version', 'one'], 2],
    ['when nobody listens', [], 3],
  ] as const)('are gone %s', async ([, args, expected], { reference, expect }) => {
    const cwd = await emptyFolder()
    await leaveYesterday(join(cwd, 'reports'))
    const service = await reference()
    await service.close()

    const { code } = await run(args, { cwd, env: settingsFor(service) })

    expect(await yesterdays(join(cwd, 'reports'))).toEqual(['history.jsonl', 'notes.txt'])
    expect(code).toBe(expected)
  })

  test.for([
    ['an unknown flag', ['--reports-dir', 'elsewhere', '--nonsense']],
    ['an unknown command', ['judge', '--reports-dir', 'elsewhere']],
    ['a flag without its value', ['--reports-dir', 'elsewhere', '--only']],
    ['an unknown flag beside a wrong setting', ['--reports-dir=elsewhere', '--target-version=one', '--x']],
  ] as const)('stay as they are after %s', async ([, args], { expect }) => {
    const cwd = await emptyFolder()
    await leaveYesterday(join(cwd, 'elsewhere'))
    const before = await yesterdays(cwd)

    const { code, stderr } = await run(args, { cwd })

    expect(await yesterdays(cwd)).toEqual(before)
    expect(before.length).toBe(8)
    expect(await readdir(cwd)).toEqual(['elsewhere'])
    expect((await readdir(join(cwd, 'elsewhere'))).length).toBe(8)
    expect(stderr).not.toBe('')
    expect(code).toBe(2)
  })
})

/** What `verdict.json` says from before the first request to the end of a run. */
function expectUnfinished(expect: ExpectStatic, verdict: unknown): void {
  expect(verdictMistakes(verdict)).toEqual([])
  expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4, rules: [] })
  expect(verdict).toHaveProperty('because', [expect.stringContaining('the run did not finish')])
}

describe.concurrent('the reports of the run before', () => {
  test('stand in previous/ after one that came to a verdict, and after wrong settings', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    const service = await reference()
    const env = { ...settingsFor(service), RUN_ONLY: 'endpoints/list-succeeds', TARGET_LABEL: 'first' }
    const previous = join(cwd, 'reports', 'previous')
    const first = await run([], { cwd, env })
    const files = await filesIn(join(cwd, 'reports'))

    const mistaken = await run(['--target-version', 'one'], { cwd, env })
    const second = await run([], { cwd, env: { ...env, TARGET_LABEL: 'second' } })

    expect([first.code, mistaken.code, second.code]).toEqual([0, 2, 0])
    expect(mistaken.verdict).toMatchObject({ verdict: 'error', exitCode: 2 })
    expect(JSON.parse(await readFile(join(previous, 'verdict.json'), 'utf8'))).toEqual(first.verdict)
    expect(await filesIn(previous)).toEqual(files.filter((name) => !name.startsWith('history')))
    expect((await readdir(join(cwd, 'reports'))).filter((name) => name.startsWith('.'))).toEqual([])
    expect(second.verdict?.target.label).toBe('second')
  })

  test('stay in previous/ when this one is killed, and the verdict says that it did not finish', async ({
    reference,
    expect,
  }) => {
    const cwd = await emptyFolder()
    let child: ChildProcess | null = null
    const service = await reference({
      intervene: (request) => {
        if (request.headers['x-version'] === '7') child?.kill('SIGKILL')
        return false
      },
    })
    const env = { ...settingsFor(service), RUN_ONLY: 'endpoints/list-succeeds' }
    const first = await run([], { cwd, env })
    const killed = await run(['--target-version', '7'], { cwd, env, started: (one) => (child = one) })
    const previous = join(cwd, 'reports', 'previous')

    expect(first.code).toBe(0)
    expect(killed.code).toBeNull()
    expectUnfinished(expect, killed.verdict)
    // None of the others is there half, nor under its name.
    expect(reportNames.filter((name) => existsSync(join(cwd, 'reports', name)))).toEqual([
      'verdict.json',
      'metrics.prom',
    ])
    const metrics = await readFile(join(cwd, 'reports', 'metrics.prom'), 'utf8')
    expect(metrics).toMatch(/^card_switch_conformance_finished\{.*\} 0$/m)
    expect(metrics).toMatch(/verdict="error"\} 1$/m)
    expect(JSON.parse(await readFile(join(previous, 'verdict.json'), 'utf8'))).toEqual(first.verdict)

    // The lock that the killed run left behind keeps nobody out.
    const third = await run([], { cwd, env })
    expect(third.code).toBe(0)
    expect(JSON.parse(await readFile(join(previous, 'verdict.json'), 'utf8'))).toEqual(first.verdict)
  })

  test('are no part of an evidence archive, nor of the reports that are made again', async ({ expect }) => {
    const cwd = await emptyFolder()
    for (const label of ['first', 'second']) {
      await run(['--base-url', 'embedded', '--only', 'endpoints/*', '--label', label], { cwd })
    }
    const previous = await readFile(join(cwd, 'reports', 'previous', 'index.html'), 'utf8')
    const bundled = await run(['bundle', 'reports', '--out', 'evidence.tar.gz'], { cwd })
    const verified = await run(['verify', 'evidence.tar.gz'], { cwd })
    const remade = await run(['report', 'reports'], { cwd })
    const compared = await run(['compare', 'reports/previous', 'reports'], { cwd })

    expect([bundled.code, verified.code, remade.code, compared.code]).toEqual([0, 0, 0, 0])
    const names: string[] = []
    await list({ file: join(cwd, 'evidence.tar.gz'), onReadEntry: ({ path }) => names.push(path) })
    expect(names.filter((name) => name.includes('previous'))).toEqual([])
    expect(names.map((name) => name.replace(/^evidence-[^/]+\//, ''))).toContain('verdict.json')
    expect(await readFile(join(cwd, 'reports', 'previous', 'index.html'), 'utf8')).toBe(previous)
  })
})

describe.concurrent('two runs at once in one folder', () => {
  test('the second ends in 2, says so, and touches nothing', async ({ reference, expect }) => {
    const cwd = await emptyFolder()
    const seconds: Promise<ProgramResult>[] = []
    const service: ReferenceService = await reference({
      intervene: async () => {
        if (seconds.length > 0) return false
        seconds.push(
          runProgram(['--format', 'json', '--label', 'second'], { cwd, env: settingsFor(service) }),
        )
        await seconds[0]
        return false
      },
    })

    const first = await run(['--label', 'first', '--only', 'endpoints/*', '--timeout-ms', '60000'], {
      cwd,
      env: settingsFor(service),
    })
    const { code, stdout, stderr, verdict } = (await seconds[0]) ?? first

    expect(code).toBe(2)
    expect(stderr).toMatch(/another run \(process \d+ on .*\) writes its reports into the same folder/)
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'error', exitCode: 2, target: { label: 'second' } })
    expectUnfinished(expect, verdict)
    expect(verdict?.target.label).toBe('first')
    expect(first.verdict).toMatchObject({ verdict: 'conformant', target: { label: 'first' } })
    expect(await filesIn(join(cwd, 'reports'))).not.toContain('.run.lock')
    expect((await readFile(join(cwd, 'reports', 'history.jsonl'), 'utf8')).split('\n').length).toBe(2)
  })
})

describe.concurrent('the reports folder', () => {
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
    expect(stdout).toContain('401 / 1006, documented 400 / 1001')
    expect(code).toBe(4)
  })
})

/** Where nobody, not even root, can make a folder or a file. */
const unwritable = '/sys/kernel/conformance'

describe.concurrent('reports that cannot be written', () => {
  test('into a folder that nobody may write: 4, with path and reason, before the first request', async ({
    reference,
    expect,
  }) => {
    const service = await reference()

    const { code, stdout, stderr } = await run(['--reports-dir', unwritable], { env: settingsFor(service) })

    expect(stderr).toMatch(new RegExp(`${unwritable}: E[A-Z]+: .*RUN_REPORTS_DIR`))
    expect(stdout).toContain('exit 4')
    expect(service.requests()).toBe(0)
    expect(code).toBe(4)
  })

  test('to a full disk: 4, the verdict on the terminal, and no file that claims otherwise', async ({
    reference,
    expect,
  }) => {
    const service = await reference({ faults: ['missing-api-key-called-invalid'] })

    // No file may be larger than 16 KiB, which the whole verdict is.
    const result = await run([], {
      env: settingsFor(service),
      through: ['bash', '-c', 'ulimit -f 16 && exec "$@"', 'bash'],
    })
    const { code, verdict, stdout, stderr, cwd } = result

    expect(stderr).toContain(`${join(cwd, 'reports', 'verdict.json')}: EFBIG`)
    expect(stdout).toContain('401 / 1006, documented 400 / 1001')
    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4, rules: [] })
    expect(verdict?.because.join()).toContain('EFBIG')
    expect((await readdir(join(cwd, 'reports'))).filter((name) => name.startsWith('.'))).toEqual([])
    expect(code).toBe(4)
  })

  test('but the history alone: 4, and every report says so', async ({ reference, expect }) => {
    const service = await reference()

    const { code, verdict, stdout, stderr, cwd } = await run(['--history', `${unwritable}.jsonl`], {
      env: settingsFor(service),
    })

    expect(stderr).toMatch(new RegExp(`${unwritable}.jsonl: E[A-Z]+: .*RUN_HISTORY`))
    expect(stdout).toContain('exit 4')
    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4 })
    expect(verdict?.rules.length).toBeGreaterThan(30)
    expect(await readFile(join(cwd, 'reports', 'junit.xml'), 'utf8')).toContain('type="exit 4"')
    expect(await readFile(join(cwd, 'reports', 'summary.md'), 'utf8')).toContain('**ERROR**')
    expect(code).toBe(4)
  })

  test('since the program was killed while it wrote: the name holds nothing, and the next run tidies up', async ({
    expect,
  }) => {
    const folder = await emptyFolder()
    const module = new URL('../lib/report/folder/reports-folder.ts', import.meta.url).href
    const writes = `const { writeReport } = await import(${JSON.stringify(module)})
      await writeReport(${JSON.stringify(folder)}, 'verdict.json', 'x'.repeat(200_000_000))`
    const begun = once(watch(folder), 'change')
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', writes], {
      stdio: 'ignore',
    })
    const ended = once(child, 'exit')
    await Promise.race([begun, ended])
    child.kill('SIGKILL')
    await ended

    expect(existsSync(join(folder, 'verdict.json'))).toBe(false)
    expect((await readdir(folder)).length).toBe(1)
    await clearReports(folder)
    expect(await readdir(folder)).toEqual([])
  })
})

describe.concurrent('--format json prints the verdict on standard output and nothing else:', () => {
  test('of a run', async ({ expect }) => {
    const { code, verdict, stdout } = await runWhole(['--format', 'json', '--base-url', 'embedded'])

    expect(JSON.parse(stdout)).toEqual(verdict)
    expect(rulesThat(verdict, 'failed')).toEqual([])
    expect(code).toBe(0)
  })

  test('of a violation', async ({ reference, expect }) => {
    const service = await reference({ faults: ['missing-api-key-called-invalid'] })

    const { code, verdict, stdout, stderr } = await runWhole(['--format', 'json'], {
      env: { ...settingsFor(service), RUN_QUIET: 'true' },
    })

    expect(JSON.parse(stdout)).toEqual(verdict)
    expect(verdict).toMatchObject({ verdict: 'nonconformant', exitCode: 1 })
    expect(stderr).toBe('')
    expect(code).toBe(1)
  })

  test('of reports that cannot be written', async ({ expect }) => {
    const cwd = await folderWith({ reports: 'a file\n' })

    const { code, stdout, stderr } = await runWhole(['--format', 'json', '--base-url', 'embedded'], { cwd })

    const printed: unknown = JSON.parse(stdout)
    expect(verdictMistakes(printed)).toEqual([])
    expect(printed).toMatchObject({ verdict: 'error', exitCode: 4 })
    expect(stderr).toContain(join(cwd, 'reports'))
    expect(code).toBe(4)
  })

  test('of a mistake', async ({ expect }) => {
    const { code, verdict, stdout } = await run(['--format', 'json', '--base-url', 'staging'])

    expect(JSON.parse(stdout)).toEqual(verdict)
    expect(code).toBe(2)
  })

  test('of a command line that cannot be read, which writes no file', async ({ expect }) => {
    const { code, verdict, stdout } = await run(['--format', 'json', '--nonsense'])

    const printed: unknown = JSON.parse(stdout)
    expect(verdictMistakes(printed)).toEqual([])
    expect(printed).toMatchObject({ verdict: 'error', exitCode: 2 })
    expect(verdict).toBeNull()
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
