import type { Drift } from '../../drift/compare-baselines.ts'
import type { Exchange } from '../../http/exchange.ts'
import { sentIn } from '../../http/request.ts'
import { isSuccess } from '../../judge/answered.ts'
import { curlLine, repeatedly, replayLine } from '../../judge/shell-lines.ts'
import { countBlamed, findingKey, type BlamedCounts } from '../../judge/power.ts'
import { fingerprintOf, type Finding, type FindingId, type ShownExchange } from '../../judge/record.ts'
import type { Breach } from '../../judge/judge.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import type { Redactor } from '../../redact/redact.ts'
import type { RunSettings } from '../../settings/settings.ts'
import { entryOf, type Catalogue } from '../../specification/catalogue.ts'
import { isRuleId, type Level, type RuleId } from '../../specification/rules.ts'
import { ClientLockedOut, type PreconditionBreach } from '../plan/errors.ts'
import { JudgedAnswers } from './judged-answers.ts'
import { flawsOf } from './observations.ts'
import type { PowerRecord } from './power-record.ts'
import { findingOf, withOccurrence, type Entry, type Recorded, type Reproduced } from './recorded-finding.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'
import { traced, traceIdOf } from '../send/trace.ts'

/** A breach with its request and exchange. */
export interface Occurrence {
  readonly request: TestRequest
  /** Null if no answer came. */
  readonly exchange: Exchange | null
  readonly context: Context
  readonly breach: Breach
  /** The exchange of the case, if this one is of a simpler case. */
  readonly caseExchange?: Exchange
  /** Stands for the missing answer, which several rules may report. */
  readonly failure?: object
  /** Sends again; without it, the breach counts as seen once. */
  readonly confirm?: () => Promise<Reproduced>
}

/** What findings are recorded with. */
export interface FindingOptions {
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
  readonly power: Pick<PowerRecord, 'showed' | 'leftUnanswered' | 'blamed'>
}

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
    const flaws = flawsOf(request, model)?.all ?? null
    const { requestsAlone: requests = 1 } = context
    const entry: Entry = {
      case: name,
      endpoint,
      complexity: [flaws?.length ?? 0, requests, client === 'target' ? 0 : 1],
      breach: this.#redacted(breach, request),
      show: () => ({
        exchange: this.shown(request, exchange),
        curl: this.#curl(request, name),
        replay: context.replayable === false ? null : this.#replay(name),
        difference: redactor.ofAnswer(sentIn(request.request)).redact(breach.difference),
        sent: { endpoint, client, plain, flaws, requests },
        ...this.#traceOf(name),
      }),
    }
    this.#blame(rule, fingerprintOf(endpoint, entry.breach), occurrence)
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
      complexity: [0, 1, 0],
      breach: this.#redacted(breach),
      show: () => ({ exchange, curl: null, replay: null }),
    })
  }

  /** Removes a finding that turned out to be nobody's fault. */
  retract({ context, request, breach }: Pick<Occurrence, 'context' | 'request' | 'breach'>): void {
    this.#recorded(context.rule).delete(this.fingerprint(request, breach))
  }

  /** The name that the breach of a precondition has among the findings of its rule. */
  idOf({ rule, request, breach }: PreconditionBreach): FindingId {
    return { rule, fingerprint: this.fingerprint(request, breach) }
  }

  /** Whether a concurrent rule steadily met the same breach, so a lone scenario adds nothing but to its count. Never for a success: it may be an intruder's. */
  isExplained(occurrence: Occurrence): boolean {
    const { catalogue } = this.#options
    const { context, request, breach } = occurrence
    const isAlone = ['alone', 'last'].includes(entryOf(catalogue, context.rule).phase)
    if (!isAlone || breach.answered === null || isSuccess(breach.answered)) return false
    const fingerprint = this.fingerprint(request, breach)
    const explaining = [...this.#findings].find(([rule, findings]) => {
      const { level, phase } = entryOf(catalogue, rule)
      if (level !== 'documented' || (phase !== 'together' && rule !== 'endpoints/list-succeeds')) return false
      const { seen, of } = findings.get(fingerprint)?.reproduced ?? seenOnce
      return seen === of && of > 1
    })
    if (explaining !== undefined) this.#blame(explaining[0], fingerprint, occurrence)
    return explaining !== undefined
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

  /** The findings of a rule, in order of occurrence. What was not seen each time is sent again often enough to be seen. */
  of(rule: RuleId): readonly Finding[] {
    return [...this.#recorded(rule).values()].map(({ finding, reproduced: { seen, of } }) => ({
      ...finding,
      reproduced: `${seen} of ${of}`,
      replay: finding.replay === null || seen === of ? finding.replay : repeatedly(finding.replay),
    }))
  }

  /** Counts the exchange that shows a breach of the service; neither confirmations nor what only shows an expectation to be wrong. */
  #blame(rule: RuleId, fingerprint: string, occurrence: Occurrence): void {
    const { request, exchange, caseExchange = exchange, context, failure = request } = occurrence
    if (context.purpose !== undefined || this.#levelOf(rule) === 'expectation') return
    const { power } = this.#options
    const finding = findingKey(rule, fingerprint)
    if (caseExchange === null) return power.leftUnanswered(finding, failure)
    power.showed(finding, caseExchange)
    this.countAnswer(rule, request, caseExchange)
  }

  /** How many answers, and requests without one, the findings of a rule blame so far. */
  blamedBy(rule: RuleId): BlamedCounts {
    const keys = [...this.#recorded(rule).keys()].map((fingerprint) => findingKey(rule, fingerprint))
    return countBlamed(this.#options.power.blamed, new Set(keys))
  }

  /** The fingerprint of a breach of this request. */
  fingerprint(request: TestRequest, breach: Breach): string {
    return fingerprintOf(request.traits.endpoint, this.#redacted(breach, request))
  }

  async #add(rule: RuleId, entry: Entry, confirm?: Occurrence['confirm']): Promise<void> {
    const findings = this.#recorded(rule)
    const fingerprint = fingerprintOf(entry.endpoint, entry.breach)
    const known = findings.get(fingerprint)
    if (known !== undefined) {
      findings.set(fingerprint, withOccurrence(known, entry))
      return
    }
    const { complexity } = entry
    findings.set(fingerprint, { finding: findingOf(fingerprint, entry), reproduced: seenOnce, complexity })
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

  /** A code that a service made up may be a credential, or derived from one that was sent. */
  #redacted(breach: Breach, sent?: TestRequest): Breach {
    const redactor = this.#options.redactor.ofAnswer(sent === undefined ? undefined : sentIn(sent.request))
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
