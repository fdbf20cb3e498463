import { emptyBaseline, type Baseline } from '../../drift/baseline.ts'
import { type Exchange, sentIn, traceIdOf, traced } from '../../http/exchange.ts'
import { isSuccess, isServed, isTransportRefusal } from '../../judge/answered.ts'
import { factsIfKnown, hasMalformedLine, isReadInOneWay } from '../../judge/facts.ts'
import { type Breach, weakened, withHint, type Judgement, isExempt } from '../../judge/judge.ts'
import {
  fingerprintOf,
  isIntermittent,
  isSteady,
  type Finding,
  type FindingId,
  type Reason,
  type Reproduced,
  type RuleResult,
  type ShownExchange,
} from '../../judge/record.ts'
import { runWideChecks } from '../../judge/run-wide.ts'
import { blamesClient } from '../../specification/answers.ts'
import { flawId } from '../../specification/flaws.ts'
import {
  areaOf,
  entryOf,
  isRuleId,
  runWideRules,
  type RuleId,
  type SpecRuleId,
} from '../../specification/rules.ts'
import { membersNamed } from '../../text/members.ts'
import { countBlamed, findingKey } from '../../verdict/power.ts'
import { curlLine, repeatedly, replayLine } from '../../verdict/show.ts'
import type { PreconditionBreach } from '../plan/cases.ts'
import { type SuiteContext, redactorOf, type Context, type TestRequest } from '../plan/suite-context.ts'
import { flawsOf, type JudgedAnswers, type MetDrift, type PowerRecord } from './answers.ts'
import {
  intolerancesOf,
  judgedAnswers,
  openObservations,
  openPower,
  ruleOfChange,
  successChecks,
  watchBaseline,
  type CaseExchange,
  type Expectation,
} from './answers.ts'

/** What a run records, without credentials; `baseline` is null without a baseline, `replay` in a normal run. */
export async function openRecord(suite: SuiteContext) {
  const { settings, model, places, replayed } = suite
  const successes = await successChecks(model.endpoints)
  const answers = judgedAnswers(suite)
  const observations = openObservations()
  const power = openPower(model)
  const known = settings.run.baseline?.mode === 'compare' ? suite.baseline : null
  const isWatched = settings.run.baseline !== null
  const baseline = isWatched ? watchBaseline(known ?? emptyBaseline, answers.shown) : null
  const replay = replayed === null ? null : openReplay()
  const intolerances = intolerancesOf(settings.run.seed)
  const findings = openFindings(suite, answers, power, replay)
  const unclear = new Map<RuleId, Set<string>>()

  /** The breach of a rule in an exchange, or of tolerance if the rule must also hold after each tolerated change. */
  const judgedAs = (rule: SpecRuleId, judge: Expectation, given: CaseExchange, isTolerant: boolean) => {
    const { request, exchange } = given
    const judgement = judge(exchange)
    if (judgement?.kind === 'unclear')
      unclear.set(rule, (unclear.get(rule) ?? new Set()).add(judgement.because))
    else if (judgement !== null) answers.countAnswer(rule, request, exchange)
    if (judgement?.kind === 'holds') return isTolerant ? intolerances(exchange, judge) : []
    if (judgement?.kind !== 'violates') return []
    const breach = weakened(excused(rule, given, judgement.breach), request.traits.weakness)
    return [{ rule, exchange, breach, violates: (again: Exchange) => judge(again)?.kind === 'violates' }]
  }

  return {
    answers,
    observations,
    power,
    baseline,
    findings,
    replay,
    intolerances,
    redactor: redactorOf(settings),

    /** The reasons why a rule could not judge answers, without duplicates. */
    unclear: (rule: RuleId) => [...(unclear.get(rule) ?? [])],

    /** Records an exchange, whatever its purpose. Learns the answer's shape if the request has a single reading. */
    observe(given: CaseExchange) {
      const { request, exchange, context } = given
      const { observed, conditions } = request.traits
      replay?.answered(answers.shown(request, exchange))
      if (observed) return
      const facts = isReadInOneWay(request.request) ? factsIfKnown(request.request, model) : null
      observations.met(exchange, facts)
      if (facts === null) return
      if (conditions === undefined) baseline?.note(given, facts)
      if (context.purpose === undefined) power.met(request, exchange, facts)
    },

    /** The breaches of run-wide rules in an exchange; counts the exchange for the rules that judge it. */
    judge(given: CaseExchange) {
      const { request, exchange, context } = given
      const { traits } = request
      const { plain, described = false } = traits
      if (context.purpose === undefined && !traits.observed) power.answered(exchange)
      const { judge: judgeSuccess } = successes(traits.endpoint)
      const mustSucceed = plain || (described && isServed(exchange))
      const ofSuccess = mustSucceed ? judgedAs('endpoints/list-succeeds', judgeSuccess, given, plain) : []
      const ofEveryAnswer = runWideRules.flatMap((rule) => {
        const judge = (one: Exchange): Judgement | null =>
          isExempt(one, traits, places) && !countsAlways(rule, one) ? null : runWideChecks[rule](one)
        return judgedAs(rule, judge, given, readsBody(rule))
      })
      if (exchange.response.body.kind === 'json')
        for (const rule of Object.values(ruleOfChange)) answers.countAnswer(rule, request, exchange)
      return [...ofSuccess, ...ofEveryAnswer]
    },

    /** Adds how the answers in the run so far differ from a baseline; counts the compared answers. */
    compare(expected: Baseline, context: Context) {
      if (baseline === null) return
      const seen = Object.values(baseline.seen().stimuli).flatMap((one) => Object.values(one))
      const compared = seen.reduce((sum, one) => sum + one.seen, 0)
      answers.countAnswersOfRun(context.rule, compared)
      for (const met of baseline.compare(expected)) findings.addDrift(met, context)
    },
  }
}

