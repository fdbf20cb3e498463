#!/usr/bin/env node
// Starts the program: compiled beside it in the package, or from the sources of a checkout, compiled where that is needed. Nothing is
// imported before there is something that catches what goes wrong: Node ends in 1 then, which would say nonconformant.

/** Where nothing else is said, as where nothing is left to wait for, the suite itself failed. */
process.exitCode = 4
process.on('uncaughtException', lastResort)
process.on('unhandledRejection', lastResort)
process.stdout.on('error', (error) => isLost(error) && process.exit(4))
// What is said there besides is no part of the verdict.
process.stderr.on('error', () => {})

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `this program needs Node 20.19 or newer, and was started by Node ${process.versions.node}: install a newer one from https://nodejs.org\n`,
  )
  process.exit(4)
}

const notCompiled = 'NOT_COMPILED'
const reports = ['verdict.json', 'index.html', 'junit.xml', 'summary.md', 'metrics.prom', 'allure-results']
/** Verdicts of runs that came to their end. */
const finished = ['conformant', 'nonconformant', 'incomplete']
const code = await ended()
process.exitCode = code
// Whatever is still open, as an idle connection, must not keep a pipeline waiting.
process.stdout.write('', (error) => process.stderr.write('', () => process.exit(isLost(error) ? 4 : code)))

async function ended() {
  try {
    const program = await programFolder()
    const { holdSignals } = await import(new URL('lib/cli/signals.js', program).href)
    holdSignals()
    const { processConsole } = await import(new URL('lib/cli/console.js', program).href)
    const { main } = await import(new URL('lib/cli/program.js', program).href)
    return await main(process.argv.slice(2), processConsole())
  } catch (error) {
    process.stderr.write(`${failureOf(error)}\n`)
    await setVerdictAside()
    return 4
  }
}

/** The compiled program, as a URL. */
async function programFolder() {
  const { existsSync } = await import('node:fs')
  const isCheckout = existsSync(new URL('../lib/cli/program.ts', import.meta.url))
  if (!isCheckout) {
    await keepCompiled(await userCache())
    return new URL('../dist/', import.meta.url)
  }
  try {
    const { built, codeCache } = await import('./build.mjs')
    const program = built()
    await keepCompiled(codeCache(program))
    return program
  } catch (error) {
    if (isDescriptors(error)) throw error
    const told = `the program cannot be compiled: ${reasonOf(error)}; run npm ci, which installs the compiler, and mend what the compiler names above`
    throw Object.assign(new Error(told, { cause: error }), { code: notCompiled })
  }
}

/** The folder of this program among the user's caches; none where the environment does not say where they are. */
async function userCache() {
  const path = await import('node:path')
  const { HOME = '', LOCALAPPDATA = '', XDG_CACHE_HOME = '' } = process.env
  const own = path.join(HOME, process.platform === 'darwin' ? 'Library/Caches' : '.cache')
  const caches = [XDG_CACHE_HOME, LOCALAPPDATA, own].find((folder) => path.isAbsolute(folder))
  return caches && path.join(caches, 'card-switch-conformance')
}

/** Lets Node keep compiled code for the next start, where Node can (22.8 and later) and the folder can be written. */
async function keepCompiled(folder) {
  const { default: module } = await import('node:module')
  if (folder) module.enableCompileCache?.(folder)
}

/**
 * Yesterday's verdict must not pass for that of a run that could not even begin: it is moved into `previous/` with its reports. Found as
 * far as Node alone can read the settings; a command that is no run has nothing to do with it.
 */
async function setVerdictAside() {
  try {
    const { existsSync, mkdirSync, readFileSync, renameSync, rmSync } = await import('node:fs')
    const { parseArgs, parseEnv } = await import('node:util')
    const [first = ''] = process.argv.slice(2)
    if (first !== 'run' && first !== '' && !first.startsWith('-')) return
    const { values } = parseArgs({
      options: { 'reports-dir': { type: 'string' }, 'settings-file': { type: 'string' } },
      strict: false,
    })
    const envFile = values['settings-file'] ?? '.env'
    const fromFile = existsSync(envFile) ? parseEnv(readFileSync(envFile, 'utf8')).RUN_REPORTS_DIR : ''
    const folder = values['reports-dir'] || process.env.RUN_REPORTS_DIR || fromFile || 'reports'
    const told = `${folder}/verdict.json`
    // What did not finish replaces no run that did.
    if (!existsSync(told) || !finished.includes(JSON.parse(readFileSync(told, 'utf8')).verdict)) return
    mkdirSync(`${folder}/previous`, { recursive: true })
    for (const name of reports) {
      const [from, to] = [`${folder}/${name}`, `${folder}/previous/${name}`]
      rmSync(to, { recursive: true, force: true })
      if (existsSync(from)) renameSync(from, to)
    }
  } catch (error) {
    process.stderr.write(`an earlier verdict may still be there: ${reasonOf(error)}\n`)
  }
}

/** What was written before a run says that it did not finish. */
function lastResort(error) {
  process.stderr.write(`${failureOf(error)}\n`)
  process.exit(4)
}

/** Whether output could not be written. A reader that went away, as `head` does, wanted no more of it. */
function isLost(error) {
  return error instanceof Error && error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED'
}

/** Commands are loaded when they are wanted, so that a part of the program may turn out to be missing at any time. */
function failureOf(error) {
  if (error?.code === notCompiled) return error.message
  if (error?.code === 'ERR_MODULE_NOT_FOUND')
    return `the program cannot be loaded: ${error.message}; it is not installed, or not wholly: run npm ci in a checkout, or install the package again`
  if (isDescriptors(error))
    return `the program cannot be loaded: ${error.message}; it may open too few files: raise the limit, with ulimit -n 1024 for example, and try again`
  return `the suite itself failed: ${error instanceof Error ? error.stack : String(error)}`
}

function isDescriptors(error) {
  return error?.code === 'EMFILE' || error?.code === 'ENFILE'
}

function reasonOf(error) {
  return error instanceof Error ? error.message : String(error)
}
