import type { Figures } from '../second-judge/figures.ts'
import { results, type JudgedProfile, type MutantOutcome, type MutantResult } from './job.ts'
import type { Half, Mutant } from './mutant.ts'
import type { Sentences } from './inventory.ts'

/** What came of all mutants of one family and half in one profile. */
export interface Count extends Readonly<Record<MutantResult, number>> {
  readonly mutants: number
  /** Mutants that keep to the specification: nothing need notice them. */
  readonly conformant: number
  /** Conformant mutants that were found to violate it. */
  readonly blamed: number
  /** Mutants that are neither conformant, nor fail to run, nor are never reached. The results count among these only. */
  readonly judged: number
}

/** The raw results of a run, as they stand in `reports/mutants/results.json`. */
export interface Results {
  /** The day on which they were made, as 2026-11-22. */
  readonly date: string
  readonly seed: number
  readonly wallSeconds: number
  readonly atOnce: number
  /** Ids that were caught in gate, and were not judged in acceptance: they count as caught there. */
  readonly taken: readonly string[]
  readonly outcomes: readonly MutantOutcome[]
  /** What both judges came to on the exchanges of these runs; null where some were taken from an earlier, interrupted one. */
  readonly judges: Figures | null
}

/** The outcome of each mutant in a profile, by id; what was caught in gate counts as caught in acceptance, too. */
export function outcomesIn(
  { outcomes, taken }: Pick<Results, 'outcomes' | 'taken'>,
  profile: JudgedProfile,
): ReadonlyMap<string, MutantResult> {
  const made = outcomes.filter((outcome) => outcome.profile === profile)
  return new Map<string, MutantResult>([
    ...(profile === 'acceptance' ? taken.map((id) => [id, 'caught'] as const) : []),
    ...made.map(({ id, result }) => [id, result] as const),
  ])
}

const nobody: Readonly<Record<MutantResult, number>> = {
  caught: 0,
  warned: 0,
  survived: 0,
  incomplete: 0,
  error: 0,
  timeout: 0,
  'does not run': 0,
  'not reached': 0,
}

/** Counts what came of these mutants in a profile. */
export function countOf(
  mutants: readonly Mutant[],
  outcomes: ReadonlyMap<string, MutantResult>,
  conformant: Sentences,
): Count {
  const counted = { ...nobody }
  const known = mutants.filter(({ id }) => id in conformant)
  for (const { id } of mutants) {
    const result = outcomes.get(id)
    if (!(id in conformant) && result !== undefined) counted[result] += 1
  }
  const all = results.reduce((sum, result) => sum + counted[result], 0)
  return {
    ...counted,
    mutants: mutants.length,
    conformant: known.length,
    blamed: known.filter(({ id }) => outcomes.get(id) === 'caught').length,
    judged: all - counted['does not run'] - counted['not reached'],
  }
}

/** Ids of a half that end in a result, conformant ones left out. */
export function idsThat(
  result: MutantResult,
  mutants: readonly Mutant[],
  outcomes: ReadonlyMap<string, MutantResult>,
  { half, conformant }: { readonly half: Half; readonly conformant: Sentences },
): readonly string[] {
  return mutants
    .filter((mutant) => mutant.half === half && !(mutant.id in conformant))
    .map(({ id }) => id)
    .filter((id) => outcomes.get(id) === result)
}
