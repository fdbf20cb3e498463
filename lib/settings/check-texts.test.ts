import * as fc from 'fast-check'
import { expect, test } from 'vitest'

import { checkTexts } from './sources.ts'
import { issuesOf, read, settingsOf, target } from './testing/read.ts'

test.each([
  ['RUN_PROFILE', 'Gate', 'one of gate, acceptance, nightly', 'did you mean gate?'],
  ['RUN_PROFILE', 'accept', 'one of', 'did you mean acceptance?'],
  ['RUN_PROFILE', 'acceptence', 'one of', 'did you mean acceptance?'],
  ['RUN_PROFILE', 'production', 'one of', null],
  ['RUN_STRICT', 'on', 'true or false', null],
  ['RUN_STRICT', '2', 'true or false', null],
  ['RUN_QUIET', 'y', 'true or false', null],
  ['RUN_FORMAT', 'JSON', 'one of text, json', 'did you mean json?'],
  ['RUN_FORMAT', 'xml', 'one of text, json', null],
  ['RUN_SEED', 'abc', 'from 0 to 2147483647', null],
  ['RUN_SEED', '-1', 'from 0', null],
  ['RUN_SEED', '2147483648', 'to 2147483647', null],
  ['RUN_SEED', '1.5', 'whole number', null],
  ['RUN_SEED', '1e3', 'digits only', null],
  ['RUN_SEED', '0x10', 'digits only', null],
  ['RUN_SEED', '٣', 'digits only', null],
  ['RUN_FUZZ_CASES', '1000001', 'to 1000000', null],
  ['RUN_MAX_REQUESTS', '0', 'from 1', null],
  ['RUN_MAX_REQUESTS', '1,000', 'digits only', 'did you mean 1000?'],
  ['RUN_MAX_REQUESTS', '1_000', 'digits only', 'did you mean 1000?'],
  ['RUN_MAX_REQUESTS', '99999999999999999999', 'to 2147483647', null],
  ['RUN_MAX_EXHAUST', '0', 'from 1', null],
  ['RUN_MAX_RPS', '0', 'above 0', null],
  ['RUN_MAX_RPS', '-1', 'above 0', null],
  ['RUN_MAX_RPS', 'Infinity', 'above 0', null],
  ['RUN_MAX_RPS', '1e9', 'above 0', null],
  ['RUN_CONCURRENCY', '0', 'from 1 to 256', null],
  ['RUN_CONCURRENCY', '257', 'from 1 to 256', null],
  ['RUN_TIMEOUT_MS', '600001', 'from 1 to 600000', null],
  ['RUN_TIMEOUT_MS', '10s', 'whole number', null],
  ['TARGET_VERSION', '01', 'whole number from 0', 'did you mean 1?'],
  ['TARGET_VERSION', 'v1', 'whole number from 0', null],
  ['TARGET_VERSION', '+1', 'whole number from 0', 'did you mean 1?'],
  ['FIXTURE_UNSUPPORTED_VERSION', '2147483648', 'to 2147483647', null],
  ['TARGET_LABEL', 'a\u001b[31mb', 'control characters', null],
  ['TARGET_LABEL', 'x'.repeat(201), 'at most 200', null],
  ['RUN_WAIVERS', 'a\u0007b', 'control characters', null],
  ['NO_PROXY', 'a\nb', 'control characters', null],
])('%s=%s is a mistake', async (setting, given, expected, hint) => {
  const issues = issuesOf(await read({ ...target, [setting]: given }))

  expect(issues).toContainEqual({
    setting,
    given: expect.any(String),
    expected: expect.stringContaining(expected),
    hint,
  })
  expect(issues.map((mistake) => mistake.setting)).toEqual([setting])
})

test.each([
  ['true', true],
  ['YES', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
])('a truth value may be %s', async (RUN_QUIET, quiet) => {
  expect(settingsOf(await read({ ...target, RUN_QUIET })).run.quiet).toBe(quiet)
})

test.each([
  [{ RUN_MAX_RPS: '0.5' }, { maxRps: 0.5 }],
  [{ RUN_SEED: '0' }, { seed: 0 }],
  [{ RUN_SEED: ' 2147483647 ' }, { seed: 2_147_483_647 }],
  [{ RUN_MAX_EXHAUST: '1' }, { maxExhaust: 1 }],
  [{ RUN_MAX_MINUTES: '0.05' }, { maxMinutes: 0.05 }],
  [{ RUN_MAX_MINUTES: '10080' }, { maxMinutes: 10_080 }],
  [
    { RUN_TIMEOUT_MS: '1', RUN_CONCURRENCY: '256' },
    { timeoutMs: 1, concurrency: 256 },
  ],
  [{ RUN_FORMAT: 'json' }, { format: 'json' }],
  [{ NO_PROXY: 'localhost, .example' }, { noProxy: 'localhost, .example' }],
])('%j is accepted', async (env, expected) => {
  expect(settingsOf(await read({ ...target, ...env })).run).toMatchObject(expected)
})

test('a version is kept as text', async () => {
  const { target: judged, fixtures } = settingsOf(
    await read({ ...target, TARGET_VERSION: '0', FIXTURE_UNSUPPORTED_VERSION: '99' }),
  )

  expect([judged.version, fixtures.unsupportedVersion]).toEqual(['0', '99'])
})

test('a whole number in range is itself, and any other text is one mistake', () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer().map(String), fc.string(), fc.float().map(String)), (text) => {
      const { value, issues } = checkTexts({ RUN_CONCURRENCY: text })
      const inRange = /^(?:[1-9]\d{0,2})$/.test(text) && Number(text) <= 256

      expect(value.RUN_CONCURRENCY).toBe(inRange ? Number(text) : undefined)
      expect(issues.length).toBe(inRange ? 0 : 1)
    }),
  )
})

test('one wrong setting does not take another along', () => {
  const { value, issues } = checkTexts({
    RUN_SEED: 'x',
    RUN_MAX_RPS: '0.1',
    RUN_QUIET: 'maybe',
    RUN_STRICT: 'yes',
  })

  expect(value).toEqual({ RUN_MAX_RPS: 0.1, RUN_STRICT: true })
  expect(issues.map(({ setting }) => setting).toSorted()).toEqual(['RUN_QUIET', 'RUN_SEED'])
})
