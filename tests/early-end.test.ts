import type { ChildProcess } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ReferenceOptions } from '../lib/serve/reference/service.ts'
import { passingWhenTold, deadline, importing } from './support/deadline.ts'
import { declaring, ownEntry, ownFolder, playing } from './support/own-folder.ts'
import { against, expectEnds, expectIncomplete, runWhole } from './support/program-test.ts'
import { run as runInProcess } from './support/program-test.ts'
import { emptyFolder, filled, folderWith, readVerdict, ruleIn, rulesThat } from './support/program.ts'
import type { ProgramOptions, Texts } from './support/program.ts'
import { withYesterdays, yesterdays } from './support/yesterday.ts'

/** The place of yesterday's verdict. The same verdict is also in `there`, where it must stay. */
interface Place extends Pick<ProgramOptions, 'env' | 'started'> {
  readonly envFile?: string
  /** Default: `reports`. */
  readonly folder?: string
  readonly prepare?: (folder: string) => Promise<unknown>
}

/** Runs the program with yesterday's verdict and this module. `OWN` in the words stands for the module's folder. */
async function afterYesterday(module: string, words = '', place: Place = {}) {
  const { env = {}, envFile: text = '', folder: name = 'reports', prepare, ...options } = place
  const cwd = await folderWith({ '.env': text, 'elsewhere/mine': '' })
  const [folder, there] = [await withYesterdays(cwd, name), await withYesterdays(cwd, 'there')]
  await prepare?.(folder)
  const RUN_SUITES = await ownFolder({ 'a.mjs': module })
  const settings = { TARGET_BASE_URL: 'embedded', RUN_SUITES, ...env }
  const result = await runWhole(words.replace('OWN', RUN_SUITES), { cwd, env: settings, ...options })

  expect(await readFile(join(there, 'verdict.json'), 'utf8')).toBe(yesterdays)
  expect(await readdir(join(cwd, 'elsewhere'))).toEqual(['mine'])
  return { ...result, folder }
}

const only = '--only acme/*'
const exits = 'process.exit(0)'
const moved = 'the reports of an earlier run in'
const luckless = 'new Error("no such luck")'
const throwsLater = `setImmediate(() => { throw ${luckless} })`
const never = 'await new Promise(() => {})'
const yesterdaysFiles = ['allure-results', 'junit.xml', 'verdict.json']
const suckless = 'a.mjs[^]*instead of: no such luck'

test.for([
  ['calls process.exit(0) while it loads', exits, 'ended before'],
  ['calls process.exit(1) later', `setTimeout(() => process.exit(1), 5); ${never}`, 'ended before'],
  ['sets an exit code and throws later', `process.exitCode = 0; ${throwsLater}; ${never}`, suckless],
  ['rejects a promise that nobody awaits', `void Promise.reject(${luckless}); ${never}`, suckless],
] as const)(
  "yesterday's verdict is moved aside by exit 4 if a user's module %s",
  async ([, module, says]) => {
    const { folder, ...result } = await afterYesterday(module)

    expectEnds(result, 4, moved, new RegExp(says))
    expect([result.verdict, await readdir(folder)]).toEqual([null, ['.previous']])

    // The next run moves it to the folder for the last finished run.
    const cwd = join(folder, '..')
    const next = await runInProcess(['--base-url', 'embedded', '--only', 'endpoints/*'], { cwd })
    expect(next.code).toBe(0)
    expect(await readFile(join(folder, 'previous', 'verdict.json'), 'utf8')).toBe(yesterdays)
    expect((await readdir(join(folder, 'previous'))).toSorted()).toEqual(yesterdaysFiles)
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([])
  },
)

test("yesterday's verdict is moved aside if a user's module calls process.exit(0) during the run: the verdict says that the run did not finish", async () => {
  const result = await afterYesterday(declaring(ownEntry, playing(exits)), only)

  expectEnds(result, 4, 'the program ended before the command finished (exit 4)')
  expect(result.verdict?.because.join()).toContain('the run did not finish')
})

