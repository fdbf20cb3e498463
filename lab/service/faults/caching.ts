import type { Answer, Code } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { field, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'

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
export const cachingFaults: readonly Fault[] = [
  {
    name: 'success-cached-by-url',
    about: 'For a second after a success everybody gets it for the same URL.',
    rules: ['authentication/not-cached'],
    bend: () => cachedBy(urlOf),
  },
  {
    name: 'success-cached-by-url-and-key',
    about:
      'For a second after a success everybody with the same key gets it for the same URL, whatever the secret.',
    rules: ['authentication/not-cached'],
    bend: () => cachedBy((call) => `${urlOf(call)} ${String(field(call, 'x-api-key'))}`),
  },
  {
    name: 'success-cached-by-url-and-secret',
    about:
      'For a second after a success everybody with the same secret gets it for the same URL, whatever the key.',
    rules: ['authentication/not-cached'],
    bend: () => cachedBy((call) => `${urlOf(call)} ${String(field(call, 'x-secret-key'))}`),
  },
  {
    name: 'connection-stays-authenticated',
    about: 'After a success nobody looks at the credentials of later requests on the same connection.',
    rules: ['authentication/not-cached'],
    bend: () => {
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
  },
  {
    name: 'next-request-on-connection-served',
    about: 'The request right after a success on the same connection is served when its secret is wrong.',
    rules: ['authentication/not-cached'],
    bend: () => {
      const served = new WeakSet<object>()
      return {
        answer(answer, call) {
          const follows = served.delete(call.connection)
          if (answer.refusal === null) served.add(call.connection)
          return answer.refusal === '1007' && follows ? list(call.query) : answer
        },
      }
    },
  },
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
