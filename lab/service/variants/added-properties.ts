import type { Call } from '../../../lib/serve/reference/call.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'
import type { ErrorObject, Writing } from '../../../lib/serve/reference/writing.ts'
import { shipped } from './shipped.ts'

/**
 * Changes that clients must tolerate: added properties, and another order of properties. Source: Versioning,
 * 2 and 3.
 */
export const addedPropertyVariants: readonly Variant[] = [
  shipped('properties-added-everywhere'),
  shipped('errors-with-error-status-details'),
  errors(
    'errors-with-a-list-of-errors',
    'An error has further errors, each a documented object of another code.',
    (error) => ({
      errors: ['1001', '1006', '1020'].map((code) => ({ error_code: code, error_message: `also ${code}` })),
      ...error,
      error: { error_code: 1013, error_message: ['nested'] },
    }),
  ),
  errors(
    'errors-as-problems',
    'An error is a problem (RFC 9457) with the documented properties in it.',
    (error, call) => ({
      type: 'https://api.example/problems/refused',
      title: 'Refused',
      status: 400,
      detail: error.error_message,
      instance: call.path,
      ...error,
    }),
  ),
  errors(
    'errors-with-null-and-nested-extras',
    'An error has extras that are null, deep and empty.',
    (error) => ({ cause: null, meta: nested(40), empty: { '': {}, list: [[], [[]], [null]] }, ...error }),
  ),
  errors(
    'errors-with-odd-property-names',
    'An error has properties whose names mean something to programs.',
    (error) => ({
      ...JSON.parse(
        '{"__proto__":{"error_code":"1006"},"constructor":"1","toString":null,"hasOwnProperty":1,"then":true}',
      ),
      ...error,
      errorCode: 1006,
      ErrorCode: '1006',
      'error-code': '1006',
      '': 'nothing',
    }),
  ),
  errors(
    'errors-that-echo-the-request',
    'An error repeats path, query, method and fields of the request, credentials left out.',
    (error, call) => ({
      ...error,
      request: { method: call.method, path: call.path, query: call.query, fields: harmless(call) },
    }),
  ),
  shipped('errors-in-another-order'),
  shipped('properties-in-another-order-each-time'),
  shipped('optional-properties-come-and-go'),
]

function errors(
  name: string,
  about: string,
  error: (documented: ErrorObject, call: Call) => Readonly<Record<string, unknown>>,
): Variant {
  const writing: Writing = { error }
  return { name, about, manner: () => ({ writing }) }
}

function nested(depth: number): unknown {
  let value: unknown = null
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? { inner: value } : [value]
  return value
}

/** Everything except values that may contain a credential or a part of one. */
function harmless({ headers }: Call): Readonly<Record<string, unknown>> {
  const names = [
    'accept',
    'accept-language',
    'host',
    'user-agent',
    'traceparent',
    'x-request-id',
    'x-forwarded-for',
    'range',
    'origin',
  ]
  return Object.fromEntries(names.map((name) => [name, headers[name] ?? null]))
}
