import { gzipSync } from 'node:zlib'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { onAnswer, serveWhen } from '../../../lib/serve/reference/bending.ts'
import { field } from '../../../lib/serve/reference/call.ts'
import { everyClient } from '../../../lib/serve/reference/clients.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'
import { labelled } from '../../../lib/serve/reference/deliveries.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { bare } from '../../../lib/serve/reference/gateway.ts'
import { list, listPath } from '../../../lib/serve/reference/list.ts'
import { breaking, breakingWith } from './breaking.ts'
import { asText } from './credential-values.ts'
import { ofDisposable } from './quota-faults.ts'

const combinedFlaws = breaking('fuzz/combined-flaws')
const staysExhaustedLater = breakingWith({ profile: 'acceptance' }, 'quota/stays-exhausted')
const httpMessages = breakingWith({ profile: 'acceptance', inNoOther: true }, 'conventions/http-messages')

/** A path without dot segments and percent-encoding, or the original if it cannot be decoded. */
function normalised(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll('/./', '/')
  } catch {
    return path
  }
}

/** Serves the inactive client from its third request on, if its connection carries nothing else. */
function afterTwoOfInactive(): Bend {
  const inactive = everyClient.find(({ name }) => name === 'inactive')
  const counts = new WeakMap<object, number>()
  return {
    answer(answer, call) {
      const isOwn = field(call, 'x-api-key') === inactive?.apiKey
      const before = counts.get(call.connection) ?? 0
      counts.set(call.connection, isOwn ? before + 1 : Number.NEGATIVE_INFINITY)
      return answer.refusal === '1011' && before >= 2 ? list(call.query) : answer
    },
  }
}

/** The members of a list in an HTTP field. */
function members(value: string): readonly string[] {
  return value.split(',').map((one) => one.trim())
}

/**
 * Faults that show if a credential contains a list, a look-alike or a word of the error, or if a web page
 * sends the request.
 */
export const furtherValueFaults: readonly Fault[] = [
  breaking('fuzz/api-key')(
    'first-key-of-a-list-counts',
    'Of a key that is a list the first member counts.',
    () => ({ keyMatches: (sent, client) => members(sent)[0] === client.apiKey }),
  ),
  breaking('fuzz/secret-key')(
    'last-secret-of-a-list-counts',
    'Of a secret that is a list the last member counts.',
    () => ({ secretMatches: (sent, client) => members(sent).at(-1) === client.secretKey }),
  ),
  breakingWith({ profile: 'acceptance' }, 'fuzz/api-key')(
    'digits-of-a-key-may-be-raised',
    'A key is brought to the normal form NFKC, in which raised digits are digits.',
    () => ({
      keyMatches: (sent, client) =>
        /^[\x21-\x7e\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+$/.test(asText(sent)) &&
        asText(sent).normalize('NFKC') === client.apiKey,
    }),
  ),
  breaking('fuzz/secret-key', 'errors/body-shape')(
    'sent-secret-masked-in-errors',
    'Errors hold *** wherever the secret that was sent stands in them, in the names of their members, too.',
    () =>
      onAnswer(
        ({ refusal }, call) => refusal !== null && (field(call, 'x-secret-key') ?? '').length > 2,
        ({ payload }, call) => ({
          text: JSON.stringify(payload).replaceAll(field(call, 'x-secret-key') ?? '', '***'),
        }),
      ),
  ),
  combinedFlaws(
    'own-page-needs-no-secret',
    'A request with an origin is taken for one of the own page, and needs no secret.',
    () => withoutSecret('origin'),
  ),
  combinedFlaws('script-of-a-page-needs-no-secret', 'A request with x-requested-with needs no secret.', () =>
    withoutSecret('x-requested-with'),
  ),
]

/** Serves the list without a secret if the request has this field. */
function withoutSecret(name: string): Bend {
  return serveWhen(
    (call) =>
      call.path === listPath && field(call, name) !== undefined && field(call, 'x-secret-key') === undefined,
  )
}

/**
 * Faults that show with HEAD, in another spelling of a path, on a connection, after a while, or in codings
 * and lengths.
 */
export const furtherRowFaults: readonly Fault[] = [
  breaking('authentication/no-side-door')(
    'normalised-path-opens',
    'The list is public where its path is written with a dot segment and a percent-encoded letter.',
    () => serveWhen(({ path }) => path !== listPath && normalised(path) === listPath),
  ),
  breaking('authentication/no-bypass')(
    'head-needs-no-key',
    'HEAD without x-api-key is served, since the filter that looks for it is mapped to GET.',
    () =>
      serveWhen(
        (call) => call.method === 'HEAD' && field(call, 'x-api-key') === undefined && call.path === listPath,
      ),
  ),
  breakingWith({ profile: 'acceptance' }, 'authentication/no-bypass')(
    'head-takes-any-version',
    'HEAD is served under every version, and under none.',
    () =>
      onAnswer(
        ({ refusal }, { method, path }) =>
          method === 'HEAD' && path === listPath && (refusal === '1003' || refusal === '1010'),
        list(''),
      ),
  ),
  breakingWith({ profile: 'acceptance' }, 'authentication/stays-refused')(
    'inactive-client-served-after-two-on-connection',
    'A connection that carried two requests of the inactive client alone serves it from then on.',
    afterTwoOfInactive,
  ),
  staysExhaustedLater(
    'quota-forgotten-within-two-seconds',
    'A client whose quota is used up is served after it was silent for more than a second.',
    () => {
      let last = Number.NEGATIVE_INFINITY
      return ofDisposable(() => {
        const now = performance.now()
        const isSilent = now - last > 1_200
        last = now
        return isSilent
      })
    },
  ),
  staysExhaustedLater(
    'quota-not-asked-of-private-addresses',
    'A request that names a private address is served beyond the quota of its client.',
    () => ofDisposable((call) => /^(?:10|192\.168)\./.test(field(call, 'x-forwarded-for') ?? '')),
  ),
  staysExhaustedLater(
    'condition-asked-before-quota',
    'A client whose quota is used up is answered 304 where its request is conditional.',
    () =>
      onAnswer(
        ({ refusal }, call) => refusal === '1020' && field(call, 'if-none-match') !== undefined,
        bare(304),
      ),
  ),
  httpMessages('head-has-another-length', 'The answer to HEAD has a length of 0, that to GET its own.', () =>
    onAnswer(({ refusal }, { method }) => refusal === null && method === 'HEAD', {
      delivery: (outgoing, response) => whole({ ...outgoing, body: '' }, response),
    }),
  ),
  httpMessages(
    'refused-coding-used',
    'Bodies are compressed where accept-encoding names gzip, also with the weight 0.',
    () =>
      onAnswer(
        ({ refusal }, call) => refusal === null && (field(call, 'accept-encoding') ?? '').includes('gzip'),
        { delivery: labelled('gzip', gzipSync) },
      ),
  ),
]
