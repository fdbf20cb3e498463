import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { growth, linear } from '../../tests/support/processor-time.ts'
import type { SettingsInput } from './sources.ts'
import { apiKey, issuesOf, read, settingsOf, target, temporaryFolder, wrongSettings } from './testing/read.ts'

const cwd = temporaryFolder({
  '.env': 'RUN_SEED=3\nRUN_CONCURRENCY=3\nRUN_TIMEOUT_MS=3\n',
  'other.env': '\ufeffRUN_SEED=4\n',
  'lines.env': `\n${'\n'.repeat(900)}RUN_SEED=4\n`,
  'cut.env': `TARGET_SECRET_KEY=abcdef#ghijkl\nTARGET_QUERY=a=1 # fine\nTARGET_LABEL="x#y"\nRUN_SEED=1\n`,
  'latin1.env': Uint8Array.from([0x54, 0x3d, 0xe9]),
  'nul.env': 'RUN_SEED=1\0',
})
const empty = { RUN_SEED: '', RUN_CONCURRENCY: ' ', RUN_TIMEOUT_MS: ' \n' }
const given = { RUN_SEED: '2', RUN_CONCURRENCY: '2' }

type Taken = readonly [string, SettingsInput['env'], Partial<SettingsInput>, readonly number[]]

test.each<Taken>([
  ['flags, the environment and .env, in this order', given, { flags: { RUN_SEED: '1' } }, [1, 2, 3]],
  ['the file that is named in the place of .env', {}, { envFile: 'other.env' }, [4, 8, 10_000]],
  ['a file with some hundred empty lines', {}, { envFile: 'lines.env' }, [4, 8, 10_000]],
  ['nothing that is empty', empty, {}, [3, 3, 3]],
  ['in a pipeline the .env that is named', { CI: 'true' }, { envFile: '.env' }, [3, 3, 3]],
  ...['', '  ', 'false', 'False', '0'].map((CI) => [`.env with CI=${CI}`, { CI }, {}, [3, 3, 3]] as const),
])('a run takes %s', async (_, env, others, runs) => {
  const result = await read({ ...target, ...env }, { cwd, ...others })
  const { seed, concurrency, timeoutMs } = settingsOf(result).run

  expect([seed, concurrency, timeoutMs]).toEqual(runs)
  expect(result.notices).toEqual([])
})

describe('in a pipeline', () => {
  test.each([
    [{ CI: 'true' }, 'CI is set'],
    [{ CI: '1' }, 'CI is set'],
    [{ CI: ' TRUE ' }, 'CI is set'],
    [{ CI: 'woodpecker' }, 'Woodpecker'],
    [{ BUILD_NUMBER: '7' }, 'BUILD_NUMBER is set'],
    [{ TF_BUILD: 'True' }, 'Azure Pipelines'],
  ])('(%o) a .env that nobody named is not read, and one line says so', async (env, pipeline) => {
    const result = await read({ ...target, ...env }, { cwd })
    const mistaken = await read({ ...target, ...env, RUN_SEED: 'x' }, { cwd })

    expect(settingsOf(result).run.seed).toBe(20260101)
    expect(wrongSettings(mistaken)).toEqual(['RUN_SEED'])
    for (const { notices } of [result, mistaken])
      expect(notices).toEqual([
        `this is a pipeline (${pipeline}), so .env in this folder is not read, since a pull request could change it; --settings-file .env reads it`,
      ])
  })

  test('a .env may hold mistakes, and nothing is said of one that is not there', async () => {
    const folder = temporaryFolder({ '.env': 'RUN_PROFLE=gate\nTARGET_SECRET_KEY=a#b\0' })

    expect((await read({ ...target, CI: '1' }, { cwd: folder })).kind).toBe('settings')
    expect((await read({ ...target, CI: 'true' })).notices).toEqual([])
  })
})

const warnings = { NODE_OPTIONS: '--no-warnings' }
const unverified = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
const unverifiedLine = 'NODE_TLS_REJECT_UNAUTHORIZED=0\n'
const evil = '--import=./evil.mjs'

test.each<[wrong: string, env: SettingsInput['env'], text: string, envFile?: string]>([
  ['NODE_OPTIONS', warnings, `NODE_OPTIONS=${evil}\n`],
  ['NODE_OPTIONS', warnings, 'export NODE_OPTIONS="--require ./evil.cjs"\n', 'staging.env'],
  ['node_options', warnings, `node_options=${evil}\n`],
  ['', warnings, 'NODE_OPTIONS=\n'],
  ['NODE_TLS_REJECT_UNAUTHORIZED', unverified, ''],
  ['NODE_TLS_REJECT_UNAUTHORIZED', {}, unverifiedLine],
  ['NODE_TLS_REJECT_UNAUTHORIZED', unverified, unverifiedLine],
  ['', { NODE_TLS_REJECT_UNAUTHORIZED: '1' }, ''],
  ['', { NODE_TLS_REJECT_UNAUTHORIZED: '' }, ''],
])('"%s" is wrong of %j and an env file of %j, and no value is shown', async (wrong, env, text, envFile) => {
  const folder = temporaryFolder({ [envFile ?? '.env']: text })
  const result = await read({ ...target, ...env }, { cwd: folder, envFile: envFile ?? null })

  expect(result.kind === 'settings' ? '' : wrongSettings(result).join(' ')).toBe(wrong)
  expect(JSON.stringify(result)).not.toContain('evil')
})

test.each([
  ['empty lines', (size: number) => '\n'.repeat(size)],
  ['spaces', (size: number) => `${' '.repeat(size)}RUN_SEED=1`],
  ['empty lines of spaces', (size: number) => ' \r\n'.repeat(size * 0.4)],
])('an env file of %s is refused in a moment', async (_, text) => {
  const refused = async (size: number): Promise<void> => {
    const result = await read(target, { cwd: temporaryFolder({ '.env': text(size) }) })

    expect(issuesOf(result)).toMatchObject([
      { setting: '.env', given: expect.stringContaining('white-space') },
    ])
  }

  expect(await growth(refused, 200_000)).toBeLessThan(linear)
})

test('process.env is neither read nor written', async () => {
  const before = { ...process.env }

  await read(target, { cwd })

  expect(process.env).toEqual(before)
})

test.each([
  ['missing.env', 'does not exist'],
  ['.', 'folder'],
  ['latin1.env', 'UTF-8'],
  ['nul.env', 'NUL'],
])('--settings-file %s is a mistake (%s), and nothing is called missing for it', async (envFile, why) => {
  const issues = issuesOf(await read({ RUN_SEED: 'x' }, { cwd, envFile }))

  expect(issues.map(({ setting }) => setting)).toEqual(['--settings-file', 'RUN_SEED'])
  expect(issues[0]?.given).toContain(why)
})

test('a .env that is a folder is a mistake', async () => {
  const folder = temporaryFolder()
  await mkdir(join(folder, '.env'))

  expect(wrongSettings(await read(target, { cwd: folder }))).toEqual(['.env'])
})

test('an unquoted # that would cut a value short is a mistake, told with file and line, and not as missing', async () => {
  const { TARGET_BASE_URL } = target
  const result = await read({ TARGET_BASE_URL, TARGET_API_KEY: apiKey }, { cwd, envFile: 'cut.env' })

  expect(issuesOf(result)).toMatchObject([
    { setting: 'TARGET_SECRET_KEY', given: 'a value that holds a #, without quotes, in line 1 of cut.env' },
  ])
  expect(JSON.stringify(result)).not.toContain('abcdef')
})
