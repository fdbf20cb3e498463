import type { Exchange } from '../../http/exchange.ts'
import { sentIn } from '../../http/request.ts'
import { traceIdOf, traced } from '../../http/trace.ts'
import { isSuccess } from '../../judge/answered.ts'
import type { Breach } from '../../judge/judge.ts'
import {
  fingerprintOf,
  isIntermittent,
  isSteady,
  type Finding,
  type FindingId,
  type Reason,
  type Replayed,
  type Reproduced,
  type RuleResult,
  type ShownExchange,
} from '../../judge/record.ts'
import { blamesClient } from '../../specification/answers.ts'
import { flawId } from '../../specification/flaws.ts'
import { entryOf, isRuleId, type RuleId } from '../../specification/rules.ts'
import { membersNamed } from '../../text/members.ts'
import { countBlamed, findingKey } from '../../verdict/power.ts'
import { curlLine, repeatedly, replayLine } from '../../verdict/shell-lines.ts'
import type { PreconditionBreach } from '../plan/cases.ts'
import { type Context, redactorOf, type SuiteContext, type TestRequest } from '../plan/suite-context.ts'
import { flawsOf, type JudgedAnswers, type MetDrift, type PowerRecord } from './answers.ts'

/** A breach with its request and exchange. */
export type Occurrence = Readonly<{
  request: TestRequest
  /** Null if no answer came. */
  exchange: Exchange | null
  context: Context
  breach: Breach
  /** The exchange from the original case, if `exchange` is from a simpler case. */
  caseExchange?: Exchange
  /** Identifies the missing answer, which several rules may report. */
  failure?: object
}>

/** The query in a row is a condition, not a flaw. */
const fromQuery = flawId('input', 'uncertain')

const seenOnce: Reproduced = { seen: 1, of: 1 }

