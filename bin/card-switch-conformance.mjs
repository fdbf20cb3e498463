#!/usr/bin/env node
// Starts the compiled program of the package, or of a checkout, which is compiled if needed. Imports only Node's modules before error
// handlers exist: an uncaught error makes Node exit with 1, which would mean nonconformant.
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs'
import module from 'node:module'
import { isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import util from 'node:util'

const args = process.argv.slice(2)
const cwd = process.cwd()
const reports = [
  'verdict.json',
  'index.html',
  'history.html',
  'junit.xml',
  'summary.md',
  'requests.http',
  'metrics.prom',
  'allure-results',
  'run.sha256',
  'attestation.json',
]
/** Age at which a lock is stale, in milliseconds: a live run renews its lock every 15 seconds. */
const staleAfterMs = 120_000
/** Maximum size of an env file, in bytes. */
const largestEnvFile = 256 * 1024
/** Why the env file that may name the reports folder could not be read, or null. */
let unread = null
/** Possible reports folders until the settings are known. Read now, because opening files may fail later. */
const folders = foldersByWords()

/** Filled in by the command; see `Ending` in lib/doors/cli/console.ts. */
const ending = {}
/** The exit code of a completed command, and whether a missing exit code was explained. */
let [concluded, isTold] = [null, false]
let isOutputLost = false
/** Exit codes of SIGHUP, SIGINT and SIGTERM. */
const endsBySignal = [129, 130, 143]

// However the process ends, even in a user's module, the exit code matches the verdict, and no earlier verdict remains.
process.on('exit', (code) => {
  if (concluded !== null) process.exitCode = isOutputLost ? 4 : concluded
  // See endBy in lib/doors/cli/signals.ts.
  else if (!endsBySignal.includes(code)) {
    process.exitCode = 4
    if (!isTold)
      say(
        'the program ended before the command finished (exit 4): your own code may have called process.exit, or awaited something that never settles',
      )
  }
  if (concluded === null || typeof ending.folder === 'string') setAside()
})
process.on('uncaughtException', lastResort)
process.on('unhandledRejection', lastResort)
process.stdout.on('error', (error) => (isOutputLost ||= isLost(error)))
// Standard error is not part of the verdict.
process.stderr.on('error', () => {})

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  tell(
    `this program needs Node 20.19 or newer, but was started with Node ${process.versions.node}: install a newer version from https://nodejs.org`,
  )
  process.exit(4)
}

try {
  const program = await programFolder()
  const load = (name) => import(new URL(`lib/chunks/${name}.js`, program).href)
  const { holdSignals } = await load('signals')
  holdSignals()
  const { processConsole } = await load('console')
  const { main } = await load('program')
  concluded = await main(args, processConsole(ending))
} catch (error) {
  tell(untoldText(error) ?? failureOf(error))
}
// Open resources, such as an idle connection, must not keep a pipeline waiting.
process.stdout.write('', (error) => {
  isOutputLost ||= isLost(error)
  process.stderr.write('', () => process.exit())
})

/** The compiled program, as a URL. Node caches compiled code for the next start if it can (22.8 and later) and may write. */
async function programFolder() {
  if (existsSync(new URL('../lib/doors/cli/program.ts', import.meta.url))) {
    const { built } = await import('./build.mjs')
    const program = compiledBy(built)
    // A checkout has many builds: each has a separate cache.
    module.enableCompileCache?.(fileURLToPath(new URL('code', program)))
    return program
  }
  const { HOME = '', LOCALAPPDATA = '', XDG_CACHE_HOME = '' } = process.env
  const own = join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache')
  const caches = [XDG_CACHE_HOME, LOCALAPPDATA, own].find((folder) => isAbsolute(folder))
  if (caches) module.enableCompileCache?.(join(caches, 'card-switch-conformance'))
  return new URL('../dist/', import.meta.url)
}

function compiledBy(build) {
  try {
    return build()
  } catch (error) {
    if (isDescriptors(error)) throw error
    const told = `the program cannot be compiled: ${reasonOf(error)}; run npm ci to install the compiler, and fix the errors that the compiler lists above`
    throw Object.assign(new Error(told, { cause: error }), { code: 'NOT_COMPILED' })
  }
}

/**
 * An earlier verdict must not be mistaken for that of a run without a verdict. This moves it to where the next run looks, which keeps the verdict of a
 * finished run in `previous/`. Opens no files, which may fail at this point.
 */
