import * as fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { finderOf } from '../../../tests/leaks/finder.ts'
import { spellings } from '../../../tests/leaks/spellings.ts'
import type { Redactor } from '../../redact/redact.ts'
import { settingTable } from '../../settings/setting-table.ts'
import { read, settingsOf } from '../../settings/testing/read.ts'
import { specCatalogue } from '../../specification/catalogue.ts'
import { redactorOf } from './model-of-settings.ts'

const baseUrl = 'https://staging.acme.example/cards'
const secretKey = 'sk_51HzYq8Lk2mW'
const label = 'Acme, build 7'

async function redactorWith(apiKey: string): Promise<Redactor> {
  const env = {
    TARGET_BASE_URL: baseUrl,
    TARGET_API_KEY: apiKey,
    TARGET_SECRET_KEY: secretKey,
    TARGET_LABEL: label,
  }
  return redactorOf(settingsOf(await read(env, { flags: { RUN_TIMEOUT_MS: '2000' } })))
}

const names = settingTable.map(({ name }) => name)
const says = [...specCatalogue.values()].map((rule) => rule.says)
const allTexts = [...says, ...names, baseUrl].map((text) => text.toLowerCase()).join('\n')
const words = [...new Set(allTexts.match(/[a-z\d]+/g))]
const curl = `curl --http1.1 --path-as-is --globoff -sSi -H "x-api-key: $TARGET_API_KEY" -H "x-secret-key: $TARGET_SECRET_KEY" -H 'x-version: 1' -H 'accept: application/json' -H 'user-agent: card-switch-conformance/1.0.0' '${baseUrl}/api/customizations/list'`
const sentences = [
  curl,
  'answered 401 / 1012 where 401 / 1006 is documented; sent: x-api-key with x after character 15',
  'answered 200 with JSON where 400 / 1001 is documented, or the client of FIXTURE_INACTIVE_API_KEY is not such a client',
  'a plain valid request did not succeed either (see endpoints/list-succeeds)',
  '{"error_code":"1006","error_message":"invalid api key"}',
  `${baseUrl}/api/customizations/list`,
  label,
]

const someWords = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 })
const separator = fc.constantFrom('-', '_', '.', '')
const unit = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789')
const random = fc.string({ unit, minLength: 1, maxLength: 4 })
/** Words of ours plus some characters, which together are not a word of ours. */
const credential = fc
  .tuple(someWords, separator, random)
  .map(([some, sign, more]) => [...some, more].join(sign))
  .filter((text) => text.length >= 6 && !allTexts.includes(text))

it('a credential of our words and a few characters is masked, and our own sentences stay as they are', async () => {
  const texts = fc.array(fc.constantFrom(...says), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(credential, texts, async (apiKey, some) => {
      const redactor = await redactorWith(apiKey)

      for (const text of [...sentences, ...some]) expect(redactor.redact(text)).toBe(text)
      expect(redactor.redact(`(${apiKey})`)).toBe('(<TARGET_API_KEY>)')
    }),
    { numRuns: 25 },
  )
})

/** Typical keys and secrets of staging systems, each with more than words of ours. */
const ordinary = [
  'my_api_key_1',
  'secret-key-123',
  'card-switch-test',
  'application-json-key',
  'error_code_1001',
  'list-endpoint',
  'documented-key-1',
]

test.for(ordinary)('%s is found in every spelling', async (apiKey) => {
  const redactor = await redactorWith(apiKey)
  const find = finderOf([apiKey])

  for (const sentence of sentences) expect(redactor.redact(sentence)).toBe(sentence)
  for (const [name, spell] of Object.entries(spellings))
    expect(find(Buffer.from(redactor.ofAnswer().redact(`nobody is ${spell(apiKey)}`))), name).toEqual([])
})