/** The findings in a run, by rule and fingerprint, without credentials. A replay also notes each of them. */
export function openFindings(
  { settings: given, places: { baseUrl }, model, catalogue }: SuiteContext,
  answers: JudgedAnswers,
  power: PowerRecord,
  replay: Replay | null,
) {
  const settings = given.run
  const redactor = redactorOf(given)
  const recorded = new Map<string, Recorded>()
  /** What the client was so far, apart from being served. */
  const wasClient = new Set<'locked-out' | 'recovered'>()

  /** Redacts the breach, because an invented code may contain a credential. */
  const redacted = (breach: Breach, sent?: TestRequest): Breach => {
    const { answered, summary, implied } = breach
    const ofAnswer = redactor.ofAnswer(sent === undefined ? undefined : sentIn(sent.request))
    const code = answered?.errorCode ?? null
    return {
      ...breach,
      summary: ofAnswer.redact(summary),
      answered: answered && { ...answered, errorCode: code && ofAnswer.redact(code) },
      ...(implied === true && !settings.strict ? { warning: true } : {}),
    }
  }

  const nameOf = ({ rule, case: name }: Context) => {
    const own = `${rule}:${settings.seed}:${name}`
    // The suite's case names contain no values that were sent.
    return isRuleId(rule) ? own : redactor.redact(own)
  }

  const sentOf = (request: TestRequest, requests = 1) => {
    const { endpoint, client, plain, conditions } = request.traits
    const all = flawsOf(request, model)?.all ?? null
    const flaws = all?.filter((id) => conditions === undefined || id !== fromQuery) ?? null
    const more = conditions === undefined || conditions.length === 0 ? {} : { conditions }
    return { endpoint, client, plain, flaws, requests, ...more }
  }

  const curlOf = ({ request }: Pick<Exchange, 'request'>, name: string) => {
    const sent = settings.trace ? traced(request, name, 'case') : request
    const line = curlLine(sent, { ...settings, baseUrl })
    return line === null ? null : redactor.redact(line)
  }

  const replayOf = (name: string, isCompared = false) => {
    const { replayFlags, baseline } = settings
    // A path outside the folder is not shown; a replay takes it from RUN_BASELINE.
    const isShown = isCompared && baseline !== null && !baseline.again.startsWith('…')
    const file = isShown ? ['--baseline', baseline.again] : []
    return replayLine(
      name,
      [...replayFlags, ...file].map((flag) => redactor.redact(flag)),
    )
  }

  /**
   * Records an occurrence, and returns whether it is the first of its kind. Shows only the first, and a simpler case if the breach is
   * steady, because redaction is expensive.
   */
  const put = (rule: RuleId, bare: ReturnType<typeof bareFinding>, show: () => ShownParts) => {
    const { fingerprint } = bare
    const key = findingKey(rule, fingerprint)
    const { finding: known, reproduced = seenOnce } = recorded.get(key) ?? {}
    const isAlwaysSeen = reproduced.seen === reproduced.of
    const isShown =
      known === undefined || (isAlwaysSeen && complexityOf(bare.sent) < complexityOf(known.sent))
    const other = isShown ? known : bare
    const examples = other === undefined ? [] : [membersNamed(other, ['case', 'summary'])]
    const finding = {
      ...(isShown ? { ...bare, ...show() } : known),
      count: (known?.count ?? 0) + 1,
      examples: [...(known?.examples ?? []), ...examples].slice(0, keptExamples),
    }
    recorded.set(key, { rule, finding, reproduced })
    replay?.met(key, () => show().exchange)
    return { rule, fingerprint, isFirst: known === undefined }
  }

  /** Counts the exchange that shows a breach, except for confirmations and expectations of the suite. */
  const blame = ({ rule, fingerprint }: FindingId, occurrence: Occurrence) => {
    const { request, exchange, caseExchange = exchange, context, failure = request } = occurrence
    if (context.purpose !== undefined || entryOf(catalogue, rule).level === 'expectation') return
    power.blame(findingKey(rule, fingerprint), caseExchange, failure)
    if (caseExchange !== null) answers.countAnswer(rule, request, caseExchange)
  }

  /**
   * Whether a lockout may explain a breach. During a lockout, this is so if no health check succeeded, which comes before the third try.
   * After a lockout, it is so for a new breach seen only once, and for an intermittent one that blames the client.
   */
  const mayBeLockout = ({ rule, finding, reproduced }: Recorded, isNew = false) => {
    const { level } = entryOf(catalogue, rule)
    const { seen, of } = reproduced
    const isOfService = level !== 'expectation' && level !== 'requested'
    if (!isOfService || isWrongInLockout(rule, finding)) return false
    if (wasClient.has('locked-out') && of < 3) return true
    const isShort = of >= 3 && seen < of && blamesClient(finding.answered?.errorCode)
    return wasClient.has('recovered') && (isShort || (isNew && seen === 1))
  }

  /** The finding to which the breach of a precondition belongs. */
  const idOf = ({ rule, request, breach }: PreconditionBreach) => {
    const { endpoint, conditions } = request.traits
    return { rule, fingerprint: fingerprintOf(endpoint, redacted(breach, request), conditions) }
  }

  return {
    idOf,

    /** Adds a breach, of the case's rule by default. The caller confirms the first of a kind; others are counted. */
    add(occurrence: Occurrence, rule = occurrence.context.rule) {
      const { request, exchange, context, breach } = occurrence
      const name = nameOf(context)
      const sent = sentOf(request, context.requestsAlone)
      const bare = bareFinding(name, sent.endpoint, redacted(breach, request), sent)
      const added = put(rule, bare, () => ({
        exchange: answers.shown(request, exchange),
        // The breach may be in any one of the case's requests.
        curl: curlOf(exchange ?? request, name),
        replay: context.replayable === false ? null : replayOf(name),
        difference: redactor.ofAnswer(sentIn(request.request)).redact(breach.difference),
        ...(settings.trace ? { trace: { id: traceIdOf(name) } } : {}),
      }))
      blame(added, occurrence)
      return added
    },

    /** Adds a difference from the baseline, without confirmation. Its replay compares the case that first showed it. */
    addDrift({ drift, first }: MetDrift, context: Context) {
      const { requestName, answer, path, kind, severity, says, shapes } = drift
      const again = nameOf(first.context)
      const [status, errorCode] = answer.split('/')
      const breach: Breach = {
        allowed: [],
        answered: { status: Number(status), errorCode: errorCode || null, flaw: null },
        difference: `${kind} ${path ?? ''}`,
        summary: `${says} (${requestName})`,
        ...(severity === 'warning' ? { warning: true } : {}),
      }
      const name = nameOf(context)
      put(context.rule, bareFinding(name, requestName, redacted(breach), sentOf(first.request)), () => ({
        exchange: first.shown,
        curl: curlOf(first.request, again),
        replay: first.context.replayable === false ? null : replayOf(`${name}:${again}`, true),
        difference: redactor.redact(breach.difference),
        shapes: { before: redactor.redact(shapes.before), after: redactor.redact(shapes.after) },
      }))
    },

    /** Notes how many times a confirmed breach was seen. */
    confirmed({ rule, fingerprint }: FindingId, reproduced: Reproduced) {
      const key = findingKey(rule, fingerprint)
      const known = recorded.get(key)
      if (known === undefined) return
      const confirmed = { ...known, reproduced }
      if (mayBeLockout(confirmed, true)) recorded.delete(key)
      else recorded.set(key, confirmed)
    },

    /** Removes a finding that the service did not cause. */
    drop({ rule, fingerprint }: FindingId) {
      recorded.delete(findingKey(rule, fingerprint))
    },

    /** Whether another rule steadily shows the same breach, so that a scenario only adds to its count. Never true for a success, which may be an intruder's. */
    isExplained(occurrence: Occurrence) {
      const { context, request, breach } = occurrence
      const isAlone = ['alone', 'last'].includes(entryOf(catalogue, context.rule).phase)
      if (!isAlone || breach.answered === null || isSuccess(breach.answered)) return false
      const { fingerprint } = idOf({ rule: context.rule, request, breach })
      const explaining = [...recorded.values()].find(({ rule, finding, reproduced: { seen, of } }) => {
        const { level, phase } = entryOf(catalogue, rule)
        const isTogether = phase === 'together' || rule === 'endpoints/list-succeeds'
        return (
          finding.fingerprint === fingerprint && level === 'documented' && isTogether && seen === of && of > 1
        )
      })
      if (explaining !== undefined) blame({ rule: explaining.rule, fingerprint }, occurrence)
      return explaining !== undefined
    },

    /** Notes that the client is locked out, or that it was and is served again; drops the breaches that this may explain. */
    clientIs(state: 'locked-out' | 'recovered') {
      wasClient.add(state)
      for (const [key, known] of recorded) if (mayBeLockout(known)) recorded.delete(key)
    },

    /** The findings for a rule so far, in order of occurrence, and how many answers and unanswered requests they blame. */
    of(rule: RuleId) {
      const own = [...recorded].filter(([, one]) => one.rule === rule)
      const findings = own.map(([, { finding, reproduced }]) => {
        const all = { ...finding, reproduced: `${reproduced.seen} of ${reproduced.of}` }
        // An intermittent breach may not show at once.
        return isSteady(all) ? all : sentOften(all)
      })
      return { findings, blamed: countBlamed(power.blamed, new Set(own.map(([key]) => key))) }
    },
  }
}

