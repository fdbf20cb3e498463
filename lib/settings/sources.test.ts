import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SettingsInput } from './sources.ts'
import {
  apiKey,
  issuesOf,
  read,
  settingsOf,
  target,
  temporaryFolder,
  wrongSettings,
  type Others,
} from './testing/read.ts'

const cwd = temporaryFolder({
  '.env': 'RUN_SEED=3\nRUN_CONCURRENCY=3\nRUN_TIMEOUT_MS=3\n',
  'other.env': '\ufeffRUN_SEED=4\n',
  'lines.env': `\n${'\n'.repeat(900)}RUN_SEED=4\n`,
  'latin1.env': Uint8Array.from([0x54, 0x3d, 0xe9]),
  'nul.env': 'RUN_SEED=1\0',
})
const empty = { RUN_SEED: '', RUN_CONCURRENCY: ' ', RUN_TIMEOUT_MS: ' \n' }
const given = { RUN_SEED: '2', RUN_CONCURRENCY: '2' }
const { TARGET_BASE_URL } = target
const others = { TARGET_BASE_URL, TARGET_API_KEY: apiKey }

type Taken = readonly [string, SettingsInput['env'], Others, readonly number[]]

test.each<Taken>([
  ['flags, the environment and .env, in this order', given, { flags: { RUN_SEED: '1' } }, [1, 2, 3]],
  ['a named file instead of .env', {}, { envFile: 'other.env' }, [4, 8, 10_000]],
  ['a file with hundreds of empty lines', {}, { envFile: 'lines.env' }, [4, 8, 10_000]],
  ['.env if the variables are empty', empty, {}, [3, 3, 3]],
  ['a named .env in a pipeline', { CI: 'true' }, { envFile: '.env' }, [3, 3, 3]],
  ...['', '  ', 'false', 'False', '0'].map((CI) => [`.env with CI=${CI}`, { CI }, {}, [3, 3, 3]] as const),
])('a run takes settings from %s', async (_, env, more, runs) => {
  const before = { ...process.env }
  const result = await read({ ...target, ...env }, { cwd, ...more })
  const { seed, concurrency, timeoutMs } = settingsOf(result).run

  expect([seed, concurrency, timeoutMs]).toEqual(runs)
  expect(result.notices).toEqual([])
  expect(process.env).toEqual(before)
})

describe('in a pipeline', () => {
  test.each([
    [{ CI: 'true' }, 'CI is set'],
    [{ CI: ' TRUE ' }, 'CI is set'],
    [{ CI: 'woodpecker' }, 'Woodpecker'],
    [{ BUILD_NUMBER: '7' }, 'BUILD_NUMBER is set'],
    [{ TF_BUILD: 'True' }, 'Azure Pipelines'],
  ])('(%o) a run ignores a .env that the user did not name, and reports it', async (env, pipeline) => {
    const result = await read({ ...target, ...env }, { cwd })
    const mistaken = await read({ ...target, ...env, RUN_SEED: 'x' }, { cwd })
    const [nothing] = issuesOf(await read(env, { cwd }))

    expect(settingsOf(result).run.seed).toBe(20260101)
    expect(wrongSettings(mistaken)).toEqual(['RUN_SEED'])
    for (const { notices } of [result, mistaken])
      expect(notices).toEqual([
        `this is a pipeline (${pipeline}), so .env in this folder is not read, because a pull request could change it; --settings-file .env reads it`,
      ])
    expect(nothing?.hint).toContain(
      `${join(cwd, '.env')} (a file that exists, but is not read in a pipeline (${pipeline})`,
    )
  })

  test('mistakes in .env are ignored, and a missing .env causes no notice', async () => {
    const folder = temporaryFolder({ '.env': 'RUN_PROFLE=gate\nTARGET_SECRET_KEY=a#b\0' })

    expect((await read({ ...target, CI: '1' }, { cwd: folder })).kind).toBe('settings')
    expect((await read({ ...target, CI: 'true' })).notices).toEqual([])
  })
})

test('an env file with over 1000 white-space characters in a row is refused, because dotenv would take minutes', async () => {
  const folder = temporaryFolder({ '.env': `RUN_SEED=1\n${' \n'.repeat(600)}x` })

  expect(wrongSettings(await read(target, { cwd: folder }))).toEqual(['.env'])
})

const secret = 'sk_Jd7Wq0Bn5Xe2Hs9Vt6'
const swallows = `TARGET_API_KEY="pk_9fQ2mLx7\nTARGET_SECRET_KEY=${secret}\nRUN_SEED=7"\nRUN_CONCURRENCY=x\n`
const several = `TARGET_SECRET_KEY="${secret}\nTARGET_LABEL='vendor\nRUN_WAIVERS=${secret}\nRUN_SEED=x\n`
const open = 'a value with an unclosed quote'
const hash = 'an unquoted value with a #'
const noWarnings = { NODE_OPTIONS: '--no-warnings' }
const misspelt = 'a value, hidden because it may be a credential'

