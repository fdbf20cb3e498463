import { createHash } from 'node:crypto'
import type { ClientName } from '../specification/client-rows.ts'
import type { RuleId } from '../specification/rules.ts'
import type { Breach } from './judge.ts'
import type { Blamed, BlamedCounts, Power } from './power.ts'

/** The status of a rule. `warned`: a breach that the profile does not count as a violation. */
export type RuleStatus = 'passed' | 'failed' | 'warned' | 'waived' | 'inconclusive' | 'untested'

/** An exchange as shown in reports, with credentials replaced by their names and the body truncated. Plain JSON. */
export type ShownExchange = Readonly<{
  request: {
    readonly method: string
    readonly url: string
    readonly headers: readonly (readonly [name: string, value: string])[]
    /** Absent if there is no body. */
    readonly body?: string
    /** The number of hidden characters in the body; absent if all are shown. */
    readonly bodyCut?: number
  }
  /** Null if no answer came. */
  response: {
    readonly status: number
    /** The reason phrase, if unusual for the status. */
    readonly reason?: string
    readonly headers: readonly (readonly [name: string, value: string])[]
    /** Trailer fields, if any. */
    readonly trailers?: readonly (readonly [name: string, value: string])[]
    readonly body: string
    /** The number of hidden characters in the body. */
    readonly bodyCut: number
  } | null
  durationMs: number
}>

/** A breach of a rule, with everything that a reader needs to see and repeat it. Plain JSON, without credentials. */
export type Finding = Pick<Breach, 'allowed' | 'summary' | 'warning' | 'blames'> &
  Readonly<{
    /** Derived from the endpoint, allowed set, answer and kind of difference, but not from the seed, value or address. */
    fingerprint: string
    /** `rule:seed:case`. */
    case: string
    count: number
    /** Further cases with the same fingerprint, at most three. */
    examples: readonly Readonly<{ case: string; summary: string }>[]
    /** Null if no answer came. */
    answered: Readonly<{ status: number; errorCode: string | null }> | null
    /** `3 of 3`: how many times it was seen, and in how many tries. */
    reproduced: string
    /** The kind of difference, as in a breach; absent if the finding concerns several requests. */
    difference?: string
    /** The properties of the request that are needed to find causes; absent if the finding concerns several requests. */
    sent?: {
      readonly endpoint: string
      readonly client: ClientName
      /** Whether it was a plain valid request. */
      readonly plain: boolean
      /** Its certain and uncertain flaws, such as `version absent`; null if unknown. */
      readonly flaws: readonly string[] | null
      /** The number of requests that its case sends when it is replayed. */
      readonly requests: number
      /** The conditions that cause it, such as `accept-language: de`; absent if it needs no condition. */
      readonly conditions?: readonly string[]
    }
    /** The place of a breaking change, or the answers before and after it, without values; absent for other findings. */
    shapes?: Readonly<{ before: string; after: string }>
    /** The trace of the case; absent if no trace was sent. */
    trace?: { readonly id: string }
    exchange: ShownExchange
    /** A curl command for bash, with credentials as variables; null if curl cannot send the request, which replay sends byte for byte. */
    curl: string | null
    replay: string | null
    /** The reason for its waiver, if any. */
    waived?: string
  }>

/** A reason why a rule neither passed nor failed, or why some of its cases were not judged. */
export type Reason = Readonly<{
  /** `ended`: the run ended first, and its reason is given; `cut-short`: the rule was interrupted. */
  kind: 'ended' | 'cut-short' | 'inconclusive' | 'untested' | 'waived'
  text: string
  /** The breaches from which it follows; absent if it also has other reasons. */
  follows?: readonly FindingId[]
}>

/** How many times a breach was seen, and in how many tries. */
export type Reproduced = Readonly<{ seen: number; of: number }>

/** A breach, identified by the rule that reports it. */
export type FindingId = Readonly<{ rule: RuleId; fingerprint: string }>

/** The breaches from which all these reasons follow; empty if any reason has a different origin. */
export function followedBy(reasons: readonly Reason[]): readonly FindingId[] {
  const all = reasons.map(({ follows = [] }) => follows)
  return all.some((follows) => follows.length === 0) ? [] : distinctIds(all.flat())
}

/** Breaches without duplicates. */
export function distinctIds(ids: readonly FindingId[]): readonly FindingId[] {
  return [...new Map(ids.map((id) => [`${id.rule} ${id.fingerprint}`, id])).values()]
}

