import { sortedEntries, type AnswersSeen, type Baseline } from './baseline.ts'
import { compareShapes, type ShapeDifference, type ShapeDifferenceKind } from './compare-shapes.ts'
import { isProperty, parentOf } from './shape-paths.ts'
import { countOf, typesAndNull, type Seen, type Shape } from './shape.ts'

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
    shapes: { readonly before: string; readonly after: string }
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
  return sortedEntries(now).flatMap(([answer, { shape }]): readonly Drift[] => {
    const same = own(before, answer)
    if (same === null) return known.length === 0 ? [] : [otherAnswer(requestName, answer, known)]
    return compareShapes(same.shape, shape).map((difference) => {
      const shapes = shapeTexts(same.shape, shape, difference.path)
      return { requestName, answer, ...difference, shapes }
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

  const members = (shape: Shape): ReadonlyMap<string, string> =>
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
