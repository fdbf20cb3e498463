import { stringify } from 'node:querystring'
import fc from 'fast-check'
import { isObject, listOr, objectOr, type JsonObject } from '../text/json.ts'

/** Maximum nesting of objects and lists. */
const deepest = 12

/** A schema to whose definitions others refer, and how many more schemas to visit, because recursive references could make it endless. */
export interface Reading {
  readonly root: unknown
  readonly allowance: { left: number }
}

/** The allowance for one endpoint: 10,000 schema visits shared by all endpoints, but at least 500 each. */
export function allowanceOf(endpoints = 1): Reading['allowance'] {
  return { left: Math.max(500, Math.floor(10_000 / endpoints)) }
}

/** The values of a keyword, from each of these schemas that has it. */
export type Keywords = (keyword: string) => readonly unknown[]

/** A schema with everything to which it refers and the first of its alternatives, by default all. */
export function keywordsOf(schema: unknown, { root, allowance }: Reading, alternatives?: 1): Keywords {
  const members = new Set<JsonObject>()
  const open = [schema]
  while (open.length > 0 && allowance.left > 0) {
    const one = open.pop()
    if (!isObject(one) || members.has(one)) continue
    allowance.left -= 1
    members.add(one)
    const some = [one['oneOf'], one['anyOf']].flatMap((list) => listOr(list).slice(0, alternatives))
    const [, list = '', name = ''] = /^#\/(definitions|\$defs)\/([^/%~]+)$/.exec(String(one['$ref'])) ?? []
    open.push(...[...listOr(one['allOf']), ...some].toReversed(), objectOr(objectOr(root)[list])[name])
  }
  const all = [...members]
  return (keyword) => all.flatMap((one) => (one[keyword] === undefined ? [] : [one[keyword]]))
}

/** The minimum and maximum number that a schema allows, possibly infinite, and the step between numbers. */
export function rangeOf(of: Keywords) {
  const step = Number(of('multipleOf')[0] ?? 1)
  const isStepped = of('multipleOf').length > 0 || of('type').flat().includes('integer')
  const bound = (inclusive: string, exclusive: string, sign: 1 | -1) => {
    const beyond = of(exclusive).map((at) => Math.floor(sign * Number(at)) + 1)
    const tightest = Math.max(-Infinity, ...of(inclusive).map((at) => sign * Number(at)), ...beyond)
    return sign * (isStepped ? Math.ceil(tightest / step) * step : tightest) + 0
  }
  const most = bound('maximum', 'exclusiveMaximum', -1)
  return { most, least: bound('minimum', 'exclusiveMinimum', 1), step }
}

/** The schemas of the properties. A property that is named in several schemas must fit each of them. */
export function propertiesOf(of: Keywords): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  for (const [name, schema] of of('properties').flatMap((one) => Object.entries(objectOr(one))))
    found.set(name, found.has(name) ? { allOf: [found.get(name), schema] } : schema)
  return found
}

/** The names of the required properties. */
export function requiredOf(of: Keywords) {
  return [...new Set(of('required').flat().map(String))]
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

/** How a plain value is made. */
interface Making extends Reading {
  readonly carrier: Carrier
  /** Chooses one of several values for a place, given by its JSON Pointer. */
  readonly pick: (pointer: string, count: number) => number
}

/** The plainest value for a JSON Schema (draft-07), either a named value or a small one; undefined if unknown. It may be invalid. */
export function plainValue(schema: unknown, reading: Reading) {
  return valueAt(schema, '', { ...reading, carrier: 'json', pick: () => 0 })
}

/** Maximum number of values to try for a schema. */
const maxTries = 200

/** A valid plain value, or the place where the last one tried is wrong. `wrongIn` returns the place that is wrong as a JSON Pointer, or null. */
export function fittingValue(root: object, carrier: Carrier, wrongIn: (value: unknown) => string | null) {
  const turns = new Map<string, number>()
  for (let tries = 1; ; tries += 1) {
    /** The places with further values. */
    const places: string[] = []
    const pick = (pointer: string, count: number) => {
      const turn = turns.get(pointer) ?? 0
      if (turn + 1 < count) places.push(pointer)
      return turn
    }
    const value = valueAt(root, '', { root, allowance: allowanceOf(), carrier, pick })
    const wrong = value === undefined ? '' : wrongIn(value)
    if (wrong === null) return { value }
    // The place itself, or else one of its parents, or else one of its members.
    const next =
      places.find((one) => one === wrong) ??
      places.findLast((one) => wrong.startsWith(`${one}/`)) ??
      places.findLast((one) => one.startsWith(`${wrong}/`))
    if (next === undefined || tries === maxTries) return { wrong }
    turns.set(next, (turns.get(next) ?? 0) + 1)
  }
}

function valueAt(schema: unknown, pointer: string, making: Making) {
  const { allowance, carrier, pick } = making
  const depth = pointer.split('/').length - 1
  if (depth > deepest || allowance.left === 0) return undefined
  const of = keywordsOf(schema, making, 1)
  const inner = (step: string, given: unknown, its = making): unknown =>
    valueAt(given, `${pointer}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`, its)
  const object = (): unknown => {
    const properties = propertiesOf(of)
    const members = requiredOf(of).map((name) => [name, inner(name, properties.get(name) ?? {})] as const)
    return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members)
  }
  if (carrier === 'text' && depth === 0) return object()
  const list = (): unknown => {
    const count = Math.max(carrier === 'text' ? 1 : 0, ...of('minItems').map(Number))
    if (count > 1_000) return undefined
    const isUnique = of('uniqueItems').includes(true)
    const items = Array.from({ length: count }, (_, at) => {
      const other: Making['pick'] = (place, values) => (pick(place, values) + (isUnique ? at : 0)) % values
      return inner(String(at), of('items')[0] ?? {}, { ...making, pick: other })
    })
    return items.includes(undefined) ? undefined : items
  }
  const every = keywordsOf(schema, making)
  const lists = [...of('enum'), ...of('examples')]
  const named = [...of('default'), ...of('const'), ...lists.flatMap((one) => listOr(one))]
  const types = of('enum').length + of('const').length > 0 ? [] : typesOf(of, every)
  const made = new Map<string, readonly (() => unknown)[]>([
    ['array', [list]],
    ['object', [object]],
  ])
  const values = [
    ...named.map((value) => () => value),
    ...types.flatMap((type) => made.get(type) ?? scalarsOf(type, every).map((value) => () => value)),
  ]
  const sent = carrier === 'json' ? values : values.filter((value) => isText(value(), depth))
  return sent[pick(pointer, sent.length)]?.()
}

