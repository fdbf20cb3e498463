import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { appendFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { built } from '../bin/build.mjs'
import { importing } from './support/deadline.ts'
import { expectEnds, runWhole as run } from './support/program-test.ts'
import { emptyFolder, folderWith, runProgram, type Texts } from './support/program.ts'
import type { ProgramOptions, ProgramResult } from './support/program.ts'
import { yesterdays } from './support/yesterday.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A copy of these files of the checkout. Only `installed` gives it dependencies and the compiler. */
async function copyOf(names: readonly string[], installed: boolean): Promise<string> {
  const folder = await emptyFolder()
  for (const name of names) await cp(join(root, name), join(folder, name), { recursive: true })
  if (installed) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** A copy of the checkout without build output. */
const checkout = (installed: boolean): Promise<string> =>
  copyOf(['bin', 'lib', 'suites', 'package.json', 'tsconfig.json'], installed)

/** A copy of the installed package. */
async function lonePackage(installed = true): Promise<string> {
  const folder = await copyOf(['bin', 'package.json'], installed)
  await cp(fileURLToPath(built()), join(folder, 'dist'), { recursive: true })
  return folder
}

const mainIn = (folder: string): string => join(folder, 'bin', 'card-switch-conformance.mjs')

/** A start of the program of this checkout, or of that in a folder. By default, it judges the embedded service. */
interface Start extends ProgramOptions {
  readonly make?: () => Promise<string>
  readonly words?: string
}

async function ended({ make, words = '--base-url embedded', ...options }: Start): Promise<ProgramResult> {
  return run(words, make === undefined ? options : { ...options, main: mainIn(await make()) })
}

/** Node options for a process that believes it is another version of Node. */
const asNode = (node: string) =>
  importing(`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}' } })`)

/** Node options for a process that gets no processor time, so that limited work never ends. */
const tooBusy = importing(`
  import { Script } from 'node:vm'
  const { runInContext } = Script.prototype
  process.cpuUsage = process.threadCpuUsage = () => ({ user: 0, system: 0 })
  Script.prototype.runInContext = (room) =>
    runInContext.call(new Script('for (;;);'), room, { timeout: 1 })`)

/** A package in which the program's code is replaced by this text, or missing. */
const damaged = (text: string | null): Start => ({
  make: async () => {
    const folder = await lonePackage()
    const file = join(folder, 'dist', 'lib', 'chunks', 'program.js')
    await (text === null ? rm(file) : writeFile(file, text))
    return folder
  },
})

/** A checkout after a change. */
const changed = (installed: boolean, change: (folder: string) => unknown = () => {}): Start => ({
  make: async () => {
    const folder = await checkout(installed)
    await change(folder)
    return folder
  },
})

const broken = 'export const broken: number = "text"\n'
const withMistake = (folder: string) => writeFile(join(folder, 'lib/doors/cli/broken.ts'), broken)
const withoutPackages = (folder: string) => mkdir(join(folder, 'node_modules'))
const withoutSuites = (folder: string) => rm(join(folder, 'suites'), { recursive: true })
const uncompiled = 'the program cannot be compiled'
const noCompiler = '\\(typescript\\) is not installed'
const careless = `export function main(_, { ending }) {
  ending.uncaught = () => null
  throw new Proxy({}, { get() { throw 1 } })
}`
const unreadable = '^the suite itself failed: the thrown value cannot be shown'
const forever = 'await new Promise(() => {})'
const ofNode = (version: string, more: Start = {}): Start => {
  return { words: 'rules', env: { NODE_OPTIONS: asNode(version) }, ...more }
}
const unfit = (version: string): string =>
  `^this program needs Node 20.19 or newer, but was started with Node ${version}: install a newer version from https://nodejs.org\n`
const document = join(root, 'package.json')
const busy = (words: string): Start => ({ words: `${words} ${document}`, env: { NODE_OPTIONS: tooBusy } })
const tooLate =
  'this machine was too busy to read .* within 100 s: run it again when the machine is less busy'

test.for<readonly [what: string, start: Start, says?: string]>([
  // Two line breaks follow the only line of the output.
  ['no dependencies', { make: () => lonePackage(false) }, '^the program cannot be loaded.*npm ci.*\n\n'],
  ['a missing file', damaged(null)],
  ['a cut file', damaged('export const program = {')],
  ['a file that throws', damaged('throw new Error("damaged")')],
  ['a file that throws later', damaged(`setTimeout(() => { throw 1 }); ${forever}`)],
  ['a file that rejects later', damaged(`void Promise.reject(1); ${forever}`)],
  ['a file that waits for nothing', damaged(forever)],
  ['an unreadable thrown value', damaged(careless), unreadable],
  ['a checkout without dependencies', changed(false), 'compiled[^]*run npm ci to install the compiler'],
  ['a checkout that does not compile', changed(true, withMistake), `broken\\.ts[^]*${uncompiled}`],
  ['a checkout without its compiler', changed(false, withoutPackages), `${uncompiled}[^]*${noCompiler}`],
  ['a checkout without its sources', changed(true, withoutSuites), `${uncompiled}[^]*/suites`],
  ['an old Node, before compiling', ofNode('18.20.8', changed(true)), unfit('18.20.8')],
  ['a Node that is a little too old', ofNode('20.18.3'), unfit('20.18.3')],
  ['a very old Node', ofNode('16.0.0'), unfit('16.0.0')],
  ['no time to read a document', busy('endpoints import'), tooLate],
  ['no time to read an endpoints file', busy('plan --base-url embedded --endpoints'), tooLate],
  ['unwritable output', { through: ['bash', '-c', 'exec "$@" > /dev/full', 'bash'], words: 'rules' }, ''],
])('the program exits 4 and says what to do: %s', async ([, start, says = '.']) => {
  expectEnds(await ended(start), 4, new RegExp(says))
})

test('a run that cannot start moves an earlier verdict aside', async () => {
  const folder = await lonePackage(false)
  const earlier = '{"verdict":"conformant"}'
  const reports = await folderWith({ 'verdict.json': earlier })
  const make = () => Promise.resolve(folder)

  expectEnds(await ended({ make, words: `plan --reports-dir ${reports}` }), 4)
  expect(await readdir(reports)).toEqual(['verdict.json'])
  expectEnds(await ended({ make, env: { RUN_REPORTS_DIR: reports } }), 4)
  expect(await readdir(reports)).toEqual(['.previous'])
  expect(await readFile(join(reports, '.previous', 'verdict.json'), 'utf8')).toBe(earlier)
})

test('two concurrent first runs in a fresh checkout both work, and no existing build is replaced', async () => {
  const folder = await checkout(true)
  const rules = () => ended({ make: () => Promise.resolve(folder), words: 'rules' })
  const both = await Promise.all([rules(), rules()])
  expect(both.map(({ code }) => code)).toEqual([0, 0])

  const before = await readdir(join(folder, '.build'))
  await appendFile(join(folder, 'lib', 'doors', 'cli', 'verdict-commands.ts'), '// changed\n')
  expectEnds(await rules(), 0)
  const after = await readdir(join(folder, '.build'))

  expect([before.length, after.length]).toEqual([1, 2])
  expect(after).toEqual(expect.arrayContaining(before))
})

test('the program does not exit 4 for a reader that closes early, as head does', async () => {
  const through = ['bash', '-c', 'set -o pipefail; "$@" | head -c 10', 'bash']
  const { code, stdout } = await run('rules --format json', { through })

  expect([code, stdout.length]).toEqual([0, 10])
})

test('the program does not exit 4 for a process that the system kills', async () => {
  const { code } = await ended({ env: { NODE_OPTIONS: '--max-old-space-size=12' } })

  expect([134, null]).toContain(code)
})

/** Node options that log the names of imported packages and Node modules in this file. */
function recorder(file: string): string {
  const hooks = `import { appendFileSync } from 'node:fs'
    export const resolve = (name, context, next) => {
      if (!/^[./]|^(?:file|data):/.test(name)) appendFileSync(${JSON.stringify(file)}, name + '\\n')
      return next(name, context)
    }`
  const source = JSON.stringify(`data:text/javascript,${encodeURIComponent(hooks)}`)
  return importing(`import { register } from 'node:module'; register(${source})`)
}

/** Packages that this command imports, by name. */
async function packagesOf(args: readonly string[], cwd: string): Promise<string> {
  const file = join(await folderWith({ imported: '' }), 'imported')
  const { code, stderr } = await runProgram(args, { cwd, env: { NODE_OPTIONS: recorder(file) } })
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${String(code)}: ${stderr}`)
  const names = (await readFile(file, 'utf8')).trim().split('\n')
  const packages = names
    .filter((name) => !module.isBuiltin(name))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
  return [...new Set(packages)].toSorted().join(' ')
}

const endpoint = { method: 'GET', path: '/api/customizations/list', success: { type: 'object' } }
const imports = folderWith({
  'waivers.json': '[]',
  'e.json': JSON.stringify([endpoint]),
  'a.yaml': 'openapi: 3.1.0\npaths: { /api/a: { get: {} } }',
  'verdicts/verdict.json': yesterdays,
})
const [sending, ofSchemas] = ['commander fast-check pure-rand undici', 'ajv ajv-formats commander fast-check']
const only = 'run --base-url embedded --only endpoints/*'

test.for([
  ['--version', 'commander'],
  ['rules', 'commander'],
  ['plan --base-url embedded', sending],
  // Schemas of users need Ajv, those of the program do not.
  [`${only} --waivers waivers.json`, sending],
  ['report verdicts', 'commander'],
  [`${only} --endpoints e.json`, `${ofSchemas} pure-rand undici`],
  ['endpoints import a.yaml', `${ofSchemas} js-yaml pure-rand`],
] as const)('%s imports only packages that it needs: %s', async ([words, expected]) => {
  expect(await packagesOf(words.split(' '), await imports)).toBe(expected)
})

/** Starts the installed program twice. Returns both exit codes and the number of files in the working folder. */
async function startTwice(env: Texts): Promise<readonly (number | null)[]> {
  const main = mainIn(await lonePackage())
  const cwd = await emptyFolder()
  const started = [1, 2].map(() => spawnSync(process.execPath, ['--', main, 'rules'], { cwd, env }))
  return [...started.map(({ status }) => status), (await readdir(cwd)).length]
}

const canKeep = 'enableCompileCache' in module
const ofHome = process.platform === 'darwin' ? 'Library/Caches' : '.cache'

test.for<readonly [env: (folder: string) => Texts, below: string | null]>([
  [(XDG_CACHE_HOME) => ({ XDG_CACHE_HOME }), ''],
  [(HOME) => ({ HOME }), ofHome],
  [(LOCALAPPDATA) => ({ LOCALAPPDATA }), ''],
  [(XDG_CACHE_HOME) => ({ XDG_CACHE_HOME, NODE_DISABLE_COMPILE_CACHE: '1' }), null],
  [() => ({}), null],
  [() => ({ XDG_CACHE_HOME: 'relative', HOME: 'relative' }), null],
  [() => ({ XDG_CACHE_HOME: '/dev/null' }), null],
])('code that Node compiled is kept for the next start only in a folder for caches: %s, %s', async (row) => {
  const [env, below] = row
  const folder = await emptyFolder()

  expect(await startTwice(env(folder))).toEqual([0, 0, 0])
  const found = existsSync(join(folder, below ?? '')) ? await readdir(join(folder, below ?? '')) : []
  expect(found).toEqual(canKeep && below !== null ? ['card-switch-conformance'] : [])
})

test('code named by NODE_OPTIONS in a settings file is not run, even if Node was started without --', async () => {
  const ownCode = "require('node:fs').writeFileSync('ran', '')"
  const cwd = await folderWith({ 'own.cjs': ownCode, 'hostile.env': 'NODE_OPTIONS=--require=./own.cjs\n' })

  const args = [mainIn(root), 'plan', '--settings-file', 'hostile.env', '--base-url', 'embedded']
  const { PATH = '' } = process.env
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env: { PATH }, encoding: 'utf8' })

  expect([status, stderr]).toEqual([2, expect.stringContaining('NODE_OPTIONS')])
  expect(existsSync(join(cwd, 'ran'))).toBe(false)
})
