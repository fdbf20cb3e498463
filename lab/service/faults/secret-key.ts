import { becomes, failure, onAnswer, onRefusal } from '../../../lib/serve/reference/bending.ts'
import { everyClient, type Client } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { shipped } from './shipped.ts'

/** A fault in comparing secrets. */
function comparing(name: string, about: string, matches: (sent: string, client: Client) => boolean): Fault {
  return {
    name,
    about,
    rules: ['authentication/secret-key-invalid'],
    bend: () => ({ secretMatches: matches }),
  }
}

/** Secrets that are compared loosely. */
const comparisons: readonly Fault[] = [
  comparing(
    'secret-key-compared-by-prefix',
    'A secret counts as valid when it begins with the valid one.',
    (sent, { secretKey }) => sent.startsWith(secretKey),
  ),
  comparing(
    'secret-key-may-be-truncated',
    'The first half of the secret, or more of it, is enough.',
    (sent, { secretKey }) => sent.length >= secretKey.length / 2 && secretKey.startsWith(sent),
  ),
  comparing(
    'secret-key-compared-by-first-eight',
    'Only the first eight characters of a secret are compared.',
    (sent, { secretKey }) => sent.slice(0, 8) === secretKey.slice(0, 8),
  ),
  comparing(
    'secret-key-compared-by-last-eight',
    'Only the last eight characters of a secret are compared.',
    (sent, { secretKey }) => sent.slice(-8) === secretKey.slice(-8),
  ),
  comparing(
    'secret-key-compared-by-length',
    'A secret counts as valid when it is as long as the valid one.',
    (sent, { secretKey }) => sent.length === secretKey.length,
  ),
  comparing(
    'secret-key-letter-case-ignored',
    'Secrets are compared without regard to letter case.',
    (sent, { secretKey }) => sent.toLowerCase() === secretKey.toLowerCase(),
  ),
  comparing(
    'secret-key-last-character-ignored',
    'The last character of a secret may be any.',
    (sent, { secretKey }) => sent.length === secretKey.length && sent.slice(0, -1) === secretKey.slice(0, -1),
  ),
  comparing(
    'secret-key-checksum-compared',
    'A sum over the characters of a secret is compared, so that two neighbours may be exchanged.',
    (sent, { secretKey }) => sum(sent) === sum(secretKey),
  ),
  comparing(
    'secret-key-of-any-client-accepted',
    'The secret of any client goes with the key of any other.',
    (sent) => everyClient.some(({ secretKey }) => secretKey === sent),
  ),
  comparing(
    'secret-key-of-first-client-opens-second',
    "The permitted client's secret goes with the second client's key, and not the other way round.",
    (sent, { name }) => name === 'second' && sent === everyClient[0]?.secretKey,
  ),
  comparing(
    'secret-key-of-second-client-letter-case-ignored',
    "Only the second client's secret is compared without regard to letter case.",
    (sent, { name, secretKey }) => name === 'second' && sent.toLowerCase() === secretKey.toLowerCase(),
  ),
  comparing(
    'secret-key-of-second-client-compared-by-prefix',
    "Only the second client's secret may be followed by more.",
    (sent, { name, secretKey }) => name === 'second' && sent.startsWith(secretKey),
  ),
  shipped('secret-key-any-accepted'),
  comparing(
    'secret-key-api-key-in-its-place',
    'The API key is accepted as the secret.',
    (sent, { apiKey }) => sent === apiKey,
  ),
]

/** Wrong answers to an invalid secret, and wrong comparisons of it. */
export const secretKeyFaults: readonly Fault[] = [
  ...comparisons,
  {
    name: 'invalid-secret-key-api-key-blamed',
    about: 'An invalid secret is answered 401 and 1006.',
    rules: ['authentication/secret-key-invalid'],
    bend: () => onRefusal('1007', becomes('1006')),
  },
  {
    name: 'invalid-secret-key-customer-not-found',
    about: 'An invalid secret is answered 401 and 1012.',
    rules: ['authentication/secret-key-invalid'],
    bend: () => onRefusal('1007', becomes('1012')),
  },
  shipped('invalid-secret-key-bad-request'),
  {
    name: 'truncated-secret-key-fails',
    about:
      'A secret shorter than the valid one is answered 500, as by a comparison that wants equal lengths.',
    rules: ['authentication/secret-key-invalid', 'errors/documented-pairs'],
    bend: () =>
      onAnswer(
        ({ refusal }, { headers }) => refusal === '1007' && String(headers['x-secret-key']).length < 40,
        failure(500),
      ),
  },
]

function sum(text: string): number {
  return Array.from(text).reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0)
}
