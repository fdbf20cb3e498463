import fc from 'fast-check'
import { isObject, listOr, objectOr, type JsonObject } from '../text/json-value.ts'

/** Maximum nesting of objects and lists. */
const deepest = 12

/** How many more schemas to visit for an endpoint, because recursive references could make it endless. */
export interface Allowance {
  left: number
}

/** The allowance for one endpoint: 10,000 schema visits shared by all endpoints, but at least 500 each. */
export function allowanceOf(endpoints = 1): Allowance {
  return { left: Math.max(500, Math.floor(10_000 / endpoints)) }
}

/** The values of a keyword, from each of these schemas that has it. */
export type Keywords = (keyword: string) => readonly unknown[]

/** A schema with everything to which it refers and either the first or all of its alternatives. */
export function keywordsOf(
  schema: unknown,
  root: unknown,
  { allowance, alternatives }: { readonly allowance: Allowance; readonly alternatives: 'first' | 'every' },
): Keywords {
  const members = new Set<JsonObject>()
  const open = [schema]
  while (open.length > 0 && allowance.left > 0) {
    const one = open.pop()
    if (!isObject(one) || members.has(one)) continue
    allowance.left -= 1
    members.add(one)
    const some = [one['oneOf'], one['anyOf']].flatMap((list) =>
      alternatives === 'first' ? listOr(list).slice(0, 1) : listOr(list),
    )
    open.push(...some.toReversed(), ...listOr(one['allOf']).toReversed(), definitionOf(one['$ref'], root))
  }
  const all = [...members]
  return (keyword) => all.flatMap((one) => (one[keyword] === undefined ? [] : [one[keyword]]))
}

function definitionOf($ref: unknown, root: unknown): unknown {
  const [, list = '', name = ''] = /^#\/(definitions|\$defs)\/([^/%~]+)$/.exec(String($ref)) ?? []
  return objectOr(objectOr(root)[list])[name]
}

/** The minimum and maximum number that a schema allows, possibly infinite, and the step between numbers. */
export function rangeOf(of: Keywords): {
  readonly most: number
  readonly least: number
  readonly step: number
} {
  const step = Number(of('multipleOf')[0] ?? 1)
  const isStepped = of('multipleOf').length > 0 || of('type').flat().includes('integer')
  const bound = (inclusive: string, exclusive: string, sign: 1 | -1): number => {
    const beyond = of(exclusive).map((at) => Math.floor(sign * Number(at)) + 1)
    const tightest = Math.max(-Infinity, ...of(inclusive).map((at) => sign * Number(at)), ...beyond)
    return sign * (isStepped ? Math.ceil(tightest / step) * step : tightest) + 0
  }
  return {
    most: bound('maximum', 'exclusiveMaximum', -1),
    least: bound('minimum', 'exclusiveMinimum', 1),
    step,
  }
}

/** Text in formats that every program accepts. */
const ofFormats: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  email: 'a@example.com',
  hostname: 'example.com',
  uri: 'https://example.com/',
  'uri-reference': '/a',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
}

/** How values are sent: as text, as in a query, or as JSON. */
export type Carrier = 'text' | 'json'

/** Chooses one of several values for a place, given by its JSON Pointer. */
type Pick = (place: string, count: number) => number

/** The place of a value. */
interface Place {
  readonly root: unknown
  readonly allowance: Allowance
  readonly carrier: Carrier
  readonly pick: Pick
  readonly pointer: string
  readonly depth: number
}

/** The plainest value for a JSON Schema (draft-07), either a named value or a small one; undefined if unknown. It may be invalid. */
export function plainValue(
  schema: unknown,
  root: unknown = schema,
  allowance: Allowance = allowanceOf(),
): unknown {
  return valueAt(schema, { root, allowance, carrier: 'json', pick: () => 0, pointer: '', depth: 0 })
}

/** A valid value, or the place where the last one tried is wrong. */
export type PlainFit = { readonly value: unknown } | { readonly wrong: string }

