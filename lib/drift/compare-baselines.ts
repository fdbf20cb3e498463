import { sortedEntries, type AnswersSeen, type Baseline } from './baseline.ts'
import {
  isBelow,
  isProperty,
  parentOf,
  countOf,
  typesAndNull,
  typesOf,
  type Shape,
  type Seen,
} from './shape.ts'

/** Kinds of differences from the learned shape. They are part of a fingerprint, so never rename any of them. */
type ShapeDifferenceKind =
  | 'removed'
  | 'renamed'
  | 'type-changed'
  | 'container-changed'
  | 'became-null'
  | 'sometimes-missing'
  | 'sometimes-null'

/** A change that clients need not tolerate, or a warning that such a change is likely. */
export type ShapeDifference = Readonly<{
  path: string
  kind: ShapeDifferenceKind
  severity: 'breaking' | 'warning'
  /** A sentence without a full stop and without any values: `$.customizations[].palette.secondary was removed`. */
  says: string
}>

type Compared = Readonly<Record<'baseline' | 'seen', Shape>>

/** Minimum number of values for concluding that a property is always present or is never null. */
export const enoughToBeAlways = 5

/**
 * Deviations from the baseline that clients need not tolerate. Ignores values that are rare, items in lists that are now empty,
 * and paths that have been omitted from a shape.
 */
export function compareShapes(baseline: Shape, seen: Shape): readonly ShapeDifference[] {
  const compared = { baseline, seen }
  const paths = Object.keys(baseline).toSorted()
  const found = paths.flatMap((path) => [...differencesAt(path, compared)])
  const removed = found.flatMap(({ kind, path }) => (kind === 'removed' ? [path] : []))
  const renames = renamesOf(removed, compared)
  return found.map((one) => {
    const name = one.kind === 'removed' ? renames.get(one.path) : undefined
    if (name === undefined) return one
    return difference(one.path, 'renamed', `was renamed to ${name}, or removed while that was added`)
  })
}

function* differencesAt(path: string, { baseline, seen }: Compared): Generator<ShapeDifference> {
  const [before, now] = [baseline[path], seen[path]]
  const all = countOf(now)
  const parent = (isProperty(path) ? parentOf(path) : null) ?? ''
  const [objectsBefore, objects] = [baseline[parent]?.object ?? 0, seen[parent]?.object ?? 0]
  const wasAlwaysThere = objectsBefore >= enoughToBeAlways && countOf(before) === objectsBefore
  if (wasAlwaysThere && all > 0 && all !== objects)
    yield difference(path, 'sometimes-missing', `is missing in ${objects - all} of ${objects}`)
  if (wasAlwaysThere && all === 0 && objects > 0 && seen[parent]?.cut !== true)
    yield difference(path, 'removed', 'was removed')

  const types = typesOf(before)
  const was = `and was ${typesAndNull(before).join(' or ')}`
  const nulls = now?.null ?? 0
  if (nulls > 0 && before?.null === undefined && countOf(before) >= enoughToBeAlways)
    yield nulls === all
      ? difference(path, 'became-null', `is null, ${was}`)
      : difference(path, 'sometimes-null', `is null in ${nulls} of ${all}, and never was`)

  // If a path was always null, its type is unknown.
  const others = typesOf(now).filter((type) => !types.includes(type))
  if (types.length === 0 || others.length === 0) return
  const isContained = others.some(isContainer) || types.every(isContainer)
  const kind = isContained ? 'container-changed' : 'type-changed'
  yield difference(path, kind, `is ${others.join(' or ')}, ${was}`)
}

function isContainer(type: string) {
  return ['object', 'array'].includes(type)
}

