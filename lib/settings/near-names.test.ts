import { describe, expect, test } from 'vitest'

import { settingMeantBy, settingTable } from './setting-table.ts'
import { issuesOf, read, settingsOf, target, temporaryFolder } from './testing/read.ts'

test.each([
  ['TARGET_BASE_ULR', 'TARGET_BASE_URL'],
  ['TARGET_BASEURL', 'TARGET_BASE_URL'],
  ['TARGET_BASE_URI', 'TARGET_BASE_URL'],
  ['TARGET_APIKEY', 'TARGET_API_KEY'],
  ['TARGET_SECRETKEY', 'TARGET_SECRET_KEY'],
  ['TARGET_VERSON', 'TARGET_VERSION'],
  ['RUN_PROFLIE', 'RUN_PROFILE'],
  ['RUN_STRCT', 'RUN_STRICT'],
  ['RUN_ONYL', 'RUN_ONLY'],
  ['RUN_SEEDS', 'RUN_SEED'],
  ['RUN_WAVIER', 'RUN_WAIVERS'],
  ['RUN_MAX_REQUEST', 'RUN_MAX_REQUESTS'],
  ['RUN_MAXREQUEST', 'RUN_MAX_REQUESTS'],
  ['FIXTURE_SECOND_APIKEY', 'FIXTURE_SECOND_API_KEY'],
  ['FIXTURE_UNAUTHORISED_API_KEY', 'FIXTURE_UNAUTHORIZED_API_KEY'],
  ['FIXTURE_NOCUSTOMER_SECRETKEY', 'FIXTURE_NO_CUSTOMER_SECRET_KEY'],
  ['target_base_url', 'TARGET_BASE_URL'],
  ['Run_Seed', 'RUN_SEED'],
])('%s means %s', (name, setting) => {
  expect(settingMeantBy(name)).toBe(setting)
})

const honestNames = `
  RUN_ID RUN_NUMBER RUN_ATTEMPT RUN_URL RUN_MODE RUN_ENV RUN_NAME RUN_TESTS RUN_ALL RUN_SCRIPT RUN_START RUN_SUITE
  RUN_ONCE RUN_LABEL RUN_USER RUN_FILE RUN_DATE RUN_AS RUN_FROM RUN_LOCAL RUN_SHELL RUN_E2E RUN_LINT RUN_TIMEOUT
  RUN_QUEUE RUN_TAGS RUN_ARGS RUN_CONFIG RUN_PIPELINE RUN_STAGE RUN_DETAILS RUN_LIST RUN_MAIN RUN_NODE RUNNER_OS
  TARGET_ENV TARGET_BRANCH TARGET_URL TARGET_HOST TARGET_LEVEL TARGET_ARCH TARGET_REGION TARGET_KEY TARGET_NAME
  TARGET_OS TARGET_PLATFORM TARGET_DIR TARGET_STAGE TARGET_CLUSTER TARGETS
  FIXTURE_DIR FIXTURE_PATH FIXTURES BASE_URL API_KEY HTTP_PROXY https_proxy`

test.each(honestNames.trim().split(/\s+/))('%s is left alone', (name) => {
  expect(settingMeantBy(name)).toBeNull()
})

test('no setting is taken for another', () => {
  for (const { name } of settingTable) {
    expect(settingMeantBy(name)).toBeNull()
  }
})

describe('in the sources', () => {
  test('a misspelt name is a mistake without its value', async () => {
    const result = await read({
      ...target,
      TARGET_SECRETKEY: 'also-a-secret-9',
      TARGET_LABEL: 'also-a-secret-9',
    })

    expect(issuesOf(result)).toEqual([
      {
        setting: 'TARGET_SECRETKEY',
        given: null,
        expected: expect.any(String),
        hint: 'did you mean TARGET_SECRET_KEY?',
      },
      expect.objectContaining({ setting: 'TARGET_LABEL' }),
    ])
    expect(JSON.stringify(result)).not.toContain('also-a-secret-9')
  })

  test('it is one in the env file too, and said once', async () => {
    const cwd = temporaryFolder({ '.env': 'RUN_SEDE=4\n' })

    expect(issuesOf(await read({ ...target, RUN_SEDE: '5' }, { cwd })).length).toBe(1)
    expect(issuesOf(await read(target, { cwd })).length).toBe(1)
  })

  test('an empty one loses nothing and is no mistake', async () => {
    expect(settingsOf(await read({ ...target, RUN_SEDE: '' })).run.seed).toBe(20260101)
  })
})
