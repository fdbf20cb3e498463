import { becomes, failure, page } from '../../../lib/serve/reference/bending.ts'
import { everyClient } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate, shipped } from './breaking.ts'
import { asText, ignoringAt, valuesOf, withoutInvisible } from './credential-values.ts'

const { accepts: loose, answers: answersInvalid } = valuesOf(
  'x-secret-key',
  'authentication/secret-key-invalid',
)
const { reads, accepts, answers } = valuesOf('x-secret-key', 'fuzz/secret-key')

/** Secrets that are compared loosely, and other answers to invalid ones. */
const comparisons: readonly Fault[] = [
  loose(
    'secret-key-compared-by-prefix',
    'A secret counts as valid when it begins with the valid one.',
    (sent, secret) => sent.startsWith(secret),
  ),
  loose(
    'secret-key-may-be-truncated',
    'The first half of the secret, or more of it, is enough.',
    (sent, secret) => sent.length >= secret.length / 2 && secret.startsWith(sent),
  ),
  loose(
    'secret-key-compared-by-first-eight',
    'Only the first eight characters of a secret are compared.',
    (sent, secret) => sent.slice(0, 8) === secret.slice(0, 8),
  ),
  loose(
    'secret-key-compared-by-last-eight',
    'Only the last eight characters of a secret are compared.',
    (sent, secret) => sent.slice(-8) === secret.slice(-8),
  ),
  loose(
    'secret-key-compared-by-length',
    'A secret counts as valid when it is as long as the valid one.',
    (sent, secret) => sent.length === secret.length,
  ),
  loose(
    'secret-key-letter-case-ignored',
    'Secrets are compared without regard to letter case.',
    (sent, secret) => sent.toLowerCase() === secret.toLowerCase(),
  ),
  loose(
    'secret-key-last-character-ignored',
    'The last character of a secret may be any.',
    (sent, secret) => sent.length === secret.length && sent.slice(0, -1) === secret.slice(0, -1),
  ),
  loose(
    'secret-key-checksum-compared',
    'A sum over the characters of a secret is compared, so that two neighbours may be exchanged.',
    (sent, secret) => sum(sent) === sum(secret),
  ),
  loose(
    'secret-key-of-any-client-accepted',
    'The secret of any client goes with the key of any other.',
    (sent) => everyClient.some(({ secretKey }) => secretKey === sent),
  ),
  loose(
    'secret-key-of-first-client-opens-second',
    "The permitted client's secret goes with the second client's key, and not the other way round.",
    (sent, _secret, { name }) => name === 'second' && sent === everyClient[0]?.secretKey,
  ),
  loose(
    'secret-key-of-second-client-letter-case-ignored',
    "Only the second client's secret is compared without regard to letter case.",
    (sent, secret, { name }) => name === 'second' && sent.toLowerCase() === secret.toLowerCase(),
  ),
  loose(
    'secret-key-of-second-client-compared-by-prefix',
    "Only the second client's secret may be followed by more.",
    (sent, secret, { name }) => name === 'second' && sent.startsWith(secret),
  ),
  shipped('secret-key-any-accepted'),
  loose(
    'secret-key-api-key-in-its-place',
    'The API key is accepted as the secret.',
    (sent, _secret, { apiKey }) => sent === apiKey,
  ),
  loose('secret-key-first-character-ignored', 'The first character of a secret may be any.', ignoringAt(0)),
  loose(
    'secret-key-middle-character-ignored',
    'The character in the middle of a secret may be any.',
    ignoringAt(20),
  ),
  loose(
    'secret-key-last-two-characters-alike',
    'The last character of a secret may be missing, or any.',
    (sent, secret) => sent.slice(0, 39) === secret.slice(0, 39),
  ),
  loose(
    'secret-key-may-lack-first-character',
    'The first character of a secret may be missing.',
    (sent, secret) => sent.slice(-39) === secret.slice(-39),
  ),
  beyondGate(
    loose(
      'secret-key-thirtieth-character-ignored',
      'One character inside of a secret, the thirtieth, may be any.',
      ignoringAt(29),
    ),
  ),
  {
    ...answersInvalid(
      'truncated-secret-key-fails',
      'A secret shorter than the valid one is answered 500, as by a comparison that wants equal lengths.',
      { when: (sent) => sent.length < 40, change: failure(500) },
    ),
    rules: ['authentication/secret-key-invalid', 'errors/documented-pairs'],
  },
]