function setAside() {
  const { folder: known, aside, begun } = ending
  if (known === undefined && unread !== null)
    say(`if an env file names the reports folder, its verdict may be from an earlier run: ${unread}`)
  for (const folder of known === undefined ? folders : [known ?? []].flat()) {
    // Show only a folder from checked settings.
    const shown = known === folder ? folder.replaceAll(/\p{C}/gu, '?') : 'the reports folder'
    const found = reports.filter((name) => statsOf(join(folder, name)) !== null)
    const isOurs = aside === folder
    const sayMoved = () => say(`the reports of an earlier run in ${shown} were moved to .previous there`)
    if (isOurs && found.length === 0 && statsOf(join(folder, '.previous')) !== null) sayMoved()
    // The provisional verdict of this run must stay.
    const isBegun = begun !== undefined && statsOf(join(folder, 'verdict.json'))?.ino === begun
    if (found.length === 0 || isBegun) continue
    if (!isOurs && begun === undefined && isLive(statsOf(join(folder, '.run.lock')))) {
      say(
        `verdict.json in ${shown} is not from this run: another run uses the folder, so it was left unchanged`,
      )
      continue
    }
    try {
      for (const name of found) moveAway(folder, name)
      if (begun === undefined) sayMoved()
    } catch (error) {
      say(`verdict.json in ${shown} is not from this run, and cannot be moved away: ${reasonOf(error)}`)
    }
  }
}

/** Moves a report away. Files of this run, or in the way of an interrupted move, get a name that the next run removes. */
function moveAway(folder, name) {
  const moving = join(folder, '.previous')
  const removed = join(folder, `.${name}.${String(Date.now()).padStart(36, '0')}`)
  if (statsOf(moving) === null) mkdirSync(moving)
  const isFree = statsOf(moving)?.isDirectory() && statsOf(join(moving, name)) === null
  renameSync(join(folder, name), ending.begun === undefined && isFree ? join(moving, name) : removed)
}

/** Possible reports folders of a run, from its arguments and environment; empty for other commands. */
function foldersByWords() {
  const [first = ''] = args
  const isRun = first === 'run' || first === '' || first.startsWith('-')
  if (!isRun || args.some((word) => ['-h', '--help', '--version'].includes(word))) return []

  const isGiven = (text) => typeof text === 'string' && text.trim() !== ''
  const named = [valueOf('--reports-dir'), process.env.RUN_REPORTS_DIR].find(isGiven)
  const all = named === undefined ? [folderInEnvFile(valueOf('--settings-file')), 'reports'] : [named]
  return all.filter(isGiven).map((folder) => resolve(cwd, folder))
}

function valueOf(flag) {
  const values = args.map((word, at) => (word === flag ? args[at + 1] : word.split(`${flag}=`)[1]))
  return values.filter((value) => value !== undefined).at(-1)
}

/** The reports folder in an env file; null if the file is not read in a pipeline, or is unreadable. */
function folderInEnvFile(named) {
  const { CI = '' } = process.env
  if (named === undefined && !['', 'false', '0'].includes(CI.trim().toLowerCase())) return null
  try {
    const file = resolve(cwd, named ?? '.env')
    const stats = statSync(file)
    if (!stats.isFile() || stats.size > largestEnvFile) return null
    return util.parseEnv(readFileSync(file, 'utf8')).RUN_REPORTS_DIR
  } catch (error) {
    if (isDescriptors(error)) unread = reasonOf(error)
    return null
  }
}

function isLive(stats) {
  return stats?.isFile() === true && Date.now() - stats.mtimeMs < staleAfterMs
}

function statsOf(file) {
  try {
    return lstatSync(file)
  } catch {
    return null
  }
}

/** Ends the program after an uncaught error, unless the command reports the error and continues. */
function lastResort(error) {
  const text = untoldText(error)
  if (text === null) return
  tell(text)
  if (concluded === null) process.exit(4)
}

/** Null if the command reports it. */
function untoldText(error) {
  const text = failureOf(error)
  return ending.uncaught === undefined ? text : ending.uncaught(error, text)
}

function tell(text) {
  isTold = true
  say(text)
}

function say(text) {
  process.stderr.write(`${text}\n`)
}

/** Whether output could not be written. A reader that closes early, such as `head`, is not an error. */
function isLost(error) {
  return error instanceof Error && error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED'
}

/** Commands are loaded on demand, so a missing part of the program may show at any time. */
function failureOf(error) {
  try {
    if (error?.code === 'NOT_COMPILED' || error?.name === 'MachineTooBusy') return error.message
    if (error?.code === 'ERR_MODULE_NOT_FOUND')
      return `the program cannot be loaded: ${error.message}; its installation is missing or incomplete: run npm ci in a checkout, or reinstall the package`
    if (isDescriptors(error))
      return `the program cannot be loaded: ${error.message}; the limit of open files is too low: raise it, for example with ulimit -n 1024, and try again`
    return `the suite itself failed: ${error instanceof Error ? error.stack : String(error)}`
  } catch {
    return 'the suite itself failed: the thrown value cannot be shown, because reading it throws'
  }
}

function isDescriptors(error) {
  return error?.code === 'EMFILE' || error?.code === 'ENFILE'
}

function reasonOf(error) {
  return error instanceof Error ? error.message : String(error)
}
