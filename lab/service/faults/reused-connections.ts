import type { Answer } from '../../../lib/serve/reference/answer.ts'
import type { Bend } from '../../../lib/serve/reference/bend.ts'
import { isAbsent, onAnswer } from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call, type RequiredName } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { list } from '../../../lib/serve/reference/list.ts'
import { breaking } from './breaking.ts'
import { placeOnConnection } from './on-connection.ts'

/**
 * A request that lacks a header gets it from the previous request on the same connection, as with faulty
 * header compression.
 */
function fills(name: RequiredName): Bend {
  const before = new WeakMap<object, string>()
  return {
    see(call) {
      const sent = field(call, name)
      if (sent !== undefined) before.set(call.connection, sent)
      return sent === undefined ? withField(call, name, before.get(call.connection)) : call
    },
  }
}

/** Changes answers from this position on a connection on. */
function from(place: number, change: (answer: Answer, call: Call) => Answer): Bend {
  const placeOf = placeOnConnection()
  return { answer: (answer, call) => (placeOf(call) >= place ? change(answer, call) : answer) }
}

/** Faults that show only on a reused connection. */
export const reusedConnectionFaults: readonly Fault[] = [
  breaking('authentication/not-cached', 'authentication/secret-key-missing')(
    'missing-secret-key-taken-from-connection',
    'Without a secret, that of the request before on the same connection is taken.',
    () => fills('x-secret-key'),
  ),
  breaking('authentication/not-cached', 'authentication/api-key-missing')(
    'missing-api-key-taken-from-connection',
    'Without a key, that of the request before on the same connection is taken.',
    () => fills('x-api-key'),
  ),
  breaking('authentication/secret-key-invalid', 'authentication/no-bypass')(
    'secret-key-not-compared-late-on-connection',
    'From the third request of a connection on, a wrong secret is served.',
    () => from(3, (answer, call) => (answer.refusal === '1007' ? list(call.query) : answer)),
  ),
  breaking('versioning/endpoint-not-in-version', 'versioning/selected-per-request')(
    'unsupported-version-served-on-reused-connection',
    'From the second request of a connection on, every whole number selects version 1.',
    () => {
      const placeOf = placeOnConnection()
      return {
        see: (call) =>
          placeOf(call) > 1 && /^\d+$/.test(field(call, 'x-version') ?? '')
            ? withField(call, 'x-version', '1')
            : call,
      }
    },
  ),
  breaking('conventions/json-content-type')(
    'list-unlabelled-on-reused-connection',
    'From the second request of a connection on, the list has no content type.',
    () => from(2, (answer) => (answer.refusal === null ? { ...answer, contentType: null } : answer)),
  ),
  breaking('conventions/json-response', 'versioning/unknown-endpoint')(
    'unknown-endpoint-page-on-reused-connection',
    'From the second request of a connection on, an unknown path is answered with a page.',
    () =>
      from(2, (answer) =>
        answer.refusal === '1010'
          ? { ...answer, text: '<!doctype html><title>404</title>', contentType: 'text/html' }
          : answer,
      ),
  ),
  breaking('authentication/not-cached')(
    'success-cached-for-other-connections',
    'A wrong secret is served for a second after a success of its key, on other connections only.',
    () => {
      const served = new Map<string, { readonly connection: object; readonly until: number }>()
      const keyOf = (call: Call): string => `${call.path}?${call.query} ${String(field(call, 'x-api-key'))}`
      return {
        answer(answer, call) {
          if (answer.refusal === null) {
            served.set(keyOf(call), { connection: call.connection, until: performance.now() + 1_000 })
          }
          const kept = answer.refusal === '1007' ? served.get(keyOf(call)) : undefined
          const isKept = kept !== undefined && kept.until > performance.now()
          return isKept && kept.connection !== call.connection ? list(call.query) : answer
        },
      }
    },
  ),
  breaking('authentication/no-bypass')(
    'anonymous-request-served-on-trusted-connection',
    'On a connection that was served, a request without key and secret is served again.',
    () => {
      const trusted = new WeakSet<object>()
      const isAnonymous = (call: Call): boolean =>
        isAbsent(call, 'x-api-key') && isAbsent(call, 'x-secret-key')
      const bend = onAnswer(
        (answer, call) => isAnonymous(call) && trusted.has(call.connection),
        (_answer, call) => list(call.query),
      )
      return {
        answer(answer, call) {
          if (answer.refusal === null) trusted.add(call.connection)
          return bend.answer?.(answer, call) ?? answer
        },
      }
    },
  ),
]