type SentOfFinding = NonNullable<Finding['sent']>

/** The parts of a finding that are expensive to redact. */
type ShownParts = Pick<Finding, 'exchange' | 'curl' | 'replay' | 'difference' | 'shapes' | 'trace'>

/** A finding, as kept during the run. */
type Recorded = Readonly<{
  rule: RuleId
  finding: Omit<Finding, 'reproduced'> & { readonly sent: SentOfFinding }
  reproduced: Reproduced
}>

/** Maximum number of further cases per fingerprint. */
const keptExamples = 3

/** The finding for the first breach of a kind, which contains no credentials, without the parts that are expensive to redact. */
function bareFinding(name: string, endpoint: string, breach: Breach, sent: SentOfFinding) {
  return {
    fingerprint: fingerprintOf(endpoint, breach, sent.conditions),
    case: name,
    ...membersNamed(breach, ['summary', 'allowed']),
    answered: breach.answered && membersNamed(breach.answered, ['status', 'errorCode']),
    sent,
    ...membersNamed(breach, ['blames', 'warning']),
  }
}

/** How complex a case is: first by its flaws, then by its requests (fewer than a million), then by whether it needs another client. */
function complexityOf({ flaws, requests, client }: SentOfFinding) {
  return (flaws?.length ?? 0) * 2_000_000 + requests * 2 + (client === 'target' ? 0 : 1)
}

