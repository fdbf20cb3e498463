const fixedSeed = (_now: Date) => 20260101

/** What each profile sets: whether a breach of an implied rule is a violation, and whether an untested documented rule makes a run incomplete. */
export const profiles = {
  gate: { fuzzCases: 20, seed: fixedSeed, strict: false, maxRequests: 500, demandsEveryRule: false },
  acceptance: { fuzzCases: 200, seed: fixedSeed, strict: true, maxRequests: 10_000, demandsEveryRule: true },
  nightly: { fuzzCases: 2_000, seed: utcDate, strict: false, maxRequests: 50_000, demandsEveryRule: false },
}

/** The purpose of a run; `docs/settings.md` lists the profiles. */
export type ProfileName = keyof typeof profiles

/** The UTC date as a number, such as 20261120. */
function utcDate(now: Date) {
  return Number(now.toISOString().slice(0, 10).replaceAll('-', ''))
}
