import { documentedPairs } from '../../specification/answers.ts'
import { factsOf, type Fact } from './finding-view.ts'

/** The meaning of each word used in the reports. */
const meanings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Verdicts: {
    conformant: 'no rule is violated, or agreed exceptions cover every violation.',
    nonconformant: 'at least one violation that no waiver covers.',
    incomplete: 'too little was judged for a verdict.',
    error: 'the settings are wrong, or the suite itself failed. The run says nothing about the service.',
    partial: 'only some of the rules or cases were selected.',
    'agreed exception': 'a waiver that covers a cause and its consequences, or a rule that cannot be tested.',
    'exit code': 'the number that the program returns to the pipeline.',
  },
  'Statuses of a rule': {
    passed: 'every judged answer is allowed.',
    failed: 'violated: an answer is not allowed, and no waiver covers it.',
    violated: 'the same as failed.',
    warned: 'an answer is not allowed, but the profile does not count it as a violation.',
    waived: 'covered by a waiver, or not judged because of a waived breach.',
    inconclusive: 'judging began, but network trouble, the quota or the budget prevented a result.',
    untested: 'not judged, because a setting that the rule needs is missing.',
  },
  'Levels of a rule': {
    documented: 'the specification says so.',
    implied: 'HTTP, JSON or basic security requires it; the specification is silent.',
    requested: 'you asked for it with a baseline.',
    expectation: 'about the suite and your files, never about the service.',
  },
  'What was found': {
    rule: 'one requirement, with a name that never changes: area/subject.',
    answers: 'the number of answers judged for a rule. A shared answer counts once.',
    power: 'the rate of wrong answers that a green run excludes, if faults are random.',
    situation: 'the context of an answer: flaws, conditions, connection, earlier requests, client.',
    finding: 'an answer that is not allowed, with its request.',
    cause: 'findings that share one explanation.',
    case: 'one test of a rule: a request, or several that belong together.',
    'fuzz case': 'a case generated from the seed.',
    seed: 'the number from which requests are generated. The same seed sends the same requests.',
    counterexample: 'a generated request that breaks a rule, reduced to its simplest form.',
    fingerprint: 'the name of a finding, the same in every run.',
    reproduced: 'how often a breach recurred when the case was repeated.',
    severity: 'how serious a cause is: security, service failure, wrong answer, wrong form.',
    contract: 'a sentence of the specification says so. A convention follows from HTTP, JSON or security.',
    intermittent: 'a breach that occurred only sometimes. It is still a violation.',
    replay: 'the command that sends the case again.',
    observation: 'something that the run saw where the specification is silent. It is never judged.',
  },
  'The run': {
    profile: 'the number of requests, and how strictly answers are judged.',
    gate: 'the profile for every deployment: few cases.',
    acceptance:
      'the profile for accepting a supplier: more cases, strict, every documented rule must be judged.',
    nightly: 'the profile for every night: many cases, a new seed each day.',
    strict: 'breaches of implied rules count as violations.',
    budget: 'the maximum number of requests of the run.',
    retried: 'requests sent again after trouble, such as a lost connection.',
    'to confirm': 'requests sent to see whether a breach recurs.',
    waiver: 'an entry that accepts a breach until a date, with a reason and an owner.',
    baseline: 'a file with the shapes of earlier answers, to find breaking changes.',
    embedded: "the suite's own reference service, for trying out the suite.",
    median: 'p50: half of the answers took at most this long; p95 and p99 are 95 and 99 of 100 answers.',
    'SHA-256': 'a checksum: equal checksums mean equal texts.',
  },
}

/** Every word used on the page, with its meaning, and the codes in the specification with their names. */
export const legend: readonly { readonly title: string; readonly facts: readonly Fact[] }[] = [
  ...Object.entries(meanings).map(([title, words]) => ({ title, facts: factsOf(words) })),
  {
    title: 'Status and error_code, with the names in the specification',
    facts: documentedPairs.map(({ status, errorCode, errorMessage }) => ({
      label: `${status} / ${errorCode}`,
      value: errorMessage,
    })),
  },
]