/** Maximum number of values to try for a schema. */
const maxTries = 200

/** A valid plain value. `wrongIn` returns the place that is wrong as a JSON Pointer, or null. */
export function fittingValue(
  schema: object,
  carrier: Carrier,
  wrongIn: (value: unknown) => string | null,
): PlainFit {
  const turns = new Map<string, number>()
  let wrong: string | null = ''
  for (let tries = 0; tries < maxTries; tries += 1) {
    const counts = new Map<string, number>()
    const pick: Pick = (place, count) => {
      counts.set(place, count)
      return turns.get(place) ?? 0
    }
    const place = { root: schema, allowance: allowanceOf(), carrier, pick, pointer: '', depth: 0 }
    const value = valueAt(schema, place)
    wrong = value === undefined ? '' : wrongIn(value)
    if (wrong === null) return { value }
    const next = nearest(
      wrong,
      [...counts.keys()].filter((one) => (turns.get(one) ?? 0) + 1 < (counts.get(one) ?? 0)),
    )
    if (next === undefined) break
    turns.set(next, (turns.get(next) ?? 0) + 1)
  }
  return { wrong }
}

/** The place itself, or else one of its parents, or else one of its members. */
function nearest(wrong: string, places: readonly string[]): string | undefined {
  return (
    places.find((one) => one === wrong) ??
    places.findLast((one) => wrong.startsWith(`${one}/`)) ??
    places.findLast((one) => one.startsWith(`${wrong}/`))
  )
}

function valueAt(schema: unknown, place: Place): unknown {
  const { root, allowance, carrier, pick, pointer, depth } = place
  if (depth > deepest || allowance.left === 0) return undefined
  const of = keywordsOf(schema, root, { allowance, alternatives: 'first' })
  const inner = (step: string | number, given: unknown, more: Partial<Place> = {}): unknown => {
    const below = `${pointer}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`
    return valueAt(given, { ...place, pointer: below, depth: depth + 1, ...more })
  }
  if (carrier === 'text' && depth === 0) return plainObject(of, inner)
  const every = keywordsOf(schema, root, { allowance, alternatives: 'every' })
  const named = [
    ...of('default'),
    ...of('const'),
    ...[...of('enum'), ...of('examples')].flatMap((list) => listOr(list)),
  ]
  const isClosed = of('enum').length + of('const').length > 0
  const values = [
    ...named.map((value) => () => value),
    ...(isClosed ? [] : typesOf(of, every)).flatMap((type): readonly (() => unknown)[] => {
      if (type === 'array') return [() => plainList(of, place, inner)]
      if (type === 'object') return [() => plainObject(of, inner)]
      return (scalars[type]?.(every) ?? []).map((value) => () => value)
    }),
  ]
  const sent = carrier === 'json' ? values : values.filter((value) => isText(value(), depth))
  return sent[pick(pointer, sent.length)]?.()
}

/** The types of a value, likeliest first. */
function typesOf(of: Keywords, every: Keywords): readonly string[] {
  const declared = of('type').map((one) => [one].flat())
  const common = (declared[0] ?? []).filter((one) => declared.every((list) => list.includes(one)))
  const all = new Set([...common, ...every('type').flat()].map(String))
  if (all.size > 0) return [...[...all].filter((one) => one !== 'null'), ...(all.has('null') ? ['null'] : [])]
  const hasAny = (keywords: readonly string[]): boolean => keywords.some((one) => of(one).length > 0)
  if (hasAny(['properties', 'required'])) return ['object']
  if (hasAny(['items', 'minItems'])) return ['array']
  const numeric = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
  return hasAny(numeric) ? ['number', 'string'] : ['string']
}

/** Whether a query can carry a value that every program reads in the same way. */
function isText(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return depth === 1 && value.length > 0 && value.every((one) => isText(one, 2))
  if (typeof value === 'number') return !/e/.test(String(value))
  return typeof value === 'boolean' || (typeof value === 'string' && value !== '')
}

