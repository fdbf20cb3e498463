/** The purpose of a run; `docs/settings.md` lists the profiles. */
export type ProfileName = 'gate' | 'acceptance' | 'nightly'

/** Defaults that a profile sets. */
export interface Profile {
  readonly fuzzCases: number
  /** Seed of a run that starts at this time. */
  readonly seed: (now: Date) => number
  /** Whether a breach of an implied rule is a violation. */
  readonly strict: boolean
  readonly maxRequests: number
  /** Whether an untested documented rule makes the run incomplete. */
  readonly demandsEveryRule: boolean
}

const fixedSeed = 20260101

/** The profiles by name. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  gate: { fuzzCases: 20, seed: () => fixedSeed, strict: false, maxRequests: 500, demandsEveryRule: false },
  acceptance: {
    fuzzCases: 200,
    seed: () => fixedSeed,
    strict: true,
    maxRequests: 10_000,
    demandsEveryRule: true,
  },
  nightly: { fuzzCases: 2_000, seed: utcDate, strict: false, maxRequests: 50_000, demandsEveryRule: false },
}

/** The UTC date as a number, such as 20261120. */
function utcDate(now: Date): number {
  return Number(now.toISOString().slice(0, 10).replaceAll('-', ''))
}
