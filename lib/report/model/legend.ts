import { documentedPairs } from '../../specification/answers.ts'
import { factsOf, type Fact } from './finding-view.ts'

/** The meaning of the words used in the reports, and the codes in the specification with their names. */
export const legend: readonly Fact[] = [
  ...factsOf({
    conformant: 'no rule is violated, or agreed exceptions cover every violation.',
    nonconformant: 'at least one violation that no waiver covers.',
    incomplete: 'too little was judged for a verdict.',
    error: 'the settings are wrong, or the suite itself failed. The run says nothing about the service.',
    partial: 'only some of the rules or cases were selected.',
    rule: 'one requirement, with a name that never changes: area/subject.',
    passed: 'every judged answer is allowed.',
    failed: 'violated: an answer is not allowed, and no waiver covers it.',
    violated: 'the same as failed.',
    warned: 'an answer is not allowed, but the profile does not count it as a violation.',
    waived: 'covered by a waiver, or not judged because of a waived breach.',
    inconclusive: 'judging began, but network trouble, the quota or the budget prevented a result.',
    untested: 'not judged, because a setting that the rule needs is missing.',
    documented: 'a contract: the specification says so.',
    implied: 'a convention: HTTP, JSON or basic security requires it; the specification is silent.',
    requested: 'you asked for it with a baseline.',
    expectation: 'about the suite and your files, never about the service.',
    case: 'one test of a rule: a request, or several that belong together.',
    finding: 'an answer that is not allowed, with its request.',
    cause: 'findings that share one explanation.',
    counterexample: 'a generated request that breaks a rule, reduced to its simplest form.',
    fingerprint: 'the name of a finding, the same in every run.',
    reproduced: 'how often a breach recurred. One that occurs only sometimes is still a violation.',
    power: 'the rate of wrong answers that a green run excludes, if faults are random.',
    gate: 'the profile for every deployment: few cases.',
    acceptance: 'the profile for accepting a supplier: more cases, every documented rule must be judged.',
    nightly: 'the profile for every night: many cases, a new seed each day.',
    strict: 'breaches of implied rules count as violations.',
    seed: 'the number from which requests are generated. The same seed sends the same requests.',
    waiver: 'an entry that accepts a breach until a date, with a reason and an owner.',
    baseline: 'a file with the shapes of earlier answers, to find breaking changes.',
  }),
  ...documentedPairs.map(({ status, errorCode, errorMessage }) => ({
    label: `${status} / ${errorCode}`,
    value: errorMessage,
  })),
]
