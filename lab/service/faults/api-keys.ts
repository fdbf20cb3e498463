import { becomes, failure, page } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate, shipped } from './breaking.ts'
import { asText, ignoringAt, valuesOf, withoutInvisible } from './credential-values.ts'

const { accepts: loose, answers: answersInvalid } = valuesOf('x-api-key', 'authentication/api-key-invalid')
const { reads, accepts, answers } = valuesOf('x-api-key', 'fuzz/api-key')

/** Keys that are compared loosely, and other answers to invalid ones. */
const comparisons: readonly Fault[] = [
  shipped('api-key-compared-by-prefix'),
  loose('api-key-found-inside', 'A key counts as valid when it ends with a valid one.', (sent, key) =>
    sent.endsWith(key),
  ),
  loose(
    'api-key-may-be-truncated',
    'The beginning of a valid key is enough, beyond its first eight characters.',
    (sent, key) => sent.length > 8 && key.startsWith(sent),
  ),
  loose(
    'api-key-compared-by-first-eight',
    'Only the first eight characters of a key are compared.',
    (sent, key) => sent.slice(0, 8) === key.slice(0, 8),
  ),
  loose(
    'api-key-compared-by-length',
    'A key counts as valid when it is as long as a valid one.',
    (sent, key) => sent.length === key.length,
  ),
  loose(
    'api-key-letter-case-ignored',
    'Keys are compared without regard to letter case.',
    (sent, key) => sent.toLowerCase() === key.toLowerCase(),
  ),
  loose(
    'api-key-first-character-ignored',
    'The first character of a key may be any.',
    (sent, key) => sent.slice(1) === key.slice(1),
  ),
  loose(
    'api-key-middle-character-ignored',
    'The characters in the middle of a key may be any.',
    (sent, key) => withoutMiddle(sent) === withoutMiddle(key),
  ),
  loose(
    'api-key-last-character-ignored',
    'The last character of a key may be any.',
    (sent, key) => sent.length === key.length && sent.slice(0, -1) === key.slice(0, -1),
  ),
  loose(
    'api-key-order-of-characters-ignored',
    'A key counts as valid when it has the characters of a valid one, in any order.',
    (sent, key) => sorted(sent) === sorted(key),
  ),
  loose('api-key-any-accepted', 'Any key counts as valid.', () => true),
  loose(
    'api-key-secret-in-its-place',
    'The secret is accepted as the key.',
    (sent, _key, { secretKey }) => sent === secretKey,
  ),
  loose(
    'api-key-environment-ignored',
    'Only what follows the last underscore of a key is compared.',
    (sent, key) => afterUnderscore(sent) === afterUnderscore(key),
  ),
  beyondGate(
    loose(
      'api-key-nineteenth-character-ignored',
      'One character inside of a key, the nineteenth, may be any.',
      ignoringAt(18),
    ),
  ),
  answersInvalid(
    'invalid-api-key-of-right-length-customer-not-found',
    'An invalid key as long as a valid one is answered 401 and 1012, any other rightly.',
    { when: (sent) => sent.length === 32, change: becomes('1012') },
  ),
  {
    ...answersInvalid('overlong-api-key-fails', 'A key longer than a valid one is answered 500.', {
      when: (sent) => sent.length > 32,
      change: failure(500),
    }),
    rules: ['authentication/api-key-invalid', 'errors/documented-pairs'],
  },
]

/** Keys that are repaired before they are compared, or are never compared. */
const accepted: readonly Fault[] = [
  reads('api-key-quotes-stripped', 'Double quotes around a key are stripped.', (sent) =>
    sent.replaceAll(/^"|"$/g, ''),
  ),
  reads('api-key-white-space-inside-stripped', 'White space inside a key is stripped.', (sent) =>
    sent.replaceAll(/[ \t]/g, ''),
  ),
  reads('api-key-invisible-characters-stripped', 'Characters that show nothing are stripped.', (sent) =>
    withoutInvisible(asText(sent)),
  ),
  reads('api-key-broken-bytes-stripped', 'Bytes that are no UTF-8 are stripped off a key.', (sent) =>
    asText(sent).replaceAll('\uFFFD', ''),
  ),
  reads('api-key-zero-width-space-stripped', 'U+200B is stripped off a key, also inside.', (sent) =>
    asText(sent).replaceAll('\u200B', ''),
  ),
  accepts('api-key-null-taken-for-any', 'The key null is the first client.', (sent) => sent === 'null'),
  ...[
    reads('api-key-bearer-stripped', 'The word Bearer before a key is stripped.', (sent) =>
      sent.replace(/^Bearer +/i, ''),
    ),
    reads('api-key-percent-decoded', 'A key is percent-decoded before it is compared.', (sent) =>
      sent.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      ),
    ),
    reads('api-key-trailing-comma-stripped', 'A comma behind a key is stripped.', (sent) =>
      sent.replace(/,$/, ''),
    ),
    accepts(
      'api-key-doubled-characters-merged',
      'A character of a key counts once, however often it is repeated.',
      (sent, valid) => merged(sent) === merged(valid),
    ),
    accepts('api-key-asterisk-taken-for-any', 'The key * stands for any.', (sent) => sent === '*'),
    accepts('api-key-read-as-truth', 'The key true stands for any.', (sent) => sent === 'true'),
    accepts('api-key-taken-for-query', 'A key is put into a query as it is.', (sent) =>
      sent.endsWith("' or '1'='1"),
    ),
  ].map(beyondGate),
]

/** Keys that get an answer other than 401 and 1006. */
const answered: readonly Fault[] = [
  answers('api-key-with-quote-fails', 'A key with a single quote is answered 500.', {
    when: (sent) => sent.includes("'"),
    change: failure(500, 'unterminated quoted string'),
  }),
  answers('api-key-with-percent-sign-connection-closed', 'A key with a lone percent sign is not answered.', {
    when: (sent) => /%(?![0-9a-f]{2})/i.test(sent),
    change: { delivery: 'reset' },
  }),
  answers(
    'api-key-with-sign-invalid-input',
    'A key with anything but letters, digits and underscores is answered 400 and 1030.',
    { when: (sent) => /\W/.test(sent), change: becomes('1030') },
  ),
  answers('api-key-above-255-characters-fails', 'A key above 255 characters is answered 500.', {
    when: (sent) => sent.length > 255,
    change: failure(500, 'value too long for type character varying(255)'),
  }),
  answers('api-key-above-1000-characters-page', 'A key above 1,000 characters is answered 431 with a page.', {
    when: (sent) => sent.length > 1_000,
    change: page(431, 'Request Header Fields Too Large'),
  }),
  answers('api-key-beyond-ascii-fails', 'A key with bytes beyond ASCII is answered 500.', {
    when: (sent) => /[\x80-\xff]/.test(sent),
    change: failure(500),
  }),
  beyondGate(
    answers('api-key-with-backslash-fails', 'A key with a backslash is answered 500.', {
      when: (sent) => sent.includes('\\'),
      change: failure(500),
    }),
  ),
]

/** Wrong treatment of keys: of near misses, and of values that only generated ones reveal. */
export const apiKeyFaults: readonly Fault[] = [...comparisons, ...accepted, ...answered]

function withoutMiddle(key: string): string {
  const middle = key.length / 2
  return `${key.slice(0, middle - 1)}${key.slice(middle + 1)}`
}

function sorted(key: string): string {
  return Array.from(key).toSorted().join('')
}

function afterUnderscore(key: string): string {
  return key.slice(key.lastIndexOf('_') + 1)
}

function merged(text: string): string {
  return text.replaceAll(/(.)\1+/g, '$1')
}
