import type { FlatSchema } from './flat-schema.ts'

/** The numbers that a schema allows. */
interface NumberRange {
  readonly low: Bound | null
  readonly high: Bound | null
  /** The least and the greatest allowed number; null without a bound, or if the step is no whole number. */
  readonly least: number | null
  readonly most: number | null
  readonly step: number
  /** Whether the step is a whole number. */
  readonly isPlain: boolean
  readonly isEmpty: boolean
}

/** A bound of numbers. */
export interface Bound {
  readonly at: number
  readonly isExclusive: boolean
}

/** The numbers within the bounds of a schema, and of its step. */
export function rangeOf({ values, type }: Pick<FlatSchema, 'values' | 'type'>): NumberRange {
  const step = values.multipleOf ?? 1
  const isStepped = type === 'integer' || values.multipleOf !== undefined
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = values
  const low = bound(minimum, exclusiveMinimum, Math.max)
  const high = bound(maximum, exclusiveMaximum, Math.min)
  const isPlain = Number.isInteger(step) && step > 0
  const first = isPlain && low !== null ? firstWithin(low, step, isStepped) : null
  const last = isPlain && high !== null ? firstWithin(negated(high), step, isStepped) : null
  const least = first
  const most = last === null ? null : 0 - last
  const isEmpty = least !== null && most !== null && least > most
  return { low, high, least, most, step, isPlain, isEmpty }
}

/** The tighter of an inclusive and an exclusive bound. */
function bound(
  inclusive: number | undefined,
  exclusive: number | undefined,
  tighter: (a: number, b: number) => number,
): Bound | null {
  if (exclusive === undefined) return inclusive === undefined ? null : { at: inclusive, isExclusive: false }
  if (inclusive === undefined || tighter(inclusive, exclusive) === exclusive)
    return { at: exclusive, isExclusive: true }
  return { at: inclusive, isExclusive: false }
}

function negated({ at, isExclusive }: Bound): Bound {
  return { at: 0 - at, isExclusive }
}

/** The least multiple of a step within a lower bound; a number that need be none stands at the bound itself. */
function firstWithin({ at, isExclusive }: Bound, step: number, isStepped: boolean): number {
  if (!isStepped && !isExclusive) return at
  const first = Math.ceil(at / step) * step
  return isExclusive && first === at ? first + step : first
}
