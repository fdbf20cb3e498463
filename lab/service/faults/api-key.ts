import { becomes, failure, onAnswer, onRefusal } from '../../../lib/serve/reference/bending.ts'
import type { Client } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { shipped } from './shipped.ts'

/** A fault in comparing keys. */
function comparing(name: string, about: string, matches: (sent: string, client: Client) => boolean): Fault {
  return { name, about, rules: ['authentication/api-key-invalid'], bend: () => ({ keyMatches: matches }) }
}

/** Keys that are compared loosely. */
const comparisons: readonly Fault[] = [
  shipped('api-key-compared-by-prefix'),
  comparing(
    'api-key-found-inside',
    'A key counts as valid when it ends with a valid one.',
    (sent, { apiKey }) => sent.endsWith(apiKey),
  ),
  comparing(
    'api-key-may-be-truncated',
    'The beginning of a valid key is enough, beyond its first eight characters.',
    (sent, { apiKey }) => sent.length > 8 && apiKey.startsWith(sent),
  ),
  comparing(
    'api-key-compared-by-first-eight',
    'Only the first eight characters of a key are compared.',
    (sent, { apiKey }) => sent.slice(0, 8) === apiKey.slice(0, 8),
  ),
  comparing(
    'api-key-compared-by-length',
    'A key counts as valid when it is as long as a valid one.',
    (sent, { apiKey }) => sent.length === apiKey.length,
  ),
  comparing(
    'api-key-letter-case-ignored',
    'Keys are compared without regard to letter case.',
    (sent, { apiKey }) => sent.toLowerCase() === apiKey.toLowerCase(),
  ),
  comparing(
    'api-key-first-character-ignored',
    'The first character of a key may be any.',
    (sent, { apiKey }) => sent.slice(1) === apiKey.slice(1),
  ),
  comparing(
    'api-key-middle-character-ignored',
    'The characters in the middle of a key may be any.',
    (sent, { apiKey }) => withoutMiddle(sent) === withoutMiddle(apiKey),
  ),
  comparing(
    'api-key-last-character-ignored',
    'The last character of a key may be any.',
    (sent, { apiKey }) => sent.length === apiKey.length && sent.slice(0, -1) === apiKey.slice(0, -1),
  ),
  comparing(
    'api-key-order-of-characters-ignored',
    'A key counts as valid when it has the characters of a valid one, in any order.',
    (sent, { apiKey }) => sorted(sent) === sorted(apiKey),
  ),
  comparing('api-key-any-accepted', 'Any key counts as valid.', () => true),
  comparing(
    'api-key-secret-in-its-place',
    'The secret is accepted as the key.',
    (sent, { secretKey }) => sent === secretKey,
  ),
]

/** Wrong answers to an invalid key, and wrong comparisons of it. */
export const apiKeyFaults: readonly Fault[] = [
  ...comparisons,
  shipped('invalid-api-key-customer-not-found'),
  {
    name: 'invalid-api-key-secret-blamed',
    about: 'An invalid key is answered 401 and 1007.',
    rules: ['authentication/api-key-invalid'],
    bend: () => onRefusal('1006', becomes('1007')),
  },
  {
    name: 'invalid-api-key-unauthorized-endpoint',
    about: 'An invalid key is answered 401 and 1013.',
    rules: ['authentication/api-key-invalid'],
    bend: () => onRefusal('1006', becomes('1013')),
  },
  {
    name: 'invalid-api-key-forbidden',
    about: 'An invalid key is answered 403, with the right code.',
    rules: ['authentication/api-key-invalid', 'errors/documented-pairs'],
    bend: () => onRefusal('1006', { status: 403 }),
  },
  shipped('invalid-api-key-without-code'),
  {
    name: 'invalid-api-key-of-right-length-customer-not-found',
    about: 'An invalid key as long as a valid one is answered 401 and 1012, any other rightly.',
    rules: ['authentication/api-key-invalid'],
    bend: () =>
      onAnswer(
        ({ refusal }, { headers }) => refusal === '1006' && String(headers['x-api-key']).length === 32,
        becomes('1012'),
      ),
  },
  {
    name: 'overlong-api-key-fails',
    about: 'A key longer than a valid one is answered 500.',
    rules: ['authentication/api-key-invalid', 'errors/documented-pairs'],
    bend: () =>
      onAnswer(
        ({ refusal }, { headers }) => refusal === '1006' && String(headers['x-api-key']).length > 32,
        failure(500),
      ),
  },
  shipped('invalid-api-key-connection-closed'),
]

function withoutMiddle(key: string): string {
  const middle = key.length / 2
  return `${key.slice(0, middle - 1)}${key.slice(middle + 1)}`
}

function sorted(key: string): string {
  return Array.from(key).toSorted().join('')
}
