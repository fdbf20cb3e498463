import fc, { type Arbitrary } from 'fast-check'
import type { Base, Fuzzed } from './fuzzed.ts'
import { inTurn, unchanged, without, type Change } from './request-changes.ts'

/** The same from somebody without valid credentials, for whom nothing may succeed, whatever else is with the request. */
export function fromStrangers({ says, apply, ...more }: Fuzzed): Arbitrary<Fuzzed> {
  return fc.constantFrom(...strangers).map((stranger) => ({
    ...more,
    says: `${says}${stranger.also}`,
    apply: inTurn(stranger.change, apply),
    treatment: 'refused',
    base: stranger.base,
  }))
}

/** The flaw that the request has, and what is wrong besides. */
interface Stranger {
  readonly base: Base
  readonly also: string
  readonly change: Change
}

/** The plainest first. */
const strangers: readonly Stranger[] = [
  { base: 'api-key-absent', also: ', without x-secret-key', change: without('x-secret-key') },
  { base: 'secret-key-wrong', also: '', change: unchanged },
  { base: 'api-key-wrong', also: '', change: unchanged },
  { base: 'secret-key-absent', also: '', change: unchanged },
]
