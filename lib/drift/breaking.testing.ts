import { isObject } from '../text/json-value.ts'

/** Kinds of changes that break clients. */
const breakingKinds = [
  'removed',
  'renamed',
  'null',
  'other-type',
  'other-container',
  'number-for-string',
] as const

type BreakingKind = (typeof breakingKinds)[number]

/** Path in a value: property names, indexes, or null for all items of a list. */
export type Place = readonly (string | number | null)[]

/** A breaking change: what is done, and where. */
export interface BreakingChange {
  readonly place: Place
  readonly kind: BreakingKind
}

/** Maximum listed changes of a value, shallow places first. */
const mostBreakingChanges = 2_000

/** Maximum steps to a place. */
const deepest = 32

/** Every breaking change that a value allows, with null for items; each changes something. */
export function breakingChangesOf(value: unknown): readonly BreakingChange[] {
  const changes: BreakingChange[] = []
  let level: readonly (readonly [place: Place, values: readonly unknown[]])[] = [[[], [value]]]
  for (let depth = 0; depth <= deepest; depth += 1) {
    for (const [place, values] of level) {
      const kinds = breakingKinds.filter((kind) => values.some((one) => applies(kind, place, one)))
      for (const kind of kinds) changes.push({ place, kind })
    }
    if (changes.length >= mostBreakingChanges) break
    level = level.flatMap(([place, values]) => {
      const { properties, items } = childrenOf(values)
      const named = [...properties].map(([name, inner]) => [[...place, name], inner] as const)
      return items.length > 0 ? [...named, [[...place, null], items] as const] : named
    })
  }
  return changes.slice(0, mostBreakingChanges)
}

/** The value after a breaking change; unchanged if the change does not apply. */
export function broken(value: unknown, { place, kind }: BreakingChange): unknown {
  const [step, ...rest] = place
  if (step === undefined) return applies(kind, place, value) ? brokenValue(value, kind) : value

  const inner = { place: rest, kind }
  if (typeof step === 'string') {
    if (!isObject(value)) return value
    const entries = Object.entries(value).flatMap((entry) =>
      entry[0] === step ? brokenProperty(entry, inner, value) : [entry],
    )
    return Object.fromEntries(entries)
  }
  if (!Array.isArray(value)) return value
  return value.map((item: unknown, index) => (step === null || step === index ? broken(item, inner) : item))
}

/** A property after the change: removed, renamed, or with another value. */
function brokenProperty(
  [name, value]: readonly [string, unknown],
  change: BreakingChange,
  around: Readonly<Record<string, unknown>>,
): readonly (readonly [string, unknown])[] {
  const isHere = change.place.length === 0
  if (isHere && change.kind === 'removed') return []
  return [[isHere && change.kind === 'renamed' ? otherName(name, around) : name, broken(value, change)]]
}

function otherName(name: string, around: Readonly<Record<string, unknown>>): string {
  let other = `${name}_renamed`
  while (Object.hasOwn(around, other)) other += '_'
  return other
}

function applies(kind: BreakingKind, place: Place, value: unknown): boolean {
  switch (kind) {
    case 'removed':
    case 'renamed':
      return typeof place.at(-1) === 'string'
    case 'null':
      return value !== null
    case 'other-type':
      return typeof value !== 'object'
    case 'other-container':
      return value !== null && typeof value === 'object'
    case 'number-for-string':
      return typeof value === 'string'
  }
}

/** The replacement of a value; properties are handled separately. */
function brokenValue(value: unknown, kind: BreakingKind): unknown {
  switch (kind) {
    case 'removed':
    case 'renamed':
      return value
    case 'null':
      return null
    case 'other-type':
      return typeof value === 'string' ? true : String(value)
    case 'other-container':
      return Array.isArray(value) ? { items: value } : [value]
    case 'number-for-string':
      return 1_001
  }
}

/** The children of values: those of one name together, and all items of lists together. */
interface Children {
  readonly properties: ReadonlyMap<string, readonly unknown[]>
  readonly items: readonly unknown[]
}

function childrenOf(values: readonly unknown[]): Children {
  const properties = new Map<string, unknown[]>()
  const items: unknown[] = []
  for (const value of values) {
    if (Array.isArray(value)) {
      for (const item of value) items.push(item)
    } else if (isObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        const others = properties.get(name)
        if (others === undefined) properties.set(name, [inner])
        else others.push(inner)
      }
    }
  }
  return { properties, items }
}
