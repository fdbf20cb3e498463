import type { Answer, Code, Headers } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { onAnswer, serveWhen } from '../../../lib/serve/reference/bending.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import { clients } from '../../../lib/serve/reference/clients.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'
import { breaking } from './breaking.ts'

const notCached = breaking('authentication/not-cached')

/** The lifetime of a cached answer, in milliseconds. */
const lifetime = 1_000

/** Stores successes under a key made from the request, and returns them for every request with that key. */
function cachedBy(keyOf: (call: Call) => string): Bend {
  const kept = new Map<string, { readonly answer: Answer; readonly until: number }>()
  const fresh = (call: Call): Answer | null => {
    const found = kept.get(keyOf(call))
    return found !== undefined && found.until > performance.now() ? found.answer : null
  }
  return {
    instead: fresh,
    answer(answer, call) {
      if (answer.refusal === null && fresh(call) === null) {
        kept.set(keyOf(call), { answer, until: performance.now() + lifetime })
      }
      return answer
    },
  }
}

/** Returns the cached success for a URL to requests that would get this code, and to no others. */
function cachedFor(name: string, who: string, code: Code, ...others: readonly SpecRuleId[]): Fault {
  return {
    name,
    about: `For a second after a success ${who} gets the cached answer for the URL.`,
    rules: ['authentication/not-cached', ...others],
    bend: () => {
      const until = new Map<string, number>()
      return {
        answer(answer, call) {
          const now = performance.now()
          if (answer.refusal === null) until.set(urlOf(call), now + lifetime)
          return answer.refusal === code && (until.get(urlOf(call)) ?? 0) > now ? list(call.query) : answer
        },
      }
    },
  }
}

/** Answers that are reused for other requests. */
const cachingFaults: readonly Fault[] = [
  notCached('success-cached-by-url', 'For a second after a success everybody gets it for the same URL.', () =>
    cachedBy(urlOf),
  ),
  notCached(
    'success-cached-by-url-and-key',
    'For a second after a success everybody with the same key gets it for the same URL, whatever the secret.',
    () => cachedBy((call) => `${urlOf(call)} ${String(field(call, 'x-api-key'))}`),
  ),
  notCached(
    'success-cached-by-url-and-secret',
    'For a second after a success everybody with the same secret gets it for the same URL, whatever the key.',
    () => cachedBy((call) => `${urlOf(call)} ${String(field(call, 'x-secret-key'))}`),
  ),
  notCached(
    'connection-stays-authenticated',
    'After a success nobody looks at the credentials of later requests on the same connection.',
    () => {
      const trusted = new WeakSet<object>()
      const unchecked = new Set([
        'api-key-present',
        'secret-key-present',
        'api-key-valid',
        'secret-key-valid',
      ])
      return {
        skips: (check, { connection }) => unchecked.has(check) && trusted.has(connection),
        answer(answer, { connection }) {
          if (answer.refusal === null) trusted.add(connection)
          return answer
        },
      }
    },
  ),
  notCached(
    'next-request-on-connection-served',
    'The request right after a success on the same connection is served when its secret is wrong.',
    () => {
      const served = new WeakSet<object>()
      return {
        answer(answer, call) {
          const follows = served.delete(call.connection)
          if (answer.refusal === null) served.add(call.connection)
          return answer.refusal === '1007' && follows ? list(call.query) : answer
        },
      }
    },
  ),
  cachedFor('cached-success-for-inactive-client', 'a client whose endpoint is inactive', '1011'),
  cachedFor('cached-success-for-unauthorized-client', 'a client that is not permitted', '1013'),
  cachedFor('cached-success-for-no-customer', 'a client without a customer', '1012'),
  cachedFor('cached-success-for-exhausted-client', 'an exhausted client', '1020', 'quota/exhausted'),
  cachedFor(
    'cached-success-without-version',
    'a request without a version',
    '1003',
    'versioning/version-missing',
  ),
]

function urlOf({ path, query }: Call): string {
  return `${path}?${query}`
}

const fuzzedKey = breaking('fuzz/api-key')

const { apiKey, secretKey } = clients.permitted

/** The bytes of a field as text. */
function utf8Field(call: Call, name: string): string {
  return Buffer.from(field(call, name) ?? '', 'latin1').toString('utf8')
}

/** Stores and caches that accept a value other than the issued one. */
const storeFaults: readonly Fault[] = [
  fuzzedKey(
    'api-key-compared-by-like',
    'The key is looked up by LIKE, so that _ stands for any character and % for any end.',
    () => ({
      keyMatches: (sent, client) => {
        const pattern = sent.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
        const like = new RegExp(`^${pattern.replaceAll('%', '.*').replaceAll('_', '.')}$`)
        return sent.length > 4 && like.test(client.apiKey)
      },
    }),
  ),
  fuzzedKey('api-key-separators-dropped', 'The separators of a key mean nothing.', () => ({
    keyMatches: (sent, client) => sent.replaceAll(/[-_]/g, '') === client.apiKey.replaceAll(/[-_]/g, ''),
  })),
  breaking('fuzz/secret-key')(
    'secret-key-in-full-width-accepted',
    'Secrets are normalised by NFKC before they are compared.',
    () =>
      serveWhen((call) => {
        const sent = utf8Field(call, 'x-secret-key')
        return (
          field(call, 'x-api-key') === apiKey && sent !== secretKey && sent.normalize('NFKC') === secretKey
        )
      }),
  ),
  breaking('authentication/not-cached')(
    'key-and-secret-joined-in-a-cache',
    'A success is remembered under key and secret, joined without anything between.',
    () => {
      const known = new Set<string>()
      return {
        around: async (call, serve) => {
          const key = `${field(call, 'x-api-key') ?? ''}${field(call, 'x-secret-key') ?? ''}`
          const isWhole = field(call, 'x-version') === '1' && call.path === '/api/customizations/list'
          if (isWhole && known.has(key)) return list(call.query)
          const answer = await serve(call)
          if (answer.refusal === null) known.add(key)
          return answer
        },
      }
    },
  ),
]

/** Successes that a cache in front of the service would return to any client that requests the URL. */
const sharedCacheFaults: readonly Fault[] = [
  offered('success-public-for-an-hour', 'Every success may be kept by any cache for an hour.', {
    'cache-control': 'public, max-age=3600',
  }),
  offered('success-kept-by-gateways', 'Every success may be kept by gateways, though not by browsers.', {
    'cache-control': 'max-age=0, S-MaxAge="30"',
    vary: 'accept-encoding',
  }),
  offered(
    'success-kept-by-version',
    'Every success may be kept by any cache, for each version and language of its own.',
    { 'cache-control': ['must-revalidate', 'max-age=60'], vary: 'x-version, accept-language' },
  ),
  offered(
    'success-without-accept-public',
    'A success may be kept by any cache where the request names no media type.',
    { 'cache-control': 'public, max-age=60' },
    (call) => field(call, 'accept') === undefined,
  ),
]

function offered(
  name: string,
  about: string,
  headers: Headers,
  when: (call: Call) => boolean = () => true,
): Fault {
  return {
    name,
    about,
    rules: ['security/no-shared-cache'],
    bend: () => onAnswer(({ refusal }, call) => refusal === null && when(call), { headers }),
  }
}

/** Answers that are reused for other requests, or that caches may reuse. */
export const cacheFaults: readonly Fault[] = [...cachingFaults, ...storeFaults, ...sharedCacheFaults]
