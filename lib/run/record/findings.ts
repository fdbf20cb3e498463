import type { Exchange } from '../../http/exchange.ts'
import { sentIn } from '../../http/request.ts'
import { traceIdOf, traced } from '../../http/trace.ts'
import { isSuccess } from '../../judge/answered.ts'
import type { Breach } from '../../judge/judge.ts'
import type { BlamedCounts } from '../../judge/power.ts'
import {
  fingerprintOf,
  isIntermittent,
  isSteady,
  type Finding,
  type FindingId,
  type Reproduced,
  type RuleResult,
} from '../../judge/record.ts'
import { blamesClient } from '../../specification/answers.ts'
import { flawId } from '../../specification/flaws.ts'
import { entryOf, isRuleId, type Level, type RuleId } from '../../specification/rules.ts'
import { countBlamed, findingKey } from '../../verdict/power.ts'
import { curlLine, repeatedly, replayLine } from '../../verdict/shell-lines.ts'
import type { PreconditionBreach } from '../plan/errors.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'
import { flawsOf, type JudgedAnswers, type PowerRecord, type RunInput } from './answers.ts'
import type { MetDrift } from './baseline-watch.ts'

/** A breach with its request and exchange. */
export interface Occurrence {
  readonly request: TestRequest
  /** Null if no answer came. */
  readonly exchange: Exchange | null
  readonly context: Context
  readonly breach: Breach
  /** The exchange from the original case, if `exchange` is from a simpler case. */
  readonly caseExchange?: Exchange
  /** Identifies the missing answer, which several rules may report. */
  readonly failure?: object
}

/** The findings for a rule. */
interface FoundOf {
  /** In order of occurrence. The replay line for an intermittent finding repeats the case. */
  readonly findings: readonly Finding[]
  /** How many answers and unanswered requests they blame. */
  readonly blamed: BlamedCounts
}

/** The query in a row is a condition, not a flaw. */
const fromQuery = flawId('input', 'uncertain')

const seenOnce: Reproduced = { seen: 1, of: 1 }

/** The findings in a run, by rule and fingerprint, without credentials. */
export class FindingRecorder {
  readonly #input: RunInput
  readonly #answers: JudgedAnswers
  readonly #power: PowerRecord
  readonly #findings = new Map<RuleId, Map<string, Recorded>>()
  #isLockedOut = false
  #hasRecovered = false

  constructor(input: RunInput, answers: JudgedAnswers, power: PowerRecord) {
    this.#input = input
    this.#answers = answers
    this.#power = power
  }

  /** Adds a breach, of the case's rule by default. The caller confirms the first of a kind; others are counted. */
  add(
    occurrence: Occurrence,
    rule = occurrence.context.rule,
  ): { readonly fingerprint: string; readonly isFirst: boolean } {
    const { request, exchange, context, breach } = occurrence
    const { redactor } = this.#input
    const { endpoint, client, conditions } = request.traits
    const name = this.#nameOf(context)
    const { requestsAlone: requests = 1 } = context
    const sent = this.#sentOf(request, requests)
    const entry: Entry = {
      case: name,
      endpoint,
      conditions,
      complexity: [sent.flaws?.length ?? 0, requests, client === 'target' ? 0 : 1],
      breach: this.#redacted(breach, request),
      show: () => ({
        exchange: this.#answers.shown(request, exchange),
        // The breach may be in any one of the case's requests.
        curl: this.#curl(exchange ?? request, name),
        replay: context.replayable === false ? null : this.#replay(name),
        difference: redactor.ofAnswer(sentIn(request.request)).redact(breach.difference),
        sent,
        ...this.#traceOf(name),
      }),
    }
    this.#blame(rule, fingerprintOf(endpoint, entry.breach, conditions), occurrence)
    return this.#add(rule, entry)
  }

