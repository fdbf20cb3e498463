import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'rolldown/utils'
import { extract } from 'tar'
import { expect, test } from 'vitest'
import { suites } from '../suites/index.ts'
import { credentialsIn, leaks } from './leaks/leaks.ts'
import { tarball } from './recipes/user-repository.ts'
import { expectEnds, reference } from './support/program-test.ts'
import { emptyFolder, readVerdict, rulesThat, runProgram, settingsFor } from './support/program.ts'
import type { Texts } from './support/program.ts'
import { textOf } from './support/syntax.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A new folder with the package, unpacked from its tarball, and links to these packages of the checkout. */
async function projectWith(packages: readonly string[]): Promise<string> {
  const folder = await emptyFolder()
  const own = join(folder, 'node_modules', 'card-switch-conformance')
  await mkdir(own, { recursive: true })
  await extract({ file: await tarball(), cwd: own, strip: 1 })
  for (const name of packages) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, 'node_modules', name), link)
  }
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

const dependencies = Object.keys(JSON.parse(textOf('package.json')).dependencies)
let packed: Promise<string> | null = null

/** Runs a module beside the installed package, in a new folder and with this environment only. */
async function runModule(text: string, env: Texts = {}) {
  packed ??= projectWith(dependencies)
  const main = join(await packed, `${randomUUID()}.mjs`)
  await writeFile(main, text)
  return runProgram([], { main, env })
}

/** Runs the test file that docs/library.md gives to users with their vitest, beside the installed package. */
async function runInOwnVitest(env: Texts) {
  const cwd = await projectWith([...dependencies, 'vitest'])
  await writeFile(join(cwd, 'conformance.test.ts'), ownVitest)
  const main = join(root, 'node_modules/vitest/vitest.mjs')
  return runProgram(['run'], { main, cwd, env: { NO_COLOR: '1', ...env } })
}

/** Compiler errors for a strict module beside the installed package, in a project with no other packages. */
async function mistakesInTypes(text: string, flags: readonly string[]): Promise<readonly string[]> {
  // Packages that are installed with this one, transitive dependencies included.
  const lock: { packages: Readonly<Record<string, { dev?: true }>> } = JSON.parse(textOf('package-lock.json'))
  const isAlong = (path: string) =>
    path.lastIndexOf('node_modules/') === 0 && lock.packages[path]?.dev !== true
  const along = Object.keys(lock.packages).filter(isAlong)
  const cwd = await projectWith(along.map((path) => path.slice('node_modules/'.length)))
  await writeFile(join(cwd, 'typed.ts'), text)
  // If it resolved links, the compiler would find our development packages.
  const usual = ['--noEmit', '--strict', '--preserveSymlinks', '--module', 'nodenext', '--target', 'es2023']
  const main = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await runProgram([...usual, ...flags, 'typed.ts'], { main, cwd })
  return stdout.split('\n').filter((line) => line !== '')
}

const library = textOf('lib/doors/library/library.ts')
/** All exports of the library, in source order, each with the first sentence of its docstring. */
const exported = parseSync('library.ts', library)
  .module.staticExports.flatMap(({ entries }) => entries)
  .map(({ start, isType, exportName: { name }, importName, moduleRequest }) => ({
    name: name ?? '',
    isType,
    isStable: start < library.indexOf('// May change'),
    says: sentenceAbove(importName.name ?? '', join('lib/doors/library', moduleRequest?.value ?? '')),
  }))

/** The first sentence of the docstring of a declaration in a file. */
function sentenceAbove(name: string, file: string): string {
  const kinds = 'const|class|function|interface|type'
  const [above = ''] = textOf(file).split(new RegExp(`^export (?:async )?(?:${kinds}) ${name}\\b`, 'm'))
  const comment = above.slice(above.lastIndexOf('/**')).replaceAll(/^\/\*\*|\*\/\s*$|^ *\* ?/gm, ' ')
  const text = comment.replaceAll(/\{@link ([^}]+)\}/g, '$1').replaceAll(/\s+/g, ' ')
  return text.trim().replace(/(?<=[.!])\s.*$/, '')
}

const typed = `import { judge, readSettings, withTarget, type JudgeOptions, type Settings, type Verdict } from 'card-switch-conformance'
  export async function verdictOf(flags: Record<string, string>): Promise<Verdict> {
    const read = await readSettings({ flags })
    if (read.kind === 'issues') throw new Error(read.issues.map(({ expected }) => expected).join())
    const { suites } = read
    return withTarget(read.settings, async (settings) => (await judge(settings, suites)).verdict)
  }
  export const givenSignal: JudgeOptions['signal'] = undefined
  // @ts-expect-error a seed is a number
  export const seed = (verdict: Verdict): string => verdict.seed
  // @ts-expect-error settings are read-only
  export const renamed = ({ target }: Settings): string => (target.version = '2')\n`

const [, ownVitest = ''] = /```ts\n([^]*?)```/.exec(textOf('docs/library.md')) ?? []
const bent = { faults: ['missing-api-key-called-invalid'] }

test.for([true, false])('docs/library.md lists the exports with their docstrings; stable: %s', (isStable) => {
  const page = textOf('docs/library.md')
  const name = isStable ? 'stable' : 'may change'
  const held = new RegExp(`<!-- ${name} -->\n([^]*?)<!-- /${name} -->`).exec(page)?.[1]
  const rows = exported
    .filter((one) => one.isStable === isStable)
    .map((one) => `| \`${one.name}\`${one.isType ? ' (type)' : ''} | ${one.says.replaceAll('|', '\\|')} |`)

  expect(held?.trim().split('\n')).toEqual(['| export | is |', '| --- | --- |', ...rows])
  expect(exported.filter(({ says }) => !says.endsWith('.')).map((one) => one.name)).toEqual([])
})

