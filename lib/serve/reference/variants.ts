import { gzipSync } from 'node:zlib'
import { inChunksOf, labelled, unlessRefused, withNames } from './deliveries.ts'
import { dice } from './dice.ts'
import type { Manner } from './manner.ts'
import { usualOrder } from './reading.ts'
import type { Variant } from './variant.ts'
import type { Writing } from './writing.ts'

/** Names say what differs. */
const table: Readonly<Record<string, Omit<Variant, 'name'>>> = {
  'order-quota-first': always('The check of the quota comes before all other checks.', {
    reading: { order: () => ['quota', ...usualOrder.filter((check) => check !== 'quota')] },
  }),
  'order-reversed': always('The checks run in reverse order, the input first and the key last.', {
    reading: { order: () => usualOrder.toReversed() },
  }),
  'versions-1-and-2-served': always('The endpoint exists under versions 1 and 2.', {
    reading: { refusesVersion: (version) => (version === '1' || version === '2' ? null : '1010') },
  }),
  'path-prefix': always('The service is behind a gateway, below a prefix.', {
    gateway: { prefix: '/gateway/v1' },
  }),
  'properties-added-everywhere': writing('Objects at every level, even errors, have further properties.', {
    success: added,
    error: (error) => ({ ...error, ...extra }),
  }),
  'errors-with-error-status-details': writing('An error also has the properties error, status and details.', {
    error: (error, call) => ({
      timestamp: '2026-11-20T02:00:00.000+00:00',
      status: 418,
      error: 'Bad Request',
      ...error,
      path: call.path,
      details: [{ field: 'x-version', error_code: 'E_FIELD', error_message: null }],
    }),
  }),
  'errors-in-another-order': writing('The message precedes the code.', {
    error: ({ error_code, error_message }) => ({ error_message, error_code }),
  }),
  'properties-in-another-order-each-time': {
    about: 'Properties have a different order in every answer.',
    manner: () => {
      const roll = dice()
      return {
        writing: {
          success: (value) => shuffledProperties(value, roll),
          error: ({ error_code, error_message }) =>
            roll(2) === 0 ? { error_message, error_code } : { error_code, error_message },
        },
      }
    },
  },
  'optional-properties-come-and-go': {
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
  'messages-empty': writing('Error messages are empty.', {
    error: (error) => ({ ...error, error_message: '' }),
  }),
  'messages-of-100000-characters': writing('Error messages have 100,000 characters.', {
    error: (error) => ({
      ...error,
      error_message: `${error.error_code} was refused. `.repeat(5_600).slice(0, 100_000),
    }),
  }),
  'list-empty': writing('The list is empty.', { success: () => [] }),
  'list-another-each-time': writing('The list differs in every answer.', {
    success: (_list, { arrival }) => ({
      customizations: Array.from({ length: arrival % 4 }, (_, index) => ({
        id: `cst_${String(arrival * 10 + index)}`,
      })),
      generated_at: 1_795_000_000_000 + arrival,
    }),
  }),
  'list-with-opaque-strings-of-other-forms': writing(
    'Identifiers are long, short, empty, and numbers in strings.',
    {
      success: () => ({
        customizations: [
          'x'.repeat(2_000),
          '',
          '7',
          '00000000-0000-0000-0000-000000000000',
          'ak_live_like_a_key',
        ].map((id) => ({ id })),
      }),
    },
  ),
  'label-in-capitals': writing('The label is in capital letters.', {
    contentType: () => 'APPLICATION/JSON;CHARSET=UTF-8',
  }),
  'fields-by-the-hundred': writing('Answers have 200 fields.', {
    headers: () =>
      Object.fromEntries(
        Array.from({ length: 200 }, (_, index) => [`x-field-${String(index)}`, `value ${String(index)}`]),
      ),
  }),
  'body-in-chunks': always('Bodies are sent in chunks of 100 bytes.', { deliver: inChunksOf(100) }),
  'gzip-unasked': always(
    'Bodies are encoded with gzip without a request for it: without accept-encoding, every coding is acceptable.',
    { deliver: unlessRefused(labelled('gzip', (body) => gzipSync(body))) },
  ),
  'field-names-in-upper-case': always('Names of fields are in capital letters.', {
    deliver: withNames((name) => name.toUpperCase()),
  }),
  'slow-answers': {
    about: 'Every answer takes from 20 to 50 ms.',
    manner: () => {
      const roll = dice()
      return { delayMs: () => 20 + roll(31) }
    },
  },
}

/**
 * The variants in the package, for authors of clients: each change that clients must tolerate, and choices that HTTP leaves to a service.
 */
export const variants: readonly Variant[] = Object.entries(table).map(([name, variant]) => ({
  name,
  ...variant,
}))

/** A variant without state. */
function always(about: string, manner: Manner): Omit<Variant, 'name'> {
  return { about, manner: () => manner }
}

function writing(about: string, chosen: Writing): Omit<Variant, 'name'> {
  return always(about, { writing: chosen })
}

const extra = {
  trace_id: 'b7d4e9a01c3f4e8a',
  links: { help: null, more: [{ href: '/help' }] },
  retryable: false,
} as const

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
