import { examples, onBoth, knownPath, settings, type WireClass, decoded, type Seen } from './classes.ts'

/** Whether a path matches below a random first segment. */
function isBelow(path: string, rest: RegExp): boolean {
  const found = /^\/api\/zz[a-z]{14}(?<rest>.*)$/.exec(path)?.groups?.['rest']
  return found !== undefined && rest.test(found)
}

/** The bytes that percent-encodings stand for, or null where one of them is none. */
function bytesOf(encoded: string): string | null {
  if (/%(?![0-9a-f]{2})/i.test(encoded)) return null
  return encoded.replaceAll(/%(..)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

/** The text that percent-encoded UTF-8 stands for, or null where it is none. */
function textOf(encoded: string): string | null {
  const bytes = bytesOf(encoded)
  return bytes === null ? null : decoded(bytes)
}

const unknownPaths: WireClass = {
  name: 'unknown paths under /api/',
  examples: examples({
    'a random first segment': ({ path }) => isBelow(path, /^$/),
    'more segments': ({ path }) => isBelow(path, /^(?:\/\w[\w-]*)+$/),
    'a suffix': ({ path }) => isBelow(path, /^\/list\.[a-z]+$/),
    'percent-encoded UTF-8': ({ path }) => isBelow(path, /%/) && /[^\0-\x7f]/.test(textOf(path) ?? ''),
    'invalid sequences': ({ path }) => isBelow(path, /%/) && bytesOf(path) !== null && textOf(path) === null,
    'no percent-encoding': ({ path }) => isBelow(path, /%/) && bytesOf(path) === null,
  }),
}

const parent = knownPath.slice(0, knownPath.lastIndexOf('/'))
const last = knownPath.slice(parent.length + 1)

const near: Readonly<Record<string, (path: string) => boolean>> = {
  'other case': (path) => path !== knownPath && path.toLowerCase() === knownPath,
  'a letter off': (path) =>
    path.length === knownPath.length &&
    Array.from(path).filter((one, at) => one !== knownPath[at]).length === 1 &&
    path.toLowerCase() !== knownPath,
  'a trailing slash': (path) => path === `${knownPath}/`,
  'a doubled slash': (path) => path === `${parent}//${last}`,
  'a suffix': (path) => path.startsWith(`${knownPath}.`),
  'an extra segment': (path) => path.startsWith(`${knownPath}/`) && path.length > knownPath.length + 1,
}

const nearPaths: WireClass = {
  name: 'near misses of known paths',
  examples: Object.entries(near).flatMap(([says, fits]) => onBoth(says, ({ path }) => fits(path))),
}

/** What is sent besides the query that the endpoint needs. */
function added({ path, query }: Seen): string | null {
  if (query === null) return null
  if (path !== knownPath) return query
  return query.startsWith(`${settings.TARGET_QUERY}&`) ? query.slice(settings.TARGET_QUERY.length + 1) : null
}

interface Parameter {
  readonly name: string
  readonly value: string
}

function parametersOf(seen: Seen): readonly Parameter[] {
  const query = added(seen)
  return query === null
    ? []
    : query.split('&').map((one) => {
        const [name = '', ...value] = one.split('=')
        return { name, value: value.join('=') }
      })
}

/** A single parameter whose name and value, as they stand in the bytes, are such. */
function single(fits: (parameter: Parameter) => boolean): (seen: Seen) => boolean {
  return (seen) => {
    const [parameter, ...more] = parametersOf(seen)
    return parameter !== undefined && more.length === 0 && fits(parameter)
  }
}

/** A single parameter whose name is an ordinary one, with such a value. */
function withValue(fits: (value: string) => boolean): (seen: Seen) => boolean {
  return single(({ name, value }) => /^[a-z]+$/.test(name) && fits(value))
}

function valued(values: readonly string[]): Readonly<Record<string, (seen: Seen) => boolean>> {
  return Object.fromEntries(values.map((value) => [value, withValue((one) => one === value)]))
}

const values: WireClass = {
  name: 'parameter values',
  examples: examples({
    ...valued(['0', '-1', '1', '2147483646', '2147483649', '9007199254740991', '9007199254740993', '1e310']),
    ...valued(['0x10', '1_000', '1%2C000', '%EF%BC%91%EF%BC%92', 'NaN', '%27']),
    empty: withValue((value) => value === ''),
    '1,000 characters': withValue((value) => value === 'a'.repeat(1_000)),
    'UTF-8': withValue(
      (value) => /^(?:%[C-F][0-9A-F](?:%[89AB][0-9A-F])+)+$/.test(value) && textOf(value) !== null,
    ),
  }),
}

function named(wanted: string): (seen: Seen) => boolean {
  return single(({ name }) => name === wanted)
}

const names: WireClass = {
  name: 'parameter names',
  examples: examples({
    unknown: named('zzunknown'),
    empty: (seen) => added(seen) === '=1',
    ['__proto__']: named('__proto__'),
    constructor: named('constructor'),
    'a[]': named('a%5B%5D'),
    'a[b]': named('a%5Bb%5D'),
    'a.b': named('a.b'),
    'other case': named('LIMIT'),
  }),
}

/** Excluded from a query or reserved in it (RFC 3986), but for `#`, with which a fragment begins. */
const reserved = [...'[]{}|\\^`"<>\';:@,$()*!/?=&+']

const encoding: WireClass = {
  name: 'encoding',
  examples: examples({
    ...valued(['%00', '%0a', '%ff', '%', '%4', '%zz', '%2527']),
    ...Object.fromEntries(
      reserved.map((character) => [
        `${character} as it is`,
        (seen: Seen) => /^[a-z]+=a(?<raw>.)b$/.exec(added(seen) ?? '')?.groups?.['raw'] === character,
      ]),
    ),
    ...Object.fromEntries(
      ["' OR '1'='1", '{"$ne":null}', '{{7*7}}', '../../../..', '*)(uid=*', 'a\r\nb', '<b>a</b>'].map(
        (probe) => [probe, withValue((value) => !/[^\w.~%-]/.test(value) && textOf(value) === probe)],
      ),
    ),
  }),
}

function twice(fits: (one: string, other: string) => boolean): (seen: Seen) => boolean {
  return (seen) => {
    const [one, other, ...more] = parametersOf(seen)
    if (one === undefined || other === undefined || more.length > 0) return false
    return one.name === other.name && fits(one.value, other.value)
  }
}

function namesIn(seen: Seen): readonly string[] {
  return parametersOf(seen).map(({ name }) => name)
}

const repetition: WireClass = {
  name: 'repetition',
  examples: examples({
    'twice, the same': twice((one, other) => one === other),
    'twice, different': twice((one, other) => one !== other),
    '50 parameters': (seen) => new Set(namesIn(seen)).size === 50 && namesIn(seen).length === 50,
    'a 6 KiB query in one parameter': ({ query }) => query?.length === 6_144 && !query.includes('&'),
    'a 6 KiB query in many parameters': ({ query }) =>
      Math.abs((query?.length ?? 0) - 6_144) <= 1 && (query?.split('&').length ?? 0) > 100,
  }),
}

/** Whether two queries hold the same distinct flat parameters, in another order. */
function isPermuted(query: string, before: string): boolean {
  const [now, then] = [query.split('&'), before.split('&')]
  const all = now.map((parameter) => parameter.split('=')[0] ?? '')
  return (
    query !== before &&
    now.toSorted().join() === then.toSorted().join() &&
    new Set(all).size === all.length &&
    all.every((name) => /^\w+$/.test(name))
  )
}

const order: WireClass = {
  name: 'order',
  examples: examples({
    "of the endpoint's own": ({ query, before }) =>
      before?.query === settings.TARGET_QUERY && isPermuted(query ?? '', before.query),
    'of undocumented ones': ({ query, before }) =>
      /zz/.test(query ?? '') && isPermuted(query ?? '', before?.query ?? ''),
  }),
}

/** The catalogue's classes of paths and parameters. */
export const targetClasses: readonly WireClass[] = [
  unknownPaths,
  nearPaths,
  values,
  names,
  encoding,
  repetition,
  order,
]