  /** Adds a difference from the baseline, without confirmation. Its replay compares the case that first showed it. */
  addDrift({ drift, first }: MetDrift, context: Context): FindingId {
    const { requestName, answer, path, kind, severity, says, shapes } = drift
    const { redactor } = this.#input
    const again = this.#nameOf(first.context)
    const [status, errorCode] = answer.split('/')
    const breach: Breach = {
      allowed: [],
      answered: { status: Number(status), errorCode: errorCode || null, flaw: null },
      difference: `${kind} ${path ?? ''}`,
      summary: `${says} (${requestName})`,
      ...(severity === 'warning' ? { warning: true } : {}),
    }
    const name = this.#nameOf(context)
    const { fingerprint } = this.#add(context.rule, {
      case: name,
      endpoint: requestName,
      complexity: [0, 1, 0],
      breach: this.#redacted(breach),
      show: () => ({
        exchange: first.shown,
        curl: this.#curl(first.request, again),
        replay: first.context.replayable === false ? null : this.#replay(`${name}:${again}`, true),
        difference: redactor.redact(breach.difference),
        sent: this.#sentOf(first.request, 1),
        shapes: { before: redactor.redact(shapes.before), after: redactor.redact(shapes.after) },
      }),
    })
    return { rule: context.rule, fingerprint }
  }

  /** Notes how many times a confirmed breach was seen. */
  confirmed({ rule, fingerprint }: FindingId, reproduced: Reproduced): void {
    const findings = this.#recorded(rule)
    const known = findings.get(fingerprint)
    if (known === undefined) return
    // A breach seen only once may come from the lockout, and so may an intermittent breach that blames the client.
    const isSeldom = reproduced.seen === 1 || mayBeShortLockout(known.finding, reproduced)
    const isStale = this.#hasRecovered && isSeldom && blamesService(this.#levelOf(rule))
    const mayBeLockout = isStale || (this.#isLockedOut && !hadHealthCheck(this.#levelOf(rule), reproduced))
    if (mayBeLockout && !isWrongInLockout(rule, known.finding)) findings.delete(fingerprint)
    else findings.set(fingerprint, { ...known, reproduced })
  }

  /** Removes a finding that the service did not cause. */
  drop({ rule, fingerprint }: FindingId): void {
    this.#recorded(rule).delete(fingerprint)
  }

  /** The finding to which the breach of a precondition belongs. */
  idOf({ rule, request, breach }: PreconditionBreach): FindingId {
    const { endpoint, conditions } = request.traits
    return { rule, fingerprint: fingerprintOf(endpoint, this.#redacted(breach, request), conditions) }
  }

  /** Whether another rule steadily shows the same breach, so that a scenario only adds to its count. Never true for a success, which may be an intruder's. */
  isExplained(occurrence: Occurrence): boolean {
    const { catalogue } = this.#input
    const { context, request, breach } = occurrence
    const isAlone = ['alone', 'last'].includes(entryOf(catalogue, context.rule).phase)
    if (!isAlone || breach.answered === null || isSuccess(breach.answered)) return false
    const { fingerprint } = this.idOf({ rule: context.rule, request, breach })
    const explaining = [...this.#findings].find(([rule, findings]) => {
      const { level, phase } = entryOf(catalogue, rule)
      if (level !== 'documented' || (phase !== 'together' && rule !== 'endpoints/list-succeeds')) return false
      const { seen, of } = findings.get(fingerprint)?.reproduced ?? seenOnce
      return seen === of && of > 1
    })
    if (explaining !== undefined) this.#blame(explaining[0], fingerprint, occurrence)
    return explaining !== undefined
  }

  /**
   * If the client is locked out, drops each breach that no successful plain valid request followed. Once the lockout is over, drops
   * new breaches seen only once, and all intermittent breaches that blame the client.
   */
  clientIs(state: 'locked-out' | 'recovered'): void {
    if (state === 'recovered') {
      this.#hasRecovered = true
      this.#dropWhere((_, { finding, reproduced }) => mayBeShortLockout(finding, reproduced))
      return
    }
    this.#isLockedOut = true
    this.#dropWhere(
      (rule, { finding, reproduced }) =>
        !hadHealthCheck(this.#levelOf(rule), reproduced) && !isWrongInLockout(rule, finding),
    )
  }

  #dropWhere(isVoid: (rule: RuleId, recorded: Recorded) => boolean): void {
    for (const [rule, findings] of this.#findings)
      for (const [fingerprint, recorded] of findings) if (isVoid(rule, recorded)) findings.delete(fingerprint)
  }

  /** The findings for a rule so far. */
  of(rule: RuleId): FoundOf {
    const recorded = this.#recorded(rule)
    const keys = [...recorded.keys()].map((fingerprint) => findingKey(rule, fingerprint))
    return {
      findings: [...recorded.values()].map(({ finding, reproduced: { seen, of } }) => ({
        ...finding,
        reproduced: `${seen} of ${of}`,
        replay:
          finding.replay === null || (seen === of && of > 1) ? finding.replay : repeatedly(finding.replay),
      })),
      blamed: countBlamed(this.#power.blamed, new Set(keys)),
    }
  }

  /** Counts the exchange that shows a breach, except for confirmations and expectations of the suite. */
  #blame(rule: RuleId, fingerprint: string, occurrence: Occurrence): void {
    const { request, exchange, caseExchange = exchange, context, failure = request } = occurrence
    if (context.purpose !== undefined || this.#levelOf(rule) === 'expectation') return
    const finding = findingKey(rule, fingerprint)
    if (caseExchange === null) return this.#power.leftUnanswered(finding, failure)
    this.#power.showed(finding, caseExchange)
    this.#answers.countAnswer(rule, request, caseExchange)
  }

  #add(rule: RuleId, entry: Entry): { readonly fingerprint: string; readonly isFirst: boolean } {
    const findings = this.#recorded(rule)
    const fingerprint = fingerprintOf(entry.endpoint, entry.breach, entry.conditions)
    const { complexity } = entry
    const known = findings.get(fingerprint)
    findings.set(
      fingerprint,
      known === undefined
        ? { finding: findingOf(fingerprint, entry), reproduced: seenOnce, complexity }
        : withOccurrence(known, entry),
    )
    return { fingerprint, isFirst: known === undefined }
  }

  #levelOf(rule: RuleId): Level {
    return entryOf(this.#input.catalogue, rule).level
  }

  #recorded(rule: RuleId): Map<string, Recorded> {
    const findings = this.#findings.get(rule) ?? new Map<string, Recorded>()
    this.#findings.set(rule, findings)
    return findings
  }

  /** Redacts the breach, because an invented code may contain a credential. */
  #redacted(breach: Breach, sent?: TestRequest): Breach {
    const redactor = this.#input.redactor.ofAnswer(sent === undefined ? undefined : sentIn(sent.request))
    const { answered, summary, implied } = breach
    const errorCode = answered?.errorCode ?? null
    return {
      ...breach,
      summary: redactor.redact(summary),
      ...(implied === true && !this.#input.settings.strict ? { warning: true } : {}),
      ...(answered === null || errorCode === null
        ? {}
        : { answered: { ...answered, errorCode: redactor.redact(errorCode) } }),
    }
  }

  #nameOf({ rule, case: name }: Context): string {
    const own = `${rule}:${this.#input.settings.seed}:${name}`
    // The suite's case names contain no values that were sent.
    return isRuleId(rule) ? own : this.#input.redactor.redact(own)
  }

  #sentOf(request: TestRequest, requests: number): NonNullable<Finding['sent']> {
    const { endpoint, client, plain, conditions } = request.traits
    const all = flawsOf(request, this.#input.model)?.all ?? null
    const flaws = all?.filter((id) => conditions === undefined || id !== fromQuery) ?? null
    const more = conditions === undefined || conditions.length === 0 ? {} : { conditions }
    return { endpoint, client, plain, flaws, requests, ...more }
  }

  #curl({ request }: Pick<Exchange, 'request'>, name: string): string | null {
    const { settings, baseUrl, redactor } = this.#input
    const sent = settings.trace ? traced(request, name, 'case') : request
    const line = curlLine(sent, { ...settings, baseUrl })
    return line === null ? null : redactor.redact(line)
  }

  #traceOf(name: string): Pick<Finding, 'trace'> {
    return this.#input.settings.trace ? { trace: { id: traceIdOf(name) } } : {}
  }

  #replay(name: string, isCompared = false): string {
    const { redactor, settings } = this.#input
    const { replayFlags, baseline } = settings
    // A path outside the folder is not shown; a replay takes it from RUN_BASELINE.
    const isShown = isCompared && baseline !== null && !baseline.again.startsWith('…')
    const file = isShown ? ['--baseline', baseline.again] : []
    return replayLine(
      name,
      [...replayFlags, ...file].map((flag) => redactor.redact(flag)),
    )
  }
}

