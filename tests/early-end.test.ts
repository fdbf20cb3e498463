import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { passingWhenTold } from './support/deadline.ts'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { emptyFolder, readVerdict, type ProgramOptions, type ProgramResult } from './support/program.ts'
import { run as runInProcess, runWhole as run, test } from './support/program-test.ts'
import { withYesterdays, yesterdays } from './support/yesterday.ts'

/** Runs with yesterday's verdict in `reports`, and gives what became of it. */
async function afterYesterday(
  module: string,
  args: readonly string[] = [],
  more: ProgramOptions = {},
): Promise<ProgramResult & { readonly folder: string }> {
  const cwd = await emptyFolder()
  const folder = await withYesterdays(cwd)
  const suites = await ownFolder({ 'a.mjs': module })
  const result = await run(['--base-url', 'embedded', '--suites', suites, ...args], { cwd, ...more })
  return { ...result, folder }
}

const ruleThat = (play: string): string =>
  declaring(ownEntry, `({ list, target }) => [scenario('plain', 1, async (stage) => {${play}})]`)

const moved = 'the reports of an earlier run in'
const never = 'await new Promise(() => {})'
const suckless = 'a.mjs[^]*instead of: no such luck'

describe.concurrent("4, in a sentence, and yesterday's verdict is out of the way, if a module of the user's own", () => {
  test.for([
    ['calls process.exit(0) while it is loaded', 'process.exit(0)', 'ended before'],
    ['calls process.exit(1) later', `setTimeout(() => process.exit(1), 5); ${never}`, 'ended before'],
    [
      'sets an exit code and throws later',
      `process.exitCode = 0; setImmediate(() => { throw new Error("no such luck") }); ${never}`,
      suckless,
    ],
    ['rejects what nobody awaits', `void Promise.reject(new Error("no such luck")); ${never}`, suckless],
  ] as const)('%s', async ([, module, says], { expect }) => {
    const { code, stderr, verdict, folder } = await afterYesterday(module)

    expect([code, verdict]).toEqual([4, null])
    expect(stderr).toContain(moved)
    expect(stderr).toMatch(new RegExp(says))
    expect(await readdir(folder)).toEqual(['.previous'])

    // The next run keeps it where the last finished one is kept.
    const cwd = join(folder, '..')
    const next = await runInProcess(['--base-url', 'embedded', '--only', 'endpoints/*'], { cwd })
    expect(next.code).toBe(0)
    expect(await readFile(join(folder, 'previous', 'verdict.json'), 'utf8')).toBe(yesterdays)
    expect((await readdir(join(folder, 'previous'))).toSorted()).toEqual([
      'allure-results',
      'junit.xml',
      'verdict.json',
    ])
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('calls process.exit(0) while the run lasts: the verdict says that it did not finish', async ({
    expect,
  }) => {
    const { code, stderr, verdict } = await afterYesterday(ruleThat('process.exit(0)'), ['--only', 'acme/*'])

    expect(stderr).toContain('the program ended before the command finished (exit 4)')
    expect(verdict?.because.join()).toContain('the run did not finish')
    expect(code).toBe(4)
  })

  test('calls process.exit(0) once the verdict is written: it is not left without its end', async ({
    expect,
  }) => {
    const module = `import { readFileSync } from 'node:fs'
      ${ruleThat('return [await stage.served(list.request)]')}
      setInterval(() => {
        let text = ''
        try { text = readFileSync('reports/verdict.json', 'utf8') } catch {}
        if (text.includes('"verdict": "conformant"') && text.includes('acme/one')) process.exit(0)
      }, 0)`
    const { code, verdict, folder } = await afterYesterday(module, ['--only', 'acme/*'])

    // It may come too late: then the run had its end.
    expect([`4 null`, '0 conformant']).toContain(`${String(code)} ${String(verdict?.verdict ?? null)}`)
    if (code === 4) expect(existsSync(join(folder, '.previous', 'verdict.json'))).toBe(false)
  })

  test('is waited for in vain, and two signals come', async ({ expect }) => {
    const waiting = ['loading', 'interrupt again']
    const started = (child: ChildProcess): void => {
      let heard = ''
      child.stderr?.on('data', (text: Buffer | string) => {
        heard += String(text)
        if (!heard.includes(waiting[0] ?? '\n\n')) return
        waiting.shift()
        child.kill('SIGINT')
      })
    }
    const { code, stderr, folder } = await afterYesterday(`console.log('loading'); ${never}`, [], { started })

    expect([code, stderr]).toEqual([null, expect.stringContaining(moved)])
    expect(await readdir(folder)).toEqual(['.previous'])
  })
})

test("a module that never loads ends in 2, named, and yesterday's reports stay", async ({ expect }) => {
  const env = passingWhenTold(60_000)
  const { code, stderr, folder } = await afterYesterday(`globalThis.passes(); ${never}`, [], { env })

  expect(code).toBe(2)
  expect(stderr).toMatch(/RUN_SUITES[^]*a\.mjs[^]*a module that loads within 60 seconds/)
  expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe(yesterdays)
  expect((await readdir(folder)).toSorted()).toEqual(['allure-results', 'junit.xml', 'verdict.json'])
})

test("kill -9 while starting leaves nothing that passes for today's, and a later slip brings yesterday's back", async ({
  expect,
}) => {
  const started = (child: ChildProcess): void => {
    child.stderr?.on('data', (text: Buffer | string) => {
      if (String(text).includes('loading')) child.kill('SIGKILL')
    })
  }
  const killed = await afterYesterday(`console.log('loading'); ${never}`, [], { started })
  const { folder } = killed
  expect([killed.code, killed.verdict]).toEqual([null, null])
  expect((await readdir(folder)).toSorted()).toEqual(['.previous', '.run.lock'])

  const cwd = join(folder, '..')
  const slip = await runInProcess(['--base-url', 'embedded', '--target-version', 'one', '--max-rps', 'x'], {
    cwd,
  })
  expect(slip.code).toBe(2)
  expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe(yesterdays)
  expect((await readdir(folder)).toSorted()).toEqual(['allure-results', 'junit.xml', 'verdict.json'])
})

/** A program that is ended by a module, and where yesterday's verdict lies. */
interface Place {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly envFile?: string
  /** `reports` by default; the same verdict lies in `there`, too, and stays. */
  readonly folder?: string
  readonly prepare?: (folder: string) => Promise<unknown>
  /** What lies in the folder afterwards, where the verdict was moved; it stays where this is absent. */
  readonly left?: readonly string[]
  readonly says?: string
}

const lock = (folder: string): Promise<void> => writeFile(join(folder, '.run.lock'), '')
const here = { folder: 'here', left: ['.previous'] }
const readsOnly = (...args: readonly string[]): Place => ({ args })

describe.concurrent("where yesterday's verdict is found:", () => {
  test.for<readonly [string, Place]>([
    ['by a flag', { args: ['--reports-dir', 'here'], env: { RUN_REPORTS_DIR: 'there' }, ...here }],
    ['by a flag with its value', { args: ['--reports-dir=here'], envFile: 'RUN_REPORTS_DIR=there', ...here }],
    ['by the environment', { env: { RUN_REPORTS_DIR: 'here' }, envFile: 'RUN_REPORTS_DIR=there', ...here }],
    ['by .env', { envFile: 'RUN_REPORTS_DIR=here', ...here }],
    [
      'not by .env in a pipeline',
      { env: { CI: 'true' }, envFile: 'RUN_REPORTS_DIR=there', left: ['.previous'] },
    ],
    ['nowhere by plan', readsOnly('plan')],
    ['nowhere by --help', readsOnly('run', '--help')],
    ['nowhere by an unknown command', readsOnly('judge')],
    ['nowhere by an unknown flag', readsOnly('--nonsense')],
    ['nowhere by rules', readsOnly('rules')],
    ['not in a folder that another run uses', { prepare: lock, says: 'another run uses the folder' }],
    [
      'in a folder whose lock is old',
      {
        prepare: async (folder) => {
          await lock(folder)
          await utimes(join(folder, '.run.lock'), new Date(0), new Date(0))
        },
        left: ['.previous', '.run.lock'],
      },
    ],
    [
      'beside a move that was begun: what was moved is kept',
      {
        prepare: async (folder) => {
          await mkdir(join(folder, '.previous'))
          await writeFile(join(folder, '.previous', 'verdict.json'), yesterdays)
          await writeFile(join(folder, '.previous', 'junit.xml'), 'moved before')
        },
        left: ['.previous', 'moved before'],
      },
    ],
    [
      'not behind a link',
      { prepare: (folder) => symlink(join(folder, '..', 'elsewhere'), join(folder, '.previous')), left: [] },
    ],
  ])('%s', async ([, { args = [], env, envFile = '', folder: name = 'reports', ...place }], { expect }) => {
    const cwd = await emptyFolder()
    const [folder, there] = [await withYesterdays(cwd, name), await withYesterdays(cwd, 'there')]
    await mkdir(join(cwd, 'elsewhere'))
    await place.prepare?.(folder)
    await writeFile(join(cwd, '.env'), envFile)
    const suites = await ownFolder({ 'a.mjs': 'process.exit(0)' })
    const isRun = !['plan', 'run', 'judge', '--nonsense', 'rules'].includes(args[0] ?? '')
    const settings = { TARGET_BASE_URL: 'embedded', RUN_SUITES: suites, ...env }
    const given = args[0] === 'rules' ? [...args, '--suites', suites] : args
    const { code, stderr } = await run(given, { cwd, env: settings })

    if (isRun) expect(code).toBe(4)
    expect(stderr).toContain(place.says ?? '')
    expect(await readFile(join(there, 'verdict.json'), 'utf8')).toBe(yesterdays)
    expect(await readdir(join(cwd, 'elsewhere'))).toEqual([])
    if (place.left === undefined) {
      expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe(yesterdays)
      expect(stderr).not.toContain(moved)
      return
    }
    expect(existsSync(join(folder, 'verdict.json'))).toBe(false)
    if (place.left.includes('moved before'))
      expect(await readFile(join(folder, 'previous', 'junit.xml'), 'utf8')).toBe('moved before')
  })
})

test("too few file descriptors end in 4 wherever they run out, and leave nothing of yesterday's", async ({
  expect,
}) => {
  const cwd = await emptyFolder()
  const suites = await ownFolder({ 'a.mjs': declaring(ownEntry) })
  const kept: string[] = []
  const codes = new Set<number | null>()
  // Below some limit Node itself cannot open the program's first file, and nothing of ours runs.
  for (const [at, limit] of [18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 30, 40, 60, 100].entries()) {
    const name = at % 2 === 0 ? 'reports' : 'elsewhere'
    const folder = await withYesterdays(cwd, name)
    await writeFile(join(cwd, '.env'), name === 'reports' ? '' : 'RUN_REPORTS_DIR=elsewhere')
    const args = ['--base-url', 'embedded', '--only', 'endpoints/*', '--suites', suites]
    const through = ['bash', '-c', `ulimit -n ${limit} && exec "$@"`, 'bash']
    const { code, stdout, stderr } = await run(args, { cwd, through })
    if (!stderr.includes('the program') && code !== 4 && code !== 0) continue
    codes.add(code)
    if (code !== 0) expect(stdout + stderr, `${limit}`).toMatch(/EMFILE|too many open files/)
    // Where not even the env file can be opened, it is told.
    if (stderr.includes('if an env file names the reports folder')) continue
    if (code !== 0 && (await readVerdict(join(folder, 'verdict.json')))?.verdict === 'conformant')
      kept.push(`${name} at ${limit}: ${String(code)}`)
  }

  expect(kept).toEqual([])
  expect(codes).toEqual(new Set([4, 0]))
})
