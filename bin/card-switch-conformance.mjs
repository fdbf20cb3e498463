#!/usr/bin/env node
// Starts the program: compiled beside it in the package, or from the sources of a checkout, compiled where that is needed. Nothing but
// Node's own modules is imported before there is something that catches what goes wrong: Node ends in 1 then, which would say
// nonconformant.
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
/** Age at which a lock is of no run that lives, in milliseconds: a run renews its own every 15 seconds. */
const staleAfterMs = 120_000
/** Maximum size of an env file, in bytes. */
const largestEnvFile = 256 * 1024
/** Why the env file that may name the reports folder could not be read, or null. */
let unread = null
/** Where the reports may be, until the settings say it: read now, since files may be opened no more when it is wanted. */
const folders = foldersByWords()

/** What the command says of its end, as lib/doors/cli/ending.ts describes it. */
const ending = { setAside }
/** The exit code of the command that came to its end, and whether anything said why there is none. */
let [concluded, isTold] = [null, false]
let isOutputLost = false

// However the process ends, as by a module of the user's own: no code but that of a verdict, and no verdict of an earlier run.
process.on('exit', (code) => {
  if (concluded !== null) process.exitCode = isOutputLost ? 4 : concluded
  // Windows has no signals: there they end the process with a code of their own.
  else if (code <= 128) process.exitCode = 4
  if (concluded === null && !isTold)
    say(
      'the program ended before the command did (exit 4): code of your own may have called process.exit, or have waited for what never comes',
    )
  if (concluded === null || typeof ending.folder === 'string') setAside()
})
process.on('uncaughtException', lastResort)
process.on('unhandledRejection', lastResort)
process.stdout.on('error', (error) => (isOutputLost ||= isLost(error)))
// What is said there besides is no part of the verdict.
process.stderr.on('error', () => {})

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  tell(
    `this program needs Node 20.19 or newer, and was started by Node ${process.versions.node}: install a newer one from https://nodejs.org`,
  )
  process.exit(4)
}

try {
  const program = await programFolder()
  const load = (name) => import(new URL(`lib/chunks/${name}.js`, program).href)
  const { holdSignals } = await load('signals')
  holdSignals(ending)
  const { processConsole } = await load('console')
  const { main } = await load('program')
  concluded = await main(args, processConsole(ending))
} catch (error) {
  tell(untoldText(error) ?? failureOf(error))
}
// Whatever is still open, as an idle connection, must not keep a pipeline waiting.
process.stdout.write('', (error) => {
  isOutputLost ||= isLost(error)
  process.stderr.write('', () => process.exit())
})

/** The compiled program, as a URL. Node keeps compiled code for the next start where it can (22.8 and later) and may write. */
async function programFolder() {
  if (existsSync(new URL('../lib/doors/cli/program.ts', import.meta.url))) {
    const { built } = await import('./build.mjs')
    const program = compiledBy(built)
    // A checkout has many builds: what is kept goes with each.
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
    const told = `the program cannot be compiled: ${reasonOf(error)}; run npm ci, which installs the compiler, and mend what the compiler names above`
    throw Object.assign(new Error(told, { cause: error }), { code: 'NOT_COMPILED' })
  }
}

/**
 * Yesterday's verdict must not pass for that of a run that came to none: it is moved to where the next run begins, which keeps it in
 * `previous/` if it is of a finished run. Files may be opened no more at this point, so none is.
 */
function setAside() {
  const { folder: known, aside, begun } = ending
  if (known === undefined && unread !== null)
    say(`if an env file names the reports folder, the verdict there may be of an earlier run: ${unread}`)
  for (const folder of known === undefined ? folders : [known ?? []].flat()) {
    // Settings are checked before they are shown.
    const shown = known === folder ? folder.replaceAll(/\p{C}/gu, '?') : 'the reports folder'
    const found = reports.filter((name) => statsOf(join(folder, name)) !== null)
    const isOurs = aside === folder
    const sayMoved = () => say(`the reports of an earlier run in ${shown} were moved to .previous there`)
    if (isOurs && found.length === 0 && statsOf(join(folder, '.previous')) !== null) sayMoved()
    // A verdict that says that this run did not finish is what must be there.
    const isBegun = begun !== undefined && statsOf(join(folder, 'verdict.json'))?.ino === begun
    if (found.length === 0 || isBegun) continue
    if (!isOurs && begun === undefined && isLive(statsOf(join(folder, '.run.lock')))) {
      say(`verdict.json in ${shown} is not of this run: another run uses the folder, so it was left alone`)
      continue
    }
    try {
      for (const name of found) moveAway(folder, name)
      if (begun === undefined) sayMoved()
    } catch (error) {
      say(`verdict.json in ${shown} is not of this run, and cannot be moved away: ${reasonOf(error)}`)
    }
  }
}

/** What this run wrote, or is in the way of a move that was begun, gets the name of a file that the next run removes. */
function moveAway(folder, name) {
  const moving = join(folder, '.previous')
  const removed = join(folder, `.${name}.${String(Date.now()).padStart(36, '0')}`)
  if (statsOf(moving) === null) mkdirSync(moving)
  const isFree = statsOf(moving)?.isDirectory() && statsOf(join(moving, name)) === null
  renameSync(join(folder, name), ending.begun === undefined && isFree ? join(moving, name) : removed)
}

/** Where the reports of a run may be, by its words and environment; nowhere if the command is no run. */
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

/** The reports folder of an env file; none where it is not read in a pipeline, or cannot be. */
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

/** What nobody caught ends the program, unless the command tells of it and goes on to its end. */
function lastResort(error) {
  const text = untoldText(error)
  if (text === null) return
  tell(text)
  if (concluded === null) process.exit(4)
}

/** Null where the command tells of it. */
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

/** Whether output could not be written. A reader that went away, as `head` does, wanted no more of it. */
function isLost(error) {
  return error instanceof Error && error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED'
}

/** Commands are loaded when they are wanted, so that a part of the program may turn out to be missing at any time. */
function failureOf(error) {
  try {
    if (error?.code === 'NOT_COMPILED' || error?.name === 'MachineTooBusy') return error.message
    if (error?.code === 'ERR_MODULE_NOT_FOUND')
      return `the program cannot be loaded: ${error.message}; it is not installed, or not wholly: run npm ci in a checkout, or install the package again`
    if (isDescriptors(error))
      return `the program cannot be loaded: ${error.message}; it may open too few files: raise the limit, with ulimit -n 1024 for example, and try again`
    return `the suite itself failed: ${error instanceof Error ? error.stack : String(error)}`
  } catch {
    return 'the suite itself failed: what was thrown cannot be told, since asking for it throws'
  }
}

function isDescriptors(error) {
  return error?.code === 'EMFILE' || error?.code === 'ENFILE'
}

function reasonOf(error) {
  return error instanceof Error ? error.message : String(error)
}
