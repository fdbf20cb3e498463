import type { Observation } from '../judge/record.ts'
import { groupBy } from './group-by.ts'

/** What the shards of a run observed, joined by id; never judged, like its parts. */
export function joinedObservations(shards: readonly (readonly Observation[])[]): readonly Observation[] {
  return [...groupBy(shards.flat(), ({ id }) => id)]
    .map(([id, parts]) => ({
      id,
      value: joinedValue(
        id,
        parts.map(({ value }) => value),
      ),
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

function distinct(values: readonly unknown[]): readonly unknown[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()]
}

function joinedValue(id: string, values: readonly unknown[]): unknown {
  if (id === 'flaw-order-contradictions') return joinedContradictions(values.flat())
  const different = distinct(values)
  if (different.length <= 1) return different[0] ?? null
  if (values.every(isTexts)) return joinedOrder(values)
  if (values.every(isNotes)) return joinedNotes(values)
  return { differsBetweenShards: different }
}

/**
 * One order from several: of two texts that one comes first which comes first in more shards; where none says so, or as many say the
 * opposite, the one that sorts first.
 */
function joinedOrder(orders: readonly (readonly string[])[]): readonly string[] {
  const votes = (one: string, other: string): number =>
    orders.filter((order) => {
      const [place, otherPlace] = [order.indexOf(one), order.indexOf(other)]
      return place !== -1 && place < otherPlace
    }).length
  const order: string[] = []
  let left = [...new Set(orders.flat())].toSorted()
  while (left.length > 0) {
    const ahead = (text: string): number =>
      left.filter((other) => votes(other, text) > votes(text, other)).length
    const next = left.toSorted((a, b) => ahead(a) - ahead(b))[0] ?? ''
    order.push(next)
    left = left.filter((text) => text !== next)
  }
  return order
}

/** What was noted of each thing; its outcomes are separated as a run's log separates them. */
function joinedNotes(notes: readonly Readonly<Record<string, string>>[]): Readonly<Record<string, string>> {
  const outcomes = groupBy(
    notes.flatMap((one) => Object.entries(one)),
    ([about]) => about,
  )
  const joined = [...outcomes].map(([about, told]) => {
    const all = new Set(told.flatMap(([, outcome]) => outcome.split('; ')))
    return [about, [...all].toSorted().join('; ')] as const
  })
  return Object.fromEntries(joined.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Pairs of codes that were reported both ways, with how often each way. */
function joinedContradictions(parts: readonly unknown[]): readonly unknown[] {
  const known = parts.filter(isContradiction)
  return [...groupBy(known, ({ between }) => between.join('>')).values()].map((same) => ({
    between: same[0]?.between ?? [],
    times: [0, 1].map((place) => same.reduce((sum, { times }) => sum + (times[place] ?? 0), 0)),
  }))
}

function isContradiction(
  value: unknown,
): value is { readonly between: readonly string[]; readonly times: readonly number[] } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'between' in value &&
    isTexts(value.between) &&
    'times' in value &&
    Array.isArray(value.times) &&
    value.times.every((times) => typeof times === 'number')
  )
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function isNotes(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((item) => typeof item === 'string')
  )
}
