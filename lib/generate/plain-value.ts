import { isObject, listOr, objectOr, type JsonObject } from '../json/json-value.ts'

/** Maximum objects and lists within each other. */
const deepest = 12

/** How many more schemas are looked at for an endpoint: those that refer to each other make any number. */
export interface Allowance {
  left: number
}

/** The allowance of one of so many endpoints: 10,000 schemas for all, each counted as often as it is looked at, and 500 at least. */
export function allowanceOf(endpoints = 1): Allowance {
  return { left: Math.max(500, Math.floor(10_000 / endpoints)) }
}

/** The values of a keyword in each of these schemas that has it. */
export type Keywords = (keyword: string) => readonly unknown[]

/** What a schema says of a value, with all that it refers to and, of its alternatives, the first or every one. */
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

/** The least and the greatest number that a schema allows, or infinite ones, and the step between them. */
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

/** Texts of formats, as every program accepts them. */
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

/** The plainest value for a JSON Schema (draft-07): one that it names, or a small one; undefined if none is known. It may be wrong. */
export function plainValue(
  schema: unknown,
  root: unknown = schema,
  allowance: Allowance = allowanceOf(),
  depth = 0,
): unknown {
  if (depth > deepest || allowance.left === 0) return undefined
  const of = keywordsOf(schema, root, { allowance, alternatives: 'first' })
  const first = (keyword: string): readonly unknown[] =>
    of(keyword).flatMap((list) => listOr(list).slice(0, 1))
  const [named] = [...of('default'), ...of('const'), ...first('enum'), ...first('examples')]
  if (named !== undefined) return named
  const below = (inner: unknown): unknown => plainValue(inner, root, allowance, depth + 1)
  const number = (keyword: string, otherwise: number): number => Number(of(keyword)[0] ?? otherwise)

  const types = of('type').map((one) => [one].flat())
  const isOfObject = of('properties').length + of('required').length > 0
  switch (types[0]?.find((one) => one !== 'null' && types.every((list) => list.includes(one)))) {
    case 'integer':
    case 'number': {
      const { least, most, step } = rangeOf(of)
      return [least, most].find(Number.isFinite) ?? step
    }
    case 'boolean':
      return true
    case 'array': {
      const [minItems, item] = [number('minItems', 0), below(of('items')[0] ?? {})]
      if (minItems === 0) return []
      return item === undefined || minItems > 1_000 ? undefined : Array.from({ length: minItems }, () => item)
    }
    case 'object':
      return plainObject(of, below)
    case undefined:
      return isOfObject ? plainObject(of, below) : types.length > 0 ? null : 'a'
    default: {
      const [format] = of('format')
      const length = Math.min(Math.max(number('minLength', 1), 1), number('maxLength', Infinity), 20_000)
      return of('pattern').length > 0 ? undefined : (ofFormats[String(format)] ?? 'a'.repeat(length))
    }
  }
}

function plainObject(of: Keywords, below: (schema: unknown) => unknown): JsonObject | undefined {
  const properties = propertiesOf(of)
  const members = requiredOf(of).map((name) => [name, below(properties.get(name) ?? {})] as const)
  return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members)
}

/** The schemas of the properties; a name in several schemas must fit each. */
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

/** The shortest query for a JSON Schema: required parameters with their plainest value, percent-encoded, without `?`; or null. */
export function plainQuery(schema: object | null): string | null {
  const allowance = allowanceOf()
  const of = keywordsOf(schema, schema, { allowance, alternatives: 'first' })
  const parameters = requiredOf(of).flatMap((name) => {
    const value = plainValue(
      { allOf: [propertiesOf(of).get(name) ?? {}, { minItems: 1 }] },
      schema,
      allowance,
    )
    const texts = [value ?? 'a'].flat().map(String)
    return texts.map((text) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
  })
  return parameters.length === 0 ? null : parameters.join('&')
}
