import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { built } from '../bin/build.mjs'
import { emptyFolder, runProgram } from './support/program.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A module that logs the names of imported packages and Node modules in this file. */
function recorder(file: string): string {
  const hooks = `import { appendFileSync } from 'node:fs'
    export const resolve = (name, context, next) => {
      if (!/^[./]|^(?:file|data):/.test(name)) appendFileSync(${JSON.stringify(file)}, name + '\\n')
      return next(name, context)
    }`
  const data = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`
  return data(`import { register } from 'node:module'; register(${JSON.stringify(data(hooks))})`)
}

/** Packages that this command imports, by name. */
async function packagesOf(args: readonly string[], cwd?: string): Promise<readonly string[]> {
  const file = join(await emptyFolder(), 'imported')
  await writeFile(file, '')
  const { code, stderr } = await runProgram(args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { NODE_OPTIONS: `--import=${recorder(file)}` },
  })
  if (code !== 0) throw new Error(`${args.join(' ')} exited with ${String(code)}: ${stderr}`)
  const names = (await readFile(file, 'utf8')).trim().split('\n')
  const packages = names
    .filter((name) => !module.isBuiltin(name))
    .map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
  return [...new Set(packages)].toSorted()
}

const always = ['commander']
const sending = [...always, 'fast-check', 'pure-rand', 'undici']

describe('a command imports only packages that it needs:', () => {
  test.for([
    [['--version'], always],
    [['rules'], always],
    [['plan', '--base-url', 'embedded'], sending],
    [['run', '--base-url', 'embedded', '--only', 'endpoints/*'], sending],
  ] as const)('%s', async ([args, expected]) => {
    expect(await packagesOf(args)).toEqual(expected)
  })

  test('Ajv for schemas of users, not for those of the program', async () => {
    const cwd = await emptyFolder()
    const endpoint = { method: 'GET', path: '/api/customizations/list', success: { type: 'object' } }
    await writeFile(join(cwd, 'waivers.json'), '[]')
    await writeFile(join(cwd, 'endpoints.json'), JSON.stringify([endpoint]))
    const run = ['run', '--base-url', 'embedded', '--only', 'endpoints/*']

    expect(await packagesOf([...run, '--waivers', 'waivers.json'], cwd)).toEqual(sending)
    expect(await packagesOf(['report', 'reports'], cwd)).toEqual(always)
    expect(await packagesOf([...run, '--endpoints', 'endpoints.json'], cwd)).toContain('ajv')
  })

  test('the YAML parser and the generators of values for an OpenAPI document', async () => {
    const cwd = await emptyFolder()
    await writeFile(join(cwd, 'a.yaml'), 'openapi: 3.1.0\npaths: { /api/a: { get: {} } }')

    const ofSchemas = ['ajv', 'ajv-formats', 'fast-check', 'pure-rand']
    const expected = [...always, ...ofSchemas, 'js-yaml']
    expect(await packagesOf(['endpoints', 'import', 'a.yaml'], cwd)).toEqual(expected.toSorted())
  })
})

/** The package in its installed form. */
async function installed(): Promise<string> {
  const folder = await emptyFolder()
  await cp(fileURLToPath(built()), join(folder, 'dist'), { recursive: true })
  for (const name of ['bin', 'package.json'])
    await cp(join(root, name), join(folder, name), { recursive: true })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** Starts the installed program twice. Returns both exit codes and the number of files in the working folder. */
async function startTwice(env: Readonly<Record<string, string>>): Promise<readonly (number | null)[]> {
  const main = join(await installed(), 'bin', 'card-switch-conformance.mjs')
  const cwd = await emptyFolder()
  const started = [1, 2].map(() => spawnSync(process.execPath, ['--', main, 'rules'], { cwd, env }))
  return [...started.map(({ status }) => status), (await readdir(cwd)).length]
}

const canKeep = 'enableCompileCache' in module

describe('code that Node compiled is kept for the next start', () => {
  test.for([
    ['XDG_CACHE_HOME', ''],
    ['HOME', process.platform === 'darwin' ? 'Library/Caches' : '.cache'],
    ['LOCALAPPDATA', ''],
  ] as const)('in the folder of %s', async ([name, below]) => {
    const folder = await emptyFolder()

    expect(await startTwice({ [name]: folder })).toEqual([0, 0, 0])
    const found = existsSync(join(folder, below)) ? await readdir(join(folder, below)) : []
    expect(found).toEqual(canKeep ? ['card-switch-conformance'] : [])
  })

  test('unless NODE_DISABLE_COMPILE_CACHE is set', async () => {
    const folder = await emptyFolder()

    expect(await startTwice({ XDG_CACHE_HOME: folder, NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual([0, 0, 0])
    expect(await readdir(folder)).toEqual([])
  })

  test.for([{}, { XDG_CACHE_HOME: 'relative', HOME: 'relative' }, { XDG_CACHE_HOME: '/dev/null' }])(
    'but not with %o',
    async (env) => {
      expect(await startTwice(env)).toEqual([0, 0, 0])
    },
  )
})
