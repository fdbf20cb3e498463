import { expect, it } from 'vitest'
import { headersOf, type Question } from '../../../lib/serve/reference/testing/ask.ts'
import { clients } from '../../../lib/serve/reference/clients.ts'
import { outcomes } from '../testing/outcomes.ts'

const { permitted, second, exhausted, unauthorized } = clients
const path = '/api/customizations/list'

function withKey(apiKey: string): Question {
  return { headers: headersOf({ ...permitted, apiKey }) }
}

function withSecret(secretKey: string, client = permitted): Question {
  return { headers: headersOf({ ...client, secretKey }) }
}

it('compares loosely in one way only', async () => {
  const { apiKey } = permitted
  const sent = [withKey(`${apiKey}0`), withKey(apiKey.slice(0, -1)), withKey(apiKey.toLowerCase()), {}]

  expect(await outcomes('api-key-compared-by-prefix', ...sent)).toBe('200/- 401/1006 401/1006 200/-')
  expect(await outcomes('api-key-may-be-truncated', ...sent)).toBe('401/1006 200/- 401/1006 200/-')
  expect(await outcomes('api-key-letter-case-ignored', ...sent)).toBe('401/1006 401/1006 200/- 200/-')
})

it("opens one client with the other's secret in one direction", async () => {
  const name = 'secret-key-of-first-client-opens-second'
  const sent = [
    withSecret(permitted.secretKey, second),
    withSecret(second.secretKey),
    withSecret('wrong', second),
  ]

  expect(await outcomes(name, ...sent)).toBe('200/- 401/1007 401/1007')
})

it('accepts a blank secret and no absent one', async () => {
  const absent = { headers: headersOf(permitted).toSpliced(2, 2) }

  expect(await outcomes('blank-secret-key-accepted', withSecret(''), absent)).toBe('200/- 400/1002')
})

it('opens a side door to its own visitors only', async () => {
  const plain = { target: path, headers: [] }

  expect(await outcomes('cookie-skips-authentication', { ...plain, headers: ['cookie', 'a=b'] }, plain)).toBe(
    '200/- 400/1001',
  )
  expect(await outcomes('trailing-slash-skips-authentication', { ...plain, target: `${path}/` }, plain)).toBe(
    '200/- 400/1001',
  )
})

it('keeps a success for those that may not have it, and only after one', async () => {
  const refused = { headers: headersOf(unauthorized) }
  const name = 'cached-success-for-unauthorized-client'

  expect(await outcomes(name, refused, {}, refused, withSecret('wrong'))).toBe(
    '401/1013 200/- 200/- 401/1007',
  )
  expect(await outcomes('connection-stays-authenticated', withKey('x'), {}, withKey('x'))).toBe(
    '401/1006 200/- 200/-',
  )
})

it('lets a version stick to its connection', async () => {
  const unsupported = { headers: headersOf(permitted, '2147483647') }

  expect(await outcomes('version-sticks-to-connection', {}, unsupported)).toBe('200/- 200/-')
  expect(await outcomes('version-sticks-to-connection', unsupported, {})).toBe('400/1010 400/1010')
})

it('forgets the quota now and then', async () => {
  const name = 'exhausted-client-served-every-third-time'
  const sent = Array.from({ length: 6 }, () => ({ headers: headersOf(exhausted) }))

  expect(await outcomes(name, ...sent)).toBe('429/1020 429/1020 200/- 429/1020 429/1020 200/-')
})

it('shares a quota for a moment', async () => {
  const name = 'quota-shared-for-a-moment'

  expect(await outcomes(name, {}, { headers: headersOf(exhausted) }, {}, {})).toBe(
    '200/- 429/1020 429/1020 200/-',
  )
})

it('closes, cuts or leaves out an answer', async () => {
  expect(await outcomes('invalid-api-key-connection-closed', withKey('wrong'), {})).toBe('SocketError 200/-')
  expect(await outcomes('no-customer-body-cut', { headers: headersOf(clients.noCustomer) })).toBe(
    'SocketError',
  )
})

it('takes several faults at once', async () => {
  const both = ['api-key-compared-by-prefix', 'secret-key-letter-case-ignored', 'every-error-under-400']
  const key = `${permitted.apiKey}0`
  const loose = { headers: headersOf({ apiKey: key, secretKey: permitted.secretKey.toUpperCase() }) }

  expect(await outcomes(both, loose, withKey('wrong'))).toBe('200/- 400/1006')
})

it('starts every service with a state of its own', async () => {
  const sent = Array.from({ length: 8 }, () => ({}))
  const eight = sent.map(() => '200/-').join(' ')

  expect(await outcomes('list-fails-every-ninth-time', ...sent)).toBe(eight)
  expect(await outcomes('list-fails-every-ninth-time', ...sent, {})).toBe(`${eight} 500/-`)
})
