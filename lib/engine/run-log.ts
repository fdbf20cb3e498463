import { fingerprintOf } from '../judge/fingerprint.ts'
import { isSuccess } from '../judge/answered.ts'
import type { Breach } from '../judge/judge.ts'
import type { Finding, Observation, ShownExchange } from '../judge/record.ts'
import { ruleOf, runsAlone, type RuleId } from '../spec/rules.ts'
import { ClientLockedOut } from './inconclusive.ts'

/** How often a breach was seen of how often it was tried. */
export interface Reproduced {
  readonly seen: number
  readonly of: number
}

/** A breach as it was met. */
export interface Sighting {
  readonly case: string
  readonly endpoint: string
  readonly breach: Breach
  /** Made only for the first of a kind: showing costs. */
  readonly show: () => Pick<Finding, 'exchange' | 'curl' | 'replay' | 'difference' | 'sent'>
}

/** A finding, and how often it was seen so far. */
interface Met {
  readonly finding: Omit<Finding, 'reproduced'>
  readonly reproduced: Reproduced
}

/** How many things an observation tells of, and how many outcomes of each. */
const mostNotes = 100
const mostOutcomes = 5
/** How many further cases of one fingerprint are kept. */
const keptExamples = 3

/**
 * What a run has found: findings by rule and fingerprint, a sample and a count of answers per rule, latencies, observations.
 * Its memory does not grow with the number of exchanges, but for eight bytes of latency each.
 */
export class RunLog {
  readonly #findings = new Map<RuleId, Map<string, Met>>()
  readonly #answers = new Map<RuleId, number>()
  readonly #samples = new Map<RuleId, ShownExchange>()
  readonly #latencies: number[] = []
  readonly #observations = new Map<string, unknown>()
  readonly #notes = new Map<string, Map<string, Set<string>>>()
  #isLockedOut = false
  #hasRecovered = false

