import { execFileSync, type ChildProcess } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { list } from 'tar'
import { describe, expect, test } from 'vitest'
import type { ReferenceService } from '../lib/serve/reference/service.ts'
import { verdictMistakes } from '../lib/verdict/read-verdict.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { reference, run, runWhole } from './support/program-test.ts'
import { emptyFolder, folderWith, settingsFor, type ProgramResult } from './support/program.ts'

const reportNames = [
  'verdict.json',
  'index.html',
  'history.html',
  'junit.xml',
  'summary.md',
  'metrics.prom',
  'run.sha256',
] as const
const few = ['--only', 'endpoints/*']
const embedded = ['--base-url', 'embedded', ...few]
const fault = { faults: ['missing-api-key-called-invalid'] }

/** Writes the reports of an earlier run, its history and a file of the user. All contain "yesterday". */
async function leaveYesterday(reports: string): Promise<void> {
  await mkdir(join(reports, 'allure-results'), { recursive: true })
  for (const name of [
    ...reportNames.slice(0, 5),
    'notes.txt',
    'history.jsonl',
    'allure-results/yesterday-result.json',
  ])
    await writeFile(join(reports, name), '{"yesterday":true}\n')
}

/** The files below a folder that still contain text from yesterday. */
async function leftOf(reports: string): Promise<readonly string[]> {
  const left = Object.entries(await contentsOf(reports)).filter(([, text]) => text.includes('yesterday'))
  return left.map(([file]) => file.slice(reports.length + 1)).toSorted()
}

/** The text of every file below a folder, by path. */
async function contentsOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  const read = async (file: string) => [file, await readFile(file, 'utf8')] as const
  return Object.fromEntries(await Promise.all(files.map(read)))
}

/** Fails unless a verdict says that the run did not finish, as it does from before the first request to the end. */
function expectUnfinished(verdict: unknown): void {
  expect(verdictMistakes(verdict)).toEqual([])
  expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4, rules: [] })
  expect(verdict).toHaveProperty('because', [expect.stringContaining('the run did not finish')])
}

describe("yesterday's reports", () => {
  test('are gone before the first request, and the verdict says that the run did not finish', async () => {
    const cwd = await emptyFolder()
    const reports = join(cwd, 'reports')
    await leaveYesterday(reports)
    let seen: readonly string[] | null = null
    let first = ''
    const service = await reference({
      intervene: () => {
        if (seen === null) first = readFileSync(join(reports, 'verdict.json'), 'utf8')
        seen ??= reportNames.filter((name) => existsSync(join(reports, name)))
        return false
      },
    })

    const { code } = await run(few, { cwd, env: settingsFor(service) })

    expect(seen).toEqual(['verdict.json', 'metrics.prom'])
    expectUnfinished(JSON.parse(first))
    expect(await leftOf(reports)).toEqual(['history.jsonl', 'notes.txt'])
    expect(code).toBe(0)
  })

  test('are gone even if nothing is listening', async () => {
    const cwd = await emptyFolder()
    await leaveYesterday(join(cwd, 'reports'))
    const service = await reference()
    await service.close()

    const { code } = await run([], { cwd, env: settingsFor(service) })

    expect(await leftOf(join(cwd, 'reports'))).toEqual(['history.jsonl', 'notes.txt'])
    expect(code).toBe(3)
  })
})

