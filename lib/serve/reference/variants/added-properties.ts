import type { Call } from '../call.ts'
import type { ErrorObject, Writing } from '../writing.ts'
import { dice } from './dice.ts'
import type { Variant } from './variant.ts'

/** Changes that clients must tolerate: added properties, and properties in another order. Source: Versioning, 2 and 3. */
export const addedPropertyVariants: readonly Variant[] = [
  {
    name: 'properties-added-everywhere',
    about: 'Every object has further properties, at every level, errors too.',
    manner: () => ({ writing: { success: added, error: (error) => ({ ...error, ...extra }) } }),
  },
  errors(
    'errors-with-error-status-details',
    'An error has an error, a status and details beside the documented two.',
    (error, call) => ({
      timestamp: '2026-11-20T02:00:00.000+00:00',
      status: 418,
      error: 'Bad Request',
      ...error,
      path: call.path,
      details: [{ field: 'x-version', error_code: 'E_FIELD', error_message: null }],
    }),
  ),
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
    (error) => ({
      cause: null,
      meta: nested(40),
      empty: { '': {}, list: [[], [[]], [null]] },
      ...error,
    }),
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
  errors('errors-in-another-order', 'The message stands before the code.', (error) => ({
    error_message: error.error_message,
    error_code: error.error_code,
  })),
  {
    name: 'properties-in-another-order-each-time',
    about: 'Properties stand in another order in every answer.',
    manner: () => {
      const roll = dice()
      const mixed = (value: unknown): unknown => shuffledProperties(value, roll)
      return {
        writing: {
          success: mixed,
          error: ({ error_code, error_message }) =>
            roll(2) === 0 ? { error_message, error_code } : { error_code, error_message },
        },
      }
    },
  },
  {
    name: 'optional-properties-come-and-go',
    about: 'Added properties are there in some answers and missing in others, and sometimes null.',
    manner: () => {
      const roll = dice()
      const some = (): Readonly<Record<string, unknown>> =>
        [{}, { next: null }, { next: 'c2', trace: {} }][roll(3)] ?? {}
      return {
        writing: { success: (list) => ({ ...some(), ...list }), error: (error) => ({ ...error, ...some() }) },
      }
    },
  },
]

const extra = {
  trace_id: 'b7d4e9a01c3f4e8a',
  links: { help: null, more: [{ href: '/help' }] },
  retryable: false,
} as const

function errors(
  name: string,
  about: string,
  error: (documented: ErrorObject, call: Call) => Readonly<Record<string, unknown>>,
): Variant {
  const writing: Writing = { error }
  return { name, about, manner: () => ({ writing }) }
}

function added(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(added)
  if (typeof value !== 'object' || value === null) return value
  const inner = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, added(one)]))
  return { ...extra, ...inner, added_later: [null, 1, 'two', { three: 3 }] }
}

function shuffledProperties(value: unknown, roll: (sides: number) => number): unknown {
  if (Array.isArray(value)) return value.map((one) => shuffledProperties(one, roll))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, one]) => [name, shuffledProperties(one, roll)] as const)
  const at = roll(Math.max(1, entries.length))
  return Object.fromEntries([...entries.slice(at), ...entries.slice(0, at)])
}

function nested(depth: number): unknown {
  let value: unknown = null
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? { inner: value } : [value]
  return value
}

/** All but what may hold a credential, whole or in part. */
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
