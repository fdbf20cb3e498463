import { expect, test } from 'vitest'
import { ruleIds, isSelected } from '../specification/rules.ts'
import { settingTable, variableMeantBy } from './setting-table.ts'
import { issuesOf, mistake, read, settingsOf, target, wrongSettings } from './testing/read.ts'

test.each([
  ['TARGET_BASE_URL', ['TARGET_BASE_ULR', 'TARGET_BASEURL', 'TARGET_BASE_URI', 'target_base_url']],
  ['TARGET_API_KEY', ['TARGET_APIKEY']],
  ['TARGET_VERSION', ['TARGET_VERSON']],
  ['RUN_PROFILE', ['RUN_PROFLIE']],
  ['RUN_ONLY', ['RUN_ONYL']],
  ['RUN_SEED', ['RUN_SEEDS', 'Run_Seed']],
  ['RUN_WAIVERS', ['RUN_WAVIER']],
  ['RUN_MAX_REQUESTS', ['RUN_MAX_REQUEST', 'RUN_MAXREQUEST']],
  ['FIXTURE_SECOND_API_KEY', ['FIXTURE_SECOND_APIKEY']],
  ['FIXTURE_UNAUTHORIZED_API_KEY', ['FIXTURE_UNAUTHORISED_API_KEY']],
  ['FIXTURE_NO_CUSTOMER_SECRET_KEY', ['FIXTURE_NOCUSTOMER_SECRETKEY']],
])('%s is suggested for %j', (setting, names) => {
  expect(names.map(variableMeantBy)).toEqual(names.map(() => setting))
})

test.each(settingTable)('$name has one sentence, and a flag unless it is a secret or a proxy', (setting) => {
  const { name, kind, flag, argument, secret, about } = setting
  const hasFlag = kind !== 'credential' && !name.endsWith('_PROXY')

  expect([flag !== null, argument !== null]).toEqual([hasFlag, hasFlag && kind !== 'boolean'])
  expect(secret).toBe(/_(?:API|SECRET)_KEY$/.test(name) || name === 'HTTPS_PROXY')
  expect(about).toMatch(/^[A-Za-z][^\n]*[^.]\.$/)
})

const honestNames = `
  RUN_ID RUN_NUMBER RUN_ATTEMPT RUN_URL RUN_MODE RUN_ENV RUN_NAME RUN_TESTS RUN_ALL RUN_SCRIPT RUN_START
  RUN_ONCE RUN_LABEL RUN_USER RUN_FILE RUN_DATE RUN_AS RUN_FROM RUN_LOCAL RUN_SHELL RUN_E2E RUN_LINT RUN_TIMEOUT
  RUN_QUEUE RUN_TAGS RUN_ARGS RUN_CONFIG RUN_PIPELINE RUN_STAGE RUN_DETAILS RUN_LIST RUN_MAIN RUN_NODE RUNNER_OS
  TARGET_ENV TARGET_BRANCH TARGET_URL TARGET_HOST TARGET_LEVEL TARGET_ARCH TARGET_REGION TARGET_KEY TARGET_NAME
  TARGET_OS TARGET_PLATFORM TARGET_DIR TARGET_STAGE TARGET_CLUSTER TARGETS
  FIXTURE_DIR FIXTURE_PATH FIXTURES BASE_URL API_KEY HTTP_PROXY https_proxy`

test('nothing is suggested for the name of a setting or of something else', () => {
  const names = [...honestNames.trim().split(/\s+/), ...settingTable.map(({ name }) => name)]

  expect(names.filter((name) => variableMeantBy(name) !== null)).toEqual([])
})

const readOnly = (text: string) => read({ ...target, RUN_ONLY: text })

test.each([
  ['quota/exhausted', ['quota/exhausted']],
  ['quota/*', ['quota/exhausted', 'quota/stays-exhausted', 'quota/per-client']],
  ['*/json-response', ['conventions/json-response']],
  ['*exhausted', ['quota/exhausted', 'quota/stays-exhausted']],
  ['quota/*exhausted', ['quota/exhausted', 'quota/stays-exhausted']],
  [' quota/per-client , conventions/json-response,', ['conventions/json-response', 'quota/per-client']],
  ['*', ruleIds],
  ['**', ruleIds],
])('RUN_ONLY selects the rules that match %s', async (text, selected) => {
  const { only } = settingsOf(await readOnly(text)).run

  expect(ruleIds.filter((id) => isSelected(only, id))).toEqual(selected)
})

test('RUN_ONLY keeps its globs as given, without duplicates, and reports each unmatched one', async () => {
  expect(settingsOf(await readOnly('quota/*, *,quota/*')).run.only).toEqual(['quota/*', '*'])
  expect(issuesOf(await readOnly('a,quota/*,b')).map(({ given }) => given)).toEqual(['a', 'b'])
})

test.each([
  ['did you mean authentication/*?', ['authentication', 'authentification/*']],
  ['did you mean authentication/api-key-missing?', ['authentication/api-key-mising']],
  ['quota/exhausted', ['quota/exhauste', 'quota/exhausted.', 'quota?exhausted', 'QUOTA/EXHAUSTED']],
  ['did you mean fuzz/*?', ['fuz/*', 'fuzz/']],
  ['the command rules lists all rules', ['nonsense', 'nonsense/*', '*nonsense*', 'auth/api-key']],
])('RUN_ONLY suggests "%s" for the unmatched globs %j', async (suggested, texts) => {
  for (const text of texts)
    expect(issuesOf(await readOnly(text))).toEqual([mistake('RUN_ONLY', 'the id of a rule', text, suggested)])
})

test('RUN_ONLY with thousands of stars is matched quickly', async () => {
  expect(wrongSettings(await readOnly('*a'.repeat(5_000)))).toEqual(['RUN_ONLY'])
})