/** Secrets that are repaired before they are compared, or are never compared. */
const accepted: readonly Fault[] = [
  reads(
    'secret-key-prepared-as-password',
    'A secret is normalised as passwords are: compatibility forms folded, invisible characters stripped.',
    (sent) => withoutInvisible(asText(sent).normalize('NFKC')),
  ),
  reads('secret-key-beyond-ascii-stripped', 'Bytes beyond ASCII are stripped off a secret.', (sent) =>
    sent.replaceAll(/[\x80-\xff]/g, ''),
  ),
  reads('secret-key-with-caps-lock-accepted', 'A secret may have the case of every letter changed.', flipped),
  accepts(
    'secret-key-forgives-missing-character',
    'One character inside of a secret may be missing.',
    lacksOneInside,
  ),
  accepts(
    'secret-key-of-1000-characters-overflows',
    'A secret of 1,000 characters or more is taken for any client.',
    (sent) => sent.length >= 1_000,
  ),
  ...[
    reads('secret-key-base64-decoded', 'A secret may come in base64.', (sent) =>
      Buffer.from(sent, 'base64').toString('latin1'),
    ),
    reads('secret-key-accents-stripped', 'Accents on the letters of a secret are stripped.', (sent) =>
      asText(sent).normalize('NFD').replaceAll(/\p{M}/gu, ''),
    ),
    reads(
      'secret-key-read-up-to-semicolon',
      'What follows a semicolon in a secret is ignored.',
      (sent) => sent.split(';')[0] ?? '',
    ),
    reads(
      'secret-key-takes-further-condition',
      'A secret is put into a query as it is, and may be followed by another condition that holds.',
      (sent) => sent.replace(/' and '1'='1$/, ''),
    ),
    accepts(
      'secret-key-takes-operator',
      'A secret is parsed as JSON, and an operator in it compares it.',
      (sent) => sent === '{"$ne":null}',
    ),
  ].map(beyondGate),
]

/** Secrets that get an answer other than 401 and 1007. */
const answered: readonly Fault[] = [
  answers(
    'secret-key-above-72-characters-fails',
    'A secret above 72 characters is answered 500, as by a hash that takes no more.',
    { when: (sent) => sent.length > 72, change: failure(500) },
  ),
  answers('secret-key-null-taken-for-missing', 'The secret null is answered 400 and 1002.', {
    when: (sent) => sent === 'null',
    change: becomes('1002'),
  }),
  answers(
    'secret-key-with-quote-blocked',
    'A secret with a single quote is answered 403 with the page of a firewall.',
    { when: (sent) => sent.includes("'"), change: page(403, 'Forbidden') },
  ),
  answers(
    'secret-key-with-percent-sign-fails',
    'A secret with a percent sign that begins no encoding is answered 500.',
    { when: (sent) => /%(?![0-9a-f]{2})/i.test(sent), change: failure(500, 'URI malformed') },
  ),
  answers('secret-key-in-two-words-customer-not-found', 'A secret of two words is answered 401 and 1012.', {
    when: (sent) => /[ \t]/.test(sent),
    change: becomes('1012'),
  }),
  ...[
    answers('secret-key-with-double-quote-fails', 'A secret with a double quote inside is answered 500.', {
      when: (sent) => /[^"]"[^"]/.test(sent),
      change: failure(500),
    }),
    answers(
      'secret-key-of-2000-characters-connection-closed',
      'A secret of 2,000 characters is not answered.',
      { when: (sent) => sent.length >= 2_000, change: { delivery: 'reset' } },
    ),
  ].map(beyondGate),
]

/** Wrong treatment of secrets: of near misses, and of values that only generated ones reveal. */
export const secretKeyFaults: readonly Fault[] = [...comparisons, ...accepted, ...answered]

function sum(text: string): number {
  return Array.from(text).reduce((total, character) => total + (character.codePointAt(0) ?? 0), 0)
}

function flipped(text: string): string {
  return text.replaceAll(/[a-z]/gi, (one) => (/[a-z]/.test(one) ? one.toUpperCase() : one.toLowerCase()))
}

function lacksOneInside(sent: string, valid: string): boolean {
  const at = Array.from(valid).findIndex((character, index) => character !== sent[index])
  return at > 0 && at < valid.length - 1 && valid.slice(at + 1) === sent.slice(at)
}
