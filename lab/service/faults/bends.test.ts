import { expect, it, onTestFinished } from 'vitest'
import { clients, type ReferenceClient } from '../../../lib/serve/reference/clients.ts'
import { connect, headersOf, outcome, type Question } from '../../../lib/serve/reference/testing/ask.ts'
import { startService } from '../start.ts'

const { permitted, second, exhausted, unauthorized, noCustomer } = clients
const { apiKey, secretKey } = permitted
const path = '/api/customizations/list'
const softHyphen = '\xc2\xad'

/** The valid request of this client, with these additional fields. */
function as(client: ReferenceClient, ...more: readonly string[]): Question {
  return { headers: [...headersOf(client), ...more] }
}

const withKeys = (...values: string[]) => values.map((value) => as({ ...permitted, apiKey: value }))
const withSecrets = (...values: string[]) => values.map((value) => as({ ...permitted, secretKey: value }))
const withVersions = (...values: (bigint | string)[]) =>
  values.map((value) => ({ headers: headersOf(permitted, String(value)) }))
const plain = (target: string, ...headers: string[]): Question => ({ target, headers })

const rest = ['x-secret-key', secretKey, 'x-version', '1']
const unsupported = withVersions('2147483647')
const [nearKeys, dressedKeys] = [
  withKeys(`${apiKey}0`, apiKey.slice(0, -1), apiKey.toLowerCase(), apiKey),
  withKeys(`"${apiKey}"`, `Bearer ${apiKey}`, `${apiKey},`, apiKey),
]
const hyphened = [...withKeys(apiKey + softHyphen), ...withSecrets(secretKey + softHyphen)]
const cutSecrets = withSecrets(
  secretKey.slice(1),
  secretKey.slice(0, -1),
  secretKey.slice(0, 9) + secretKey.slice(10),
)
const wrapped = withVersions(2n ** 32n + 1n, 2n ** 64n + 1n, 2n ** 32n + 2n)
const blankAndAbsent = [...withSecrets(''), { headers: headersOf(permitted).toSpliced(2, 2) }]
const encodedAndPlain = [plain('/api/customizations/lis%74'), plain(path)]
const ids = ['a', 'b', 'a'].map((id) => as(permitted, 'x-request-id', id))
const looseAndWrong = [as({ apiKey: `${apiKey}0`, secretKey: secretKey.toUpperCase() }), ...withKeys('wrong')]
const eight = Array.from({ length: 8 }, () => as(permitted))
const aroundSuccess = [as(unauthorized), as(permitted), as(unauthorized), ...withSecrets('wrong')]
const aroundExhausted = [as(permitted), as(exhausted), as(permitted), as(permitted)]
const sixfold = Array.from({ length: 6 }, () => as(exhausted))
const keyless = [plain(path, ...rest.with(1, 'wrong')), plain(path, ...rest)]
const eightServed = eight.map(() => '200/-').join(' ')
const crossed = [
  as({ ...second, secretKey }),
  ...withSecrets(second.secretKey),
  as({ ...second, secretKey: 'wrong' }),
]
const byOtherNames = [
  ['x-api-key2', apiKey, ...rest],
  ['x-api-key', 'wrong', 'x-api-key2', apiKey, ...rest],
  rest,
]

// The judge of the lab proves that each fault is found. These tests prove that it changes the service in only
// one way.
it.each<readonly [string | readonly string[], string, readonly Question[]]>([
  ['api-key-compared-by-prefix', '200/- 401/1006 401/1006 200/-', nearKeys],
  ['api-key-may-be-truncated', '401/1006 200/- 401/1006 200/-', nearKeys],
  ['api-key-letter-case-ignored', '401/1006 401/1006 200/- 200/-', nearKeys],
  ['api-key-quotes-stripped', '200/- 401/1006 401/1006 200/-', dressedKeys],
  ['api-key-bearer-stripped', '401/1006 200/- 401/1006 200/-', dressedKeys],
  ['api-key-trailing-comma-stripped', '401/1006 401/1006 200/- 200/-', dressedKeys],
  ['api-key-invisible-characters-stripped', '200/- 401/1007', hyphened],
  ['secret-key-prepared-as-password', '401/1006 200/-', hyphened],
  ['secret-key-forgives-missing-character', '401/1007 401/1007 200/-', cutSecrets],
  ['secret-key-of-first-client-opens-second', '200/- 401/1007 401/1007', crossed],
  ['blank-secret-key-accepted', '200/- 400/1002', blankAndAbsent],
  ['version-wraps-at-32-bits', '200/- 200/- 400/1010', wrapped],
  ['version-wraps-at-64-bits', '400/1010 200/- 400/1010', wrapped],
  ['version-sticks-to-connection', '200/- 200/-', [as(permitted), ...unsupported]],
  ['version-sticks-to-connection', '400/1010 400/1010', [...unsupported, as(permitted)]],
  ['cookie-skips-authentication', '200/- 400/1001', [plain(path, 'cookie', 'a=b'), plain(path)]],
  ['trailing-slash-skips-authentication', '200/- 400/1001', [plain(`${path}/`), plain(path)]],
  ['encoded-path-skips-authentication', '200/- 400/1001', encodedAndPlain],
  ['names-compared-by-prefix', '200/- 401/1006 400/1001', byOtherNames.map((headers) => ({ headers }))],
  ['known-request-id-conflicts', '200/- 200/- 409/- 200/-', [...ids, as(permitted)]],
  ['cached-success-for-unauthorized-client', '401/1013 200/- 200/- 401/1007', aroundSuccess],
  ['connection-stays-authenticated', '401/1006 200/- 200/-', withKeys('x', apiKey, 'x')],
  ['exhausted-client-served-every-third-time', '429/1020 429/1020 200/- 429/1020 429/1020 200/-', sixfold],
  ['quota-shared-for-a-moment', '200/- 429/1020 429/1020 200/-', aroundExhausted],
  ['status-of-one-flaw-with-code-of-another', '400/1007 400/1001', keyless],
  ['invalid-api-key-connection-closed', 'SocketError 200/-', withKeys('wrong', apiKey)],
  ['no-customer-body-cut', 'SocketError', [as(noCustomer)]],
  [
    ['api-key-compared-by-prefix', 'secret-key-letter-case-ignored', 'every-error-under-400'],
    '200/- 400/1006',
    looseAndWrong,
  ],
  // Each service starts with a fresh state.
  ['list-fails-every-ninth-time', eightServed, eight],
  ['list-fails-every-ninth-time', `${eightServed} 500/-`, [...eight, as(permitted)]],
])('a service with %s answers %s', async (faults, answers, questions) => {
  const service = await startService({ faults: [faults].flat() })
  onTestFinished(() => service.close())
  const connection = connect(service)
  onTestFinished(() => connection.close())
  const found: string[] = []
  for (const question of questions) found.push(outcome(await connection.ask(question)))

  expect(found.join(' ')).toBe(answers)
})
