import { documentedPairs } from '../../specification/answers.ts'
import type { Fact } from './document.ts'

/** Meaning of each word of the reports, in a line. */
const meanings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Verdicts: {
    conformant: 'no rule is violated, or agreed exceptions cover what is.',
    nonconformant: 'at least one violation that no waiver covers.',
    incomplete: 'what was judged is not enough for a verdict.',
    error: 'the settings are wrong, or the suite itself failed; nothing is said about the service.',
    partial: 'only some of the rules or cases were selected.',
    'agreed exception':
      'a waiver that covers breaches of one cause with what follows from them, or a rule that cannot be tested.',
    'exit code': 'the number that the program ends with; a pipeline goes by it.',
  },
  'Statuses of a rule': {
    passed: 'every answer that was judged is allowed.',
    failed: 'violated: an answer is not allowed, and no waiver covers it.',
    violated: 'the same as failed.',
    warned: 'an answer is not allowed, but the profile does not count it as a violation.',
    waived: 'covered by a waiver, or not judged only because of breaches that are.',
    inconclusive: 'judging began, but trouble, the quota or the budget prevented a result.',
    untested: 'not judged, because something that the rule needs was not given.',
  },
  'Levels of a rule': {
    documented: 'a sentence of the specification says so.',
    implied: 'HTTP, JSON or plain security ask for it; the specification is silent.',
    requested: 'the user asked for it with a baseline.',
    expectation: "about the expectations of the suite and the user's files, never about the service.",
  },
  'What was found': {
    rule: 'one requirement, with a name that never changes: area, slash, subject.',
    answers: 'the number of answers that were judged for a rule; one that several cases share counts once.',
    worth: 'the rate of wrong answers that a green run excludes, if faults strike at random.',
    situation: 'what stood around an answer: flaws, conditions, connection, what came before, client.',
    finding: 'an answer that is not allowed, with the request that it came to.',
    cause: 'findings of any rules that one explanation fits.',
    case: 'one request of a rule, or a few that belong together.',
    'fuzz case': 'a case that is generated from the seed.',
    seed: 'the number from which requests are generated: the same seed sends the same requests.',
    counterexample: 'a generated request that breaks a rule, made as simple as it can be.',
    fingerprint: 'the name of a finding, which stays the same from run to run.',
    reproduced: 'how often a breach came again when the case was repeated.',
    severity: 'how grave a cause is: security, failure of the service, wrong answer, wrong form.',
    contract: 'a sentence of the specification says so; a convention follows from HTTP, JSON or security.',
    intermittent: 'a breach that came only sometimes; it is still a violation.',
    replay: 'the line that sends the case once more.',
    observation: 'what the run saw where the specification says nothing; it is never judged.',
  },
  'The run': {
    profile: 'how much is sent, and how strictly it is judged.',
    gate: 'the profile for every deployment: few cases.',
    acceptance:
      'the profile for accepting a supplier: more cases, strict, and documented rules must be judged.',
    nightly: 'the profile for every night: many cases, and another seed each day.',
    strict: 'breaches of implied rules count as violations.',
    budget: 'the number of requests that the run may send at most.',
    retried: 'requests that were sent again after trouble, such as a lost connection.',
    'to confirm': 'requests that were sent to see whether a breach comes again.',
    waiver: 'an entry that accepts a breach until a day, with reason and owner.',
    baseline: 'a file with the shapes of earlier answers, to find breaking changes.',
    embedded: "the suite's own reference service, which is judged to try the suite.",
    median: 'p50: half of the answers took at most this long; p95 and p99 are 95 and 99 of 100 answers.',
    'SHA-256': 'a checksum: texts with the same one are equal.',
  },
}

/** Every word of the page in a line each, and the codes of the specification with their names. */
export const legend: readonly { readonly title: string; readonly facts: readonly Fact[] }[] = [
  ...Object.entries(meanings).map(([title, words]) => ({
    title,
    facts: Object.entries(words).map(([label, value]) => ({ label, value })),
  })),
  {
    title: 'Status and error_code, with the names in the specification',
    facts: documentedPairs.map(({ status, errorCode, errorMessage }) => ({
      label: `${status} / ${errorCode}`,
      value: errorMessage,
    })),
  },
]
