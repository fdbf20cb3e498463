import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { growth, linear } from '../../tests/support/processor-time.ts'
import { apiKey, issuesOf, read, settingsOf, target, temporaryFolder, wrongSettings } from './testing/read.ts'

describe('sources', () => {
  const cwd = temporaryFolder({
    '.env': 'RUN_SEED=3\nRUN_CONCURRENCY=3\nRUN_TIMEOUT_MS=3\n',
    'other.env': '\ufeffRUN_SEED=4\n',
    'cut.env': `TARGET_SECRET_KEY=abcdef#ghijkl\nTARGET_QUERY=a=1 # fine\nTARGET_LABEL="x#y"\nRUN_SEED=1\n`,
    'latin1.env': Uint8Array.from([0x54, 0x3d, 0xe9]),
    'nul.env': 'RUN_SEED=1\0',
  })

  test('flags win over the environment, and that over .env', async () => {
    const env = { ...target, RUN_SEED: '2', RUN_CONCURRENCY: '2' }
    const { run } = settingsOf(await read(env, { flags: { RUN_SEED: '1' }, cwd }))

    expect([run.seed, run.concurrency, run.timeoutMs]).toEqual([1, 2, 3])
  })

  test('--settings-file replaces .env', async () => {
    const { run } = settingsOf(await read(target, { cwd, envFile: 'other.env' }))

    expect([run.seed, run.concurrency]).toEqual([4, 8])
  })

  test.each([
    ['.env', null, 'NODE_OPTIONS=--import=./evil.mjs'],
    ['a named file', 'staging.env', 'export NODE_OPTIONS="--require ./evil.cjs"'],
    ['.env of Windows', null, 'node_options=--import=./evil.mjs'],
  ])('NODE_OPTIONS in %s is a mistake, whose value is not shown', async (_, envFile, line) => {
    const folder = temporaryFolder({ [envFile ?? '.env']: `${line}\n` })
    const result = await read({ ...target, NODE_OPTIONS: '--no-warnings' }, { cwd: folder, envFile })

    expect(wrongSettings(result).map((name) => name.toUpperCase())).toEqual(['NODE_OPTIONS'])
    expect(JSON.stringify(result)).not.toContain('evil')
  })

  test('NODE_OPTIONS in the environment, or empty in a file, is none', async () => {
    const folder = temporaryFolder({ '.env': 'NODE_OPTIONS=\n' })

    expect((await read({ ...target, NODE_OPTIONS: '--no-warnings' }, { cwd: folder })).kind).toBe('settings')
  })

  test.each([
    [{ CI: 'true' }, 'CI is set'],
    [{ CI: '1' }, 'CI is set'],
    [{ CI: ' TRUE ' }, 'CI is set'],
    [{ CI: 'woodpecker' }, 'Woodpecker'],
    [{ BUILD_NUMBER: '7' }, 'BUILD_NUMBER is set'],
    [{ TF_BUILD: 'True' }, 'Azure Pipelines'],
  ])(
    'a .env that nobody named is not read in a pipeline (%o), and one line says so',
    async (env, pipeline) => {
      const result = await read({ ...target, ...env }, { cwd })

      expect(settingsOf(result).run.seed).toBe(20260101)
      expect(result.notices).toEqual([
        `this is a pipeline (${pipeline}), so .env in this folder is not read, since a pull request could change it; --settings-file .env reads it`,
      ])
    },
  )

  test('nor is one that could not be read, or holds mistakes', async () => {
    const folder = temporaryFolder({ '.env': 'RUN_PROFLE=gate\nTARGET_SECRET_KEY=a#b\0' })

    expect(settingsOf(await read({ ...target, CI: '1' }, { cwd: folder })).run.profile).toBe('gate')
  })

  test('with mistakes the line is there, too', async () => {
    const result = await read({ ...target, CI: 'true', RUN_SEED: 'x' }, { cwd })

    expect(wrongSettings(result)).toEqual(['RUN_SEED'])
    expect(result.notices).toHaveLength(1)
  })

  test('where there is no .env, a pipeline says nothing of it', async () => {
    expect((await read({ ...target, CI: 'true' })).notices).toEqual([])
  })

  test('a pipeline reads the .env that is named', async () => {
    const result = await read({ ...target, CI: 'true' }, { cwd, envFile: '.env' })

    expect([settingsOf(result).run.seed, result.notices]).toEqual([3, []])
  })

  test.each(['', '  ', 'false', 'False', '0'])('CI=%j is no pipeline', async (CI) => {
    expect(settingsOf(await read({ ...target, CI }, { cwd })).run.seed).toBe(3)
  })

  test.each([
    ['the environment', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, ''],
    ['the env file', {}, 'NODE_TLS_REJECT_UNAUTHORIZED=0\n'],
    ['both, once', { NODE_TLS_REJECT_UNAUTHORIZED: '0' }, 'NODE_TLS_REJECT_UNAUTHORIZED=0\n'],
  ])('certificates that are not verified are refused: said in %s', async (_, env, file) => {
    const result = await read({ ...target, ...env }, { cwd: temporaryFolder({ '.env': file }) })

    expect(wrongSettings(result)).toEqual(['NODE_TLS_REJECT_UNAUTHORIZED'])
  })

  test.each(['', '1'])('NODE_TLS_REJECT_UNAUTHORIZED=%j is none of our business', async (text) => {
    expect(settingsOf(await read({ ...target, NODE_TLS_REJECT_UNAUTHORIZED: text }))).toBeDefined()
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

  test('some hundred empty lines are no mistake', async () => {
    const folder = temporaryFolder({ '.env': `\n${'\n'.repeat(900)}RUN_SEED=4\n` })

    expect(settingsOf(await read(target, { cwd: folder })).run.seed).toBe(4)
  })

  test('what is empty counts as not given', async () => {
    const env = {
      ...target,
      RUN_SEED: '',
      RUN_PROFILE: '  ',
      TARGET_QUERY: '',
      FIXTURE_SECOND_API_KEY: ' \n',
    }
    const { run, target: judged } = settingsOf(await read(env, { cwd }))

    expect([run.seed, run.profile, judged.query]).toEqual([3, 'gate', null])
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
  ])('--settings-file %s is a mistake, and nothing is called missing for it', async (envFile, why) => {
    const issues = issuesOf(await read({ RUN_SEED: 'x' }, { cwd, envFile }))

    expect(issues.map(({ setting }) => setting)).toEqual(['--settings-file', 'RUN_SEED'])
    expect(issues[0]?.given).toContain(why)
  })

  test('a .env that is a folder is a mistake', async () => {
    const folder = temporaryFolder()
    await mkdir(join(folder, '.env'))

    expect(wrongSettings(await read(target, { cwd: folder }))).toEqual(['.env'])
  })

  test('an unquoted # that would cut a value short is a mistake', async () => {
    const result = await read(
      { TARGET_BASE_URL: 'https://a.example', TARGET_API_KEY: apiKey },
      { cwd, envFile: 'cut.env' },
    )

    expect(wrongSettings(result)).toEqual(['TARGET_SECRET_KEY'])
    expect(JSON.stringify(result)).not.toContain('abcdef')
  })

  test('what is cut short is told with file and line, and not as missing', async () => {
    const text = '\nTARGET_API_KEY=abc#def\n'
    const { TARGET_BASE_URL, TARGET_SECRET_KEY } = target
    const result = await read(
      { TARGET_BASE_URL, TARGET_SECRET_KEY },
      { cwd: temporaryFolder({ '.env': text }) },
    )

    expect(issuesOf(result)).toMatchObject([
      { setting: 'TARGET_API_KEY', given: 'a value that holds a #, without quotes, in line 2 of .env' },
    ])
  })

  test.each<readonly [string, Readonly<Record<string, string>>, readonly string[]]>([
    ['the address', { TARGET_BASE_URL: '', TARGET_BASE_ULR: 'https://a.example' }, ['TARGET_BASE_ULR']],
    ['a key', { TARGET_API_KEY: '', TARGET_API_KYE: 'x' }, ['TARGET_API_KYE']],
    ['the file of a key', { TARGET_API_KEY: '', TARGET_API_KYE_FILE: 'x' }, ['TARGET_API_KYE_FILE']],
    [
      'half a client',
      { FIXTURE_SECOND_APIKEY: 'x', FIXTURE_SECOND_SECRET_KEY: 'y' },
      ['FIXTURE_SECOND_APIKEY'],
    ],
    ['half a certificate', { RUN_CERT_FIL: 'x', RUN_KEY_FILE: 'y' }, ['RUN_CERT_FIL']],
    ['a baseline', { RUN_BASELIN: 'x', RUN_UPDATE_BASELINE: 'true' }, ['RUN_BASELIN']],
    [
      'a disposable client',
      {
        FIXTURE_DISPOSABLE_QUOTA: '5',
        FIXTURE_DISPOSABLE_APIKEY: 'x',
        FIXTURE_DISPOSABLE_SECRETKEY: 'y',
      },
      ['FIXTURE_DISPOSABLE_APIKEY', 'FIXTURE_DISPOSABLE_SECRETKEY'],
    ],
  ])('what a misspelt name meant is not called missing, too: %s', async (_, env, wrong) => {
    expect(wrongSettings(await read({ ...target, ...env }))).toEqual(wrong)
  })

  test('nor is what a misspelt flag meant; another that is missing is', async () => {
    const { TARGET_SECRET_KEY } = target

    expect(wrongSettings(await read({ TARGET_SECRET_KEY }, { misread: ['TARGET_BASE_URL'] }))).toEqual([
      'TARGET_API_KEY',
    ])
  })

  test('a misspelt name beside the right one hides no mistake of that', async () => {
    expect(wrongSettings(await read({ ...target, RUN_SEDE: '1', RUN_SEED: 'x' }))).toEqual([
      'RUN_SEDE',
      'RUN_SEED',
    ])
  })

  test('a file of a key that cannot be read hides no other mistake', async () => {
    const { TARGET_BASE_URL } = target

    expect(wrongSettings(await read({ TARGET_BASE_URL, TARGET_API_KEY_FILE: 'nowhere' }))).toEqual([
      'TARGET_API_KEY_FILE',
      'TARGET_SECRET_KEY',
    ])
  })

  test.each([
    ['in the environment', { TARGET_API_KEY: ' ' }, ''],
    ['in the env file', {}, 'TARGET_API_KEY=""'],
  ])('a key of white space %s was given, and is told as empty', async (_, env, file) => {
    const { TARGET_API_KEY, ...others } = target
    const result = await read({ ...others, ...env }, { cwd: temporaryFolder({ '.env': file }) })

    expect(TARGET_API_KEY).not.toBe('')
    expect(issuesOf(result)).toMatchObject([{ setting: 'TARGET_API_KEY', given: 'an empty value' }])
  })

  test('an empty name of an env file is told as one', async () => {
    expect(issuesOf(await read(target, { cwd, envFile: ' ' }))).toMatchObject([
      { setting: '--settings-file', given: 'an empty value' },
    ])
  })

  test('credentials are not taken from flags', async () => {
    const { TARGET_API_KEY, ...env } = target

    expect(wrongSettings(await read(env, { flags: { TARGET_API_KEY } }))).toEqual(['TARGET_API_KEY'])
  })

  test('the proxy is taken from either letter case, capitals first', async () => {
    const env = { ...target, https_proxy: 'http://low.example:1', no_proxy: 'a.example' }

    expect(settingsOf(await read(env)).run).toMatchObject({
      httpsProxy: 'http://low.example:1',
      noProxy: 'a.example',
    })
    expect(settingsOf(await read({ ...env, HTTPS_PROXY: 'http://up.example:1' })).run.httpsProxy).toBe(
      'http://up.example:1',
    )
  })
})