test("yesterday's verdict is moved aside if a user's module calls process.exit(0) once the verdict is written: no verdict of an unfinished run is left", async () => {
  const module = `import { readFileSync } from 'node:fs'
    ${declaring(ownEntry, playing('return [await stage.served(list.request)]'))}
    setInterval(() => {
      let text = ''
      try { text = readFileSync('reports/verdict.json', 'utf8') } catch {}
      if (text.includes('"verdict": "conformant"') && text.includes('acme/one')) process.exit(0)
    }, 0)`
  const { code, verdict, folder } = await afterYesterday(module, only)

  // The exit may come too late, when the run has ended.
  expect([`4 null`, '0 conformant']).toContain(`${String(code)} ${String(verdict?.verdict ?? null)}`)
  if (code === 4) expect(existsSync(join(folder, '.previous', 'verdict.json'))).toBe(false)
})

test("yesterday's verdict is moved aside if a user's module never loads and two signals end the run", async () => {
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
  const { code, stderr, folder } = await afterYesterday(`console.log('loading'); ${never}`, '', { started })

  expect([code, stderr]).toEqual([null, expect.stringContaining(moved)])
  expect(await readdir(folder)).toEqual(['.previous'])
})

test("a run exits 2, names a module that never loads and keeps yesterday's reports", async () => {
  const env = passingWhenTold(60_000)
  const { folder, ...result } = await afterYesterday(`globalThis.passes(); ${never}`, '', { env })

  expectEnds(result, 2, /RUN_SUITES[^]*a\.mjs[^]*a module that loads within 60 seconds/)
  expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe(yesterdays)
  expect((await readdir(folder)).toSorted()).toEqual(yesterdaysFiles)
})

const oldLock = (folder: string) => lock(folder).then(() => utimes(join(folder, '.run.lock'), 0, 0))
const lock = (folder: string): Promise<void> => writeFile(join(folder, '.run.lock'), '')
const ofEnv = { RUN_REPORTS_DIR: 'there' }
const envFile = 'RUN_REPORTS_DIR=there'

/** Makes what an interrupted move leaves. */
async function interrupted(folder: string): Promise<void> {
  await filled(join(folder, '.previous'), { 'verdict.json': yesterdays, 'junit.xml': 'moved before' })
}
const linked = (folder: string): Promise<void> => symlink('../elsewhere', join(folder, '.previous'))
const here = { RUN_REPORTS_DIR: 'here' }

test.for<readonly [isMoved: boolean, how: string, words?: string, place?: Place]>([
  [true, 'if a flag names its folder', '--reports-dir here', { folder: 'here', env: ofEnv }],
  [true, 'if a flag with an equals sign names its folder', '--reports-dir=here', { folder: 'here', envFile }],
  [true, 'if the environment names its folder', '', { folder: 'here', env: here, envFile }],
  [true, 'if .env names its folder', '', { folder: 'here', envFile: 'RUN_REPORTS_DIR=here' }],
  [true, 'without reading .env in a pipeline', '', { env: { CI: 'true' }, envFile }],
  [true, 'from a folder whose lock is old', '', { prepare: oldLock }],
  [true, 'after an interrupted move, and the moved files are kept', '', { prepare: interrupted }],
  [true, 'without following a link', '', { prepare: linked }],
  [false, 'by a plan', 'plan'],
  [false, 'by a request for help', 'run --help'],
  [false, 'by an unknown command', 'judge'],
  [false, 'by an unknown flag', '--nonsense'],
  [false, 'by a list of rules', 'rules --suites OWN'],
  [false, 'while another run uses the folder', '', { prepare: lock }],
])("yesterday's verdict is moved aside: %s, %s", async ([isMoved, how, words, place]) => {
  const { code, stderr, folder } = await afterYesterday(exits, words, place)

  expect(existsSync(join(folder, 'verdict.json'))).toBe(!isMoved)
  expect(stderr.includes(moved)).toBe(isMoved)
  if (isMoved) expect(code).toBe(4)
  else expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe(yesterdays)
  expect(stderr).toContain(place?.prepare === lock ? 'another run uses the folder' : '')
  if (how.includes('interrupted'))
    expect(await readFile(join(folder, 'previous', 'junit.xml'), 'utf8')).toBe('moved before')
})

