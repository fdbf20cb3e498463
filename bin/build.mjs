// Compiles the program in a checkout. Plain JavaScript, because it runs before anything is compiled.
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const builds = join(root, '.build')
const compiler = join(root, 'node_modules/typescript/bin/tsc')

/**
 * The folder of the compiled program, named by a hash of the sources. It appears completely or not at all: a running program is never
 * replaced, and two simultaneous first runs do not collide. Types are checked unless the caller does this.
 */
export function built({ checksTypes = true } = {}) {
  const folder = join(builds, hashOfSources())
  if (!fs.existsSync(folder)) compileInto(folder, checksTypes)
  return pathToFileURL(`${folder}/`)
}

function hashOfSources() {
  const hash = createHash('sha256')
  const sources = ['lib', 'suites'].flatMap((name) => filesBelow(name)).toSorted((a, b) => (a < b ? -1 : 1))
  const ours = ['bin/build.mjs', 'package.json', 'tsconfig.json', 'bin/tsconfig.build.json']
  for (const file of [...sources, ...ours])
    hash.update(`\0${file}\0`).update(fs.readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

/** The files below a folder that belong to the program. */
function filesBelow(folder) {
  const entries = fs.readdirSync(join(root, folder), { withFileTypes: true })
  const isOurs = ({ name }) => !/^testing$|\.test(?:ing)?\.ts$/.test(name)
  return entries.filter(isOurs).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(path) : path
  })
}

/** Loaded when something is compiled, which is rare. */
const execFile = (...args) => process.getBuiltinModule('node:child_process').execFileSync(...args)

/** Runs a script of Node. Its output is not the program's. */
function run(...args) {
  execFile(process.execPath, args, { cwd: root, stdio: ['ignore', 2, 2] })
}

function compileInto(folder, checksTypes) {
  if (!fs.existsSync(compiler)) throw new Error('the compiler (typescript) is not installed')
  const own = `${folder}.${process.pid}`
  try {
    if (checksTypes) run(compiler, '-p', 'bin/tsconfig.build.json')
    run(fileURLToPath(import.meta.url), '--bundle', join(own, 'lib/chunks'))
    fs.renameSync(own, folder)
  } catch (error) {
    // Another process may have been quicker.
    if (!fs.existsSync(folder)) throw error
  } finally {
    fs.rmSync(own, { recursive: true, force: true })
  }
}

const common = { external: /^[^./]/, platform: 'node' }

/**
 * The validator of a module as plain code, so that the program's own schemas do not need Ajv at run time. Its file is loaded when it is
 * first called, because a run rarely reads what an earlier one wrote.
 */
async function validatorCode(id, folder, rolldown) {
  const { Ajv } = await import('ajv')
  const { default: standalone } = await import('ajv/dist/standalone/index.js')
  const file = join(folder, `${basename(id, '.ts')}.cjs`)
  const made = `${file}.mjs`
  await (await rolldown({ input: id, ...common })).write({ file: made })
  const [[name, validate] = []] = Object.entries(await import(pathToFileURL(made).href))
  fs.rmSync(made)
  fs.writeFileSync(file, standalone.default(new Ajv({ code: { source: true } }), validate))
  return `import { createRequire } from 'node:module'
const load = createRequire(import.meta.url)
export const ${name} = (value) => load('./${basename(file)}')(value)
Object.defineProperty(${name}, 'errors', { get: () => load('./${basename(file)}').errors })`
}

/** Files that modules read from their own folder must lie next to the chunks. */
async function bundleInto(folder) {
  const { rolldown } = await import('rolldown')
  const entries = ['cli/signals', 'cli/console', 'cli/program', 'library/library']
  const load = (id) => (id.endsWith('-validator.ts') ? validatorCode(id, folder, rolldown) : null)
  const input = entries.map((path) => join(root, `lib/doors/${path}.ts`))
  const bundle = await rolldown({ input, ...common, plugins: [{ name: 'validators', load }] })
  // What most commands load is one file.
  const codeSplitting = { groups: [{ name: 'shared', minShareCount: 6 }] }
  await bundle.write({ dir: folder, chunkFileNames: '[name].js', codeSplitting })
  for (const file of filesBelow('lib').filter((name) => !name.endsWith('.ts')))
    fs.cpSync(join(root, file), join(folder, basename(file)), { force: false, errorOnExist: true })
}

/**
 * Makes `dist`: the compiled program, its types and its bill of materials. npm runs only `prepare` before it packs a git reference, and
 * also `prepack` for a checkout.
 */
function layOut() {
  fs.rmSync(join(root, 'dist'), { recursive: true, force: true })
  fs.cpSync(fileURLToPath(built()), join(root, 'dist'), { recursive: true })
  run(compiler, '-p', 'bin/tsconfig.types.json')
  fs.writeFileSync(join(root, 'dist/sbom.cdx.json'), `${JSON.stringify(billOfMaterials(), null, 2)}\n`)
}

/** The bill of materials of an installation (CycloneDX 1.5) from npm, without values that differ between runs and folders. */
export function billOfMaterials() {
  const args = ['sbom', '--omit=dev', '--sbom-format=cyclonedx', '--package-lock-only']
  const { serialNumber: _, ...bill } = JSON.parse(
    execFile('npm', args, { cwd: root, shell: process.platform === 'win32' }),
  )
  const { timestamp: __, component, ...metadata } = bill.metadata
  const { name } = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8'))
  return { ...bill, metadata: { ...metadata, component: { ...component, name } } }
}

// As a command: `--package` and `--prepare` make `dist`; `--prepare` succeeds without a compiler.
const isCommand = basename(process.argv[1] ?? '') === 'build.mjs'
const [asked, into] = isCommand ? process.argv.slice(2) : []
if (asked === '--bundle') await bundleInto(into)
else if (asked !== undefined)
  try {
    layOut()
  } catch (error) {
    if (asked !== '--prepare') throw error
    process.stderr.write(`not compiled: ${error.message}; the first run will try again\n`)
  }