test('the packed and installed library does nothing on import and lets the process end', async () => {
  const watched = `import { readdirSync } from 'node:fs'
    const read = []
    process.env = new Proxy({}, { get: (_, name) => void read.push(String(name)) })
    const names = Object.keys(await import('card-switch-conformance'))
    console.log(names.toSorted().join())
    console.log(read.filter((name) => /^(?:TARGET|FIXTURE|RUN|CI)/.test(name)).length,
      process.listenerCount('SIGINT'), process.listenerCount('uncaughtException'))`
  const { code, stdout, stderr, cwd } = await runModule(watched)

  const values = exported.filter(({ isType }) => !isType).map(({ name }) => name)
  expect([code, stdout, stderr]).toEqual([0, `${values.toSorted().join()}\n0 0 0\n`, ''])
  expect(await readdir(cwd)).toEqual([])
})

test('the packed and installed library judges a service as in docs/examples/judge.mjs', async () => {
  const example = textOf('docs/examples/judge.mjs')
  const judged = await runModule(example, settingsFor(await reference(bent)))
  const verdict = await readVerdict(join(judged.cwd, 'verdict.json'))

  expectEnds(judged, 1, 'authentication/api-key-missing failed\n', '\nnonconformant\n')
  expect(verdict?.exitCode).toBe(1)
  expect(rulesThat(verdict, 'failed')).toContain('authentication/api-key-missing')
  expectEnds(await runModule(example), 2, 'TARGET_BASE_URL')
})

test.for([
  // The default of TypeScript: the types of browsers.
  ['of browsers', []],
  ['of neither Node nor browsers', ['--lib', 'es2023']],
] as const)(
  'the packed and installed library has types for every export beside those %s',
  async ([, lib]) => {
    const names = exported.map(({ name, isType }) => (isType ? `type ${name}` : name))
    const everything = `export { ${names.join(', ')} } from 'card-switch-conformance'\n${typed}`

    const flags = ['--skipLibCheck', 'false', '--types', '', ...lib]
    expect(await mistakesInTypes(everything, flags)).toEqual([])
    // The types are not `any`.
    const wrong = `${typed}export const label: number = givenSignal\n`
    expect(await mistakesInTypes(wrong, flags)).toHaveLength(1)
  },
)

test('the packed and installed library has types that use the types of Node where they are known', async () => {
  const typeRoots = join(root, 'node_modules/@types')
  const flags = ['--types', 'node', '--typeRoots', typeRoots, '--lib', 'es2023']
  const given = (signal: string) => `${typed}export const options: JudgeOptions = { signal: ${signal} }\n`

  expect(await mistakesInTypes(given('new AbortController().signal'), flags)).toEqual([])
  expect(await mistakesInTypes(given('{ aborted: false, reason: null }'), flags)).toHaveLength(1)
})

test("a user's vitest judges as in docs/library.md, with one test per rule, which passes if the rule holds", async () => {
  const { code, stdout, stderr } = await runInOwnVitest({ TARGET_BASE_URL: 'embedded' })

  // Without a baseline nothing is compared, and a gate sends no HTTP messages.
  expect(stdout).toContain(`${suites.flatMap(({ rules }) => rules).length - 1} passed | 2 skipped`)
  expect([code, stderr]).toEqual([0, ''])
})

test("in a user's vitest a violated rule fails with its findings, without credentials", async () => {
  const { code, stdout, stderr } = await runInOwnVitest(settingsFor(await reference(bent)))

  for (const text of [
    /FAIL .+ authentication\/api-key-missing\n/,
    /expected +400 \/ 1001 \(api key header is missing\)/,
    /got +401 \/ 1006 \(invalid api key\)/,
    /sent +GET http:\/\/.+\n +x-secret-key: <TARGET_SECRET_KEY>/,
    /replay +npx --no -- card-switch-conformance replay 'authentication\/api-key-missing:/,
    /FAIL .+ the run comes to a verdict\n/,
  ])
    expect(stderr).toMatch(text)
  const reportsFolder = join(root, 'reports/none')
  expect(await leaks({ stdout, stderr, reportsFolder }, credentialsIn())).toEqual([])
  expect(code).toBe(1)
})

test("in a user's vitest a target that cannot be judged fails", async () => {
  const client = { TARGET_API_KEY: 'no-key-of-anybody', TARGET_SECRET_KEY: 'no-secret-of-anybody' }
  const env = { ...client, TARGET_BASE_URL: 'http://127.0.0.1:9' }

  const stderr = expect.stringContaining('incomplete')
  expect(await runInOwnVitest(env)).toMatchObject({ code: 1, stderr })
})

test('the packed and installed library creates a folder for all reports of a verdict', async () => {
  const text = `import { judge, readSettings, withTarget, writeReports } from 'card-switch-conformance'
    const read = await readSettings({ env: { TARGET_BASE_URL: 'embedded', RUN_ESSENTIAL: 'true' } })
    const { verdict } = await withTarget(read.settings, (settings) => judge(settings, read.suites))
    await writeReports(verdict, { folder: 'made/reports' })
    await writeReports(verdict, { folder: 'made/reports', history: 'all.jsonl' })`

  const { cwd, ...ended } = await runModule(text)

  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect((await readdir(join(cwd, 'made/reports'))).toSorted().join(' ')).toBe(
    'attestation.json history.html history.jsonl index.html junit.xml metrics.prom requests.http run.sha256 summary.md verdict.json',
  )
  expect((await readVerdict(join(cwd, 'made/reports/verdict.json')))?.exitCode).toBe(0)
  for (const history of ['made/reports/history.jsonl', 'all.jsonl'])
    expect((await readFile(join(cwd, history), 'utf8')).trim().split('\n')).toHaveLength(1)
})
