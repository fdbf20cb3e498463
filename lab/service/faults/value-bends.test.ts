import { expect, it } from 'vitest'
import { headersOf, type Question } from '../../../lib/serve/reference/testing/ask.ts'
import { clients } from '../../../lib/serve/reference/clients.ts'
import { outcomes } from '../testing/outcomes.ts'

const { permitted } = clients

function withKey(apiKey: string): Question {
  return { headers: headersOf({ ...permitted, apiKey }) }
}

function withSecret(secretKey: string): Question {
  return { headers: headersOf({ ...permitted, secretKey }) }
}

function withVersion(version: string): Question {
  return { headers: headersOf(permitted, version) }
}

it('undresses a key in one way only', async () => {
  const { apiKey } = permitted
  const sent = [withKey(`"${apiKey}"`), withKey(`Bearer ${apiKey}`), withKey(`${apiKey},`), {}]

  expect(await outcomes('api-key-quotes-stripped', ...sent)).toBe('200/- 401/1006 401/1006 200/-')
  expect(await outcomes('api-key-bearer-stripped', ...sent)).toBe('401/1006 200/- 401/1006 200/-')
  expect(await outcomes('api-key-trailing-comma-stripped', ...sent)).toBe('401/1006 401/1006 200/- 200/-')
})

it('reads the bytes of a credential as UTF-8', async () => {
  const softHyphen = '\xc2\xad'
  const { apiKey, secretKey } = permitted
  const sent = [withKey(apiKey + softHyphen), withSecret(secretKey + softHyphen)]

  expect(await outcomes('api-key-invisible-characters-stripped', ...sent)).toBe('200/- 401/1007')
  expect(await outcomes('secret-key-prepared-as-password', ...sent)).toBe('401/1006 200/-')
})

it('forgives a missing character inside of a secret, and nowhere else', async () => {
  const { secretKey } = permitted
  const cut = [secretKey.slice(1), secretKey.slice(0, -1), secretKey.slice(0, 9) + secretKey.slice(10)]

  expect(await outcomes('secret-key-forgives-missing-character', ...cut.map(withSecret))).toBe(
    '401/1007 401/1007 200/-',
  )
})

it('wraps versions at the size that it says', async () => {
  const sent = [2n ** 32n + 1n, 2n ** 64n + 1n, 2n ** 32n + 2n].map((version) => withVersion(String(version)))

  expect(await outcomes('version-wraps-at-32-bits', ...sent)).toBe('200/- 200/- 400/1010')
  expect(await outcomes('version-wraps-at-64-bits', ...sent)).toBe('400/1010 200/- 400/1010')
})

it('opens an undecoded path to everybody, and the list itself to nobody', async () => {
  const sent = ['lis%74', 'list'].map((last) => ({ target: `/api/customizations/${last}`, headers: [] }))

  expect(await outcomes('encoded-path-skips-authentication', ...sent)).toBe('200/- 400/1001')
})

it('knows request ids of its own requests only', async () => {
  const sent = ['a', 'b', 'a'].map((id) => ({ headers: [...headersOf(permitted), 'x-request-id', id] }))

  expect(await outcomes('known-request-id-conflicts', ...sent, {})).toBe('200/- 200/- 409/- 200/-')
})

it('finds headers under other names where the required one is absent', async () => {
  const { apiKey, secretKey } = permitted
  const rest = ['x-secret-key', secretKey, 'x-version', '1']
  const sent = [['x-api-key2', apiKey, ...rest], ['x-api-key', 'wrong', 'x-api-key2', apiKey, ...rest], rest]

  expect(await outcomes('names-compared-by-prefix', ...sent.map((headers) => ({ headers })))).toBe(
    '200/- 401/1006 400/1001',
  )
})

it('blames both of two flaws in one error', async () => {
  const { secretKey } = permitted
  const wrong = ['x-secret-key', 'wrong', 'x-version', '1']
  const sent = [wrong, wrong.with(1, secretKey)].map((headers) => ({ headers }))

  expect(await outcomes('status-of-one-flaw-with-code-of-another', ...sent)).toBe('400/1007 400/1001')
})
