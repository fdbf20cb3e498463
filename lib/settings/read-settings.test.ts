import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { Secret } from '../redact/secret.ts'
import { readSettings } from './read-settings.ts'
import { settingTable } from './setting-table.ts'
import type { SettingsInput } from './sources.ts'
import {
  apiKey,
  now,
  read,
  secretKey,
  settingsOf,
  target,
  temporaryFolder,
  wrongSettings,
} from './testing/read.ts'

describe('defaults', () => {
  test('a target alone gets the defaults of gate', async () => {
    const { target: judged, fixtures, run } = settingsOf(await read(target))

    expect(judged).toMatchObject({
      baseUrl: 'https://staging.example',
      embedded: false,
      version: '1',
      query: null,
      label: null,
      build: null,
      endpoints: [],
    })
    expect(judged.client?.apiKey).toBeInstanceOf(Secret)
    expect(judged.client?.apiKey.name).toBe('TARGET_API_KEY')
    expect([judged.client?.apiKey.reveal(), judged.client?.secretKey.reveal()]).toEqual([apiKey, secretKey])
    expect(fixtures).toEqual({
      unsupportedVersion: '2147483647',
      invalidQuery: null,
      second: null,
      noCustomer: null,
      inactive: null,
      unauthorized: null,
      exhausted: null,
      disposable: null,
      disposableQuota: null,
      inactiveEndpoint: null,
    })
    expect(run).toEqual({
      profile: 'gate',
      strict: false,
      seed: 20260101,
      fuzzCases: 20,
      only: null,
      essential: false,
      failed: false,
      identify: false,
      trace: false,
      clientCertificate: null,
      maxRequests: 500,
      maxExhaust: 1000,
      maxRps: 25,
      concurrency: 8,
      timeoutMs: 10_000,
      maxMinutes: 60,
      reportsDir: '/nowhere-at-all/reports',
      waivers: [],
      baseline: null,
      signingKeyFile: null,
      validDays: null,
      format: 'text',
      history: '/nowhere-at-all/reports/history.jsonl',
      quiet: false,
      ca: null,
      httpsProxy: null,
      noProxy: null,
      replayFlags: ['--base-url', target.TARGET_BASE_URL],
    })
  })

  test.each([
    ['acceptance', { strict: true, seed: 20260101, fuzzCases: 200, maxRequests: 10_000 }],
    ['nightly', { strict: false, seed: 20261120, fuzzCases: 2_000, maxRequests: 50_000 }],
  ])('the profile %s sets what no setting says', async (RUN_PROFILE, expected) => {
    expect(settingsOf(await read({ ...target, RUN_PROFILE })).run).toMatchObject(expected)
  })

  test('are those that the table tells', async () => {
    const told = Object.fromEntries(
      settingTable.flatMap((setting) =>
        setting.default === undefined ? [] : [[setting.name, setting.default]],
      ),
    )

    expect(settingsOf(await read({ ...target, ...told }))).toEqual(settingsOf(await read(target)))
  })

  test('a setting wins over the profile', async () => {
    const env = { ...target, RUN_PROFILE: 'acceptance', RUN_STRICT: 'no', RUN_SEED: '7', RUN_FUZZ_CASES: '0' }

    expect(settingsOf(await read(env)).run).toMatchObject({ strict: false, seed: 7, fuzzCases: 0 })
  })

  test.each([
    ['http://localhost:8080', null],
    ['http://127.0.0.1', null],
    ['http://127.8.9.10:1', null],
    ['http://[::1]:8080', null],
    ['https://127.example', 25],
    ['https://localhost.example', 25],
    ['https://10.0.0.1', 25],
  ])('%s is asked at most %s times a second', async (TARGET_BASE_URL, rate) => {
    expect(settingsOf(await read({ ...target, TARGET_BASE_URL })).run.maxRps).toBe(rate)
  })
})