function difference(path: string, kind: ShapeDifferenceKind, how: string): ShapeDifference {
  const severity = kind.startsWith('sometimes-') ? 'warning' : 'breaking'
  return { path, kind, severity, says: `${path} ${how}` }
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
function isSameShape(from: string, to: string, { baseline, seen }: Compared) {
  if (typesOf(seen[to]).length === 0) return false

  return Object.keys(seen)
    .filter((path) => path === to || isBelow(path, to))
    .every((path) => {
      const before = baseline[`${from}${path.slice(to.length)}`]
      return before !== undefined && typesOf(seen[path]).every((type) => typesOf(before).includes(type))
    })
}

/** A deviation from the baseline. Request name, answer, path and kind are stable, whereas `says` contains counts that vary between runs. */
export type Drift = Pick<ShapeDifference, 'severity' | 'says'> &
  Readonly<{
    requestName: string
    /** The answer that shows the deviation, such as `200/` or `400/1001`. */
    answer: string
    /** The path in the body; null if the status or code has changed. */
    path: string | null
    /** Part of a fingerprint, so never rename it. */
    kind: ShapeDifferenceKind | 'status-changed' | 'code-changed'
    /** The shape at this path, or the answers, before and after the change, on one line each. */
    shapes: Readonly<{ before: string; after: string }>
  }>

/** Deviations from the baseline that clients need not tolerate; none for requests that are missing from the baseline. */
export function compareBaselines(baseline: Baseline, seen: Baseline): readonly Drift[] {
  return sortedEntries(seen.stimuli).flatMap(([requestName, answers]) => {
    const before = own(baseline.stimuli, requestName)
    return before === null ? [] : driftOf(requestName, before, answers)
  })
}

function driftOf(requestName: string, before: AnswersSeen, now: AnswersSeen): readonly Drift[] {
  const known = Object.keys(before).toSorted()
  return sortedEntries(now).flatMap(([answer, { shape }]) => {
    const same = own(before, answer)
    if (same === null) return known.length === 0 ? [] : [otherAnswer(requestName, answer, known)]
    return compareShapes(same.shape, shape).map((one) => {
      const shapes = shapeTexts(same.shape, shape, one.path)
      return { requestName, answer, ...one, shapes }
    })
  })
}

function otherAnswer(requestName: string, answer: string, known: readonly string[]): Drift {
  const [before, after] = [known.map(told).join(' or '), told(answer)]
  const isKnownStatus = known.some((one) => statusOf(one) === statusOf(answer))
  return {
    requestName,
    answer,
    path: null,
    kind: isKnownStatus ? 'code-changed' : 'status-changed',
    severity: 'breaking',
    says: `the answer changed from ${before} to ${after}`,
    shapes: { before, after },
  }
}

function told(answer: string) {
  const status = statusOf(answer)
  const code = answer.slice(status.length + 1)
  if (code === '') return status.startsWith('2') ? status : `${status} without a code`
  return code === 'other' ? `${status} with a code that is not documented` : `${status} / ${code}`
}

function statusOf(answer: string) {
  return answer.slice(0, answer.indexOf('/'))
}

function own<One>(record: Readonly<Record<string, One>>, name: string): One | null {
  return Object.hasOwn(record, name) ? (record[name] ?? null) : null
}

/** Maximum number of properties on a line. Properties that have changed come first. */
const mostProperties = 8

/** What two shapes have at a path: `$.palette { primary: string, shade?: string }`, or the types of an item, without any values. */
export function shapeTexts(before: Shape, after: Shape, path: string): Drift['shapes'] {
  const parent = parentOf(path)
  if (parent === null || !isProperty(path))
    return { before: `${path}: ${typeText(before[path])}`, after: `${path}: ${typeText(after[path])}` }

  const members = (shape: Shape) =>
    new Map(
      Object.keys(shape)
        .filter((one) => parentOf(one) === parent && isProperty(one))
        .map((one) => [one, memberText(shape, one, parent)]),
    )
  const [was, is] = [members(before), members(after)]
  const names = [...new Set([path, ...was.keys(), ...is.keys()])]
  const isChanged = (name: string) => was.get(name) !== is.get(name)
  const ordered = [...names.filter(isChanged), ...names.filter((name) => !isChanged(name))]
  const shown = ordered.slice(0, mostProperties)
  const more = ordered.length > mostProperties ? ['…'] : []
  const line = (of: ReadonlyMap<string, string>) =>
    `${parent} { ${[...shown.flatMap((name) => of.get(name) ?? []), ...more].join(', ')} }`
  return { before: line(was), after: line(is) }
}

function memberText(shape: Shape, path: string, parent: string) {
  const isAlways = countOf(shape[path]) === shape[parent]?.object
  return `${path.slice(parent.length).replace(/^\./, '')}${isAlways ? '' : '?'}: ${typeText(shape[path])}`
}

function typeText(seen: Seen | undefined) {
  return typesAndNull(seen).join(' | ') || 'nothing'
}
