import { requiredFields, type RequiredField } from '../../lib/specification/endpoints.ts'
import {
  examples,
  isAuthentic,
  isValid,
  known,
  onBoth,
  type Example,
  type WireClass,
  linesOf,
  type Seen,
} from './classes.ts'

function forEach(
  all: Readonly<Record<string, (seen: Seen, field: RequiredField) => boolean>>,
): readonly Example[] {
  return requiredFields.flatMap((field) =>
    Object.entries(all).map(([says, isIn]) => ({
      says: `${field}: ${says}`,
      isIn: (seen: Seen) => isIn(seen, field),
    })),
  )
}

function nameOf(seen: Seen, field: string): string | null {
  const [line, ...more] = linesOf(seen, field)
  return line === undefined || more.length > 0 ? null : line.name
}

const orders = requiredFields.flatMap((first) =>
  requiredFields.flatMap((second) =>
    requiredFields
      .filter((third) => new Set([first, second, third]).size === 3)
      .map((third) => [first, second, third]),
  ),
)

const nameCaseAndOrder: WireClass = {
  name: 'name case and order',
  examples: [
    ...forEach({
      lower: (seen, field) => nameOf(seen, field) === field && isValid(seen, field),
      UPPER: (seen, field) => nameOf(seen, field) === field.toUpperCase() && isValid(seen, field),
      MiXeD: (seen, field) =>
        /[a-z].*[A-Z].*[a-z].*[A-Z]/.test(nameOf(seen, field) ?? '') && isValid(seen, field),
    }),
    ...orders.map((order) => ({
      says: order.join(', '),
      isIn: (seen: Seen) => {
        const names = seen.lines.map(({ name }) => name.toLowerCase())
        return names.filter((name) => order.some((one) => one === name)).join() === order.join()
      },
    })),
  ],
}

/** How a field that is there twice is written: `valid wrong`, `valid … wrong` where others stand between. */
function pairOf(seen: Seen, field: RequiredField): string {
  const places = seen.lines.flatMap(({ name, value }, at) =>
    name.toLowerCase() === field ? [{ name, value, at }] : [],
  )
  const [first, second] = places
  if (first === undefined || second === undefined || places.length > 2) return ''
  const words = [first, second].map(({ value }) => (value === known[field].valid ? 'valid' : 'wrong'))
  const between =
    first.name !== second.name ? ' and in another case ' : second.at - first.at > 1 ? ' … ' : ' '
  return words.join(between)
}

function joined({ values }: Seen, field: RequiredField): string {
  const parts = values[field]?.raw.split(/, ?/) ?? []
  return parts.length === 2
    ? parts.map((one) => (one === known[field].valid ? 'valid' : 'wrong')).join(',')
    : ''
}

const pairs = [
  'valid valid',
  'valid wrong',
  'wrong valid',
  'valid … wrong',
  'wrong … valid',
  'valid and in another case wrong',
  'wrong and in another case valid',
  'wrong wrong',
]

const duplicates: WireClass = {
  name: 'duplicates',
  examples: [
    ...forEach(
      Object.fromEntries(
        pairs.map((pair) => [pair, (seen: Seen, field: RequiredField) => pairOf(seen, field) === pair]),
      ),
    ),
    ...forEach({
      'valid,wrong': (seen, field) => joined(seen, field) === 'valid,wrong',
      'wrong,valid': (seen, field) => joined(seen, field) === 'wrong,valid',
    }),
  ],
}

/** Whether the valid value of a field stands under this name, byte for byte, and not under its own. */
function standsUnder(write: (name: string) => string): (seen: Seen, field: RequiredField) => boolean {
  return ({ lines }, field) =>
    lines.some(({ name, value }) => name === write(field) && value === known[field].valid) &&
    lines.every(({ name }) => name.toLowerCase() !== field)
}

/** Whether an invented value stands under the name with underscores, and nothing under the required one. */
function isUnderscored({ lines }: Seen, field: RequiredField): boolean {
  const other = field.replaceAll('-', '_')
  const hasOwn = lines.some(({ name }) => name.toLowerCase() === field)
  return !hasOwn && lines.some(({ name, value }) => name === other && value !== known[field].valid)
}

