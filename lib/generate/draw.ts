import { hash } from 'node:crypto'
import { Random, type Arbitrary, type Value } from 'fast-check'
import { xorshift128plus } from 'pure-rand/generator/xorshift128plus'
import type { Fuzzed, Kind } from './fuzzed.ts'

/** A generated case, or what it was shrunk to. */
export interface Drawn {
  readonly fuzzed: Fuzzed
  /** `doubled-character.3`, with the way of shrinking behind a colon: `doubled-character.3:0:2`. */
  readonly name: string
  /** Simpler cases, simplest first; drawn only as they are asked for. */
  readonly simpler: () => Iterable<Drawn>
}

/** Which case of a rule is meant: its kind, and the how manieth of that kind. */
export interface Place {
  readonly kind: Kind
  readonly nth: number
}

/**
 * Draws a case. Its seed is a hash of the root seed, the rule and the case's name alone, so that the same bytes go out whatever
 * the concurrency, the profile and the number of cases.
 */
export function draw({ kind, nth }: Place, rootSeed: number, rule: string): Drawn {
  const name = `${kind.name}.${nth}`
  const seed = hash('sha256', `${rootSeed}:${rule}:${name}`, 'buffer').readInt32BE(0)
  const arbitrary = kind.nth(nth)
  return drawn(arbitrary, arbitrary.generate(new Random(xorshift128plus(seed)), undefined), name)
}

/** The case of this name, as {@link draw} and shrinking named it; null where no kind has that name. */
export function drawNamed(
  name: string,
  kinds: readonly Kind[],
  rootSeed: number,
  rule: string,
): Drawn | null {
  const parsed = /^(?<kind>[a-z0-9-]+)\.(?<nth>\d+)(?<path>(?::\d+)*)$/.exec(name)?.groups
  const kind = kinds.find((one) => one.name === parsed?.['kind'])
  if (kind === undefined || parsed === undefined) return null

  const way = parsed['path']?.split(':').slice(1).map(Number) ?? []
  let found: Drawn | null = draw({ kind, nth: Number(parsed['nth']) }, rootSeed, rule)
  for (const step of way) found = at(found?.simpler() ?? [], step)
  return found
}

/**
 * The places of the cases of a run: first those that every run sends, then as many as are asked for, kinds in turn by their weights.
 * Each next one is of the kind that is furthest behind its share, so that every kind comes early and as often as its weight says.
 * `gate` leaves out the kinds that a gate does not send.
 */
export function* schedule(kinds: readonly Kind[], count: number, gate: boolean): Generator<Place> {
  for (const kind of kinds) {
    for (let nth = 0; nth < inEveryRun(kind, gate); nth += 1) yield { kind, nth }
  }
  const due = kinds
    .filter((kind) => kind.weight > 0 && (kind.gate || !gate))
    .map((kind) => ({ kind, sent: inEveryRun(kind, gate) }))
  if (due.length === 0) return

  for (let index = 0; index < count; index += 1) {
    const next = due.reduce((best, one) => (nextTurn(one) < nextTurn(best) ? one : best))
    yield { kind: next.kind, nth: next.sent }
    next.sent += 1
  }
}

/** How many cases of a kind every run sends; outside of a gate all that it lists. */
function inEveryRun({ always, count = 0 }: Kind, gate: boolean): number {
  if (always === undefined) return 0
  return gate ? Math.min(always, count) : count
}

/** When the next case of a kind is due, in turns: the first after half of its interval. */
function nextTurn({ kind, sent }: { readonly kind: Kind; readonly sent: number }): number {
  return (sent + 0.5) / kind.weight
}

function drawn(arbitrary: Arbitrary<Fuzzed>, value: Value<Fuzzed>, name: string): Drawn {
  return {
    fuzzed: value.value,
    name,
    simpler: function* simpler() {
      let step = 0
      for (const simplerValue of arbitrary.shrink(value.value, value.context)) {
        yield drawn(arbitrary, simplerValue, `${name}:${step}`)
        step += 1
      }
    },
  }
}

function at(cases: Iterable<Drawn>, step: number): Drawn | null {
  let index = 0
  for (const one of cases) {
    if (index === step) return one
    index += 1
  }
  return null
}
