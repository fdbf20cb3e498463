import type { Exchange } from '../../http/exchange.ts'
import { fingerprintOf } from '../../judge/record.ts'
import type { Breach, Check } from '../../judge/judge.ts'
import { costOf, type GeneratedCase } from '../plan/cases.ts'
import { Inconclusive, NoResponse } from '../plan/errors.ts'

/** A breach of a generated case, with the exchange that shows it. */
export interface Counterexample {
  readonly one: GeneratedCase
  readonly exchange: Exchange
  readonly check: Check
  readonly breach: Breach
}

/** Maximum requests for shrinking one counterexample. */
const shrinkingRequests = 40

/** Shrinks a counterexample: each simpler case with the same fingerprint replaces it. Stops early if a case cannot be judged. */
export async function shrink(
  first: Counterexample,
  meet: (simpler: GeneratedCase) => Promise<Counterexample | null>,
): Promise<Counterexample> {
  const kind = counterexampleKind(first)
  let simplest = first
  let left = shrinkingRequests
  let candidates = simplest.one.simpler()[Symbol.iterator]()
  for (let next = candidates.next(); next.done !== true && left > 0; next = candidates.next()) {
    left -= costOf(next.value)
    const again = await met(next.value, meet)
    if (again === 'stop') break
    if (again === null || counterexampleKind(again) !== kind) continue
    simplest = again
    candidates = simplest.one.simpler()[Symbol.iterator]()
  }
  return simplest
}

/** Counterexamples of the same kind have the same fingerprint. */
export function counterexampleKind({ one, breach }: Counterexample): string {
  return fingerprintOf(one.request.traits.endpoint, breach)
}

async function met(
  simpler: GeneratedCase,
  meet: (simpler: GeneratedCase) => Promise<Counterexample | null>,
): Promise<Counterexample | null | 'stop'> {
  try {
    return await meet(simpler)
  } catch (error) {
    if (error instanceof NoResponse) return null
    if (error instanceof Inconclusive) return 'stop'
    throw error
  }
}
