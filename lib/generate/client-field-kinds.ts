import fc from 'fast-check'
import type { Field } from '../http/request.ts'
import { bases, type Base, type Fuzzed, type Kind, type Material } from './fuzzed.ts'
import { byOracle, listed, observed } from './listed.ts'
import { adding, setting } from './request-changes.ts'

/** Fields that ordinary clients add by themselves: they change no outcome, on a valid request and on each refusal. */
export function clientFieldKinds({ furtherBases }: Material): readonly Kind[] {
  const [browser, ...others] = fieldSets
  const refusals = [...bases.filter((base) => base !== 'valid'), ...furtherBases]

  return [
    listed(
      { name: 'client-fields', weight: 0, gate: true, always: setsInGate },
      fieldSets.map((set) => fc.constant(withFields(set, 'valid'))),
    ),
    listed(
      { name: 'client-fields-on-refusals', weight: 0, gate: true, always: refusals.length },
      [browser, ...others.filter(({ onRefusals }) => onRefusals === true)].flatMap((set) =>
        refusals.map((base) => fc.constant(withFields(set, base))),
      ),
    ),
    malformedFields,
    oddCodings,
  ]
}

/** How many sets of fields a gate sends with a valid request. */
const setsInGate = 4

/** What a client adds to a request. */
interface FieldSet {
  readonly says: string
  readonly fields: readonly Field[]
  /** Whether it is sent with each refusal, too, beyond a gate. */
  readonly onRefusals?: true
}

/**
 * Most telling first. None has `user-agent`, `origin`, `cookie`, `accept`, `upgrade`, `referer` or a coding that some supported Node
 * cannot decode.
 */
const fieldSets: readonly [FieldSet, ...FieldSet[]] = [
  {
    says: 'the fields of a browser',
    fields: fieldsOf({
      'accept-encoding': 'gzip, deflate, br',
      'accept-language': 'en-US,en;q=0.9,de;q=0.8',
      'cache-control': 'no-cache',
      pragma: 'no-cache',
      priority: 'u=1, i',
      'sec-ch-ua': '"Chromium";v="142", "Not_A Brand";v="99"',
      'sec-ch-ua-mobile': '?0',
      'sec-ch-ua-platform': '"Windows"',
      'sec-fetch-dest': 'empty',
      'sec-fetch-mode': 'cors',
      'sec-fetch-site': 'same-origin',
    }),
  },
  { says: 'accept-encoding: gzip', fields: fieldsOf({ 'accept-encoding': 'gzip' }), onRefusals: true },
  { says: 'connection: close', fields: fieldsOf({ connection: 'close' }), onRefusals: true },
  {
    says: 'accept-encoding: identity',
    fields: fieldsOf({ 'accept-encoding': 'identity' }),
    onRefusals: true,
  },
  {
    says: 'accept-encoding: gzip, deflate, as Python sends it',
    fields: fieldsOf({ 'accept-encoding': 'gzip, deflate' }),
    onRefusals: true,
  },
  {
    says: 'the fields of tracing and of JavaScript clients',
    fields: fieldsOf({
      'accept-encoding': 'gzip, deflate, br',
      'content-type': 'application/json',
      'x-requested-with': 'XMLHttpRequest',
      'x-correlation-id': '7b1f9a52-0c3e-4d68-9e21-5f80c4a7d913',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      tracestate: 'vendor=00f067aa0ba902b7',
      baggage: 'release=1.0',
    }),
    onRefusals: true,
  },
  { says: 'accept-encoding: br', fields: fieldsOf({ 'accept-encoding': 'br' }), onRefusals: true },
  { says: 'accept-encoding: deflate', fields: fieldsOf({ 'accept-encoding': 'deflate' }), onRefusals: true },
  {
    says: 'the fields of curl --compressed',
    fields: fieldsOf({ 'accept-encoding': 'deflate, gzip, br' }),
  },
  {
    says: 'the fields of a Java client',
    fields: fieldsOf({
      'accept-encoding': 'gzip, x-gzip, deflate',
      'accept-charset': 'utf-8',
      'cache-control': 'no-cache',
    }),
    onRefusals: true,
  },
  {
    says: "the fields of Node's fetch",
    fields: fieldsOf({
      'accept-encoding': 'br, gzip, deflate',
      'accept-language': '*',
      'sec-fetch-mode': 'cors',
    }),
  },
  {
    says: 'the fields of a Go client behind Zipkin',
    fields: fieldsOf({
      'accept-encoding': 'gzip',
      'x-b3-traceid': '463ac35c9f6413ad48485a3953bb6124',
      'x-b3-spanid': 'a2fb4a1d1a96d312',
      'x-b3-sampled': '0',
    }),
  },
  {
    says: 'the fields of another browser',
    fields: fieldsOf({
      'accept-encoding': 'gzip, deflate, br',
      'accept-language': 'ar,ja;q=0.5',
      'cache-control': 'max-age=0',
      dnt: '1',
      'sec-fetch-dest': 'document',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-site': 'none',
      'sec-gpc': '1',
    }),
    onRefusals: true,
  },
  {
    says: 'accept-encoding: gzip;q=1.0, identity;q=0.5',
    fields: fieldsOf({ 'accept-encoding': 'gzip;q=1.0, identity;q=0.5' }),
  },
]

function fieldsOf(values: Readonly<Record<string, string>>): readonly Field[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }))
}

function withFields({ says, fields }: FieldSet, base: Base): Fuzzed {
  return { ...byOracle(`with ${says}`, adding(...fields)), base }
}

/** Fields with a grammar of their own that is not kept: a service may pass over them or refuse them, and must not fail. */
const malformedFields = listed(
  { name: 'malformed-fields', weight: 0, gate: true, always: 2 },
  [
    ['traceparent', 'zz-not-a-trace'],
    ['if-modified-since', 'yesterday'],
    ['if-none-match', '"unterminated'],
    ['accept-language', ';;q=,,='],
    ['if-unmodified-since', 'Mon, 99 Foo 2026 99:99:99 GMT'],
    ['if-match', 'no-quotes'],
    ['traceparent', '00-00000000000000000000000000000000-0000000000000000-00'],
    ['date', '2026-13-45T99:99:99Z'],
    ['if-none-match', 'W/'],
    ['if-range', '"'],
    ['tracestate', '=,=,='],
    ['cache-control', 'max-age=abc, ="'],
    ['accept-encoding', 'gzip;q=abc'],
    ['x-request-id', '%%%'],
  ].map(([name = '', value = '']) =>
    fc.constant({
      ...byOracle(`with ${name}: ${value}`, adding({ name, value })),
      fieldMayBeRefused: true as const,
    }),
  ),
)

/** Codings that servers may refuse, or answer with nothing that fits: only observed. */
const oddCodings = listed(
  { name: 'odd-codings', weight: 0, gate: false, always: 0 },
  ['*;q=0', 'identity;q=0', 'x-unknown', ''].map((value) =>
    fc.constant(observed('odd codings', `accept-encoding: ${value}`, setting('accept-encoding', value))),
  ),
)
