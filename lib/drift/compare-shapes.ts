import type { ShapeDifference, ShapeDifferenceKind } from './difference.ts'
import { isProperty, parentOf } from './paths.ts'
import { renamesOf, type Compared } from './renames.ts'
import { countOf, typesOf, type JsonType, type Seen } from './seen.ts'
import type { Shape } from './shape.ts'

/** What was there, or was not null, in fewer values than these is not said to be always so. */
export const enoughToBeAlways = 5

/**
 * What in a shape departs from the baseline, in ways that the specification does not tell clients to tolerate. Properties added and
 * other strings are no difference. Nothing is said of what the baseline saw too seldom, of what is below a list that is
 * empty now, nor of what was left out of a shape.
 */
export function compareShapes(baseline: Shape, seen: Shape): readonly ShapeDifference[] {
  const compared = { baseline, seen }
  const paths = Object.keys(baseline).toSorted()
  const removed = paths.filter((path) => presence(path, compared) === 'removed')
  const renames = renamesOf(removed, compared)

  return paths.flatMap((path) => [
    ...missing(path, compared, renames.get(path) ?? null),
    ...otherNulls(path, compared),
    ...otherTypes(path, compared),
  ])
}

type Presence = 'removed' | 'sometimes-missing' | 'there'

/** Whether a property that was always there is there: in no object now, in some, or in all. */
function presence(path: string, { baseline, seen }: Compared): Presence {
  const parent = parentOf(path)
  if (parent === null || !isProperty(path)) return 'there'

  const before = baseline[parent]?.object ?? 0
  const now = seen[parent]?.object ?? 0
  const wasAlwaysThere = before >= enoughToBeAlways && countOf(baseline[path]) === before
  if (!wasAlwaysThere || countOf(seen[path]) === now) return 'there'
  if (countOf(seen[path]) > 0) return 'sometimes-missing'
  return seen[parent]?.cut === true ? 'there' : 'removed'
}

function missing(path: string, compared: Compared, renamed: string | null): readonly ShapeDifference[] {
  const kind = presence(path, compared)
  if (kind === 'there') return []
  if (kind === 'sometimes-missing') {
    const objects = compared.seen[parentOf(path) ?? path]?.object ?? 0
    const without = objects - countOf(compared.seen[path])
    return [warning(path, kind, `is missing in ${without} of ${objects}`)]
  }
  if (renamed === null) return [breaking(path, kind, 'was removed')]
  return [breaking(path, 'renamed', `was renamed to ${renamed}, or removed while that was added`)]
}

/** Null where it never was. */
function otherNulls(path: string, { baseline, seen }: Compared): readonly ShapeDifference[] {
  const before = baseline[path]
  const nulls = seen[path]?.null ?? 0
  if (nulls === 0 || before?.null !== undefined || countOf(before) < enoughToBeAlways) return []

  const all = countOf(seen[path])
  if (nulls === all) return [breaking(path, 'became-null', `is null, and was ${typeNames(before)}`)]
  return [warning(path, 'sometimes-null', `is null in ${nulls} of ${all}, and never was`)]
}

/** A type where only others were; what was only ever null says nothing about its type. */
function otherTypes(path: string, { baseline, seen }: Compared): readonly ShapeDifference[] {
  const before = typesOf(baseline[path])
  const others = typesOf(seen[path]).filter((type) => !before.includes(type))
  if (before.length === 0 || others.length === 0) return []

  const isContained = others.some(isContainer) || before.every(isContainer)
  const kind = isContained ? 'container-changed' : 'type-changed'
  return [breaking(path, kind, `is ${others.join(' or ')}, and was ${typeNames(baseline[path])}`)]
}

function isContainer(type: JsonType): boolean {
  return type === 'object' || type === 'array'
}

function typeNames(seen: Seen | undefined): string {
  const nullable = seen?.null === undefined ? [] : ['null']
  return [...typesOf(seen), ...nullable].join(' or ')
}

function breaking(path: string, kind: ShapeDifferenceKind, how: string): ShapeDifference {
  return { path, kind, severity: 'breaking', says: `${path} ${how}` }
}

function warning(path: string, kind: ShapeDifferenceKind, how: string): ShapeDifference {
  return { path, kind, severity: 'warning', says: `${path} ${how}` }
}
