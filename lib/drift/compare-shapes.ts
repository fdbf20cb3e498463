import { isBelow, isProperty, parentOf } from './shape-paths.ts'
import { countOf, typesOf, type JsonType, type Shape } from './shape.ts'

/** Kinds of differences from the learned shape. They are part of a fingerprint, so never rename any of them. */
export type ShapeDifferenceKind =
  | 'removed'
  | 'renamed'
  | 'type-changed'
  | 'container-changed'
  | 'became-null'
  | 'sometimes-missing'
  | 'sometimes-null'

/** A change that clients need not tolerate, or a warning that such a change is likely. */
export interface ShapeDifference {
  readonly path: string
  readonly kind: ShapeDifferenceKind
  readonly severity: 'breaking' | 'warning'
  /** A sentence without a full stop and without any values: `$.customizations[].palette.secondary was removed`. */
  readonly says: string
}

interface Compared {
  readonly baseline: Shape
  readonly seen: Shape
}

/** Minimum number of values for concluding that a property is always present or is never null. */
export const enoughToBeAlways = 5

/**
 * Deviations from the baseline that clients need not tolerate. Ignores values that are rare, items in lists that are now empty,
 * and paths that have been omitted from a shape.
 */
export function compareShapes(baseline: Shape, seen: Shape): readonly ShapeDifference[] {
  const compared = { baseline, seen }
  const paths = Object.keys(baseline).toSorted()
  const renames = renamesOf(
    paths.filter((path) => presence(path, compared) === 'removed'),
    compared,
  )
  return paths.flatMap((path) => [
    ...missing(path, compared, renames.get(path)),
    ...otherNulls(path, compared),
    ...otherTypes(path, compared),
  ])
}

/** Whether a property that used to be in every object has been removed, is sometimes missing, or is still there. */
function presence(path: string, { baseline, seen }: Compared): 'removed' | 'sometimes-missing' | 'there' {
  const parent = parentOf(path)
  if (parent === null || !isProperty(path)) return 'there'

  const before = baseline[parent]?.object ?? 0
  const now = seen[parent]?.object ?? 0
  const wasAlwaysThere = before >= enoughToBeAlways && countOf(baseline[path]) === before
  if (!wasAlwaysThere || countOf(seen[path]) === now) return 'there'
  if (countOf(seen[path]) > 0) return 'sometimes-missing'
  return seen[parent]?.cut === true ? 'there' : 'removed'
}

function missing(path: string, compared: Compared, renamed?: string): readonly ShapeDifference[] {
  const kind = presence(path, compared)
  if (kind === 'there') return []
  if (kind === 'sometimes-missing') {
    const objects = compared.seen[parentOf(path) ?? path]?.object ?? 0
    const without = objects - countOf(compared.seen[path])
    return [difference(path, kind, `is missing in ${without} of ${objects}`)]
  }
  if (renamed === undefined) return [difference(path, kind, 'was removed')]
  return [difference(path, 'renamed', `was renamed to ${renamed}, or removed while that was added`)]
}

/** Null values at a path that was never null before. */
function otherNulls(path: string, { baseline, seen }: Compared): readonly ShapeDifference[] {
  const before = baseline[path]
  const nulls = seen[path]?.null ?? 0
  if (nulls === 0 || before?.null !== undefined || countOf(before) < enoughToBeAlways) return []

  const all = countOf(seen[path])
  if (nulls === all)
    return [difference(path, 'became-null', `is null, and was ${typesBefore(path, baseline)}`)]
  return [difference(path, 'sometimes-null', `is null in ${nulls} of ${all}, and never was`)]
}

/** Types that have not been seen at a path before. If a path was always null, its type is unknown. */
function otherTypes(path: string, { baseline, seen }: Compared): readonly ShapeDifference[] {
  const before = typesOf(baseline[path])
  const others = typesOf(seen[path]).filter((type) => !before.includes(type))
  if (before.length === 0 || others.length === 0) return []

  const isContained = others.some(isContainer) || before.every(isContainer)
  const kind = isContained ? 'container-changed' : 'type-changed'
  return [difference(path, kind, `is ${others.join(' or ')}, and was ${typesBefore(path, baseline)}`)]
}

function isContainer(type: JsonType): boolean {
  return type === 'object' || type === 'array'
}

function typesBefore(path: string, baseline: Shape): string {
  const nullable = baseline[path]?.null === undefined ? [] : ['null']
  return [...typesOf(baseline[path]), ...nullable].join(' or ')
}

function difference(path: string, kind: ShapeDifferenceKind, how: string): ShapeDifference {
  return {
    path,
    kind,
    severity: kind.startsWith('sometimes-') ? 'warning' : 'breaking',
    says: `${path} ${how}`,
  }
}

/** Maximum number of properties on each side when looking for renames, because every pair is compared. */
const maxPaired = 20

/** Renamed properties, old path to new. One was removed and one with the same shape added in the same object, and neither matches any other. */
function renamesOf(removed: readonly string[], compared: Compared): ReadonlyMap<string, string> {
  const added = newProperties(removed, compared)
  if (removed.length > maxPaired || added.length > maxPaired) return new Map()

  const fitting = removed.flatMap((from) =>
    added
      .filter((to) => parentOf(from) === parentOf(to) && isSameShape(from, to, compared))
      .map((to) => [from, to] as const),
  )
  return new Map(
    fitting.filter(([from, to]) => fitting.filter((pair) => pair[0] === from || pair[1] === to).length === 1),
  )
}

/** Properties that every object at this path has now and that no object had before. */
function newProperties(removed: readonly string[], { baseline, seen }: Compared): readonly string[] {
  const places = new Set(removed.map(parentOf))
  if (places.size === 0) return []
  return Object.keys(seen).filter((path) => {
    const parent = parentOf(path)
    if (parent === null || !places.has(parent) || !isProperty(path)) return false
    if (Object.hasOwn(baseline, path) || baseline[parent]?.cut === true) return false
    return countOf(seen[path]) === seen[parent]?.object
  })
}

/** Whether the new property and everything under it have only types that the old property had. */
function isSameShape(from: string, to: string, { baseline, seen }: Compared): boolean {
  if (typesOf(seen[to]).length === 0) return false

  return Object.keys(seen)
    .filter((path) => path === to || isBelow(path, to))
    .every((path) => {
      const before = baseline[`${from}${path.slice(to.length)}`]
      return before !== undefined && typesOf(seen[path]).every((type) => typesOf(before).includes(type))
    })
}
