import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { importOpenApi } from '../../../lib/settings/openapi/import-openapi.ts'
import type { ServedEndpoint } from '../../../lib/serve/reference/described.ts'
import { startService } from '../start.ts'
import { outcome } from '../../../lib/serve/reference/testing/ask.ts'
import { describedInputFaults } from './described-input-faults.ts'

const document = new URL('../../../docs/examples/cards.openapi.yaml', import.meta.url)
const endpoints: readonly ServedEndpoint[] = JSON.parse(importOpenApi(readFileSync(document, 'utf8')).text)

/** Of each fault what is posted as a card (or a path to get), what a straight service says of it, and what a bent one. */
const probes: Readonly<Record<string, readonly [sent: string | object, straight: string, bent: string]>> = {
  'card-limit-above-maximum-accepted': [{ holder: 'Ada', limit: 10_001 }, '400/1030', '200/-'],
  'card-limit-at-minimum-refused': [{ holder: 'Ada', limit: 0 }, '200/-', '400/1030'],
  'card-limit-read-from-text': [{ holder: 'Ada', limit: '7' }, '400/1030', '200/-'],
  'card-without-holder-accepted': [{ limit: 7 }, '400/1030', '200/-'],
  'card-of-any-status-accepted': [{ holder: 'Ada', limit: 7, status: 'zz' }, '400/1030', '200/-'],
  'card-not-checked-at-all': ['', '400/1030', '200/-'],
  'card-holder-counted-in-bytes': [{ holder: 'é', limit: 7 }, '400/1030', '200/-'],
  'empty-body-fails': ['', '400/1030', '500/-'],
  'broken-body-fails': ['{{}', '400/1030', '500/-'],
  'card-with-empty-list-fails': [{ holder: 'Ada', limit: 7, tags: [] }, '200/-', '500/-'],
  'card-with-null-accepted': [{ holder: 'Ada', limit: 7, tags: null }, '400/1030', '200/-'],
  'card-address-not-checked': [{ holder: 'Ada', limit: 7, address: {} }, '400/1030', '200/-'],
  'card-in-path-not-checked': ['/api/cards/zz/limits/year', '400/1030', '200/-'],
}

async function answered(faults: readonly string[], sent: string | object): Promise<string> {
  const service = await startService({ faults, endpoints })
  const { apiKey, secretKey } = service.clients.permitted
  const isPath = typeof sent === 'string' && sent.startsWith('/')
  const response = await fetch(`${service.baseUrl}${isPath ? sent : '/api/cards'}`, {
    method: isPath ? 'GET' : 'POST',
    headers: {
      'x-api-key': apiKey,
      'x-secret-key': secretKey,
      'x-version': '1',
      'content-type': 'application/json',
    },
    ...(isPath ? {} : { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
  })
  const body = await response.text()
  await service.close()
  return outcome({ status: response.status, reason: '', headers: {}, body, trouble: null })
}

it.each(describedInputFaults.map(({ name }) => name))('%s shows', async (name) => {
  const [sent = '', straight, bent] = probes[name] ?? []

  expect([await answered([], sent), await answered([name], sent)]).toEqual([straight, bent])
})