/** A reason with the breaches from which it follows, if any. */
export function reasonOf(kind: Reason['kind'], text: string, follows: readonly FindingId[]): Reason {
  return follows.length === 0 ? { kind, text } : { kind, text, follows }
}

/** The result of a rule after a run. Plain JSON. */
export type RuleResult = Readonly<{
  id: RuleId
  status: RuleStatus
  /** Why it is inconclusive, untested or waived; otherwise empty. */
  reasons: readonly Reason[]
  /** The number of answers judged for it. */
  answers: number
  /** The number of answers and unanswered requests that its findings blame; absent if unknown. */
  blamed?: BlamedCounts
  sample: ShownExchange | null
  findings: readonly Finding[]
}>

/** A recorded fact that is never judged. */
export type Observation = Readonly<{ id: string; value: unknown }>

/** The result of a replayed case. Plain JSON, without credentials. */
export type Replayed = Readonly<{
  /** The number of times it was judged, and the number of times with a breach of any rule. */
  times: number
  wrong: number
  /** The number of its requests that were answered. */
  sent: number
  /** Its first exchanges. */
  exchanges: readonly ShownExchange[]
  /** Findings for any rule, with how often they were reproduced and the first exchanges that broke the rule. */
  found: readonly {
    readonly rule: RuleId
    readonly finding: Finding
    readonly exchanges: readonly ShownExchange[]
  }[]
  /** Why it could no longer be judged; empty if it was judged every time. */
  unjudged: readonly string[]
}>

/** The names for refused rates in {@link RunSnapshot.retriedFor}. They do not count as trouble, because the specification shows no rates. */
export const rateRefusals: readonly string[] = ['429', '503 (rate limit)']

/** The state of a run at any moment. Plain JSON. */
export type RunSnapshot = Readonly<{
  sent: number
  retried: number
  confirming: number
  byRule: Readonly<Record<string, number>>
  /** The number of requests by the client whose quota they use, such as `target`. */
  byClient: Readonly<Record<string, number>>
  /** The number of attempts without an answer that no request caused, and of refused rates, by name, such as `503`. */
  retriedFor: Readonly<Record<string, number>>
  /** The total latency of each rule's requests. */
  msByRule: Readonly<Record<string, number>>
  latencyMs: {
    readonly p50: number
    readonly p95: number
    readonly p99: number
    readonly max: number
  } | null
  /** Why the run ended early, or null. */
  ended: string | null
  observations: readonly Observation[]
  /** The power it would have if it were green; absent if unknown. */
  power?: Power
  /** The exchanges blamed by findings for any rule; absent if unknown. */
  blamed?: readonly Blamed[]
}>

/** An endpoint that a run should judge, and the rules that judged one of its answers. Plain JSON. */
export type EndpointRecord = Readonly<{
  /** Its name in reports: `/api/cards`, `POST /api/cards (version 2)`. */
  name: string
  /** The fingerprint by which a waiver excuses it in an acceptance. */
  fingerprint: string
  judgedBy: readonly RuleId[]
  /** Why no rule judged any of its answers. */
  otherwise: Reason
}>

/** How many times a finding was reproduced, and in how many tries; zeros if unknown. */
function reproducedOf({ reproduced }: Pick<Finding, 'reproduced'>): Reproduced {
  const [seen = 0, of = 0] = reproduced.split(' of ').map(Number)
  return { seen, of }
}

/** Whether a breach was seen every time, in at least two tries. */
export function isSteady(finding: Pick<Finding, 'reproduced'>) {
  return !isIntermittent(finding) && reproducedOf(finding).of > 1
}

/** Whether a breach was seen only sometimes. */
export function isIntermittent(finding: Pick<Finding, 'reproduced'>) {
  const { seen, of } = reproducedOf(finding)
  return seen !== of
}

/** The stable name of a breach: 16 hexadecimal digits, independent of the seed, the values sent and the target's address. */
export function fingerprintOf(
  endpoint: string,
  { allowed, answered, difference }: Breach,
  conditions: readonly string[] = [],
) {
  const answer = answered === null ? 'no answer' : `${answered.status}/${answered.errorCode ?? ''}`
  const documented = allowed.map(({ status, errorCode }) => `${status}/${errorCode ?? ''}`).toSorted()
  const text = JSON.stringify([endpoint, documented, answer, difference, ...conditions])

  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}
