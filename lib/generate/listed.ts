import fc, { type Arbitrary } from 'fast-check'
import { bases, type Fuzzed, type Kind } from './fuzzed.ts'
import type { Change } from './request-changes.ts'

/** What a kind is called, how often it is sent, and whether a gate sends it. */
export type KindTraits = Pick<Kind, 'name' | 'weight' | 'gate' | 'requests' | 'always'>

/** A kind whose cases are listed, most telling first; each may draw what is incidental to it. Throws a RangeError for none. */
export function listed(traits: KindTraits, cases: readonly Arbitrary<Fuzzed>[]): Kind {
  const nth = (wanted: number): Arbitrary<Fuzzed> => {
    const found = cases[wanted % cases.length]
    if (found === undefined) throw new RangeError(`${traits.name} has no case ${wanted}`)
    return found
  }
  nth(0)
  return { ...traits, count: cases.length, nth }
}

/** A kind of which every case is drawn anew. */
export function drawnAnew(traits: KindTraits, arbitrary: Arbitrary<Fuzzed>): Kind {
  return { ...traits, nth: () => arbitrary }
}

const anyBase = fc.constantFrom(...bases)

/**
 * A kind of changes that leave every outcome as it is: its first case is made from a valid request, all others from that or
 * from one with a single flaw.
 */
export function equivalent(traits: KindTraits, changes: readonly Arbitrary<Fuzzed>[]): Kind {
  const onValid = listed(traits, changes)
  const onAny = listed(
    traits,
    changes.map((change) => fc.tuple(anyBase, change).map(([base, fuzzed]) => ({ ...fuzzed, base }))),
  )
  return { ...traits, nth: (nth) => (nth === 0 ? onValid : onAny).nth(nth) }
}

/** A change whose answer the oracle judges by what arrives, with no excuse for the transport. */
export function byOracle(says: string, apply: Change): Fuzzed {
  return { says, apply, treatment: 'oracle', transportMayRefuse: false }
}

/** A change whose answer is written down under a name of the run's observations, and not judged. */
export function observed(id: string, as: string, apply: Change): Fuzzed {
  return { says: as, apply, treatment: 'observed', transportMayRefuse: false, observe: { id, as } }
}