test.each<[text: string, wrong: string, given?: string, env?: SettingsInput['env']]>([
  ...['="%', "='%", '=`%', `="%'`, ' =  "%  ', ': "%', '="% # "mine" of today', '="%\r\nRUN_SEED=1\r\n'].map(
    (line): [string, string, string] => [
      `#\n  TARGET_SECRET_KEY${line.replace('%', secret)}`,
      'TARGET_SECRET_KEY',
      open,
    ],
  ),
  [`export TARGET_SECRET_KEY="${secret}\nRUN_ONLY="quota/*"`, 'TARGET_SECRET_KEY', open],
  ['TARGET_SECRET_KEY="\nRUN_SEED=1', 'TARGET_SECRET_KEY', open],
  // Settings within such a value are not also reported as missing.
  [swallows, 'TARGET_API_KEY RUN_CONCURRENCY', open, { TARGET_API_KEY: '' }],
  [`RUN_ONLY="quota/*\nTARGET_SECRET_KEY=${secret}\n"`, 'RUN_ONLY', open],
  [`TARGET_LABEL="x\nexport PASSWORD: ${secret}\n"`, 'TARGET_LABEL TARGET_SECRET_KEY', open],
  ['TARGET_SECRET_KEY_FILE="key', 'TARGET_SECRET_KEY_FILE', open],
  ['TARGET_SECRET_KEY="evil\nTARGET_LABEL=evil', 'TARGET_SECRET_KEY TARGET_LABEL', open],
  [several, 'TARGET_SECRET_KEY TARGET_LABEL RUN_SEED RUN_WAIVERS', open],
  [`RUN_SEED=1\nTARGET_SECRET_KEY=${secret}#x\n`, 'TARGET_SECRET_KEY', hash],
  [`export TARGET_SECRET_KEY: "${secret}#x\n`, 'TARGET_SECRET_KEY', open],
  [
    'NODE_OPTIONS=--import=./evil.mjs',
    'NODE_OPTIONS TARGET_SECRET_KEY',
    'a value in a settings file',
    noWarnings,
  ],
  [
    'export node_options="./evil"',
    'node_options TARGET_SECRET_KEY',
    'a value in a settings file',
    noWarnings,
  ],
  ['NODE_OPTIONS=', 'TARGET_SECRET_KEY', '', noWarnings],
  ['NODE_TLS_REJECT_UNAUTHORIZED=0', 'NODE_TLS_REJECT_UNAUTHORIZED TARGET_SECRET_KEY', '0'],
  ['NODE_TLS_REJECT_UNAUTHORIZED=1', 'TARGET_SECRET_KEY'],
  ['RUN_SEDE=4', 'RUN_SEDE TARGET_SECRET_KEY', misspelt, { RUN_SEDE: '5' }],
  [`TARGET_SECRETKEY=${secret}\nTARGET_LABEL=${secret}`, 'TARGET_SECRETKEY TARGET_LABEL', misspelt],
])('%j in an env file is a mistake in %s and is never shown', async (text, wrong, first = '', env = {}) => {
  const result = await read({ ...others, ...env }, { cwd: temporaryFolder({ '.env': text }) })
  const issues = issuesOf(result)

  expect(issues.map(({ setting }) => setting).join(' ')).toBe(wrong)
  expect(issues[0]?.given ?? '').toContain(first)
  expect(JSON.stringify(result)).not.toContain(secret)
  expect(JSON.stringify(result)).not.toContain('evil')
})

test.each([
  ['missing.env', 'does not exist'],
  ['.', 'folder'],
  ['latin1.env', 'UTF-8'],
  ['nul.env', 'NUL'],
])(
  '--settings-file %s is a mistake (%s), but its settings are not reported as missing',
  async (envFile, why) => {
    const issues = issuesOf(await read({ RUN_SEED: 'x' }, { cwd, envFile }))

    expect(issues.map(({ setting }) => setting)).toEqual(['--settings-file', 'RUN_SEED'])
    expect(issues[0]?.given).toContain(why)
  },
)

test('a .env that is a folder is a mistake', async () => {
  const folder = temporaryFolder()
  await mkdir(join(folder, '.env'))

  expect(wrongSettings(await read(target, { cwd: folder }))).toEqual(['.env'])
})

test.each([
  ['TARGET_LABEL="a"\n', 'a'],
  [`TARGET_LABEL="it's"`, "it's"],
  ['TARGET_LABEL="say "yes""', 'say "yes"'],
  [String.raw`TARGET_LABEL="say \"yes"`, String.raw`say \"yes`],
  ["TARGET_LABEL=it's", "it's"],
  ['TARGET_LABEL=14"', '14"'],
  ['TARGET_LABEL="a" b', '"a" b'],
  [`TARGET_LABEL="a" # it's "mine"`, 'a'],
  ['TARGET_LABEL=a # a#b', 'a'],
  ['# TARGET_LABEL="a\nTARGET_LABEL=b', 'b'],
  ["TARGET_LABEL=#it's mine\nTARGET_LABEL=a", 'a'],
  ['TARGET_LABEL=a#b\nTARGET_LABEL=a', 'a'],
  ["TARGET_LABEL='a#b'#c", 'a#b'],
  [`TARGET_LABEL=""\nTARGET_LABEL='a'`, 'a'],
  [
    `GREETING='tis\nSCRIPT="\nTARGET_LABEL=x\nRUN_SEED=1\n"\nHASH=a#b\nPEM="-----BEGIN\nx"\nTARGET_LABEL=a`,
    'a',
  ],
])('an env file may contain %j', async (text, label) => {
  expect(settingsOf(await read(target, { cwd: temporaryFolder({ '.env': text }) })).target.label).toBe(label)
})

test('an env file may contain a value that spans several lines', async () => {
  const text = 'RUN_ONLY="quota/*,\n  fuzz/path,\n"\nRUN_SEED=7\n'
  const { run } = settingsOf(await read(target, { cwd: temporaryFolder({ '.env': text }) }))

  expect([run.only, run.seed]).toEqual([['quota/*', 'fuzz/path'], 7])
})
