import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import * as library from 'card-switch-conformance'
import { extract } from 'tar'
import { describe } from 'vitest'
import { exportsOf, tableOf } from './exports-table.ts'
import { emptyFolder, readVerdict, rulesThat, settingsFor } from './program.ts'
import { test } from './program-test.ts'
import { textOf } from './syntax.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const start = promisify(execFile)

const exported = exportsOf(textOf('lib/library/library.ts'))
const values = exported.filter(({ isType }) => !isType).map(({ name }) => name)

/** A new folder in which the package is installed from its tarball, its dependencies by links. */
async function installed(): Promise<string> {
  const folder = await emptyFolder()
  const npm = { cwd: root, env: { PATH: process.env['PATH'], HOME: process.env['HOME'] } }
  await start('npm', ['pack', '--pack-destination', folder], npm)
  const own = join(folder, 'node_modules', 'card-switch-conformance')
  await mkdir(own, { recursive: true })
  const tarball = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
  await extract({ file: join(folder, tarball), cwd: own, strip: 1 })
  const { dependencies }: { readonly dependencies: object } = JSON.parse(textOf('package.json'))
  for (const name of [...Object.keys(dependencies), '@types', 'undici-types'])
    await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

const packed = installed()

/** Runs a module beside the installed package, in a new folder and with this environment only. */
async function runModule(
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly cwd: string
}> {
  const file = join(await packed, `${randomUUID()}.mjs`)
  await writeFile(file, text)
  const cwd = await emptyFolder()
  return start(process.execPath, [file], { cwd, env: { PATH: process.env['PATH'], ...env } }).then(
    (ended) => ({ code: 0, cwd, ...ended }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr, cwd }),
  )
}

describe('the library in a checkout', () => {
  test('exports what lib/library/library.ts does', ({ expect }) => {
    expect(Object.keys(library).toSorted()).toEqual(values.toSorted())
  })

  test.for([true, false])(
    'is listed in docs/library.md with its docstrings; stable: %s',
    (isStable, { expect }) => {
      const page = textOf('docs/library.md')
      const name = isStable ? 'stable' : 'may change'
      const held = new RegExp(`<!-- ${name} -->\n([^]*?)<!-- /${name} -->`).exec(page)?.[1]

      expect(held?.trim()).toBe(tableOf(exported.filter((one) => one.isStable === isStable)))
      expect(exported.filter(({ says }) => !says.endsWith('.')).map((one) => one.name)).toEqual([])
    },
  )

  test('reads settings from what it is given alone', async ({ expect }) => {
    const read = await library.readSettings({ cwd: await emptyFolder(), flags: { RUN_SEED: '-1' } })

    expect(read.kind === 'issues' ? read.issues.map(({ setting }) => setting) : []).toEqual([
      'TARGET_BASE_URL',
      'RUN_SEED',
    ])
  })
})

describe.concurrent('the packed and installed library', () => {
  test('does nothing when it is imported, and lets the process end', async ({ expect }) => {
    const watched = `import { readdirSync } from 'node:fs'
      const read = []
      process.env = new Proxy({}, { get: (_, name) => void read.push(String(name)) })
      const names = Object.keys(await import('card-switch-conformance'))
      console.log(names.toSorted().join())
      console.log(read.filter((name) => /^(?:TARGET|FIXTURE|RUN|CI)/.test(name)).length,
        process.listenerCount('SIGINT'), process.listenerCount('uncaughtException'))`
    const { code, stdout, stderr, cwd } = await runModule(watched)

    expect([code, stdout, stderr]).toEqual([0, `${values.toSorted().join()}\n0 0 0\n`, ''])
    expect(await readdir(cwd)).toEqual([])
  })

  test('judges, as in docs/examples/judge.mjs', async ({ reference, expect }) => {
    const example = await readFile(join(root, 'docs/examples/judge.mjs'), 'utf8')
    const bent = await reference({ faults: ['missing-api-key-called-invalid'] })

    const { code, stdout, cwd } = await runModule(example, settingsFor(bent))

    expect(stdout).toContain('authentication/api-key-missing failed\n')
    expect(stdout).toContain('\nnonconformant\n')
    const verdict = await readVerdict(join(cwd, 'verdict.json'))
    expect([code, verdict?.exitCode]).toEqual([1, 1])
    expect(rulesThat(verdict, 'failed')).toContain('authentication/api-key-missing')
    const wrong = await runModule(example)
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('TARGET_BASE_URL')])
  })

  test('has types, also where the types of libraries are checked', async ({ expect }) => {
    const folder = await packed
    const typed = `import { judge, readSettings, withTarget, type Verdict } from 'card-switch-conformance'
      export async function judged(flags: Record<string, string>): Promise<Verdict> {
        const read = await readSettings({ flags })
        if (read.kind === 'issues') throw new Error(read.issues.map(({ expected }) => expected).join())
        const { suites } = read
        return withTarget(read.settings, async (settings) => (await judge(settings, suites)).verdict)
      }
      // @ts-expect-error a seed is a number
      export const seed = (verdict: Verdict): string => verdict.seed\n`
    await writeFile(join(folder, 'typed.ts'), typed)
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node']
    const checked = start(process.execPath, [tsc, ...flags, '--skipLibCheck', 'false', 'typed.ts'], {
      cwd: folder,
    })

    expect((await checked).stdout).toBe('')
  })
})
