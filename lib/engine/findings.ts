import type { Drift } from '../drift/compare-baselines.ts'
import type { Exchange } from '../http/exchange.ts'
import { secretsOf } from '../http/request.ts'
import { isSuccess } from '../judge/answered.ts'
import { curlLine, replayLine } from '../judge/shell-lines.ts'
import { fingerprintOf, type Finding, type ShownExchange } from '../judge/record.ts'
import type { Breach } from '../judge/judge.ts'
import type { TargetModel } from '../judge/target-model.ts'
import type { Redactor } from '../redact/redact.ts'
import type { RunSettings } from '../settings/settings.ts'
import { entryOf, type Catalogue } from '../spec/catalogue.ts'
import { isRuleId, type Level, type RuleId } from '../spec/rules.ts'
import { ClientLockedOut } from './errors.ts'
import { JudgedAnswers } from './judged-answers.ts'
import { flawsOf } from './observations.ts'
import type { Context, TestRequest } from './test-request.ts'
import { traced, traceIdOf } from './trace.ts'

/** How often a breach was seen, of how many tries. */
export interface Reproduced {
  readonly seen: number
  readonly of: number
}

/** A breach with its request and exchange. */
export interface Occurrence {
  readonly request: TestRequest
  /** Null if no answer came. */
  readonly exchange: Exchange | null
  readonly context: Context
  readonly breach: Breach
  /** Sends again; without it, the breach counts as seen once. */
  readonly confirm?: () => Promise<Reproduced>
}

interface FindingOptions {
  readonly baseUrl: string
  readonly caFile: string | null
  readonly clientCertificate: RunSettings['clientCertificate']
  readonly seed: number
  /** Flags of the replay command, besides the case's name. */
  readonly replayFlags: readonly string[]
  /** Whether a breach of HTTP or JSON alone is a violation. */
  readonly strict: boolean
  /** Null if no trace is sent. */
  readonly trace: RunSettings['trace']
  readonly redactor: Redactor
  readonly model: TargetModel
  readonly catalogue: Catalogue
}

interface Recorded {
  readonly finding: Omit<Finding, 'reproduced'>
  readonly reproduced: Reproduced
}

/** A breach without credentials, and how its finding shows it. */
interface Entry {
  readonly case: string
  readonly endpoint: string
  readonly breach: Breach
  /** Called only for the first of a kind, since masking is expensive. */
  readonly show: () => Pick<Finding, 'exchange' | 'curl' | 'replay' | 'difference' | 'sent' | 'trace'>
}

/** Maximum further cases kept per fingerprint. */
const keptExamples = 3
const seenOnce: Reproduced = { seen: 1, of: 1 }

/** Records the findings of a run by rule and fingerprint: confirmed once, shown without a credential. */
export class FindingRecorder extends JudgedAnswers {
  readonly #options: FindingOptions
  readonly #findings = new Map<RuleId, Map<string, Recorded>>()
  #isLockedOut = false
  #hasRecovered = false

  constructor(options: FindingOptions) {
    super(options)
    this.#options = options
  }

  /** Records a breach, by default for the case's own rule: confirms the first of a kind, counts others. */
  async record(occurrence: Occurrence, rule = occurrence.context.rule): Promise<void> {
    const { request, exchange, context, breach, confirm } = occurrence
    const { redactor, seed, model } = this.#options
    const { endpoint, client, plain } = request.traits
    const own = `${context.rule}:${seed}:${context.case}`
    // Names of the suite's own cases hold no value that was sent.
    const name = isRuleId(context.rule) ? own : redactor.redact(own)
    const entry = {
      case: name,
      endpoint,
      breach: this.#redacted(breach, request),
      show: () => ({
        exchange: this.shown(request, exchange),
        curl: this.#curl(request, name),
        replay: context.replayable === false ? null : this.#replay(name),
        difference: redactor.besides(secretsOf(request.request)).redact(breach.difference),
        sent: { endpoint, client, plain, flaws: flawsOf(request, model)?.all ?? null },
        ...this.#traceOf(name),
      }),
    }
    await this.#add(rule, entry, confirm)
  }

