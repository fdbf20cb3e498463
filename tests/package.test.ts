import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { describeWithPackages } from './gateways/installed.ts'
import { runShell, type Outcome } from './recipes/steps.ts'
import { copyOfCheckout, installedCopy, npm, tarball } from './recipes/user-repository.ts'
import { emptyFolder, folderWith, readVerdict } from './support/program.ts'

const npx = 'npx --no -- card-switch-conformance'
const linked = 'node_modules/.bin/card-switch-conformance'
const judged = '--base-url embedded --essential'
const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? ''
const ownRule = `import { area, rule, type Area } from 'card-switch-conformance'
const entry = { id: 'acme/typed', level: 'documented', section: '1', says: 'it holds' } as const
export const own: Area = area('Acme', [rule(entry, () => ({ untested: 'nothing to send' }))])
`
const isRoot = process.getuid?.() === 0

/** Runs a line of bash in a folder. */
async function bash(line: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  return runShell(['-euo', 'pipefail', '-c', line], { cwd, env })
}

/** The folder of a Node version that npm installs. */
async function nodeFolder(version: string): Promise<string> {
  const line = `npx --yes --package node@${version} --call 'dirname "$(readlink -f "$(command -v node)")"'`
  return lastLine((await bash(line, await emptyFolder())).output)
}

