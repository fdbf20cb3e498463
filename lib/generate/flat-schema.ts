import { isObject, listOr, objectOr } from '../json/json-value.ts'

/** The keywords of a JSON Schema (draft-07) that generated values are made from. */
interface KnownKeywords {
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly exclusiveMaximum?: number
  readonly multipleOf?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly items?: unknown
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, unknown>>
  readonly additionalProperties?: unknown
}

/** A JSON type, but for null. */
type TypeName = (typeof types)[number]

const types = ['integer', 'number', 'boolean', 'string', 'array', 'object'] as const

/** A schema with all that it refers to and demands besides as one. */
export interface FlatSchema {
  /** Its one type besides null; null if it has several, or none. */
  readonly type: TypeName | null
  readonly values: KnownKeywords
  /** Whether null is forbidden. */
  readonly forbidsNull: boolean
  /** Values that it names without demanding them: defaults and examples. */
  readonly suggested: readonly unknown[]
  /** Whether these keywords are all that it demands; if not, a value that they allow may be forbidden. */
  readonly isWhole: boolean
}

/** Keywords that demand nothing by themselves. */
const silent = new Set(
  '$ref allOf type title description default examples $comment $id $schema readOnly writeOnly deprecated definitions'.split(
    ' ',
  ),
)
const known = new Set(
  'enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format items minItems maxItems uniqueItems required properties additionalProperties'.split(
    ' ',
  ),
)

/** How many more schemas are looked at for the values of an endpoint: those that refer to each other make any number. */
export interface Allowance {
  left: number
}

/** The allowance of one of so many endpoints: 10,000 schemas for all, each counted as often as it is looked at, and 500 at least. */
export function allowanceOf(endpoints = 1): Allowance {
  return { left: Math.max(500, Math.floor(10_000 / endpoints)) }
}

/** Joins a schema with its reference and with the members of `allOf`; a value must fit each of them. */
export function conjunction(schema: unknown, root: unknown, allowance = allowanceOf()): FlatSchema {
  const members = membersOf(schema, root, allowance)
  const values: Record<string, unknown> = {}
  const ofTypes: (readonly unknown[])[] = []
  const suggested: unknown[] = []
  // Properties of one member are additional ones of another.
  let isWhole = members !== null && !isClosedToEachOther(members)
  for (const member of members ?? []) {
    for (const [keyword, value] of Object.entries(member)) {
      if (keyword === 'type') ofTypes.push([value].flat())
      if (keyword === 'default') suggested.push(value)
      if (keyword === 'examples' && Array.isArray(value)) suggested.push(...value.slice(0, 1))
      if (silent.has(keyword)) continue
      if (!known.has(keyword)) isWhole = false
      else if (keyword === 'properties') values[keyword] = joined(objectOr(values[keyword]), objectOr(value))
      else if (keyword === 'required')
        values[keyword] = [...[values[keyword] ?? []].flat(), ...[value].flat()]
      else if (values[keyword] === undefined) values[keyword] = value
      else isWhole = isWhole && JSON.stringify(values[keyword]) === JSON.stringify(value)
    }
  }
  const [first = [], ...more] = ofTypes
  const left = first.filter((one) => one !== 'null' && more.every((other) => other.includes(one)))
  const type = types.find((one) => one === left[0]) ?? null
  const isOfOneType = left.length === 1
  const isWithoutNull = (list: unknown): boolean => Array.isArray(list) && !list.includes(null)
  return {
    type: isOfOneType ? type : null,
    values,
    forbidsNull:
      ofTypes.some((names) => !names.includes('null')) ||
      isWithoutNull(values['enum']) ||
      (values['const'] !== undefined && values['const'] !== null),
    suggested,
    isWhole: isWhole && (isOfOneType || ofTypes.length === 0),
  }
}

function isClosedToEachOther(members: readonly Readonly<Record<string, unknown>>[]): boolean {
  const isOpen = members.every(({ additionalProperties: more = true }) => more === true)
  return !isOpen && members.filter((one) => 'properties' in one || 'required' in one).length > 1
}

/** The schemas of both by name; a name of both must fit both. */
function joined(
  some: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const both = Object.entries(more).map(([name, schema]) => {
    return [name, Object.hasOwn(some, name) ? { allOf: [some[name], schema] } : schema] as const
  })
  return { ...some, ...Object.fromEntries(both) }
}

/** The schema and, in order, all that it refers to and demands besides; null where one is no object, or the allowance ends. */
function membersOf(
  schema: unknown,
  root: unknown,
  allowance: Allowance,
): readonly Readonly<Record<string, unknown>>[] | null {
  const members: Readonly<Record<string, unknown>>[] = []
  const open = [schema]
  while (open.length > 0) {
    const one = open.pop()
    if (!isObject(one) || allowance.left === 0) return null
    allowance.left -= 1
    members.push(one)
    for (const inner of listOr(one['allOf']).toReversed()) open.push(inner)
    if (one['$ref'] !== undefined) open.push(definitionOf(one['$ref'], root))
  }
  return members
}

function definitionOf($ref: unknown, root: unknown): unknown {
  const name = /^#\/(?:definitions|\$defs)\/([^/%~]+)$/.exec(String($ref))?.[1]
  const { definitions, $defs } = objectOr(root)
  return name === undefined ? undefined : (objectOr(definitions)[name] ?? objectOr($defs)[name])
}
