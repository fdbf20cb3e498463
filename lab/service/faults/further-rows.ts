import { gzipSync } from 'node:zlib'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'
import { labelled } from '../../../lib/serve/reference/deliveries.ts'
import { bare } from '../../../lib/serve/reference/gateway.ts'
import { list, listPath } from '../../../lib/serve/reference/list.ts'
import { onAnswer, serveWhen } from '../../../lib/serve/reference/bending.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { beyondGate, inAcceptanceAlone } from './beyond-gate.ts'

/** A path without dot segments and percent-encoding, or as it is where that cannot be decoded. */
function normalised(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll('/./', '/')
  } catch {
    return path
  }
}

/** Answers the refusals of a code otherwise on a connection that has had one already. */
function afterFirstOnConnection(code: string): Bend {
  const refused = new WeakSet<object>()
  return {
    answer(answer, call) {
      if (answer.refusal !== code) return answer
      if (refused.has(call.connection)) return list(call.query)
      refused.add(call.connection)
      return answer
    },
  }
}

/** Does not ask for the quota of the disposable client where `when` holds. */
function unasked(when: (call: Call) => boolean): Bend {
  return {
    skips: (check, call, client) => check === 'quota' && client?.name === 'disposable' && when(call),
  }
}

/** What shows by HEAD, in a path that is written otherwise, on a connection, after a while, or in codings and lengths. */
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
  {
    name: 'inactive-client-served-after-first-on-connection',
    about: 'A connection on which the inactive client was refused serves it from then on.',
    rules: ['authentication/stays-refused'],
    bend: () => afterFirstOnConnection('1011'),
  },
  beyondGate({
    name: 'quota-forgotten-within-two-seconds',
    about: 'A client whose quota is used up is served after it was silent for more than a second.',
    rules: ['quota/stays-exhausted'],
    bend: () => {
      let last = Number.NEGATIVE_INFINITY
      return unasked(() => {
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
    bend: () => unasked((call) => /^(?:10|192\.168)\./.test(field(call, 'x-forwarded-for') ?? '')),
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