describe('the reports of the previous run', () => {
  test('move to previous/ in a later run, stay after wrong settings, and are ignored by commands', async () => {
    const cwd = await emptyFolder()
    const reports = join(cwd, 'reports')
    const previous = join(reports, 'previous')
    const env = { ...settingsFor(await reference()), RUN_ONLY: 'endpoints/*', TARGET_LABEL: 'first' }
    const first = await run([], { cwd, env })
    const files = (await readdir(reports)).filter((name) => name !== 'previous')

    const mistaken = await run(['--target-version', 'one'], { cwd, env })
    const second = await run([], { cwd, env: { ...env, TARGET_LABEL: 'second' } })

    expect([first.code, mistaken.code, second.code]).toEqual([0, 2, 0])
    expect(mistaken.verdict).toEqual(first.verdict)
    expect(JSON.parse(await readFile(join(previous, 'verdict.json'), 'utf8'))).toEqual(first.verdict)
    expect((await readdir(previous)).toSorted()).toEqual(
      files.filter((name) => !name.startsWith('history')).toSorted(),
    )
    expect((await readdir(reports)).filter((name) => name.startsWith('.'))).toEqual([])
    expect(second.verdict?.target.label).toBe('second')

    const page = await readFile(join(previous, 'index.html'), 'utf8')
    for (const args of [
      ['bundle', 'reports', '--out', 'evidence.tar.gz'],
      ['verify', 'evidence.tar.gz'],
      ['report', 'reports'],
      ['compare', 'reports/previous', 'reports'],
    ])
      expect((await run(args, { cwd })).code, args[0]).toBe(0)
    const names: string[] = []
    await list({ file: join(cwd, 'evidence.tar.gz'), onReadEntry: ({ path }) => names.push(path) })
    expect(names.filter((name) => name.includes('previous'))).toEqual([])
    expect(names.map((name) => name.replace(/^evidence-[^/]+\//, ''))).toContain('verdict.json')
    expect(await readFile(join(previous, 'index.html'), 'utf8')).toBe(page)
  })

  test.for<readonly [what: string, args: readonly string[], own: string]>([
    ['a wrong setting', ['--max-rps', 'x'], ''],
    ['a run without a rule to judge again', ['--failed'], ''],
    ['a rule that throws during planning', ['--suites', 'own'], 'throw new Error("no such luck")'],
  ])('stay unchanged after %s, as do those in previous/', async ([, args, own]) => {
    const cwd = await emptyFolder()
    const reports = join(cwd, 'reports')
    const env = settingsFor(await reference())
    for (const label of ['first', 'second']) await run([...few, '--label', label], { cwd, env })
    if (own !== '') {
      const suites = await ownFolder({ 'a.mjs': declaring(ownEntry, `() => { ${own} }`) })
      await symlink(suites, join(cwd, 'own'))
    }
    const before = await contentsOf(reports)
    const { code, stdout, stderr, verdict } = await run(args, { cwd, env })

    expect([code, stdout.includes('exit 2'), stderr === '']).toEqual([2, true, false])
    expect(verdict?.target.label).toBe('second')
    expect(await contentsOf(reports)).toEqual(before)

    const waived = await run(['waive', 'reports', '--out', 'waivers.json'], { cwd })
    expect(waived.stderr).toContain('nothing to waive: the run in reports is partial, conformant')
  })

  test('are in previous/ if a run is killed, and its verdict says that it did not finish', async () => {
    const cwd = await emptyFolder()
    const reports = join(cwd, 'reports')
    let child: ChildProcess | null = null
    const service = await reference({
      intervene: (request) => {
        if (request.headers['x-version'] === '7') child?.kill('SIGKILL')
        return false
      },
    })
    const env = { ...settingsFor(service), RUN_ONLY: 'endpoints/list-succeeds' }
    const before = async (): Promise<unknown> =>
      JSON.parse(await readFile(join(reports, 'previous', 'verdict.json'), 'utf8'))
    const first = await run([], { cwd, env })
    const killed = await run(['--target-version', '7'], { cwd, env, started: (one) => (child = one) })

    expect([first.code, killed.code]).toEqual([0, null])
    expectUnfinished(killed.verdict)
    // No other report exists, not even in part.
    expect(reportNames.filter((name) => existsSync(join(reports, name)))).toEqual([
      'verdict.json',
      'metrics.prom',
    ])
    const metrics = await readFile(join(reports, 'metrics.prom'), 'utf8')
    expect(metrics).toMatch(/^card_switch_conformance_finished\{.*\} 0$/m)
    expect(metrics).toMatch(/verdict="error"\} 1$/m)
    expect(await before()).toEqual(first.verdict)

    // The lock that the killed run left does not block another run.
    const third = await run([], { cwd, env })
    expect(third.code).toBe(0)
    expect(await before()).toEqual(first.verdict)
  })
})

test('the second of two concurrent runs in one folder exits 2, says so and changes nothing', async () => {
  const cwd = await emptyFolder()
  const seconds: Promise<ProgramResult>[] = []
  const service: ReferenceService = await reference({
    intervene: async () => {
      if (seconds.length > 0) return false
      const args = ['--format', 'json', '--label', 'second']
      seconds.push(runWhole(args, { cwd, env: settingsFor(service) }))
      await seconds[0]
      return false
    },
  })

  const args = ['--label', 'first', ...few, '--timeout-ms', '60000']
  const first = await run(args, { cwd, env: settingsFor(service) })
  const { code, stdout, stderr, verdict } = (await seconds[0]) ?? first

  expect(code).toBe(2)
  expect(stderr).toMatch(/another run \(process \d+ on .*\) is writing its reports into the same folder/)
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'error', exitCode: 2, target: { label: 'second' } })
  expectUnfinished(verdict)
  expect(verdict?.target.label).toBe('first')
  expect(first.verdict).toMatchObject({ verdict: 'conformant', target: { label: 'first' } })
  expect(await readdir(join(cwd, 'reports'))).not.toContain('.run.lock')
  expect((await readFile(join(cwd, 'reports', 'history.jsonl'), 'utf8')).split('\n').length).toBe(2)
})

