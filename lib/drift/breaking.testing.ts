import { groupBy } from '../text/counts.ts'
import { isObject } from '../text/json-value.ts'

/** A path in a value: property names, indexes, or null for every item of a list. */
export type Place = readonly (string | number | null)[]

/** The changes that break clients. Each says whether it applies to a value, and gives the changed value. */
const otherValues = {
  null: [(value: unknown) => value !== null, () => null],
  'other-type': [
    (value: unknown) => typeof value !== 'object',
    (value: unknown) => (typeof value === 'string' ? true : String(value)),
  ],
  'other-container': [
    (value: unknown) => typeof value === 'object' && value !== null,
    (value: unknown) => (Array.isArray(value) ? { items: value } : [value]),
  ],
  'number-for-string': [(value: unknown) => typeof value === 'string', () => 1_001],
} as const
const valueKinds = ['null', 'other-type', 'other-container', 'number-for-string'] as const

/** A breaking change and its place. */
export interface BreakingChange {
  readonly place: Place
  readonly kind: 'removed' | 'renamed' | (typeof valueKinds)[number]
}

/**
 * Every breaking change that is possible in a value, with null for the items of a list. Each one changes
 * something.
 */
export function breakingChangesOf(value: unknown): readonly BreakingChange[] {
  return changesAt([], [value])
}

function changesAt(place: Place, values: readonly unknown[]): readonly BreakingChange[] {
  const named = typeof place.at(-1) === 'string' ? (['removed', 'renamed'] as const) : []
  const kinds = valueKinds.filter((kind) => values.some((one) => otherValues[kind][0](one)))
  const members = values.filter(isObject).flatMap((one) => Object.entries(one))
  const items: readonly unknown[] = values.filter((one) => Array.isArray(one)).flat()
  return [
    ...[...named, ...kinds].map((kind) => ({ place, kind })),
    ...[...groupBy(members, ([name]) => name)].flatMap(([name, alike]) =>
      changesAt(
        [...place, name],
        alike.map(([, inner]) => inner),
      ),
    ),
    ...(items.length === 0 ? [] : changesAt([...place, null], items)),
  ]
}

/** The value after a breaking change, or the same value if the change does not apply. */
export function broken(value: unknown, { place: [step, ...rest], kind }: BreakingChange): unknown {
  const change = { place: rest, kind }
  if (step === undefined) {
    if (kind === 'removed' || kind === 'renamed') return value
    const [applies, other] = otherValues[kind]
    return applies(value) ? other(value) : value
  }
  if (typeof step !== 'string') {
    if (!Array.isArray(value)) return value
    return value.map((item: unknown, index) =>
      step === null || step === index ? broken(item, change) : item,
    )
  }
  if (!isObject(value)) return value
  const isHere = rest.length === 0
  let other = `${step}_renamed`
  while (Object.hasOwn(value, other)) other += '_'
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (name !== step) return [[name, inner]]
      if (isHere && kind === 'removed') return []
      return [[isHere && kind === 'renamed' ? other : name, broken(inner, change)]]
    }),
  )
}