  /** Records a departure from the baseline. */
  async recordDrift(drift: Drift, exchange: ShownExchange, context: Context): Promise<void> {
    const { stimulus, answer, path, kind, severity, says } = drift
    const [status, errorCode] = answer.split('/')
    const breach: Breach = {
      allowed: [],
      answered: { status: Number(status), errorCode: errorCode || null, flaw: null },
      difference: `${kind} ${path ?? ''}`,
      summary: `${says} (${stimulus})`,
      ...(severity === 'warning' ? { warning: true } : {}),
    }
    await this.#add(context.rule, {
      case: `${context.rule}:${this.#options.seed}:${context.case}`,
      endpoint: stimulus,
      breach: this.#redacted(breach),
      show: () => ({ exchange, curl: null, replay: null }),
    })
  }

  /** Removes a finding that turned out to be nobody's fault. */
  retract({ context, request, breach }: Pick<Occurrence, 'context' | 'request' | 'breach'>): void {
    this.#recorded(context.rule).delete(this.#fingerprintOf(request, breach))
  }

  /** Whether a concurrent rule steadily met the same breach, so a lone scenario adds nothing. Never for a success: it may be an intruder's. */
  isExplained({ context, request, breach }: Pick<Occurrence, 'context' | 'request' | 'breach'>): boolean {
    const { catalogue } = this.#options
    const isAlone = ['alone', 'last'].includes(entryOf(catalogue, context.rule).phase)
    if (!isAlone || breach.answered === null || isSuccess(breach.answered)) return false
    const fingerprint = this.#fingerprintOf(request, breach)
    return [...this.#findings].some(([rule, findings]) => {
      const { level, phase } = entryOf(catalogue, rule)
      if (level !== 'documented' || (phase !== 'together' && rule !== 'endpoints/list-succeeds')) return false
      const { seen, of } = findings.get(fingerprint)?.reproduced ?? seenOnce
      return seen === of && of > 1
    })
  }

  /** After a lockout: drops each breach not followed by a successful plain valid request. */
  lockedOut(): void {
    this.#isLockedOut = true
    for (const [rule, findings] of this.#findings) {
      for (const [fingerprint, { reproduced }] of findings) {
        if (!hadHealthCheck(this.#levelOf(rule), reproduced)) findings.delete(fingerprint)
      }
    }
  }

  /** After a temporary lockout: from now on, a breach seen once in several tries is dropped. */
  recovered(): void {
    this.#hasRecovered = true
  }

  /** The findings of a rule, in order of occurrence. */
  of(rule: RuleId): readonly Finding[] {
    return [...this.#recorded(rule).values()].map(({ finding, reproduced: { seen, of } }) => ({
      ...finding,
      reproduced: `${seen} of ${of}`,
    }))
  }

  async #add(rule: RuleId, entry: Entry, confirm?: Occurrence['confirm']): Promise<void> {
    const findings = this.#recorded(rule)
    const fingerprint = fingerprintOf(entry.endpoint, entry.breach)
    const known = findings.get(fingerprint)
    if (known !== undefined) {
      findings.set(fingerprint, { ...known, finding: withExample(known.finding, entry) })
      return
    }
    findings.set(fingerprint, { finding: findingOf(fingerprint, entry), reproduced: seenOnce })
    const reproduced = await (confirm?.() ?? Promise.resolve(seenOnce)).catch((error: unknown) => {
      if (error instanceof ClientLockedOut) findings.delete(fingerprint)
      throw error
    })
    const current = findings.get(fingerprint)
    if (current === undefined) return
    // A breach seen only once may stem from the lockout.
    const isStale = this.#hasRecovered && reproduced.seen === 1 && reproduced.of > 1
    if (isStale || (this.#isLockedOut && !hadHealthCheck(this.#levelOf(rule), reproduced)))
      findings.delete(fingerprint)
    else findings.set(fingerprint, { ...current, reproduced })
  }

  #levelOf(rule: RuleId): Level {
    return entryOf(this.#options.catalogue, rule).level
  }

  #recorded(rule: RuleId): Map<string, Recorded> {
    const findings = this.#findings.get(rule) ?? new Map<string, Recorded>()
    this.#findings.set(rule, findings)
    return findings
  }

  #fingerprintOf(request: TestRequest, breach: Breach): string {
    return fingerprintOf(request.traits.endpoint, this.#redacted(breach, request))
  }

  /** A code that a service made up may be a credential, or derived from one that was sent. */
  #redacted(breach: Breach, sent?: TestRequest): Breach {
    const redactor = this.#options.redactor.besides(sent === undefined ? [] : secretsOf(sent.request))
    const { answered, summary, implied } = breach
    const errorCode = answered?.errorCode ?? null
    return {
      ...breach,
      summary: redactor.redact(summary),
      ...(implied === true && !this.#options.strict ? { warning: true } : {}),
      ...(answered === null || errorCode === null
        ? {}
        : { answered: { ...answered, errorCode: redactor.redact(errorCode) } }),
    }
  }

  #curl({ request }: TestRequest, name: string): string | null {
    const { trace } = this.#options
    const line = curlLine(trace === null ? request : traced(request, name, 'case'), this.#options)
    return line === null ? null : this.#options.redactor.redact(line)
  }

  #traceOf(name: string): Pick<Finding, 'trace'> {
    const { trace, redactor } = this.#options
    if (trace === null) return {}
    const id = traceIdOf(name)
    const url = trace.url === null ? null : redactor.redact(trace.url.replaceAll('{trace}', id))
    return { trace: { id, url } }
  }

  #replay(name: string): string {
    const { replayFlags, redactor } = this.#options
    return replayLine(
      name,
      replayFlags.map((flag) => redactor.redact(flag)),
    )
  }
}

/** Whether a health check succeeded during confirmation: it precedes the third try. Breaches that blame others need none. */
function hadHealthCheck(level: Level, { of }: Reproduced): boolean {
  return level === 'expectation' || level === 'requested' || of >= 3
}

function findingOf(fingerprint: string, entry: Entry): Recorded['finding'] {
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

function withExample(finding: Recorded['finding'], entry: Entry): Recorded['finding'] {
  const example = { case: entry.case, summary: entry.breach.summary }
  const examples = finding.examples.length < keptExamples ? [...finding.examples, example] : finding.examples
  return { ...finding, count: finding.count + 1, examples }
}
