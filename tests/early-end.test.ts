import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, symlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { declaring, ownEntry, ownFolder } from './support/own-folder.ts'
import { emptyFolder, readVerdict, runProgram, type ProgramResult } from './support/program.ts'
import { runWhole as run, test } from './support/program-test.ts'
import { withYesterdays, yesterdays } from './support/yesterday.ts'

/** Runs with yesterday's verdict in `reports`, and gives what became of it. */
async function afterYesterday(
  module: string,
  args: readonly string[] = [],
  more: Parameters<typeof run>[1] = {},
): Promise<ProgramResult & { readonly folder: string }> {
  const cwd = await emptyFolder()
  const folder = await withYesterdays(cwd)
  const suites = await ownFolder({ 'a.mjs': module })
  const result = await run(['--base-url', 'embedded', '--suites', suites, ...args], { cwd, ...more })
  return { ...result, folder }
}

const ruleThat = (play: string): string =>
  declaring(ownEntry, `({ list, target }) => [scenario('plain', 1, async (stage) => {${play}})]`)

const ended = 'the program ended before the command did (exit 4)'
const moved = 'the reports of an earlier run in'

describe.concurrent("4, in a sentence, and yesterday's verdict is out of the way, if a module of the user's own", () => {
  test.for([
    ['calls process.exit(0) while it is loaded', 'process.exit(0)'],
    ['calls process.exit(1) later', 'setTimeout(() => process.exit(1), 5); await new Promise(() => {})'],
    [
      'sets an exit code and throws later',
      'process.exitCode = 0; setImmediate(() => { throw new Error("no such luck") }); await new Promise(() => {})',
    ],
    [
      'rejects what nobody awaits',
      'void Promise.reject(new Error("no such luck")); await new Promise(() => {})',
    ],
  ] as const)('%s', async ([what, module], { expect }) => {
    const { code, stderr, verdict, folder } = await afterYesterday(module)

    expect([code, verdict]).toEqual([4, null])
    expect(stderr).toContain(moved)
    expect(stderr).toMatch(
      /throws|rejects/.test(what) ? /a\.mjs[^]*instead of: no such luck/ : /ended before/,
    )
    expect(await readdir(folder)).toEqual(['.previous'])

    // The next run keeps it where the last finished one is kept.
    const next = await run(['--base-url', 'embedded', '--only', 'endpoints/*'], { cwd: join(folder, '..') })
    expect(next.code).toBe(0)
    expect(await readFile(join(folder, 'previous', 'verdict.json'), 'utf8')).toBe(yesterdays)
    expect((await readdir(join(folder, 'previous'))).toSorted()).toEqual([
      'allure-results',
      'junit.xml',
      'verdict.json',
    ])
    expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('calls process.exit(0) while the run lasts: the verdict says that it did not finish', async ({
    expect,
  }) => {
    const { code, stderr, verdict } = await afterYesterday(ruleThat('process.exit(0)'), ['--only', 'acme/*'])

    expect([code, stderr]).toEqual([4, expect.stringContaining(ended)])
    expect(verdict?.because.join()).toContain('the run did not finish')
  })

  test('calls process.exit(0) once the verdict is written: it is not left without its end', async ({
    expect,
  }) => {
    const module = `import { readFileSync } from 'node:fs'
      ${ruleThat('return [await stage.served(list.request)]')}
      setInterval(() => {
        let text = ''
        try { text = readFileSync('reports/verdict.json', 'utf8') } catch {}
        if (text.includes('"verdict": "conformant"') && text.includes('acme/one')) process.exit(0)
      }, 0)`
    const { code, verdict, folder } = await afterYesterday(module, ['--only', 'acme/*'])

    // It may come too late: then the run had its end.
    expect([`4 null`, '0 conformant']).toContain(`${String(code)} ${String(verdict?.verdict ?? null)}`)
    if (code === 4) expect(existsSync(join(folder, '.previous', 'verdict.json'))).toBe(false)
  })

  test('is waited for in vain, and two signals come', async ({ expect }) => {
    let child: ChildProcess | null = null
    const cwd = await emptyFolder()
    const folder = await withYesterdays(cwd)
    const suites = await ownFolder({ 'a.mjs': `console.log('loading'); await new Promise(() => {})` })
    let heard = ''
    const { code, stderr } = await runProgram(['--base-url', 'embedded', '--suites', suites], {
      cwd,
      started: (one) => {
        child = one
        one.stderr?.on('data', (text: Buffer | string) => {
          const before = heard
          heard += String(text)
          const isNew = (words: string): boolean => heard.includes(words) && !before.includes(words)
          if (isNew('loading') || isNew('interrupt again')) child?.kill('SIGINT')
        })
      },
    })

    expect([code, stderr]).toEqual([null, expect.stringContaining(moved)])
    expect(await readdir(folder)).toEqual(['.previous'])
  })
})

test('a module that never loads ends in 2, named, and the verdict says so', async ({ expect }) => {
  const { code, stderr, verdict, folder } = await afterYesterday('await new Promise(() => {})')

  expect([code, verdict?.verdict]).toEqual([2, 'error'])
  expect(stderr).toMatch(/RUN_SUITES[^]*a\.mjs[^]*a module that is loaded within 10 seconds/)
  expect(await readFile(join(folder, 'previous', 'verdict.json'), 'utf8')).toBe(yesterdays)
})

describe.concurrent("where yesterday's verdict is found:", () => {
  /** Runs with a module that ends the program. */
  const exiting = async (
    cwd: string,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): Promise<ProgramResult> => {
    const suites = await ownFolder({ 'a.mjs': 'process.exit(0)' })
    return runProgram(['--base-url', 'embedded', '--suites', suites, ...args], { cwd, env })
  }

  const places: readonly (readonly [
    string,
    readonly string[],
    Readonly<Record<string, string>>,
    envFile: string,
    found: string,
  ])[] = [
    ['a flag', ['--reports-dir', 'here'], { RUN_REPORTS_DIR: 'there' }, '', 'here'],
    ['a flag with its value', ['--reports-dir=here'], {}, 'RUN_REPORTS_DIR=there', 'here'],
    ['the environment', [], { RUN_REPORTS_DIR: 'here' }, 'RUN_REPORTS_DIR=there', 'here'],
    ['.env', [], {}, 'RUN_REPORTS_DIR=here', 'here'],
    ['not .env in a pipeline', [], { CI: 'true' }, 'RUN_REPORTS_DIR=there', 'reports'],
  ]
  test.for(places)('%s', async ([, args, env, envFile, found], { expect }) => {
    const cwd = await emptyFolder()
    const folders = [await withYesterdays(cwd, found), await withYesterdays(cwd, 'there')]
    await writeFile(join(cwd, '.env'), envFile)
    const { code } = await exiting(cwd, args, env)

    expect(code).toBe(4)
    expect(folders.map((folder) => existsSync(join(folder, 'verdict.json')))).toEqual([false, true])
  })

  test.for([[['plan']], [['run', '--help']], [['judge']], [['--nonsense']], [['rules']]] as const)(
    'nowhere after %s',
    async ([args], { expect }) => {
      const cwd = await emptyFolder()
      const folder = await withYesterdays(cwd)
      const suites = await ownFolder({ 'a.mjs': 'process.exit(0)' })
      const env = { TARGET_BASE_URL: 'embedded', RUN_SUITES: suites }
      const { stderr } = await runProgram([...args, ...(args[0] === 'rules' ? ['--suites', suites] : [])], {
        cwd,
        env,
      })

      expect(stderr).not.toContain(moved)
      expect(await readFile(join(folder, 'verdict.json'), 'utf8')).toBe(yesterdays)
    },
  )

  test('not in a folder that another run uses, unless its lock is old', async ({ expect }) => {
    const cwd = await emptyFolder()
    const folder = await withYesterdays(cwd)
    await writeFile(join(folder, '.run.lock'), '')
    const live = await exiting(cwd)
    const isLeft = existsSync(join(folder, 'verdict.json'))
    const old = new Date(0)
    await utimes(join(folder, '.run.lock'), old, old)
    const dead = await exiting(cwd)

    expect([live.code, dead.code, isLeft, existsSync(join(folder, 'verdict.json'))]).toEqual([
      4,
      4,
      true,
      false,
    ])
    expect(live.stderr).toContain('another run uses the folder')
  })

  test('beside a move that was begun: what was moved stays', async ({ expect }) => {
    const cwd = await emptyFolder()
    const folder = await withYesterdays(cwd)
    await mkdir(join(folder, '.previous'))
    await writeFile(join(folder, '.previous', 'verdict.json'), 'moved before')
    const { code } = await exiting(cwd)

    expect([code, existsSync(join(folder, 'verdict.json'))]).toEqual([4, false])
    expect(await readFile(join(folder, '.previous', 'verdict.json'), 'utf8')).toBe('moved before')
  })

  test('not behind a link', async ({ expect }) => {
    const cwd = await emptyFolder()
    const folder = await withYesterdays(cwd)
    const elsewhere = await emptyFolder()
    await symlink(elsewhere, join(folder, '.previous'))
    const { code } = await exiting(cwd)

    expect([code, existsSync(join(folder, 'verdict.json')), await readdir(elsewhere)]).toEqual([4, false, []])
  })
})

test("too few file descriptors leave nothing of yesterday's, however few", async ({ expect }) => {
  const cwd = await emptyFolder()
  const suites = await ownFolder({ 'a.mjs': declaring(ownEntry) })
  await writeFile(join(cwd, '.env'), 'RUN_REPORTS_DIR=elsewhere')
  const kept: string[] = []
  const codes = new Set<number | null>()
  for (const [name, env] of [
    ['reports', { RUN_REPORTS_DIR: 'reports' }],
    ['elsewhere', {}],
  ] as const)
    for (let limit = 18; limit <= 30; limit += 1) {
      const folder = await withYesterdays(cwd, name)
      const { code, stderr } = await run(
        ['--base-url', 'embedded', '--only', 'endpoints/*', '--suites', suites],
        {
          cwd,
          env,
          through: ['bash', '-c', `ulimit -n ${limit} && exec "$@"`, 'bash'],
        },
      )
      // Below some limit Node itself cannot open the program's first file, and nothing of ours runs.
      if (!stderr.includes('the program') && code !== 4 && code !== 0) continue
      codes.add(code)
      // Where not even the env file can be opened, it is told.
      if (stderr.includes('if an env file names the reports folder')) continue
      if (code !== 0 && (await readVerdict(join(folder, 'verdict.json')))?.verdict === 'conformant')
        kept.push(`${name} at ${limit}: ${String(code)}`)
    }

  expect(kept).toEqual([])
  expect([...codes]).toContain(4)
})
