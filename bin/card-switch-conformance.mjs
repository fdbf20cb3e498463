#!/usr/bin/env node
// Starts the compiled program of the package, or of a checkout, which is compiled if needed. Imports only Node's modules before error
// handlers exist: an uncaught error makes Node exit with 1, which would mean nonconformant.
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import module from 'node:module'
import { isAbsolute, join, resolve } from 'node:path'
import util from 'node:util'
import v8 from 'node:v8'

const args = process.argv.slice(2)
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
/** Exit codes of SIGHUP, SIGINT and SIGTERM. */
const endsBySignal = [129, 130, 143]

/** Changed by the command; see `Ending` in lib/doors/cli/console.ts. */
const ending = { folders: [], uncaught: (_, text) => text }
/** The exit code of a completed command, and the explanation if there is none. */
let concluded = null
let trouble =
  'the program ended before the command finished (exit 4): your own code may have called process.exit, or awaited something that never settles'
let isOutputLost = false

// However the process ends, even in a user's module, the exit code matches the verdict, and no earlier verdict remains.
process.on('exit', (code) => {
  if (concluded !== null) process.exitCode = isOutputLost ? 4 : concluded
  // See endBy in lib/doors/cli/signals.ts.
  else if (!endsBySignal.includes(code)) {
    process.exitCode = 4
    say(trouble)
  }
  setAside()
})
process.on('uncaughtException', lastResort)
process.on('unhandledRejection', lastResort)
process.stdout.on('error', noteLoss)
// Standard error is not part of the verdict.
process.stderr.on('error', () => {})
// Read now, because opening files may fail later.
ending.folders = foldersByWords()

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19))
  giveUp(
    `this program needs Node 20.19 or newer, but was started with Node ${process.versions.node}: install a newer version from https://nodejs.org`,
  )

// Most runs are too short to repay optimised code, so V8 makes it later; and they need little memory for new objects. Other versions
// of V8 may not know these flags, and would complain.
const late = (by) => `--invocation-count-for-maglev=${400 * by} --invocation-count-for-turbofan=${3000 * by}`
const flags = { 20: (by) => `--interrupt-budget=${67584 * by}`, 22: late, 24: late, 26: late }[major]
ending.tune = (by, grow) => flags && v8.setFlagsFromString(`${flags(by)} --semi-space-growth-factor=${grow}`)
ending.tune(15, 1)

try {
  const program = await programFolder()
  const load = (name) => import(new URL(`lib/chunks/${name}.js`, program).href)
  const { holdSignals } = await load('signals')
  holdSignals()
  const { processConsole } = await load('console')
  const { main } = await load('program')
  concluded = await main(args, processConsole(ending))
} catch (error) {
  const text = failureOf(error)
  trouble = ending.uncaught(error, text) ?? text
}
// Open resources, such as an idle connection, must not keep a pipeline waiting.
process.stdout.write('', (error) => {
  noteLoss(error)
  process.stderr.write('', () => process.exit())
})

/** The compiled program, as a URL. For a package, Node caches compiled code for the next start if it can (22.8 and later) and may write. */
async function programFolder() {
  if (existsSync(new URL('../lib/doors/cli/program.ts', import.meta.url))) {
    try {
      return (await import('./build.mjs')).built()
    } catch (error) {
      giveUp(
        `the program cannot be compiled: ${error.message}; run npm ci to install the compiler, or fix the errors above`,
      )
    }
  }
  const { HOME = '', LOCALAPPDATA = '', XDG_CACHE_HOME = '' } = process.env
  const own = join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache')
  const caches = [XDG_CACHE_HOME, LOCALAPPDATA, own].find((folder) => isAbsolute(folder))
  if (caches) module.enableCompileCache?.(join(caches, 'card-switch-conformance'))
  return new URL('../dist/', import.meta.url)
}

/**
 * An earlier verdict must not be mistaken for that of a run without a verdict. This moves it to where the next run looks, which keeps the verdict of a
 * finished run in `previous/`. Opens no files, which may fail at this point.
 */
