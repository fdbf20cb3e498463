import { existsSync } from 'node:fs'
import { appendFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { built } from '../bin/build.mjs'
import { runNode } from './support/installed-library.ts'
import { runWhole as run } from './support/program-test.ts'
import { emptyFolder } from './support/program.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A copy of the checkout without build output. Only `installed` gives it dependencies and the compiler. */
async function checkout({ installed }: { readonly installed: boolean }): Promise<string> {
  const folder = await emptyFolder()
  for (const name of ['bin', 'lib', 'suites', 'package.json', 'tsconfig.json']) {
    await cp(join(root, name), join(folder, name), { recursive: true })
  }
  if (installed) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** A copy of the installed package. Only `installed` gives it dependencies. */
async function packageAlone({ installed = false } = {}): Promise<string> {
  const folder = await emptyFolder()
  if (installed) await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await cp(fileURLToPath(built()), join(folder, 'dist'), { recursive: true })
  await cp(join(root, 'bin'), join(folder, 'bin'), { recursive: true })
  await cp(join(root, 'package.json'), join(folder, 'package.json'))
  return folder
}

const mainIn = (folder: string): string => join(folder, 'bin', 'card-switch-conformance.mjs')

/** Node options for a process that believes it is another version of Node. */
function asNode(version: string): string {
  const code = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
}

/** Node options for a process that gets no processor time, so that limited work never ends. */
const tooBusy = `--import=data:text/javascript,${encodeURIComponent(`
  import { Script } from 'node:vm'
  const { runInContext } = Script.prototype
  process.cpuUsage = process.threadCpuUsage = () => ({ user: 0, system: 0 })
  Script.prototype.runInContext = (room) =>
    runInContext.call(new Script('for (;;);'), room, { timeout: 1 })`)}`

describe('the program exits 4 and says what to do for', () => {
  test('a package without its dependencies', async () => {
    const { code, stderr } = await runNode(['--', mainIn(await packageAlone()), '--base-url', 'embedded'])

    expect(stderr).toContain('the program cannot be loaded')
    expect(stderr).toContain('npm ci')
    expect(stderr.trim().split('\n').length).toBe(1)
    expect(code).toBe(4)
  })

  test.for([
    ['is missing', null],
    ['is cut', 'export const program = {'],
    ['throws', 'throw new Error("damaged")'],
    ['throws later', 'setTimeout(() => { throw 1 }); await new Promise(() => {})'],
    ['rejects later', 'void Promise.reject(1); await new Promise(() => setTimeout(() => {}, 5_000))'],
    ['waits for nothing', 'await new Promise(() => {})'],
  ] as const)('a damaged package in which a file %s', async ([, text]) => {
    const folder = await packageAlone({ installed: true })
    const file = join(folder, 'dist', 'lib', 'chunks', 'program.js')
    await (text === null ? rm(file) : writeFile(file, text))

    const { code } = await runNode(['--', mainIn(folder), '--base-url', 'embedded'])

    expect(code).toBe(4)
  })

  test('a command that handles errors itself and throws a value that cannot be read', async () => {
    const folder = await packageAlone({ installed: true })
    const main = `export function main(_, { ending }) {
      ending.uncaught = () => null
      throw new Proxy({}, { get() { throw 1 } })
    }`
    await writeFile(join(folder, 'dist', 'lib', 'chunks', 'program.js'), main)

    const { code, stderr } = await runNode(['--', mainIn(folder), '--base-url', 'embedded'])

    expect([code, stderr.trim()]).toEqual([
      4,
      'the suite itself failed: the thrown value cannot be shown, because reading it throws',
    ])
  })

  test.for<readonly [string, boolean, (folder: string) => unknown, string]>([
    ['without dependencies', false, () => {}, 'run npm ci to install the compiler'],
    [
      'that does not compile',
      true,
      (folder) =>
        writeFile(join(folder, 'lib/doors/cli/broken.ts'), 'export const broken: number = "text"\n'),
      'broken.ts',
    ],
    [
      'without its compiler',
      false,
      (folder) => mkdir(join(folder, 'node_modules')),
      '(typescript) is not installed',
    ],
    ['without its sources', true, (folder) => rm(join(folder, 'suites'), { recursive: true }), '/suites'],
  ])('a checkout %s', async ([, installed, change, says]) => {
    const folder = await checkout({ installed })
    await change(folder)

    const { code, stderr } = await runNode(['--', mainIn(folder), 'rules'])

    expect(stderr).toContain('the program cannot be compiled')
    expect(stderr).toContain(says)
    expect(code).toBe(4)
  })

  test.for([
    ['18.20.8', 'before it is compiled'],
    ['20.18.3', 'that is compiled'],
    ['16.0.0', 'that is compiled'],
  ] as const)('Node %s in a checkout %s', async ([version, what]) => {
    const folder = what === 'that is compiled' ? root : await checkout({ installed: true })
    const env = { NODE_OPTIONS: asNode(version) }
    const { code, stderr } = await runNode(['--', mainIn(folder), 'rules'], env)

    expect(stderr).toBe(
      `this program needs Node 20.19 or newer, but was started with Node ${version}: install a newer version from https://nodejs.org\n`,
    )
    expect(code).toBe(4)
    expect(await readFile(join(root, 'package.json'), 'utf8')).toContain('"node": ">=20.19"')
  })

  test.for([
    ['FILE', ['endpoints', 'import']],
    ['the file of TARGET_ENDPOINTS', ['plan', '--base-url', 'embedded', '--endpoints']],
  ] as const)('a machine that is too busy to read %s', async ([read, command]) => {
    const file = join(root, 'package.json')
    const { code, stderr } = await runNode(['--', mainIn(root), ...command, file], { NODE_OPTIONS: tooBusy })

    expect(stderr.replace(file, 'FILE')).toBe(
      `this machine was too busy to read ${read} within 100 s: run it again when the machine is less busy\n`,
    )
    expect(code).toBe(4)
  })

  test('output that cannot be written', async () => {
    const { code } = await run(['--base-url', 'embedded', '--only', 'endpoints/*', '--format', 'json'], {
      through: ['bash', '-c', 'exec "$@" > /dev/full', 'bash'],
    })

    expect(code).toBe(4)
  })
})

test('a run that cannot start moves an earlier verdict aside', async () => {
  const folder = await packageAlone()
  const reports = join(await emptyFolder(), 'here')
  await mkdir(reports)
  await writeFile(join(reports, 'verdict.json'), '{"verdict":"conformant"}')

  const asked = await runNode(['--', mainIn(folder), 'plan', '--reports-dir', reports])
  expect(existsSync(join(reports, 'verdict.json'))).toBe(true)
  const { code } = await runNode(['--', mainIn(folder), '--base-url', 'embedded'], {
    RUN_REPORTS_DIR: reports,
  })

  expect([asked.code, code]).toEqual([4, 4])
  expect(existsSync(join(reports, 'verdict.json'))).toBe(false)
  expect(await readdir(reports)).toEqual(['.previous'])
  expect(await readFile(join(reports, '.previous', 'verdict.json'), 'utf8')).toBe('{"verdict":"conformant"}')
})

test('two concurrent first runs in a fresh checkout both work, and no existing build is replaced', async () => {
  const folder = await checkout({ installed: true })
  const both = await Promise.all([1, 2].map(() => runNode(['--', mainIn(folder), 'rules'])))
  expect(both.map(({ code }) => code)).toEqual([0, 0])

  const before = await readdir(join(folder, '.build'))
  await appendFile(join(folder, 'lib', 'doors', 'cli', 'rules-command.ts'), '// changed\n')
  const { code } = await runNode(['--', mainIn(folder), 'rules'])
  const after = await readdir(join(folder, '.build'))

  expect(code).toBe(0)
  expect([before.length, after.length]).toEqual([1, 2])
  expect(after).toEqual(expect.arrayContaining(before))
})

describe('the program does not exit 4 for', () => {
  test.for(['20.19.0', '22.1.0', '24.11.0'])('Node %s', async (version) => {
    const { code } = await runNode(['--', mainIn(root), 'rules'], { NODE_OPTIONS: asNode(version) })

    expect(code).toBe(0)
  })

  test('a reader that closes early, as head does', async () => {
    const { code, stdout } = await run(['rules', '--format', 'json'], {
      through: ['bash', '-c', 'set -o pipefail; "$@" | head -c 10', 'bash'],
    })

    expect(stdout.length).toBe(10)
    expect(code).toBe(0)
  })

  test('a process that the system kills', async () => {
    const { code } = await run(['--base-url', 'embedded'], {
      env: { NODE_OPTIONS: '--max-old-space-size=12' },
    })

    expect([134, null]).toContain(code)
  })
})