/** A path where not even root can create a folder or a file. */
const unwritable = '/sys/kernel/conformance'

describe('a run that cannot write its reports exits 4', () => {
  test('before the first request for an unwritable folder, with path and reason', async () => {
    const service = await reference()

    const { code, stdout, stderr } = await run(['--reports-dir', unwritable], { env: settingsFor(service) })

    expect(stderr).toMatch(new RegExp(`${unwritable}: E[A-Z]+: .*RUN_REPORTS_DIR`))
    expect(stdout).toContain('exit 4')
    expect([code, service.requests()]).toEqual([4, 0])
  })

  test('after its folder disappears in the middle, and still prints the verdict', async () => {
    const cwd = await emptyFolder()
    const service = await reference({
      ...fault,
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
    expect(stdout).toMatch(
      /A request without x-api-key: wrong answer\n +expected +400 \/ 1001 .*\n +got +401 \/ 1006/,
    )
    expect(code).toBe(4)
  })

  test('on a full disk, still prints the verdict, and leaves no file with another verdict', async () => {
    // No file may be larger than 16 KiB. The whole verdict is larger.
    const through = ['bash', '-c', 'ulimit -f 16 && exec "$@"', 'bash']
    const env = settingsFor(await reference(fault))
    const { code, verdict, stdout, stderr, cwd } = await run([], { env, through })

    expect(stderr).toContain(`${join(cwd, 'reports', 'verdict.json')}: EFBIG`)
    expect(stdout).toMatch(
      /A request without x-api-key: wrong answer\n +expected +400 \/ 1001 .*\n +got +401 \/ 1006/,
    )
    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4, rules: [] })
    expect(verdict?.because.join()).toContain('EFBIG')
    expect((await readdir(join(cwd, 'reports'))).filter((name) => name.startsWith('.'))).toEqual([])
    expect(code).toBe(4)
  })

  test('if only the history cannot be written, and every report says so', async () => {
    const env = settingsFor(await reference())
    const { code, verdict, stdout, stderr, cwd } = await run(['--history', `${unwritable}.jsonl`], { env })

    expect(stderr).toMatch(new RegExp(`${unwritable}.jsonl: E[A-Z]+: .*RUN_HISTORY`))
    expect(stdout).toContain('exit 4')
    expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4 })
    expect(verdict?.rules.length).toBeGreaterThan(30)
    expect(await readFile(join(cwd, 'reports', 'junit.xml'), 'utf8')).toContain('type="exit 4"')
    expect(await readFile(join(cwd, 'reports', 'summary.md'), 'utf8')).toContain(
      '**No verdict: the suite itself failed**',
    )
    expect(code).toBe(4)
  })
})

