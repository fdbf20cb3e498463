import { factsOf } from './finding-view.ts'

/** The meaning of the words used in the reports. */
export const legend = factsOf({
  passed: 'every judged answer is allowed.',
  failed: 'an answer is not allowed, and no waiver covers it.',
  warned: 'an answer is not allowed, but the profile does not count it as a violation.',
  waived: 'covered by a waiver, or not judged because of a waived breach.',
  inconclusive: 'judging began, but network trouble, the quota or the budget prevented a result.',
  untested: 'not judged, because a setting that the rule needs is missing.',
  documented: 'a contract: the specification says so.',
  implied: 'a convention: HTTP, JSON or basic security requires it; the specification is silent.',
  requested: 'you asked for it with a baseline.',
  expectation: 'about the suite and your files, never about the service.',
  gate: 'the profile for every deployment: few cases.',
  acceptance: 'the profile for accepting a supplier: more cases, every documented rule must be judged.',
  nightly: 'the profile for every night: many cases, a new seed each day.',
  strict: 'breaches of implied rules count as violations.',
  waiver: 'an entry that accepts a breach until a date, with a reason and an owner.',
  baseline: 'a file with the shapes of earlier answers, to find breaking changes.',
})
