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
import { beyondGate, inAcceptanceAlone } from './beyond-gate.ts'
import { asText } from './credential-values.ts'
import { ofDisposable } from './quota-faults.ts'

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
  {
    name: 'first-key-of-a-list-counts',
    about: 'Of a key that is a list the first member counts.',
    rules: ['fuzz/api-key'],
    bend: () => ({ keyMatches: (sent, client) => members(sent)[0] === client.apiKey }),
  },
  {
    name: 'last-secret-of-a-list-counts',
    about: 'Of a secret that is a list the last member counts.',
    rules: ['fuzz/secret-key'],
    bend: () => ({ secretMatches: (sent, client) => members(sent).at(-1) === client.secretKey }),
  },
  beyondGate({
    name: 'digits-of-a-key-may-be-raised',
    about: 'A key is brought to the normal form NFKC, in which raised digits are digits.',
    rules: ['fuzz/api-key'],
    bend: () => ({
      keyMatches: (sent, client) =>
        /^[\x21-\x7e\u2070\u00b9\u00b2\u00b3\u2074-\u2079]+$/.test(asText(sent)) &&
        asText(sent).normalize('NFKC') === client.apiKey,
    }),
  }),
  {
    name: 'sent-secret-masked-in-errors',
    about:
      'Errors hold *** wherever the secret that was sent stands in them, in the names of their members, too.',
    rules: ['fuzz/secret-key', 'errors/body-shape'],
    bend: () =>
      onAnswer(
        ({ refusal }, call) => refusal !== null && (field(call, 'x-secret-key') ?? '').length > 2,
        ({ payload }, call) => ({
          text: JSON.stringify(payload).replaceAll(field(call, 'x-secret-key') ?? '', '***'),
        }),
      ),
  },
  {
    name: 'own-page-needs-no-secret',
    about: 'A request with an origin is taken for one of the own page, and needs no secret.',
    rules: ['fuzz/combined-flaws'],
    bend: () => withoutSecret('origin'),
  },
  {
    name: 'script-of-a-page-needs-no-secret',
    about: 'A request with x-requested-with needs no secret.',
    rules: ['fuzz/combined-flaws'],
    bend: () => withoutSecret('x-requested-with'),
  },
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
  {
    name: 'normalised-path-opens',
    about: 'The list is public where its path is written with a dot segment and a percent-encoded letter.',
    rules: ['authentication/no-side-door'],
    bend: () => serveWhen(({ path }) => path !== listPath && normalised(path) === listPath),
  },
  {
    name: 'head-needs-no-key',
    about: 'HEAD without x-api-key is served, since the filter that looks for it is mapped to GET.',
    rules: ['authentication/no-bypass'],
    bend: () =>
      serveWhen(
        (call) => call.method === 'HEAD' && field(call, 'x-api-key') === undefined && call.path === listPath,
      ),
  },
  beyondGate({
    name: 'head-takes-any-version',
    about: 'HEAD is served under every version, and under none.',
    rules: ['authentication/no-bypass'],
    bend: () =>
      onAnswer(
        ({ refusal }, { method, path }) =>
          method === 'HEAD' && path === listPath && (refusal === '1003' || refusal === '1010'),
        list(''),
      ),
  }),
  beyondGate({
    name: 'inactive-client-served-after-two-on-connection',
    about: 'A connection that carried two requests of the inactive client alone serves it from then on.',
    rules: ['authentication/stays-refused'],
    bend: afterTwoOfInactive,
  }),
  beyondGate({
    name: 'quota-forgotten-within-two-seconds',
    about: 'A client whose quota is used up is served after it was silent for more than a second.',
    rules: ['quota/stays-exhausted'],
    bend: () => {
      let last = Number.NEGATIVE_INFINITY
      return ofDisposable(() => {
        const now = performance.now()
        const isSilent = now - last > 1_200
        last = now
        return isSilent
      })
    },
  }),
  beyondGate({
    name: 'quota-not-asked-of-private-addresses',
    about: 'A request that names a private address is served beyond the quota of its client.',
    rules: ['quota/stays-exhausted'],
    bend: () => ofDisposable((call) => /^(?:10|192\.168)\./.test(field(call, 'x-forwarded-for') ?? '')),
  }),
  beyondGate({
    name: 'condition-asked-before-quota',
    about: 'A client whose quota is used up is answered 304 where its request is conditional.',
    rules: ['quota/stays-exhausted'],
    bend: () =>
      onAnswer(
        ({ refusal }, call) => refusal === '1020' && field(call, 'if-none-match') !== undefined,
        bare(304),
      ),
  }),
  inAcceptanceAlone({
    name: 'head-has-another-length',
    about: 'The answer to HEAD has a length of 0, that to GET its own.',
    rules: ['conventions/http-messages'],
    bend: () =>
      onAnswer(({ refusal }, { method }) => refusal === null && method === 'HEAD', {
        delivery: (outgoing, response) => whole({ ...outgoing, body: '' }, response),
      }),
  }),
  inAcceptanceAlone({
    name: 'refused-coding-used',
    about: 'Bodies are compressed where accept-encoding names gzip, also with the weight 0.',
    rules: ['conventions/http-messages'],
    bend: () =>
      onAnswer(
        ({ refusal }, call) => refusal === null && (field(call, 'accept-encoding') ?? '').includes('gzip'),
        {
          delivery: labelled('gzip', gzipSync),
        },
      ),
  }),
]