/**
 * Adds a hint that a second client that is not served may lack permission. Makes the breach a warning if a server repeats a malformed
 * line that it rejects, because it cannot know what the line contains.
 */
function excused(rule: SpecRuleId, { request, exchange }: CaseExchange, breach: Breach): Breach {
  if (rule === 'endpoints/list-succeeds' && request.traits.client === 'second')
    return withHint(breach, 'the client of FIXTURE_SECOND_API_KEY may not use the endpoint')
  const isOfServer =
    rule === 'security/no-secret-echo' && hasMalformedLine(request.request) && isTransportRefusal(exchange)
  if (!isOfServer) return breach
  return { ...breach, warning: true, summary: `${breach.summary}, in its own refusal of the malformed line` }
}

/** Whether a breach counts even in an observed exchange: an echoed secret or a 5xx, except 501, and 505 for HTTP/1.0. */
function countsAlways(rule: SpecRuleId, exchange: Exchange) {
  if (rule === 'security/no-secret-echo') return true
  const { status } = exchange.response
  const isFailure = status >= 500 && status !== 501 && !isTransportRefusal(exchange)
  return rule === 'errors/documented-pairs' && isFailure
}

/** Whether a tolerated change could break a rule. Opaque strings may contain anything, even a repeated secret. */
function readsBody(rule: SpecRuleId) {
  return areaOf(rule) !== 'security' && rule !== 'conventions/json-content-type'
}