function setAside() {
  const { folders, isLocked = false, begun } = ending
  for (const folder of folders) {
    // The provisional verdict of this run must stay.
    if (begun !== undefined && statsOf(join(folder, 'verdict.json'))?.ino === begun) continue
    const lock = isLocked ? null : statsOf(join(folder, '.run.lock'))
    if (lock !== null && Date.now() - lock.mtimeMs < staleAfterMs) {
      say('verdict.json in the reports folder is not from this run: another run uses the folder')
      continue
    }
    try {
      for (const name of reports) if (statsOf(join(folder, name)) !== null) moveAway(folder, name)
      if (begun === undefined && statsOf(join(folder, '.previous')) !== null)
        say('the reports of an earlier run in the reports folder were moved to .previous there')
    } catch (error) {
      say(
        `verdict.json in the reports folder is not from this run, and cannot be moved away: ${error.message}`,
      )
    }
  }
}

/** Moves a report of an earlier run away. Removes one of this run, or in the way of an interrupted move. */
function moveAway(folder, name) {
  const moving = join(folder, '.previous')
  if (statsOf(moving) === null) mkdirSync(moving)
  const isFree = statsOf(moving)?.isDirectory() && statsOf(join(moving, name)) === null
  if (isFree && ending.begun === undefined) renameSync(join(folder, name), join(moving, name))
  else rmSync(join(folder, name), { recursive: true })
}

/** Possible reports folders of a run, from its arguments, environment and env file; empty for other commands. */
function foldersByWords() {
  const isAsking = args.some((word) => ['-h', '--help', '--version'].includes(word))
  if (isAsking || !/^(?:run$|-)/.test(args[0] ?? 'run')) return []

  const options = { 'reports-dir': { type: 'string' }, 'settings-file': { type: 'string' } }
  const { values } = util.parseArgs({ args, strict: false, options })
  const isGiven = (text) => typeof text === 'string' && text.trim() !== ''
  const named = [values['reports-dir'], process.env.RUN_REPORTS_DIR].find(isGiven)
  const all = named === undefined ? [folderInEnvFile(values['settings-file']), 'reports'] : [named]
  return all.filter(isGiven).map((folder) => resolve(folder))
}

/** The reports folder in an env file; null if the file is not read in a pipeline, or is unreadable. */
function folderInEnvFile(named) {
  const { CI = '' } = process.env
  if (named === undefined && !['', 'false', '0'].includes(CI.trim().toLowerCase())) return null
  try {
    const file = resolve(named ?? '.env')
    return statSync(file).isFile() ? util.parseEnv(readFileSync(file, 'utf8')).RUN_REPORTS_DIR : null
  } catch (error) {
    if (error.code !== 'ENOENT')
      say(`if an env file names the reports folder, its verdict may be from an earlier run: ${error.message}`)
    return null
  }
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
  const text = ending.uncaught(error, failureOf(error))
  if (text === null) return
  if (concluded === null) giveUp(text)
  say(text)
}

/** Notes that output could not be written. A reader that closes early, such as `head`, is not an error. */
function noteLoss(error) {
  isOutputLost ||= error instanceof Error && !['EPIPE', 'ERR_STREAM_DESTROYED'].includes(error.code)
}

function giveUp(text) {
  trouble = text
  process.exit(4)
}

function say(text) {
  process.stderr.write(`${text}\n`)
}

/** Commands are loaded on demand, so a missing part of the program may show at any time. */
function failureOf(error) {
  try {
    if (error?.name === 'MachineTooBusy') return error.message
    if (['ERR_MODULE_NOT_FOUND', 'EMFILE', 'ENFILE'].includes(error?.code))
      return `the program cannot be loaded: ${error.message}; run npm ci in a checkout, or reinstall the package; if too many files are open, raise the limit (ulimit -n 1024)`
    return `the suite itself failed: ${error instanceof Error ? error.stack : String(error)}`
  } catch {
    return 'the suite itself failed: the thrown value cannot be shown'
  }
}