/** A finding, as kept during the run. */
interface Recorded {
  readonly finding: Omit<Finding, 'reproduced'>
  readonly reproduced: Reproduced
  readonly complexity: Complexity
}

/** The complexity of a case, most important part first: its flaws, its requests, and whether it needs another client. */
type Complexity = readonly [flaws: number, requests: number, fixtures: 0 | 1]

/** A breach without credentials, and how it is shown in a finding. */
interface Entry {
  readonly case: string
  readonly endpoint: string
  readonly conditions?: readonly string[] | undefined
  readonly breach: Breach
  readonly complexity: Complexity
  /** Called only for the first of a kind and for a simpler case, because redaction is expensive. */
  readonly show: () => Pick<
    Finding,
    'exchange' | 'curl' | 'replay' | 'difference' | 'sent' | 'shapes' | 'trace'
  >
}

/** Maximum number of further cases per fingerprint. */
const keptExamples = 3

/** The finding for the first breach of a kind. */
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

/** Counts another occurrence, and shows the simpler case if the breach is steady. */
function withOccurrence(known: Recorded, entry: Entry): Recorded {
  const { finding, reproduced } = known
  const isShown = reproduced.seen === reproduced.of && isSimpler(entry.complexity, known.complexity)
  const other = isShown ? finding : { case: entry.case, summary: entry.breach.summary }
  const example = { case: other.case, summary: other.summary }
  const examples = finding.examples.length < keptExamples ? [...finding.examples, example] : finding.examples
  const { fingerprint } = finding
  return {
    ...known,
    ...(isShown ? { complexity: entry.complexity } : {}),
    finding: { ...(isShown ? findingOf(fingerprint, entry) : finding), count: finding.count + 1, examples },
  }
}

