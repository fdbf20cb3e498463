import { becomes, failure, page } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate } from './beyond-gate.ts'
import { asText, valuesOf, withoutInvisible } from './credential-values.ts'

const { reads, accepts, answers } = valuesOf('x-api-key')

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

/** Wrong treatment of keys that only generated values reveal. */
export const apiKeyValueFaults: readonly Fault[] = [...accepted, ...answered]

function merged(text: string): string {
  return text.replaceAll(/(.)\1+/g, '$1')
}
