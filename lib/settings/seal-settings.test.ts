import { inspect } from 'node:util'

import { expect, test } from 'vitest'

import type { Secret } from '../http/secret.ts'
import { clientTable } from './clients.ts'
import { credentialsOf, sealSettings, unsealSettings, type SealedSettings } from './seal-settings.ts'
import { apiKey, read, secretKey, settingsOf, target } from './testing/read.ts'

type Holds<Value> = Value extends Secret
  ? true
  : Value extends object
    ? { [Key in keyof Value]-?: Holds<Value[Key]> }[keyof Value]
    : false

// Does not compile once sealed settings hold a Secret anywhere.
const sealedHoldsSecret: true extends Holds<SealedSettings> ? 'yes' : 'no' = 'no'

const everyClient = Object.fromEntries(
  clientTable.flatMap((entry) => [
    [entry.apiKey, `${entry.name}-key-e5c1`],
    [entry.secretKey, `${entry.name}-secret-e5c1`],
  ]),
)

test('settings cross a structured clone and come back whole', async () => {
  const settings = settingsOf(await read({ ...target, ...everyClient, TARGET_LABEL: 'vendor' }))
  const back = unsealSettings(structuredClone(sealSettings(settings)))

  expect(sealedHoldsSecret).toBe('no')
  expect(back).toEqual(settings)
  expect(
    credentialsOf(back).map(({ name, apiKey: key, secretKey: secret }) => [
      name,
      key.name,
      key.reveal(),
      secret.name,
      secret.reveal(),
    ]),
  ).toEqual(
    clientTable.map((entry) => [
      entry.name,
      entry.apiKey,
      `${entry.name}-key-e5c1`,
      entry.secretKey,
      `${entry.name}-secret-e5c1`,
    ]),
  )
})

test('clients that are not configured stay away', async () => {
  const settings = settingsOf(await read(target))

  expect(unsealSettings(structuredClone(sealSettings(settings)))).toEqual(settings)
  expect(credentialsOf(settings).map(({ name }) => name)).toEqual(['target'])
  expect(credentialsOf(settingsOf(await read({ TARGET_BASE_URL: 'embedded' })))).toEqual([])
})

test('settings show no credential, however they are printed', async () => {
  const settings = settingsOf(await read(target))
  const texts = [JSON.stringify(settings), inspect(settings, { depth: null, showHidden: true })]

  for (const text of texts) {
    expect(text).not.toContain(apiKey)
    expect(text).not.toContain(secretKey)
  }
})