test('a run without enough file descriptors exits 4 and leaves no earlier verdict', async () => {
  const cwd = await emptyFolder()
  const suites = await ownFolder({ 'a.mjs': declaring(ownEntry) })
  const kept: string[] = []
  const codes = new Set<number | null>()
  // Below some limit Node itself cannot open the program's first file, and the program never starts.
  for (const [at, limit] of [18, 19, 20, 21, 22, 23, 24, 25, 26, 28, 30, 40, 60, 100].entries()) {
    const name = at % 2 === 0 ? 'reports' : 'elsewhere'
    const folder = await withYesterdays(cwd, name)
    await writeFile(join(cwd, '.env'), name === 'reports' ? '' : 'RUN_REPORTS_DIR=elsewhere')
    const args = ['--base-url', 'embedded', '--only', 'endpoints/*', '--suites', suites]
    const through = ['bash', '-c', `ulimit -n ${limit} && exec "$@"`, 'bash']
    const { code, stdout, stderr } = await runWhole(args, { cwd, through })
    if (!stderr.includes('the program') && code !== 4 && code !== 0) continue
    codes.add(code)
    if (code !== 0)
      expect(stdout + stderr, `${limit}`).toMatch(/EMFILE|too many (?:open files|files are open)/)
    // If even the env file cannot be opened, the program says so.
    if (stderr.includes('if an env file names the reports folder')) continue
    if (code !== 0 && (await readVerdict(join(folder, 'verdict.json')))?.verdict === 'conformant')
      kept.push(`${name} at ${limit}: ${String(code)}`)
  }

  expect(kept).toEqual([])
  expect(codes).toEqual(new Set([4, 0]))
})

/** A signal that ends a run. */
const bySignal = (signal: NodeJS.Signals, env: Texts = {}, args: readonly string[] = []) => {
  return { signal, says: `the run was interrupted (${signal})`, env, args }
}
const signals = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => bySignal(signal))
const byTime = { ...bySignal('SIGUSR2'), ...deadline }
const waitsLong = ['--timeout-ms', '600000']

type End = ReturnType<typeof bySignal>
type Options = ReferenceOptions & { readonly hangs?: boolean }

/** Runs a process that is ended when the service gets its nth request. */
async function endedAt(nth: number, { signal, args, env }: End, { hangs = false, ...others }: Options) {
  let child: ChildProcess | null = null
  let isSent = false
  const { run: runAgainst, ...given } = await against({
    ...others,
    intervene: () => {
      if (given.service.requests() < nth) return false
      if (!isSent) child?.kill(signal)
      isSent = true
      return hangs
    },
  })
  const started = (one: ChildProcess): void => void (child = one)
  // The timeout of a request is longer than the time after which the program would be killed.
  const result = await runAgainst(hangs ? [...args, ...waitsLong] : args, { env, started }, runWhole)
  return { ...given, result, endedBy: (): NodeJS.Signals | null => child?.signalCode ?? null }
}

test.for([...signals, byTime])('a run that is ended in its middle leaves a verdict: $says', async (end) => {
  const { result, service } = await endedAt(80, end, { latencyMs: 100 })
  const { verdict } = result

  expectIncomplete(result, [end.says])
  expect(rulesThat(verdict, 'passed')).toContain('conventions/accept-optional')
  expect(rulesThat(verdict, 'inconclusive')).toContain('quota/exhausted')
  if (end !== byTime) expect(ruleIn(verdict, 'quota/exhausted').because).toContain('interrupted')
  expect(verdict?.requests.sent).toBeGreaterThan(70)
  expect(verdict?.requests.sent).toBeLessThanOrEqual(service.requests() + 8)
  expect(service.requests()).toBeLessThan(120)
})

