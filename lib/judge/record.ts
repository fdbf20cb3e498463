import type { Answer } from '../spec/answers.ts'
import type { ClientName } from '../spec/clients.ts'
import type { RuleId } from '../spec/rules.ts'
import { createHash } from 'node:crypto'
import type { Breach } from './judge.ts'

/** What became of a rule. `warned`: a breach that the profile does not count as a violation. */
export type RuleStatus = 'passed' | 'failed' | 'warned' | 'waived' | 'inconclusive' | 'untested'

/** An exchange as reports show it: credentials replaced by their names, the body cut to a bounded length. Plain JSON. */
export interface ShownExchange {
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly (readonly [name: string, value: string])[]
  }
  /** Null where no answer came. */
  readonly response: {
    readonly status: number
    /** The reason phrase, where it is another than that of the status. */
    readonly reason?: string
    readonly headers: readonly (readonly [name: string, value: string])[]
    /** Fields behind the body, where there are any. */
    readonly trailers?: readonly (readonly [name: string, value: string])[]
    readonly body: string
    /** Characters of the body that are not shown. */
    readonly bodyCut: number
  } | null
  readonly durationMs: number
}

/** A breach of a rule, and all that a reader needs to see and to repeat it. Plain JSON, without credentials. */
export interface Finding {
  /** From endpoint, allowed set, answer and kind of difference; not from seed, value or address. */
  readonly fingerprint: string
  /** `rule:seed:case`. */
  readonly case: string
  readonly count: number
  /** Further cases with the same fingerprint, at most three. */
  readonly examples: readonly { readonly case: string; readonly summary: string }[]
  readonly summary: string
  readonly allowed: readonly Answer[]
  /** Null where no answer came. */
  readonly answered: { readonly status: number; readonly errorCode: string | null } | null
  /** `3 of 3`: how often it was seen of how often it was tried. */
  readonly reproduced: string
  /** What kind of difference it is, as a breach has it; absent in verdicts of version 0.1. */
  readonly difference?: string
  /** What was sent, as far as causes go by it; absent in verdicts of version 0.1, and where a finding is of no one request. */
  readonly sent?: {
    readonly endpoint: string
    readonly client: ClientName
    /** Whether it was a plain valid request. */
    readonly plain: boolean
    /** What is wrong with it, or may be, each as `version absent`; null where that is not known. */
    readonly flaws: readonly string[] | null
  }
  readonly exchange: ShownExchange
  /** A line of curl for bash, credentials as variables; null where curl cannot say the request, which replay sends byte for byte. */
  readonly curl: string | null
  readonly replay: string | null
  /** Whether it is a warning, whatever the level of its rule. */
  readonly warning?: true
  /** Whose expectation is at fault, for a rule of the level expectation, where it is never the service. */
  readonly blames?: 'endpoints-file' | 'suite'
  /** The reason of the waiver that covers it; absent where none does. */
  readonly waived?: string
}

/** Why a rule neither passed nor failed, or why some of its cases were not judged. */
export interface Reason {
  /** `ended`: the run ended first, and gives that reason itself; `cut-short`: the rule was interrupted. */
  readonly kind: 'ended' | 'cut-short' | 'inconclusive' | 'untested' | 'waived'
  readonly text: string
}

/** A rule as the run left it. Plain JSON. */
export interface RuleResult {
  readonly id: RuleId
  readonly status: RuleStatus
  /** Why it is inconclusive, untested or waived; else none. */
  readonly reasons: readonly Reason[]
  /** How many answers were judged for it. */
  readonly answers: number
  readonly sample: ShownExchange | null
  readonly findings: readonly Finding[]
}

/** Something seen and written down, never judged. */
export interface Observation {
  readonly id: string
  readonly value: unknown
}

/** What became of a case that was sent again. Plain JSON, without credentials. */
export interface Replayed {
  readonly exchanges: readonly ShownExchange[]
  /** What is wrong with them, by any rule. */
  readonly found: readonly { readonly rule: RuleId; readonly finding: Finding }[]
}

/** What is known of the run as a whole, at any moment. Plain JSON. */
export interface RunSnapshot {
  readonly sent: number
  readonly retried: number
  readonly confirming: number
  readonly byRule: Readonly<Record<string, number>>
  readonly latencyMs: {
    readonly p50: number
    readonly p95: number
    readonly p99: number
    readonly max: number
  } | null
  /** Why the run ended before its time, or null. */
  readonly ended: string | null
  readonly observations: readonly Observation[]
}

/** How often a breach was seen, of how many tries: the numbers of `2 of 3`. */
interface Reproduced {
  readonly seen: number
  readonly tried: number
}

/** How often the breach of a finding was seen; zeros where it does not say. */
function reproducedOf({ reproduced }: Pick<Finding, 'reproduced'>): Reproduced {
  const [seen = 0, tried = 0] = reproduced.split(' of ').map(Number)
  return { seen, tried }
}

/** Whether a breach was seen every time, of at least two. */
export function isSteady(finding: Pick<Finding, 'reproduced'>): boolean {
  const { seen, tried } = reproducedOf(finding)
  return seen === tried && tried > 1
}

/** Whether a breach was met only now and then. */
export function isIntermittent(finding: Pick<Finding, 'reproduced'>): boolean {
  const { seen, tried } = reproducedOf(finding)
  return seen !== tried
}

/**
 * The stable name of a breach: 16 hexadecimal digits from the endpoint, the allowed set, the answer and the kind of
 * difference; the seed, the values sent and the address of the target change nothing in it.
 */
export function fingerprintOf(endpoint: string, { allowed, answered, difference }: Breach): string {
  const answer = answered === null ? 'no answer' : `${answered.status}/${answered.errorCode ?? ''}`
  const documented = allowed.map(({ status, errorCode }) => `${status}/${errorCode ?? ''}`).toSorted()
  const text = JSON.stringify([endpoint, documented, answer, difference])

  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