describeWithPackages('the package, packed and installed', () => {
  let installed: string
  beforeAll(async () => {
    installed = await installedCopy()
    await mkdir(join(installed, 'rules'))
    await writeFile(join(installed, 'rules/own.mts'), ownRule)
  }, 300_000)

  test('starts with npx, also from a subfolder, and is executable', async () => {
    const below = join(installed, 'services', 'cards')
    await mkdir(below, { recursive: true })

    const here = await bash(`${npx} ${judged}`, installed)
    const there = await bash(`${npx} ${judged}`, below)

    expect([here.code, there.code]).toEqual([0, 0])
    expect((await readVerdict(join(installed, 'reports/verdict.json')))?.verdict).toBe('conformant')
    const own = join(installed, 'node_modules/card-switch-conformance')
    expect((await stat(join(own, 'bin/card-switch-conformance.mjs'))).mode & 0o111).toBe(0o111)
    expect(existsSync(join(own, 'dist/sbom.cdx.json'))).toBe(true)
  })

  test('prints next commands that fit the installation', async () => {
    const { output } = await bash(`${npx} init`, installed)
    const away = await bash(`'${installed}/${linked}' doctor --base-url embedded`, await emptyFolder())

    expect(lastLine(output)).toBe(`  ${npx} doctor`)
    expect(output).toContain('node_modules/card-switch-conformance/.env.example')
    expect(lastLine(away.output)).toBe('  card-switch-conformance plan --base-url embedded')
  })

  test('judges for an ordinary user without a home, from a read-only installation', async () => {
    const [program, cwd] = [await emptyFolder(), await emptyFolder()]
    await cp(installed, program, { recursive: true, verbatimSymlinks: true })
    await bash(`chmod -R a-w '${program}'; chmod a+rx '${program}'; chmod 777 '${cwd}'`, cwd)
    const user = isRoot ? 'setpriv --reuid=65534 --regid=65534 --clear-groups ' : ''
    const line = `exec ${user}'${program}/${linked}'`

    const touched = await bash(`${user}touch '${program}/x'`, cwd)
    const HOME = '/nonexistent'
    const { code, output } = await bash(`${line} ${judged}`, cwd, { HOME })
    expect(output).toContain('CONFORMANT')
    const refused = await bash(`${line} ${judged} --reports-dir '${program}/reports'`, cwd, { HOME })

    expect(touched.code).not.toBe(0)
    expect((await readVerdict(join(cwd, 'reports/verdict.json')))?.exitCode).toBe(0)
    expect(refused.output).toMatch(/the reports cannot be written to .*: EACCES/)
    expect([code, refused.code]).toEqual([0, 4])
  })

  test('works together with other versions of vitest and TypeScript', async () => {
    const cwd = await folderWith({
      'package.json': '{ "private": true }',
      'vitest/package.json': '{ "name": "vitest", "version": "1.6.1" }',
      'typescript/package.json': '{ "name": "typescript", "version": "4.9.5" }',
    })
    await npm(cwd, 'pack', './vitest', './typescript')
    await npm(cwd, 'install', '--save-dev', './vitest-1.6.1.tgz', './typescript-4.9.5.tgz', await tarball())

    expect((await bash(`${npx} ${judged}`, cwd)).code).toBe(0)
    const manifest = await readFile(join(cwd, 'node_modules/vitest/package.json'), 'utf8')
    expect(JSON.parse(manifest)).toMatchObject({ version: '1.6.1' })
  })

  const tooOld = /^v18.*\nthis program needs Node 20\.19 or newer, but was started with Node 18\.[^\n]+\n$/
  const typed = 'acme/typed (documented)'
  test.for([
    ['18', 4, tooOld, 4, 'this program needs Node 20.19 or newer'],
    // Node 20 does not strip types.
    ['20', 0, /^v20\.[^]*CONFORMANT/, 2, "set NODE_OPTIONS='--import tsx'"],
    ...['22', '24', '26'].map((version) => {
      return [version, 0, new RegExp(`^v${version}\\.[^]*CONFORMANT`), 0, typed] as const
    }),
  ] as const)('on Node %s, a run exits %d', async ([version, exit, says, exitOfRules, told]) => {
    const [node, cwd] = [await nodeFolder(version), await emptyFolder()]
    const program = `PATH='${node}':$PATH '${installed}/${linked}'`

    const { code, output } = await bash(`'${node}/node' -v; ${program} ${judged}`, cwd)
    const rules = await bash(`${program} rules --suites '${installed}/rules'`, cwd)

    expect(output).toMatch(says)
    expect(output).not.toContain('unrecognized flag')
    expect([code, rules.code, rules.output]).toEqual([exit, exitOfRules, expect.stringContaining(told)])
  })

  test('can be built from a git reference and published under a scope', async () => {
    const folder = await copyOfCheckout()
    const cwd = await folderWith({ 'package.json': '{ "private": true }' })
    await npm(folder, 'pkg', 'set', 'name=@scope/card-switch-conformance')
    await bash('node bin/build.mjs --prepare', folder)
    await npm(folder, 'pack', '--ignore-scripts')
    await npm(cwd, 'install', '--save-dev', join(folder, 'scope-card-switch-conformance-1.0.0.tgz'))

    const { code, output } = await bash(`${npx} doctor --base-url embedded`, cwd)

    expect(lastLine(output)).toBe(`  ${npx} plan --base-url embedded`)
    const own = join(cwd, 'node_modules/@scope/card-switch-conformance')
    expect(existsSync(join(own, 'dist/types/lib/doors/library/library.d.ts'))).toBe(true)
    expect(code).toBe(0)
  })
})

const release = 'npm run --silent release --'

test('npm run release makes a reproducible tarball with checksums', async () => {
  const folder = await copyOfCheckout()
  await rm(join(folder, '.build'), { recursive: true })

  const line = `${release} --allow-dirty; cd release; sha256sum -c SHA256SUMS; ls`
  const name = 'card-switch-conformance-1.0.0.tgz'
  const output = expect.stringContaining(`${name}: OK\nSHA256SUMS\n${name}\n`)
  expect(await bash(line, folder)).toEqual({ code: 0, output })
  const [made, packed] = [await readFile(join(folder, 'release', name)), await readFile(await tarball())]
  expect(made.equals(packed)).toBe(true)
})

test('npm run release refuses uncommitted changes', async () => {
  const folder = await copyOfCheckout()

  const output = 'not released: commit your changes first (git status), or use --allow-dirty\n'
  expect(await bash(`git init --quiet; ${release}`, folder)).toEqual({ code: 2, output })
  expect(existsSync(join(folder, 'release'))).toBe(false)
})