test.for([bySignal('SIGINT'), byTime])('a run that is ended at once leaves a verdict: $says', async (end) => {
  const { result } = await endedAt(1, end, { hangs: true })

  expectIncomplete(result, [end.says])
  expect(rulesThat(result.verdict, 'passed')).toEqual([])
})

test('a run that is ended early leaves a verdict in which earlier findings count', async () => {
  const faults = ['missing-api-key-called-invalid']
  const { result } = await endedAt(120, bySignal('SIGINT'), { latencyMs: 50, faults })

  expectEnds(result, 1, /A request without x-api-key: wrong answer\n +expected +400 \/ 1001 /)
  expect(result.verdict).toMatchObject({ verdict: 'nonconformant', exitCode: 1 })
  expect(result.verdict?.because.join(' ')).toContain('the run was interrupted (SIGINT)')
})

test('a run that is ended early leaves a verdict that says that the run did not finish, if a second signal ends the program at once', async () => {
  // The program adds a listener for the second signal, which arrives before the program can do anything else.
  const NODE_OPTIONS = importing(`
    let listened = 0
    process.on('newListener', (name) => {
      if (name === 'SIGINT' && (listened += 1) === 3) process.nextTick(() => process.kill(process.pid, 'SIGINT'))
    })`)
  const end = bySignal('SIGINT', { NODE_OPTIONS })
  const { result, cwd, endedBy } = await endedAt(30, end, { hangs: true })

  expect([result.code, endedBy()]).toEqual([null, 'SIGINT'])
  expect(result.verdict?.because.join()).toContain('the run did not finish')
  expect(existsSync(join(cwd, 'reports', '.run.lock'))).toBe(false)
})

/** Node options that send the program this signal as soon as it listens, before its commands are loaded. */
const atOnce = (signal: NodeJS.Signals): string =>
  importing(`
    import { isMainThread } from 'node:worker_threads'
    let sent = !isMainThread
    process.on('newListener', (name) => {
      if (sent || name !== 'SIGHUP') return
      sent = true
      process.nextTick(() => process.kill(process.pid, '${signal}'))
    })`)

test.for(signals)('$signal while the program loads leaves a verdict that says so', async (end) => {
  const { service, cwd, run } = await against({ files: { 'reports/verdict.json': yesterdays } })

  const result = await run('', { env: { NODE_OPTIONS: atOnce(end.signal) } })

  expectIncomplete(result, [end.says])
  expect(rulesThat(result.verdict, 'passed')).toEqual([])
  expect(service.requests()).toBe(0)
  expect(existsSync(join(cwd, 'reports', '.run.lock'))).toBe(false)
})

test('a signal while the program loads ends a command that writes no verdict', async () => {
  const env = { NODE_OPTIONS: atOnce('SIGTERM') }

  expectEnds(await runWhole('plan --base-url embedded', { env }), null)
})

/** Node options for a program that runs this statement once the file `now` exists in the working folder. */
const inTheMiddle = (statement: string): string =>
  importing(`
    import { existsSync } from 'node:fs'
    setInterval(() => { if (existsSync('now')) { ${statement} } }, 20).unref()`)

const full = 'for (const a = []; ; ) a.push([...a])'

test.for([
  ['an uncaught error', inTheMiddle('throw new Error("oh")'), 4],
  ['an unhandled rejection', inTheMiddle('Promise.reject(new Error("oh"))'), 4],
  ['too little memory', `--max-old-space-size=200 ${inTheMiddle(full)}`, null],
] as const)('a failure of the suite leaves an unfinished verdict: %s', async ([, NODE_OPTIONS, expected]) => {
  const { service, cwd, run } = await against({
    intervene: () => {
      if (service.requests() === 5) writeFileSync(join(cwd, 'now'), '')
      return service.requests() >= 5
    },
  })

  const { code, verdict } = await run('', { env: { NODE_OPTIONS } })

  expect(verdict).toMatchObject({ verdict: 'error', exitCode: 4, rules: [] })
  expect(verdict?.because.join()).toContain('the run did not finish')
  expect(code).toBe(expected)
})
