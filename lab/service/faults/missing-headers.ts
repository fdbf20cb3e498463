import { becomes, failure, isAbsent, onRefusal } from '../../../lib/serve/reference/bending.ts'
import { withField } from '../../../lib/serve/reference/call.ts'
import { everyClient } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { shipped } from './shipped.ts'

/** Wrong answers to a request without the key. */
const apiKey: readonly Fault[] = [
  shipped('missing-api-key-called-invalid'),
  shipped('missing-api-key-unauthorized'),
  {
    name: 'missing-api-key-code-is-a-number',
    about: 'A missing key is answered 400 with the code as a number.',
    rules: ['authentication/api-key-missing', 'errors/body-shape'],
    bend: () => onRefusal('1001', ({ payload }) => ({ payload: { ...payload, error_code: 1001 } })),
  },
  {
    name: 'missing-api-key-found-by-secret',
    about: 'Without a key the client is found by its secret, and served.',
    rules: ['authentication/api-key-missing'],
    bend: () => ({
      see(call) {
        const owner = everyClient.find(({ secretKey }) => secretKey === call.headers['x-secret-key'])
        return isAbsent(call, 'x-api-key') ? withField(call, 'x-api-key', owner?.apiKey) : call
      },
    }),
  },
  shipped('missing-api-key-secret-named'),
]

/** Wrong answers to a request without the secret. */
const secretKey: readonly Fault[] = [
  {
    name: 'missing-secret-key-called-invalid',
    about: 'A missing secret is answered 401 and 1007.',
    rules: ['authentication/secret-key-missing'],
    bend: () => onRefusal('1002', becomes('1007')),
  },
  {
    name: 'missing-secret-key-served',
    about: 'The secret is compared only where one is sent.',
    rules: ['authentication/secret-key-missing'],
    bend: () => ({
      skips: (check, call) =>
        isAbsent(call, 'x-secret-key') && (check === 'secret-key-present' || check === 'secret-key-valid'),
    }),
  },
  {
    name: 'missing-secret-key-unauthorized',
    about: 'A missing secret is answered 401, with the right code.',
    rules: ['authentication/secret-key-missing', 'errors/documented-pairs'],
    bend: () => onRefusal('1002', { status: 401 }),
  },
  {
    name: 'missing-secret-key-api-key-named',
    about: 'A missing secret is answered 400 and 1001.',
    rules: ['authentication/secret-key-missing'],
    bend: () => onRefusal('1002', becomes('1001')),
  },
  shipped('missing-secret-key-fails'),
]

/** Wrong answers to a request without the version. */
const version: readonly Fault[] = [
  shipped('missing-version-defaults-to-one'),
  {
    name: 'missing-version-endpoint-not-found',
    about: 'A missing version is answered 400 and 1010.',
    rules: ['versioning/version-missing'],
    bend: () => onRefusal('1003', becomes('1010')),
  },
  {
    name: 'missing-version-invalid-input',
    about: 'A missing version is answered 400 and 1030.',
    rules: ['versioning/version-missing'],
    bend: () => onRefusal('1003', becomes('1030')),
  },
  {
    name: 'missing-version-unprocessable',
    about: 'A missing version is answered 422, with the right code.',
    rules: ['versioning/version-missing', 'errors/documented-pairs'],
    bend: () => onRefusal('1003', { status: 422 }),
  },
  {
    name: 'missing-version-fails',
    about: 'A missing version is answered 500.',
    rules: ['versioning/version-missing', 'errors/documented-pairs'],
    bend: () => onRefusal('1003', failure(500)),
  },
]

/** Wrong answers to requests that lack one of the three headers. */
export const missingHeaderFaults: readonly Fault[] = [...apiKey, ...secretKey, ...version]