/** The values to try for each scalar type. */
const scalars: Readonly<Record<string, (of: Keywords) => readonly unknown[]>> = {
  integer: numbersOf,
  number: numbersOf,
  boolean: () => [true, false],
  string: textsOf,
  null: () => [null],
}

/** The bounds, the middle, and multiples starting at the first bound. */
function numbersOf(of: Keywords): readonly number[] {
  const { least, most, step } = rangeOf(of)
  const [first = step] = [least, most].filter(Number.isFinite)
  const onward = Number.isFinite(least) || !Number.isFinite(most) ? step : -step
  const multiples = Array.from({ length: 50 }, (_, at) => first + (at + 1) * onward)
  return [first, most, (least + most) / 2, ...multiples]
    .filter(Number.isFinite)
    .map((one) => Number(one.toPrecision(12)))
}

/** Text in a format, or letters at each bound of a length, or text that matches a pattern. */
function textsOf(of: Keywords): readonly string[] {
  const most = Math.min(20_000, ...of('maxLength').map(Number))
  const least = Math.min(Math.max(1, ...of('minLength').map(Number)), most)
  const patterns = of('pattern').map(String)
  const letters = patterns.length === 0 ? 'abcdefghijklmnopqrstuvwxyz' : 'aA01'
  const formats = of('format').flatMap((one) => ofFormats[String(one)] ?? [])
  const lengths = [least, ...of('maxLength').map(() => most)]
  return [
    ...formats,
    ...lengths.flatMap((length) => [...letters].map((letter) => letter.repeat(length))),
    ...patterns.flatMap(matching),
    ...(patterns.length === 0 ? [] : Object.values(ofFormats)),
  ]
}

/** Short strings that match a pattern, made up of characters without a special meaning. */
function matching(pattern: string): readonly string[] {
  try {
    return fc
      .sample(fc.stringMatching(new RegExp(pattern, 'u')), { numRuns: 50, seed: 1 })
      .filter((text) => /^[\w.:@-]{1,200}$/.test(text))
      .toSorted((a, b) => a.length - b.length)
      .slice(0, 20)
  } catch {
    // It cannot generate strings for every pattern, such as one with a lookahead.
    return []
  }
}

type Inner = (step: string | number, schema: unknown, more?: Partial<Place>) => unknown

function plainList(of: Keywords, { carrier, pick }: Place, inner: Inner): readonly unknown[] | undefined {
  const count = Math.max(carrier === 'text' ? 1 : 0, ...of('minItems').map(Number))
  if (count > 1_000) return undefined
  const isUnique = of('uniqueItems').includes(true)
  const items = Array.from({ length: count }, (_, at) =>
    inner(at, of('items')[0] ?? {}, {
      pick: (place, values) => (pick(place, values) + (isUnique ? at : 0)) % values,
    }),
  )
  return items.includes(undefined) ? undefined : items
}

function plainObject(of: Keywords, inner: Inner): JsonObject | undefined {
  const properties = propertiesOf(of)
  const members = requiredOf(of).map((name) => [name, inner(name, properties.get(name) ?? {})] as const)
  return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members)
}

/** The schemas of the properties. A property that is named in several schemas must fit each of them. */
export function propertiesOf(of: Keywords): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  for (const [name, schema] of of('properties').flatMap((one) => Object.entries(objectOr(one))))
    found.set(name, found.has(name) ? { allOf: [found.get(name), schema] } : schema)
  return found
}

/** The names of the required properties. */
export function requiredOf(of: Keywords): readonly string[] {
  return [...new Set(of('required').flat().map(String))]
}

/** Parameters as a percent-encoded query, without `?`, with the items in a list one after another. Null if there are no parameters. */
export function queryOf(parameters: object): string | null {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`),
  )
  return pairs.length === 0 ? null : pairs.join('&')
}

/** A value whose leaves are converted to text. */
export function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(String)
  if (!isObject(value)) return String(value)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asTexts(one)]))
}