/** The types of a value, likeliest first. */
function typesOf(of: Keywords, every: Keywords) {
  const declared = of('type').map((one) => [one].flat())
  const common = (declared[0] ?? []).filter((one) => declared.every((list) => list.includes(one)))
  const all = [...new Set([...common, ...every('type').flat()].map(String))]
  if (all.length > 0) return all.toSorted((a, b) => Number(a === 'null') - Number(b === 'null'))
  const hasAny = (...keywords: readonly string[]) => keywords.some((one) => of(one).length > 0)
  if (hasAny('properties', 'required')) return ['object']
  if (hasAny('items', 'minItems')) return ['array']
  const isNumeric = hasAny('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')
  return isNumeric ? ['number', 'string'] : ['string']
}

/** Whether a query can carry a value that every program reads in the same way. */
function isText(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return depth === 1 && value.length > 0 && value.every((one) => isText(one, 2))
  if (typeof value === 'number') return !/e/.test(String(value))
  return typeof value === 'boolean' || (typeof value === 'string' && value !== '')
}

/** The values to try for a scalar type. */
function scalarsOf(type: string, of: Keywords) {
  if (type === 'integer' || type === 'number') return numbersOf(of)
  if (type === 'boolean') return [true, false]
  return type === 'null' ? [null] : type === 'string' ? textsOf(of) : []
}

/** The bounds, the middle, and multiples starting at the first bound. */
function numbersOf(of: Keywords) {
  const { least, most, step } = rangeOf(of)
  const [first = step] = [least, most].filter(Number.isFinite)
  const onward = Number.isFinite(least) || !Number.isFinite(most) ? step : -step
  const multiples = Array.from({ length: 50 }, (_, at) => first + (at + 1) * onward)
  return [first, most, (least + most) / 2, ...multiples]
    .filter(Number.isFinite)
    .map((one) => Number(one.toPrecision(12)))
}

/** Text in a format, or letters at each bound of a length, or text that matches a pattern. */
function textsOf(of: Keywords) {
  const most = Math.min(20_000, ...of('maxLength').map(Number))
  const least = Math.min(Math.max(1, ...of('minLength').map(Number)), most)
  const patterns = of('pattern').map(String)
  const letters = patterns.length === 0 ? 'abcdefghijklmnopqrstuvwxyz' : 'aA01'
  const lengths = [least, ...of('maxLength').map(() => most)]
  return [
    ...of('format').flatMap((one) => ofFormats[String(one)] ?? []),
    ...lengths.flatMap((length) => [...letters].map((letter) => letter.repeat(length))),
    ...patterns.flatMap(matching),
    ...(patterns.length === 0 ? [] : Object.values(ofFormats)),
  ]
}

/** Short strings that match a pattern, made up of characters without a special meaning. */
function matching(pattern: string) {
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

/** Parameters as a percent-encoded query, without `?`, with the items in a list one after another. Null if there are no parameters. */
export function queryOf(parameters: object) {
  return stringify({ ...parameters }) || null
}

/** A value whose leaves are converted to text. */
export function asTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(String)
  if (!isObject(value)) return String(value)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asTexts(one)]))
}
