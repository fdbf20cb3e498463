import { expect, test } from 'vitest'

import { describeIssues } from './issue.ts'
import { issuesOf, read, secretKey } from './testing/read.ts'

test('a mistake is a block that names setting, flag, what was given, what is expected, and a hint', async () => {
  const env = {
    TARGET_BASE_URL: 'staging.example',
    TARGET_SECRET_KEY: `${secretKey}\n`,
    RUN_SEED: 'abc',
    RUN_SEDE: '1',
  }
  const text = describeIssues(issuesOf(await read(env)))

  expect(text).toBe(`5 mistakes in the settings; nothing was sent.

RUN_SEDE
  given     a value, not shown since it may be a credential
  expected  the name of a setting; there is none of this name, so its value would be ignored
  hint      did you mean RUN_SEED?

TARGET_BASE_URL (--base-url)
  given     staging.example
  expected  an absolute URL that begins with https:// or http://, or embedded
  hint      did you mean https://staging.example?

TARGET_SECRET_KEY (environment or .env)
  given     a value of 21 characters with a line break at position 21
  expected  a value without line breaks
  hint      a secret read from a file often ends in a line break; paste the value alone

TARGET_API_KEY (environment or .env)
  given     nothing
  expected  the API key of a client that may use the endpoint
  hint      set TARGET_API_KEY in the environment or in .env; it has no flag, since flags show in the process list

RUN_SEED (--seed)
  given     abc
  expected  a whole number from 0 to 2147483647, written in digits only
`)
})

test('the headline says what was done so far', () => {
  const mistake = { setting: '--ci', given: 'x', expected: 'a pipeline', hint: null }

  expect(describeIssues([mistake], 'nothing was written')).toMatch(
    /^One mistake in the settings; nothing was written\.\n/,
  )
})

test('one mistake is one', () => {
  const mistake = { setting: '--settings-file', given: 'x.env', expected: 'a file', hint: null }

  expect(describeIssues([mistake])).toBe(
    'One mistake in the settings; nothing was sent.\n\n--settings-file\n  given     x.env\n  expected  a file\n',
  )
})
