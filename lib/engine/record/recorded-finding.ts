import type { Breach } from '../../judge/judge.ts'
import type { Finding, Reproduced } from '../../judge/record.ts'

/** A finding as long as the run lasts. */
export interface Recorded {
  readonly finding: Omit<Finding, 'reproduced'>
  readonly reproduced: Reproduced
  readonly complexity: Complexity
}

/** How much there is to a case, the weightiest first: its flaws, its requests, and whether it needs another client than the target's. */
type Complexity = readonly [flaws: number, requests: number, fixtures: 0 | 1]

/** A breach without credentials, and how its finding shows it. */
export interface Entry {
  readonly case: string
  readonly endpoint: string
  readonly conditions?: readonly string[] | undefined
  readonly breach: Breach
  readonly complexity: Complexity
  /** Called only for the first of a kind, and for a simpler one, since masking is expensive. */
  readonly show: () => Pick<
    Finding,
    'exchange' | 'curl' | 'replay' | 'difference' | 'sent' | 'shapes' | 'trace'
  >
}

/** Maximum further cases kept per fingerprint. */
const keptExamples = 3

/** What is recorded of the first breach of a kind. */
export function findingOf(fingerprint: string, entry: Entry): Recorded['finding'] {
  const { answered, allowed, summary, blames, warning } = entry.breach
  return {
    fingerprint,
    case: entry.case,
    count: 1,
    examples: [],
    summary,
    allowed,
    answered: answered === null ? null : { status: answered.status, errorCode: answered.errorCode },
    ...entry.show(),
    ...(blames === undefined ? {} : { blames }),
    ...(warning === undefined ? {} : { warning }),
  }
}

/** Counts another occurrence, and shows the simpler of both, where it is met every time. */
export function withOccurrence(known: Recorded, entry: Entry): Recorded {
  const { finding, reproduced } = known
  const isShown = reproduced.seen === reproduced.of && isSimpler(entry.complexity, known.complexity)
  const other = isShown ? finding : { case: entry.case, summary: entry.breach.summary }
  const example = { case: other.case, summary: other.summary }
  const examples = finding.examples.length < keptExamples ? [...finding.examples, example] : finding.examples
  const { fingerprint } = finding
  return {
    ...known,
    ...(isShown ? { complexity: entry.complexity } : {}),
    finding: {
      ...(isShown ? findingOf(fingerprint, entry) : finding),
      count: finding.count + 1,
      examples,
    },
  }
}

function isSimpler(one: Complexity, other: Complexity): boolean {
  const weight = one.findIndex((part, place) => part !== other[place])
  return weight !== -1 && (one[weight] ?? 0) < (other[weight] ?? 0)
}