const lookAlikes: WireClass = {
  name: 'look-alike names',
  examples: [
    ...examples({
      'underscores in the key': (seen) => isUnderscored(seen, 'x-api-key'),
      'underscores in the secret': (seen) => isUnderscored(seen, 'x-secret-key'),
    }),
    ...forEach({
      'without hyphens': standsUnder((name) => name.replaceAll('-', '')),
      '2 behind it': standsUnder((name) => `${name}2`),
      'zero-width inside': standsUnder((name) => `${name.slice(0, 2)}\xe2\x80\x8b${name.slice(2)}`),
      'a space before the colon': standsUnder((name) => `${name} `),
    }),
  ],
}

const moved: WireClass = {
  name: 'moved',
  examples: examples({
    'in authorization': (seen) =>
      linesOf(seen, 'x-api-key').length === 0 &&
      linesOf(seen, 'authorization').length === 1 &&
      !seen.lines.some(({ value }) => value.includes(known['x-api-key'].valid)),
  }),
}

const unrelated: WireClass = {
  name: 'unrelated',
  examples: examples({
    ...Object.fromEntries(
      ['accept-language', 'traceparent', 'x-request-id'].map((name) => [
        name,
        (seen: Seen) => linesOf(seen, name).length === 1,
      ]),
    ),
    'a lone connection: close': (seen) =>
      linesOf(seen, 'connection').some(({ value }) => value === 'close') && isAuthentic(seen),
    'cache-control': (seen) => linesOf(seen, 'cache-control').length === 1,
    'sec-fetch-site of the same origin': (seen) =>
      linesOf(seen, 'sec-fetch-site').some(({ value }) => value === 'same-origin'),
    'content-type on GET': (seen) => seen.method === 'GET' && linesOf(seen, 'content-type').length === 1,
    '50 random x- ones': ({ lines }) =>
      new Set(lines.map(({ name }) => name).filter((name) => /^x-zz\w+$/.test(name))).size === 50,
  }),
}

const codings = ['gzip', 'gzip, deflate', 'gzip, deflate, br', 'identity', 'br', 'deflate']

const contentCoding: WireClass = {
  name: 'content coding',
  examples: codings.flatMap((coding) =>
    onBoth(coding, (seen) => linesOf(seen, 'accept-encoding')[0]?.value === coding),
  ),
}

const oddCoding: WireClass = {
  name: 'content coding, odd',
  examples: ['*;q=0', 'identity;q=0', 'x-unknown'].map((coding) => ({
    says: coding,
    isIn: (seen: Seen) => linesOf(seen, 'accept-encoding')[0]?.value === coding,
  })),
}

const malformed: WireClass = {
  name: 'grammar, malformed',
  examples: examples({
    traceparent: (seen) => linesOf(seen, 'traceparent').some(({ value }) => !/^00-[0-9a-f]{32}-/.test(value)),
    'a date': (seen) =>
      linesOf(seen, 'if-modified-since').some(({ value }) => Number.isNaN(Date.parse(value))),
    'an entity tag': (seen) =>
      linesOf(seen, 'if-none-match').some(({ value }) => !/^(?:W\/)?".*"$/.test(value)),
  }),
}

const gatewayFields: Readonly<Record<string, (value: string) => boolean>> = {
  range: (value) => /^bytes=\d+-\d+$/.test(value),
  'if-none-match': (value) => /^"\w+"$/.test(value),
  accept: (value) => value !== 'application/json',
  origin: (value) => /^https:\/\/[\w.]+\.invalid$/.test(value),
  'x-forwarded-for': (value) => value === '127.0.0.1',
  cookie: (value) => value.includes('='),
  'user-agent': (value) => /^(?!card-switch).*card-switch-conformance/.test(value),
}

const senders: ReadonlySet<string> = new Set(['origin', 'x-forwarded-for'])

const withMeaning: WireClass = {
  name: 'with a meaning in HTTP or to a gateway',
  // Senders go with no request that would be served: a cache might keep the answer.
  examples: Object.entries(gatewayFields).flatMap(([field, fits]) =>
    onBoth(field, (seen) => {
      const [line, ...more] = linesOf(seen, field)
      return line !== undefined && more.length === 0 && fits(line.value)
    }).slice(senders.has(field) ? 1 : 0),
  ),
}

const hopByHop: WireClass = {
  name: 'hop by hop',
  examples: forEach({
    'named by connection': (seen, field) =>
      linesOf(seen, 'connection')
        .map(({ value }) => value)
        .join() === field && isAuthentic(seen),
  }),
}

/** The catalogue's classes of header lines. */
export const lineClasses: readonly WireClass[] = [
  nameCaseAndOrder,
  duplicates,
  lookAlikes,
  moved,
  unrelated,
  contentCoding,
  oddCoding,
  malformed,
  withMeaning,
  hopByHop,
]
