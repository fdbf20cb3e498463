import { describe } from 'vitest'
import { settingTable } from '../lib/settings/setting-table.ts'
import { folderWith } from './support/program.ts'
import { run, runWhole, test } from './support/program-test.ts'

const usage = 'Usage: card-switch-conformance'

describe.concurrent('help', () => {
  test.for([
    ['--help', `${usage} [options] [command]`],
    ['help', `${usage} [options] [command]`],
    ['help help', `${usage} [options] [command]`],
    ['help --help', `${usage} [options] [command]`],
    ['run --help', `${usage} run [options]`],
    ['help run', `${usage} run [options]`],
    ['run help', `${usage} run [options]`],
    ['rules help', `${usage} rules [options]`],
    ['help replay', `${usage} replay [options] <case>`],
    ['endpoints --help', `${usage} endpoints [options] [command]`],
    ['endpoints help', `${usage} endpoints [options] [command]`],
    ['help endpoints import', `${usage} endpoints import [options] <file>`],
    ['endpoints help import', `${usage} endpoints import [options] <file>`],
    ['endpoints import --help', `${usage} endpoints import [options] <file>`],
  ] as const)('%s prints it and ends in 0', async ([words, begins], { expect }) => {
    const { code, stdout, stderr } = await run(words.split(' '))

    expect(stdout.split('\n')[0]).toBe(begins)
    expect(stderr).toBe('')
    expect(code).toBe(0)
  })

  test('of plan shows the flags that change what it prints, and it takes the others of run', async ({
    expect,
  }) => {
    const cwd = await folderWith({
      'cards.json': '[{"method":"GET","path":"/api/cards","versions":[1]}]',
      'none.json': '[]',
    })
    const env = {
      TARGET_API_KEY: 'pk_9fQ2mLx7Tzv4Rk1wYc83',
      TARGET_SECRET_KEY: 'sk_Jd7Wq0Bn5Xe2Hs9Vt6',
      FIXTURE_DISPOSABLE_API_KEY: 'pk_Pa41GuKm8Rb3Yt7Lz5Qw',
      FIXTURE_DISPOSABLE_SECRET_KEY: 'sk_Vc6Nf2Ke9Ds4Mh1Jx8Tg',
    }
    const values: Readonly<Record<string, string>> = {
      TARGET_BASE_URL: 'https://b.example',
      TARGET_QUERY: 'page=1',
      TARGET_ENDPOINTS: 'cards.json',
      FIXTURE_INVALID_QUERY: 'limit=abc',
      FIXTURE_INACTIVE_ENDPOINT: 'GET /api/x',
      FIXTURE_DISPOSABLE_QUOTA: '5000',
      RUN_PROFILE: 'gate',
      RUN_ONLY: 'fuzz/*',
      RUN_MAX_RPS: '1',
      RUN_WAIVERS: 'none.json',
      RUN_FORMAT: 'json',
    }
    const besides: Readonly<Record<string, readonly string[]>> = {
      RUN_UPDATE_BASELINE: ['--baseline', 'b.json'],
      RUN_RESET_BASELINE: ['--baseline', 'b.json'],
      RUN_REPORTS_DIR: ['--failed'],
    }
    const usual = ['plan', '--base-url', 'https://a.example', '--profile', 'acceptance']
    const printed = async (flags: readonly string[]): Promise<string> => {
      const { stdout, stderr } = await run([...usual, ...flags], { cwd, env })
      return stdout + stderr
    }
    const [usually, { stdout: help }] = [await printed([]), await run(['plan', '--help'])]

    // A file of the connection must be right, and progress is shown on a terminal only.
    for (const { name, flag, argument, group } of settingTable) {
      if (flag === null || group === 'Connection' || name === 'RUN_QUIET') continue
      const before = besides[name]
      const after = [...(before ?? []), `--${flag}`, ...(argument === null ? [] : [values[name] ?? '7'])]
      const isShown = new RegExp(`^ +--${flag}(?: |$)`, 'm').test(help)
      const otherwise = before === undefined ? usually : await printed(before)
      expect(otherwise !== (await printed(after)), flag).toBe(isShown)
    }
  })

  test('of doctor shows what reaches the service', async ({ expect }) => {
    const { stdout } = await run(['doctor', '--help'])

    expect([...stdout.matchAll(/^ +--([a-z-]+)/gm)].map(([, flag]) => flag)).toEqual([
      'base-url',
      'target-version',
      'query',
      'max-rps',
      'timeout-ms',
      'ca-file',
      'cert-file',
      'key-file',
      'settings-file',
    ])
    expect(stdout.trimEnd()).toMatch(
      /The other flags of run are accepted and checked, and change nothing here\.$/,
    )
  })

  // The process sets an exit code of its own before it begins, which a run within the tests does not show.
  test.for([
    ['help', 0],
    ['hlep', 2],
  ] as const)('as a process, %s ends in %d', async ([words, expected], { expect }) => {
    const { code, stderr } = await runWhole(words.split(' '))

    expect([code, stderr === '']).toEqual([expected, expected === 0])
  })

  test('a command that needs another behind it prints its help on standard error, and ends in 2', async ({
    expect,
  }) => {
    const { code, stdout, stderr } = await run(['endpoints'])

    expect(stderr).toMatch(/^endpoints needs a command behind it: import\n\nUsage: .* endpoints /)
    expect([code, stdout]).toEqual([2, ''])
  })

  test.for([
    ['help nonsense', 'given     nonsense\n', 'hint      see --help'],
    ['help rep', 'given     rep\n', 'did you mean replay or report?'],
    ['help run nonsense', 'no further word', 'see run --help'],
    ['help endpoints imprt', 'one of the commands import', 'did you mean import?'],
    ['endpoints nonsense', "unknown command 'nonsense'", 'see endpoints --help'],
    ['endpoints import', "missing required argument 'file'", 'see endpoints import --help'],
    ['serve --prt 1', "unknown option '--prt' (Did you mean --port?)", 'see serve --help'],
    ['hlep', 'a command that this program has', 'did you mean help?'],
    // A folder may be called so.
    ['report help', 'verdict.json cannot be read', 'help'],
  ] as const)('%s ends in 2 and says what is wrong', async ([words, ...says], { expect }) => {
    const { code, stderr } = await run(words.split(' '))

    for (const text of says) expect(stderr).toContain(text)
    expect(stderr).not.toMatch(/outputHelp|\\n/)
    expect(code).toBe(2)
  })
})
