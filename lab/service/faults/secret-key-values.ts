import { becomes, failure, page } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate } from './beyond-gate.ts'
import { asText, valuesOf, withoutInvisible } from './credential-values.ts'

const { reads, accepts, answers } = valuesOf('x-secret-key')

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
      {
        when: (sent) => sent.length >= 2_000,
        change: { delivery: 'reset' },
      },
    ),
  ].map(beyondGate),
]

/** Wrong treatment of secrets that only generated values reveal. */
export const secretKeyValueFaults: readonly Fault[] = [...accepted, ...answered]

function flipped(text: string): string {
  return text.replaceAll(/[a-z]/gi, (one) => (/[a-z]/.test(one) ? one.toUpperCase() : one.toLowerCase()))
}

function lacksOneInside(sent: string, valid: string): boolean {
  const at = Array.from(valid).findIndex((character, index) => character !== sent[index])
  return at > 0 && at < valid.length - 1 && valid.slice(at + 1) === sent.slice(at)
}