/** A breach with its request and exchange. */
export type Occurrence = PreconditionBreach &
  Readonly<{
    /** Null if no answer came. */
    exchange: Exchange | null
    context: Context
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
    const ofAnswer = redactor.ofAnswer(sent && sentIn(sent.request))
    const code = answered?.errorCode ?? null
    return {
      ...breach,
      summary: ofAnswer.redact(summary),
      answered: answered && { ...answered, errorCode: code && ofAnswer.redact(code) },
      ...(implied && !settings.strict ? { warning: true } : {}),
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
    const before = recorded.get(key)
    const { finding: known, reproduced = seenOnce, times = new Set<number>(), shown = [] } = before ?? {}
    const isAlwaysSeen = reproduced.seen === reproduced.of
    const isShown = !known || (isAlwaysSeen && complexityOf(bare.sent) < complexityOf(known.sent))
    const other = isShown ? known : bare
    const examples = other ? [membersNamed(other, ['case', 'summary'])] : []
    const finding = {
      ...(isShown ? { ...bare, ...show() } : known),
      count: (known?.count ?? 0) + 1,
      examples: [...(known?.examples ?? []), ...examples].slice(0, keptExamples),
    }
    if (replay !== null && shown.length < keptExchanges) shown.push(show().exchange)
    recorded.set(key, { rule, finding, reproduced, times: times.add(replay?.judged() ?? 0), shown })
    return { rule, fingerprint, isFirst: !known }
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

  /** The finding to which a breach belongs. */
  const idOf = ({ rule, request, breach }: PreconditionBreach) => {
    const { endpoint, conditions } = request.traits
    return { rule, fingerprint: fingerprintOf(endpoint, redacted(breach, request), conditions) }
  }

  return {
    idOf,

    /** Adds a breach. The caller confirms the first of a kind; others are counted. */
    add(occurrence: Occurrence) {
      const { rule, request, exchange, context, breach } = occurrence
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
    addDrift({ drift, shown, request, context: ofFirst }: MetDrift, context: Context) {
      const { requestName, answer, path, kind, severity, says, shapes } = drift
      const again = nameOf(ofFirst)
      const [status, errorCode] = answer.split('/')
      const breach: Breach = {
        allowed: [],
        answered: { status: Number(status), errorCode: errorCode || null, flaw: null },
        difference: `${kind} ${path ?? ''}`,
        summary: `${says} (${requestName})`,
        ...(severity === 'warning' ? { warning: true } : {}),
      }
      const name = nameOf(context)
      put(context.rule, bareFinding(name, requestName, redacted(breach), sentOf(request)), () => ({
        exchange: shown,
        curl: curlOf(request, again),
        replay: ofFirst.replayable === false ? null : replayOf(`${name}:${again}`, true),
        difference: redactor.redact(breach.difference),
        shapes: { before: redactor.redact(shapes.before), after: redactor.redact(shapes.after) },
      }))
    },

    /** Notes how many times a confirmed breach was seen. */
    confirmed({ rule, fingerprint }: FindingId, reproduced: Reproduced) {
      const key = findingKey(rule, fingerprint)
      const known = recorded.get(key)
      if (!known) return
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
      const { answered } = occurrence.breach
      const isAlone = ['alone', 'last'].includes(entryOf(catalogue, occurrence.rule).phase)
      if (!isAlone || answered === null || isSuccess(answered)) return false
      const { fingerprint } = idOf(occurrence)
      const explaining = [...recorded.values()].find(({ rule, finding, reproduced: { seen, of } }) => {
        const { level, phase } = entryOf(catalogue, rule)
        const isTogether = phase === 'together' || rule === 'endpoints/list-succeeds'
        const isSame = finding.fingerprint === fingerprint && level === 'documented'
        return isSame && isTogether && seen === of && of > 1
      })
      if (explaining) blame({ rule: explaining.rule, fingerprint }, occurrence)
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
      const findings = own.map(([, one]) => findingOf(one))
      return { findings, blamed: countBlamed(power.blamed, new Set(own.map(([key]) => key))) }
    },

    /** The result of a replay, with the number of repetitions that show each finding; null in a normal run. */
    replayed() {
      if (replay === null) return null
      const all = [...recorded.values()]
      const found = [...catalogue.keys()].flatMap((id) => all.filter(({ rule }) => rule === id))
      const wrong = new Set(found.flatMap((one) => [...one.times]))
      // A breach counts even if its repetition was not judged completely.
      const times = replay.judged() + (wrong.has(replay.judged()) ? 1 : 0)
      return {
        ...replay.kept(),
        times,
        wrong: wrong.size,
        found: found.map((one) => ({
          rule: one.rule,
          finding: { ...findingOf(one), reproduced: `${one.times.size} of ${times}` },
          exchanges: one.shown,
        })),
      }
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
  /** The repetitions of a replay that showed it, and the first exchanges that did. */
  times: Set<number>
  shown: ShownExchange[]
}>

function findingOf({ finding, reproduced }: Recorded) {
  const all = { ...finding, reproduced: `${reproduced.seen} of ${reproduced.of}` }
  // An intermittent breach may not show at once.
  return isSteady(all) ? all : sentOften(all)
}

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
export function sentOftenEnough<One extends Pick<RuleResult, 'findings'>>(results: readonly One[]) {
  const all = results.flatMap(({ findings }) => findings)
  const sometimes = new Set(all.filter(isIntermittent).map(answerOf))
  const often = (finding: Finding) =>
    isSteady(finding) && sometimes.has(answerOf(finding)) ? sentOften(finding) : finding
  return results.map((result) => ({ ...result, findings: result.findings.map(often) }))
}

function sentOften(finding: Finding) {
  return { ...finding, replay: finding.replay && repeatedly(finding.replay) }
}

function answerOf({ answered }: Finding) {
  return answered === null ? 'none' : `${answered.status}/${answered.errorCode ?? ''}`
}

/** Maximum number of exchanges kept for a replay, and for each finding. */
const keptExchanges = 3

type Replay = ReturnType<typeof openReplay>

/** A replayed case: its first exchanges, and why it could no longer be judged. */
function openReplay() {
  let sent = 0
  const exchanges: ShownExchange[] = []
  const unjudged = new Set<string>()
  /** The number of repetitions that were judged completely. */
  let judged = 0

  return {
    judged: () => judged,

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

    kept: () => ({ sent, exchanges, unjudged: [...unjudged] }),
  }
}