/** Whether a breach counts even during a lockout: an undocumented code, or a code with the wrong status. */
export function isWrongInLockout(rule: RuleId, { answered }: Pick<Finding, 'answered'>) {
  return rule === 'errors/documented-pairs' && answered !== null && answered.errorCode !== null
}

/** The results. The replay line for a steady finding repeats the case if the same wrong answer is intermittent elsewhere. */
export function sentOftenEnough<One extends Pick<RuleResult, 'findings'>>(
  results: readonly One[],
): readonly One[] {
  const all = results.flatMap(({ findings }) => findings)
  const sometimes = new Set(all.filter(isIntermittent).map(answerOf))
  const often = (finding: Finding) =>
    isSteady(finding) && sometimes.has(answerOf(finding)) ? sentOften(finding) : finding
  return results.map((result) => ({ ...result, findings: result.findings.map(often) }))
}

function sentOften(finding: Finding): Finding {
  return { ...finding, replay: finding.replay && repeatedly(finding.replay) }
}

function answerOf({ answered }: Finding) {
  return answered === null ? 'none' : `${answered.status}/${answered.errorCode ?? ''}`
}

/** Maximum number of exchanges kept for a replay, and for each finding. */
const keptExchanges = 3

type Replay = ReturnType<typeof openReplay>

/** A replayed case: its exchanges, and how many times each finding was seen. */
export function openReplay() {
  let sent = 0
  const exchanges: ShownExchange[] = []
  /** The repetitions that showed each finding, and the first exchanges that did. */
  const met = new Map<string, { readonly times: Set<number>; readonly exchanges: ShownExchange[] }>()
  const unjudged = new Set<string>()
  /** The number of repetitions that were judged completely. */
  let judged = 0
  const metOf = (key: string) => met.get(key) ?? { times: new Set<number>(), exchanges: [] }

  return {
    /** Whether every repetition so far has been judged completely. */
    isJudged: () => unjudged.size === 0,

    /** Notes an exchange of the case. */
    answered(exchange: ShownExchange) {
      sent += 1
      if (sent <= keptExchanges) exchanges.push(exchange)
    },

    /** Notes why a repetition could not be judged. */
    left(reasons: readonly Reason[]) {
      for (const { text } of reasons) unjudged.add(text)
    },

    /** Notes the end of a repetition. */
    ended() {
      if (unjudged.size === 0) judged += 1
    },

    /** Notes a finding, by its key. */
    met(key: string, shown: () => ShownExchange) {
      const one = metOf(key)
      met.set(key, one)
      one.times.add(judged)
      if (one.exchanges.length < keptExchanges) one.exchanges.push(shown())
    },

    /** The result of the replay, with the number of repetitions that show each of these findings. */
    replayed(all: readonly { readonly rule: RuleId; readonly finding: Finding }[]): Replayed {
      const found = all.map(({ rule, finding }) => {
        return { rule, finding, ...metOf(findingKey(rule, finding.fingerprint)) }
      })
      const wrong = new Set(found.flatMap((one) => [...one.times]))
      // A breach counts even if its repetition was not judged completely.
      const times = judged + (wrong.has(judged) ? 1 : 0)
      return {
        times,
        wrong: wrong.size,
        sent,
        exchanges,
        found: found.map(({ finding, times: { size: seen }, ...one }) => {
          return { ...one, finding: { ...finding, reproduced: `${seen} of ${times}` } }
        }),
        unjudged: [...unjudged],
      }
    },
  }
}