describe('the result of mistakes', () => {
  test('all of them come at once, with what was right', async () => {
    const env = {
      ...target,
      RUN_SEED: 'x',
      RUN_CONCURRENCY: '0',
      RUN_PROFILE: 'acceptance',
    }
    const result = await read(
      {
        ...env,
        TARGET_LABEL: 'vendor',
        TARGET_BUILD: '42',
        TARGET_VERSION: '07',
        RUN_REPORTS_DIR: 'out',
        RUN_ONLY: 'quota/*,nope',
      },
      { cwd: '/somewhere' },
    )

    expect(wrongSettings(result)).toEqual(['TARGET_VERSION', 'RUN_SEED', 'RUN_CONCURRENCY', 'RUN_ONLY'])
    expect(result).toMatchObject({
      reportsDir: '/somewhere/out',
      partial: {
        profile: 'acceptance',
        strict: true,
        seed: 20260101,
        fuzzCases: 200,
        baseUrl: 'https://staging.example',
        embedded: false,
        version: '1',
        label: 'vendor',
        build: '42',
        only: ['quota/*', 'nope'],
        maxRequests: 10_000,
        maxMinutes: 60,
        format: 'text',
        quiet: false,
      },
    })
  })

  test('what is known of the run holds no credential either', async () => {
    const result = await read({ ...target, TARGET_LABEL: `run with ${secretKey}`, RUN_SEED: 'x' })

    expect(wrongSettings(result)).toEqual(['RUN_SEED', 'TARGET_LABEL'])
    expect(result).toMatchObject({ partial: { label: null } })
  })

  test('a part of a credential, cut at the comma of a list, is not shown either', async () => {
    const env = {
      ...target,
      TARGET_SECRET_KEY: 'left-half-5d,right-half-5d',
      RUN_ONLY: 'left-half-5d,right-half-5d',
    }
    const result = await read(env)

    expect(wrongSettings(result)).toEqual(['RUN_ONLY', 'RUN_ONLY'])
    expect(JSON.stringify(result)).not.toContain('half-5d')
  })

  test('a reports folder that is a file is a mistake, and reports go to the default', async () => {
    const cwd = temporaryFolder({ taken: '' })
    const result = await read({ ...target, RUN_REPORTS_DIR: 'taken' }, { cwd })

    expect(wrongSettings(result)).toEqual(['RUN_REPORTS_DIR'])
    expect(result).toMatchObject({ reportsDir: join(cwd, 'reports') })
  })
})

test('an expired waiver and an unencrypted address are announced', async () => {
  const waiver = { rule: 'quota/exhausted', reason: 'r', owner: 'o', expires: '2026-11-19' }
  const cwd = temporaryFolder({ 'waivers.json': JSON.stringify([waiver]) })
  const result = await read(
    { ...target, TARGET_BASE_URL: 'http://staging.example', RUN_WAIVERS: 'waivers.json' },
    { cwd, now },
  )

  expect(settingsOf(result).run.waivers).toEqual([{ ...waiver, fingerprint: null }])
  expect(result).toMatchObject({
    notices: [
      expect.stringContaining('unencrypted'),
      expect.stringContaining('quota/exhausted expired on 2026-11-19'),
    ],
  })
})

test.each([
  ['https://staging.example', 'localhost, 10.*', ['NO_PROXY: the entry 10.* can match nothing']],
  ['https://staging.example', 'localhost, 10.0.0.0/8', []],
  // Only https has a proxy.
  ['http://127.0.0.1:8080', '10.*', []],
])('an entry of NO_PROXY that can match nothing is announced: %s, %s', async (url, noProxy, notices) => {
  const result = await read({
    ...target,
    TARGET_BASE_URL: url,
    HTTPS_PROXY: 'http://proxy.example:3128',
    NO_PROXY: noProxy,
  })

  expect(result).toMatchObject({ notices: notices.map((one) => expect.stringContaining(one)) })
})

describe('own rules', () => {
  const cwd = temporaryFolder({ '.env': 'RUN_SUITES=./own\n' })
  const foldersOf = async (others: Partial<SettingsInput>) => {
    const folders: (string | null)[] = []
    const input = { env: target, flags: {}, envFile: null, cwd, now, ...others }
    const { notices } = await readSettings(input, async (folder) => {
      folders.push(folder)
      return { value: [], issues: [] }
    })
    return { folders, notices }
  }

  test('are not taken from a .env that nobody named, and one line says so', async () => {
    expect(await foldersOf({})).toEqual({
      folders: [null],
      notices: [expect.stringMatching(/^RUN_SUITES in \.env is not used, .*--suites/)],
    })
  })

  test.each<readonly [string, Partial<SettingsInput>, string]>([
    ['a .env that is named', { envFile: '.env' }, 'own'],
    ['the environment', { env: { ...target, RUN_SUITES: 'other' } }, 'other'],
    ['a flag', { flags: { RUN_SUITES: 'other' } }, 'other'],
  ])('are taken from %s', async (_, others, folder) => {
    expect(await foldersOf(others)).toEqual({ folders: [join(cwd, folder)], notices: [] })
  })
})