function isSimpler(one: Complexity, other: Complexity): boolean {
  const weight = one.findIndex((part, place) => part !== other[place])
  return weight !== -1 && (one[weight] ?? 0) < (other[weight] ?? 0)
}

/** Whether a breach counts even during a lockout: an undocumented code, or a code with the wrong status. */
export function isWrongInLockout(rule: RuleId, { answered }: Pick<Finding, 'answered'>): boolean {
  return rule === 'errors/documented-pairs' && answered !== null && answered.errorCode !== null
}

/** Whether a breach at this level blames the service; others need no health check. */
function blamesService(level: Level): boolean {
  return level !== 'expectation' && level !== 'requested'
}

/** Whether a health check succeeded during confirmation. The check comes before the third try. Breaches that blame the suite or the endpoints file need no check. */
function hadHealthCheck(level: Level, { of }: Reproduced): boolean {
  return !blamesService(level) || of >= 3
}

/** Whether a breach may come from a short lockout between two tries. */
function mayBeShortLockout({ answered }: Pick<Finding, 'answered'>, { seen, of }: Reproduced): boolean {
  return of >= 3 && seen < of && blamesClient(answered?.errorCode)
}

/** The results. The replay line for a steady finding repeats the case if the same wrong answer is intermittent elsewhere. */
export function sentOftenEnough<One extends Pick<RuleResult, 'findings'>>(
  results: readonly One[],
): readonly One[] {
  const all = results.flatMap(({ findings }) => findings)
  const sometimes = new Set(all.filter(isIntermittent).map(answerOf))
  const often = (finding: Finding): Finding => {
    const { replay } = finding
    if (replay === null || !isSteady(finding) || !sometimes.has(answerOf(finding))) return finding
    return { ...finding, replay: repeatedly(replay) }
  }
  return results.map((result) => ({ ...result, findings: result.findings.map(often) }))
}

function answerOf({ answered }: Finding): string {
  return answered === null ? 'none' : `${answered.status}/${answered.errorCode ?? ''}`
}