describe('--format json prints only the verdict on standard output', () => {
  test.for<readonly [what: string, args: readonly string[], word: string, code: number]>([
    ['of a run', embedded, 'conformant', 0],
    ['of a violation', [], 'nonconformant', 1],
    ['of wrong settings', ['--base-url', 'staging'], 'error', 2],
    ['of a service that cannot be reached', ['--base-url', 'http://127.0.0.1:1'], 'incomplete', 3],
    ['of reports that cannot be written', embedded, 'error', 4],
  ])('%s', async ([what, args, word, expected]) => {
    const cwd = expected === 4 ? await folderWith({ reports: 'a file\n' }) : await emptyFolder()
    const env = settingsFor(await reference(fault))
    const by = what === 'of a run' ? runWhole : run

    const { code, verdict, stdout, stderr } = await by(['--format', 'json', ...args], { cwd, env })

    const printed: unknown = JSON.parse(stdout)
    expect(verdictMistakes(printed)).toEqual([])
    expect(printed).toMatchObject({ verdict: word, exitCode: expected })
    expect(verdict).toEqual(expected === 4 ? null : printed)
    if (expected === 1) expect(stderr).toBe('')
    if (expected === 4) expect(stderr).toContain(join(cwd, 'reports'))
    expect(code).toBe(expected)
  })
})

describe('a link in the reports folder', () => {
  test('instead of the history is followed only if RUN_HISTORY names it', async () => {
    const cwd = await emptyFolder()
    const target = join(await emptyFolder(), 'profile')
    await writeFile(target, 'export A=1\n')
    await mkdir(join(cwd, 'reports'))
    symlinkSync(target, join(cwd, 'reports', 'history.jsonl'))
    const unnamed = await run(embedded, { cwd })
    const before = readFileSync(target, 'utf8')
    const named = await run([...embedded, '--history', 'reports/history.jsonl'], { cwd })

    expect([unnamed.code, before]).toEqual([4, 'export A=1\n'])
    expect(unnamed.stderr).toContain('it is a symbolic link, which is followed only if a setting names it')
    expect([named.code, readFileSync(target, 'utf8').split('\n').length]).toEqual([0, 3])
  })
})

describe('no pipe or device blocks the program:', () => {
  const kinds = {
    'a pipe': (file: string): void => void execFileSync('mkfifo', [file]),
    'a device': (file: string): void => symlinkSync('/dev/zero', file),
  } as const
  const pipe = kinds['a pipe']

  test.for([
    ['a pipe', 'verdict.json'],
    ['a device', 'verdict.json'],
    ['a pipe', '.run.lock'],
    ['a device', '.run.lock'],
  ] as const)('%s as %s is refused, and the folder stays unchanged', async ([kind, name]) => {
    const cwd = await emptyFolder()
    await mkdir(join(cwd, 'here'))
    kinds[kind](join(cwd, 'here', name))
    const { code, stderr } = await run([...embedded, '--reports-dir', 'here'], { cwd })

    expect([code, stderr]).toEqual([2, expect.stringContaining('not a plain file, but a pipe or a device')])
    expect(await readdir(join(cwd, 'here'))).toEqual([name])
  })

  test.for(['a pipe', 'a device'] as const)('%s as a module is refused', async (kind) => {
    const suites = await ownFolder({ 'b.mjs': declaring(ownEntry) })
    kinds[kind](join(suites, 'a.mjs'))
    const { code, stderr } = await run(['plan', '--base-url', 'embedded', '--suites', suites])

    const says = expect.stringMatching(
      /a\.mjs\n.*a module .*\n *hint +not a plain file, but a pipe or a device/,
    )
    expect([code, stderr]).toEqual([2, says])
  })

  test('a pipe without a reader as the history is reported, exit 4', async () => {
    const cwd = await emptyFolder()
    pipe(join(cwd, 'pipe'))
    const { code, stderr, verdict } = await run([...embedded, '--history', 'pipe'], { cwd })

    expect([code, verdict?.verdict]).toEqual([4, 'error'])
    expect(stderr).toContain('it is a pipe without a reader')
  })

  test('a pipe with a reader as the history gets its line', async () => {
    const through = ['bash', '-c', '"$@" --history >(cat >&2); code=$?; wait $!; exit $code', 'bash']
    const { code, stderr } = await run(embedded, { through })

    const says = expect.stringContaining('{"format":"card-switch-conformance/history/')
    expect([code, stderr]).toEqual([0, says])
  })

  test("a pipe as GitHub's summary is reported, and the verdict stays", async () => {
    const cwd = await emptyFolder()
    pipe(join(cwd, 'pipe'))
    const { code, stderr } = await run(embedded, { cwd, env: { GITHUB_STEP_SUMMARY: join(cwd, 'pipe') } })

    expect([code, stderr]).toEqual([0, expect.stringContaining('(GITHUB_STEP_SUMMARY): it is a pipe')])
  })
})