  /** Books a breach. The first of a kind is confirmed by `confirm`; further ones are counted. */
  async breach(rule: RuleId, sighting: Sighting, confirm: () => Promise<Reproduced>): Promise<void> {
    const findings = this.#findingsOf(rule)
    const fingerprint = fingerprintOf(sighting.endpoint, sighting.breach)
    const known = findings.get(fingerprint)
    if (known !== undefined) {
      findings.set(fingerprint, { ...known, finding: withAnother(known.finding, sighting) })
      return
    }

    findings.set(fingerprint, {
      finding: findingOf(fingerprint, sighting),
      reproduced: { seen: 1, of: 1 },
    })
    const reproduced = await this.#confirmed(findings, fingerprint, confirm)
    const current = findings.get(fingerprint)
    if (current === undefined) return
    // Seen once and never again, it may have been seen while the client was locked out.
    const isGone = this.#hasRecovered && reproduced.seen === 1 && reproduced.of > 1
    if (isGone || (this.#isLockedOut && !hadControl(rule, reproduced))) findings.delete(fingerprint)
    else findings.set(fingerprint, { ...current, reproduced })
  }

  /** The client was locked out: what no plain valid request was served after, by what is known, is nobody's fault. */
  lockedOut(): void {
    this.#isLockedOut = true
    for (const [rule, findings] of this.#findings) {
      for (const [fingerprint, { reproduced }] of findings) {
        if (!hadControl(rule, reproduced)) findings.delete(fingerprint)
      }
    }
  }

  /** The client was locked out for a while: what comes only once in several tries is nobody's fault from now on. */
  recovered(): void {
    this.#hasRecovered = true
  }

  /** Takes a finding back that turned out to be nobody's fault. */
  withdraw(rule: RuleId, endpoint: string, breach: Breach): void {
    this.#findingsOf(rule).delete(fingerprintOf(endpoint, breach))
  }

  /**
   * Whether a rule that runs together with others has steadily met the same breach, so that a scenario that runs alone has
   * nothing to add to it. A success is never explained: that somebody was let in is what scenarios look for.
   */
  isExplained(rule: RuleId, endpoint: string, breach: Breach): boolean {
    if (!runsAlone(rule) || breach.answered === null || isSuccess(breach.answered)) return false
    const fingerprint = fingerprintOf(endpoint, breach)
    return [...this.#findings].some(([other, findings]) => {
      const reproduced = findings.get(fingerprint)?.reproduced
      return (
        (ruleOf(other).phase === 'together' || other === 'endpoints/list-succeeds') &&
        ruleOf(other).level === 'documented' &&
        reproduced !== undefined &&
        reproduced.seen === reproduced.of &&
        reproduced.of > 1
      )
    })
  }

  /** Counts an answer that was judged for a rule, or several, and keeps the first as its sample. */
  judged(rule: RuleId, sample: () => ShownExchange, times = 1): void {
    this.#answers.set(rule, this.answers(rule) + times)
    if (!this.#samples.has(rule)) this.#samples.set(rule, sample())
  }

  /** How many answers were judged for a rule. */
  answers(rule: RuleId): number {
    return this.#answers.get(rule) ?? 0
  }

  /** The first exchange that was judged for a rule. */
  sample(rule: RuleId): ShownExchange | null {
    return this.#samples.get(rule) ?? null
  }

  /** The findings of a rule, in the order in which they were met. */
  findings(rule: RuleId): readonly Finding[] {
    const met = [...(this.#findings.get(rule)?.values() ?? [])]
    return met.map(({ finding, reproduced: { seen, of } }) => ({
      ...finding,
      reproduced: `${seen} of ${of}`,
    }))
  }

  /** Writes down how long an answer took. */
  took(durationMs: number): void {
    this.#latencies.push(durationMs)
  }

  /** Percentiles of all latencies so far, in milliseconds, or null without any. */
  latencyMs(): {
    readonly p50: number
    readonly p95: number
    readonly p99: number
    readonly max: number
  } | null {
    const sorted = Float64Array.from(this.#latencies).toSorted()
    if (sorted.length === 0) return null

    const at = (share: number): number => {
      const value = sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0
      return Math.round(value * 10) / 10
    }
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
  }

  /** Writes something down that is never judged; the last value under an id counts. */
  observe(id: string, value: unknown): void {
    this.#observations.set(id, value)
  }

  /** Writes down what came of one of the things that an observation is about; another outcome of the same stands beside it. */
  note(id: string, about: string, outcome: string): void {
    const notes = this.#notes.get(id) ?? new Map<string, Set<string>>()
    this.#notes.set(id, notes)
    const outcomes = notes.get(about) ?? new Set<string>()
    if (notes.size < mostNotes) notes.set(about, outcomes)
    if (outcomes.size < mostOutcomes) outcomes.add(outcome)
  }

  /** All that was observed, whatever the order in which it was met. */
  observations(): readonly Observation[] {
    const notes = [...this.#notes].map(([id, about]) => {
      const entries = [...about].map(
        ([what, outcomes]) => [what, [...outcomes].toSorted().join('; ')] as const,
      )
      return { id, value: Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) }
    })
    const values = [...this.#observations].map(([id, value]) => ({ id, value }))
    return [...values, ...notes].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** What was seen of a client that was locked out is forgotten. */
  async #confirmed(
    findings: Map<string, Met>,
    fingerprint: string,
    confirm: () => Promise<Reproduced>,
  ): Promise<Reproduced> {
    try {
      return await confirm()
    } catch (error) {
      if (error instanceof ClientLockedOut) findings.delete(fingerprint)
      throw error
    }
  }

  #findingsOf(rule: RuleId): Map<string, Met> {
    const known = this.#findings.get(rule)
    if (known !== undefined) return known

    const made = new Map<string, Met>()
    this.#findings.set(rule, made)
    return made
  }
}

/** Whether a control was served while a breach was confirmed: it goes out before the third try. What is no service's fault needs none. */
function hadControl(rule: RuleId, { of }: Reproduced): boolean {
  const { level } = ruleOf(rule)
  return level === 'expectation' || level === 'requested' || of >= 3
}

function findingOf(fingerprint: string, sighting: Sighting): Met['finding'] {
  const { answered, allowed, summary, blames, warning } = sighting.breach
  return {
    fingerprint,
    case: sighting.case,
    count: 1,
    examples: [],
    summary,
    allowed,
    answered: answered === null ? null : { status: answered.status, errorCode: answered.errorCode },
    ...sighting.show(),
    ...(blames === undefined ? {} : { blames }),
    ...(warning === undefined ? {} : { warning }),
  }
}

function withAnother(finding: Met['finding'], sighting: Sighting): Met['finding'] {
  const example = { case: sighting.case, summary: sighting.breach.summary }
  const examples = finding.examples.length < keptExamples ? [...finding.examples, example] : finding.examples
  return { ...finding, count: finding.count + 1, examples }
}
