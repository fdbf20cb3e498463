import type { ValidateFunction } from 'ajv'
import { emptyBaseline, mergeBaselines, observe, requestNameOf, type Baseline } from '../../drift/baseline.ts'
import { compareBaselines, type Drift } from '../../drift/compare-baselines.ts'
import { changeText, toleratedChanges, type ToleratedChange } from '../../drift/tolerated.ts'
import { type Exchange, wholeValue, fieldsOf, readBody } from '../../http/exchange.ts'
import { answeredBy, isSuccess, outcomeOf, endpointsFileDifferences } from '../../judge/answered.ts'
import { certainFlaws, factsIfKnown, hasUncertainFlaw } from '../../judge/facts.ts'
import { succeeds, type Breach, type Check, type Judgement } from '../../judge/judge.ts'
import { situationKinds, type Blamed, type SituationKind } from '../../judge/power.ts'
import type { ShownExchange } from '../../judge/record.ts'
import type { KnownEndpoint, TargetModel } from '../../judge/target-model.ts'
import { clientEntry } from '../../settings/connection-settings.ts'
import { documentedPairs, success } from '../../specification/answers.ts'
import { factNames, flawless, type Facts, type FlawSource } from '../../specification/flaws.ts'
import type { RuleId, SpecRuleId } from '../../specification/rules.ts'
import { MachineTooBusy, WorkStopped, within, workLimits } from '../../specification/within.ts'
import {
  clientSituation,
  confidence,
  flawsIn,
  flawsName,
  plainSituations,
  rateExcluded,
  situations,
} from '../../verdict/power.ts'
import { show } from '../../verdict/show.ts'
import type { Property } from '../plan/cases.ts'
import { isFor } from '../plan/plan.ts'
import { redactorOf } from '../plan/suite-context.ts'
import type { Context, MoreOf, SuiteContext, TestRequest } from '../plan/suite-context.ts'

/** Sums by name. */
export class Sums extends Map<string, number> {
  /** The sum of a name; 0 if nothing was added. */
  of(name: string) {
    return this.get(name) ?? 0
  }

  add(name: string, more = 1) {
    this.set(name, this.of(name) + more)
  }
}

/** The answers judged for a rule. */
function judgedWith(sample: ShownExchange | null, count = 0) {
  return {
    count,
    sample,
    /** The field lists of the answers. A truncated copy keeps them, so a shared answer is counted only once. */
    counted: new WeakSet<object>(),
    /** The labels of the endpoints that gave them. */
    endpoints: new Set<string>(),
  }
}

/** Counts the answer with this field list. */
function countOnce(judged: ReturnType<typeof judgedWith>, fields: object) {
  if (!judged.counted.has(fields)) judged.count += 1
  judged.counted.add(fields)
}

export type JudgedAnswers = ReturnType<typeof judgedAnswers>

/** Counts the judged answers for each rule, and keeps one as a sample. */
export function judgedAnswers({ settings, model, places: { baseUrl } }: SuiteContext) {
  const redactor = redactorOf(settings)
  const judged = new Map<RuleId, ReturnType<typeof judgedWith>>()
  const shown = ({ request }: TestRequest, exchange: Exchange | null) =>
    show(exchange ?? { request, response: null, durationMs: 0 }, { baseUrl, redactor })

  return {
    shown,

    /** The number of answers that a rule has judged, the labels of their endpoints, and a sample. */
    of: (rule: RuleId) => judged.get(rule) ?? judgedWith(null),

    /** Counts a judged answer for a rule once; the first is the rule's sample. */
    countAnswer(rule: RuleId, request: TestRequest, exchange: Exchange | null) {
      const ofRule = judged.get(rule) ?? judgedWith(shown(request, exchange))
      judged.set(rule, ofRule)
      const isKnown = model.endpoints.some((known) => isFor(request, known))
      if (exchange !== null && isKnown) ofRule.endpoints.add(request.traits.endpoint)
      countOnce(ofRule, exchange?.response.fields ?? {})
    },

    /** Counts the answers compared by a rule about the whole run; the sample is that of `endpoints/list-succeeds`. */
    countAnswersOfRun(rule: RuleId, count: number) {
      const { sample = null } = judged.get('endpoints/list-succeeds') ?? {}
      if (sample !== null) judged.set(rule, judgedWith(sample, count))
    },
  }
}

/** The certain flaws in a request, and all, each in the form `version absent`; null if they are unknown. */
export function flawsOf({ request }: Pick<TestRequest, 'request'>, model: TargetModel) {
  const facts = factsIfKnown(request, model)
  if (facts === null) return null
  const says = (fact: keyof Facts) => `${fact} ${facts[fact]}`
  return {
    certain: certainFlaws(facts).map(({ fact }) => says(fact)),
    all: factNames.filter((fact) => facts[fact] !== flawless[fact]).map(says),
  }
}

/** Maximum number of subjects per observation, and of outcomes per subject. */
const keptSubjects = 100
const keptOutcomes = 5

/** What a run records but never judges: latencies, and behaviour that the specification leaves open. Sends nothing. */
export function openObservations() {
  const values = new Map<string, unknown>()
  const notes = new Map<string, Map<string, Set<string>>>()
  /** How many times a code was reported when another was possible, by both codes. */
  const precedence = new Sums()
  const latencies: number[] = []
  const msByRule = new Sums()

  /** Adds an outcome for a subject of an observation; earlier outcomes are kept. */
  const note = (id: string, subject: string, outcome: string) => {
    const subjects = notes.get(id) ?? new Map<string, Set<string>>()
    notes.set(id, subjects)
    const outcomes = subjects.get(subject) ?? new Set<string>()
    if (subjects.size < keptSubjects) subjects.set(subject, outcomes)
    if (outcomes.size < keptOutcomes) outcomes.add(outcome)
  }

  /** Learns from the refusal of a request with several certain flaws. */
  const notePrecedence = (facts: Facts, errorCode: string | null) => {
    if (errorCode === null || hasUncertainFlaw(facts)) return
    const flaws = certainFlaws(facts)
    if (!flaws.some(({ codes }) => codes.some((code) => code === errorCode))) return
    for (const { codes } of flaws) {
      const [only, ...more] = codes
      if (only !== undefined && more.length === 0 && only !== errorCode)
        precedence.add(`${errorCode} ${only}`)
    }
  }

  /** The codes in the order in which a service reports them, as shown by pairs, otherwise in numerical order. The specification sets no order. */
  const orderOfFlaws = () => {
    const met = [...precedence.keys()].join(' ')
    let left = documentedPairs.map(({ errorCode }) => errorCode).filter((code) => met.includes(code))
    const order: string[] = []
    while (left.length > 0) {
      const isAhead = (one: string, other: string) =>
        precedence.of(`${one} ${other}`) > precedence.of(`${other} ${one}`)
      const ahead = (code: string) => left.filter((other) => isAhead(other, code)).length
      const [next = ''] = left.toSorted((a, b) => ahead(a) - ahead(b))
      order.push(next)
      left = left.filter((code) => code !== next)
    }
    return order
  }

  return {
    note,

    /** Records a value; the last value for an id counts. */
    observe: (id: string, value: unknown) => void values.set(id, value),

    /** Notes names that occur twice in a JSON object, and if the facts are known, which of several errors is reported and which unknown versions are served. */
    met(exchange: Exchange, facts: Facts | null) {
      const { request, response } = exchange
      const names = response.body.kind === 'json' ? (response.body.duplicates ?? []) : []
      for (const name of names) note('duplicate-members', name, outcomeOf(exchange))
      if (facts === null) return
      const answered = answeredBy(response)
      if (!isSuccess(answered)) return notePrecedence(facts, answered.errorCode)
      if (facts.version === 'served') return
      const version = fieldsOf(request, 'x-version')[0] ?? ''
      const text = Buffer.from(version, 'latin1').toString('utf8').slice(0, 40)
      note('versions-served', text === '' ? 'blank' : text, 'success')
    },

    /** Records the latency of an answer, in milliseconds. */
    took(rule: RuleId, durationMs: number) {
      latencies.push(Math.round(durationMs * 10) / 10)
      msByRule.add(rule, durationMs)
    },

    /** The total latency for each rule, in milliseconds. */
    msByRule: () => Object.fromEntries(msByRule),

    /** Percentiles of all latencies so far, in milliseconds; null if there are no answers. */
    latencyMs() {
      const sorted = latencies.toSorted((a, b) => a - b)
      if (sorted.length === 0) return null
      const at = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? 0
      return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
    },

    /** All observations so far, in an order that does not depend on the order of exchanges. */
    all() {
      const noted = [...notes].map(([id, subjects]) => {
        const entries = [...subjects].map(
          ([subject, outcomes]) => [subject, [...outcomes].toSorted().join('; ')] as const,
        )
        return { id, value: Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) }
      })
      const observed = [...values].map(([id, value]) => ({ id, value }))
      const all = [...observed, { id: 'flaw-order', value: orderOfFlaws() }, ...noted]
      return all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    },
  }
}

export type PowerRecord = ReturnType<typeof openPower>

/** Counts the judged and faulty answers in a run, and the situations that it reached. */
export function openPower({ clients, endpoints }: TargetModel) {
  const judged = judgedWith(null)
  /** The findings that blame an exchange or a missing answer, by the object that identifies it. */
  const findingsBy = new WeakMap<object, string[]>()
  const blamed: Blamed[] = []
  const reached = new Sums()
  /** The names of the conditions for rows. */
  const conditions = new Set<string>()
  const given = new Set<FlawSource>(clients.map(({ name }) => name))
  if (endpoints.some(({ inactive }) => inactive)) given.add('inactive')
  if (endpoints[0]?.invalidQuery !== null) given.add('invalidQuery')

  /** Counts an answer that a rule judges. */
  const answered = ({ response }: Exchange) => countOnce(judged, response.fields)

  const situationsOf = (kind: SituationKind, { cases, rows }: MoreOf) => {
    const ofRows = [...conditions].map((name) => ({ name, needs: [], isSent: true }))
    const more = kind === 'condition' ? rows : cases
    const met: Record<string, number> = {}
    const missing: Record<string, string> = {}
    for (const { name, needs, isSent } of kind === 'condition' ? ofRows : situations[kind]) {
      const lacking = needs.find((source) => !given.has(source))
      if (reached.has(name)) met[name] = reached.of(name)
      else if (!isSent) missing[name] = 'no setting'
      else if (lacking === 'invalidQuery') missing[name] = 'FIXTURE_INVALID_QUERY'
      else missing[name] = lacking === undefined ? more : clientEntry(lacking).apiKey
    }
    return { kind, reached: met, missing }
  }

  return {
    answered,

    /** The exchanges and missing answers blamed by all findings, including dropped findings and those for rules that were not selected. */
    blamed,

    /** Counts an exchange that a finding blames, or a missing answer, which `failure` identifies. It counts once, however many findings blame it. */
    blame(finding: string, exchange: Exchange | null, failure: object) {
      if (exchange !== null) answered(exchange)
      const what = exchange?.response.fields ?? failure
      const findings = findingsBy.get(what) ?? []
      const faulty = exchange === null ? 0 : 1
      if (!findingsBy.has(what)) blamed.push({ faulty, unanswered: 1 - faulty, findings })
      findingsBy.set(what, findings)
      if (!findings.includes(finding)) findings.push(finding)
    },

    /** Counts the situations that an answer reached. */
    met({ traits }: TestRequest, exchange: Exchange, facts: Facts) {
      const found = flawsIn(facts)
      const { fresh, reused, afterSuccess, several } = plainSituations
      if (found.length === 1 || found.length === 2) reached.add(flawsName(found))
      reached.add(exchange.reused ? reused : fresh)
      if (found.length > 0 && exchange.followsSuccess) reached.add(afterSuccess)
      if (exchange.amidOthers) reached.add(several)
      reached.add(clientSituation(traits.client))
      const { conditions: sent = [], excused = false } = traits
      if (found.length <= 1 && !excused) for (const name of sent) reached.add(name)
    },

    /** Announces the conditions for rows. */
    planned({ conditions: names = [] }: Pick<Property, 'conditions'>) {
      for (const name of names) conditions.add(name)
    },

    /** The power of the run so far, if it finds nothing. */
    power(more: MoreOf) {
      const ofAllKinds = situationKinds.map((kind) => situationsOf(kind, more))
      const { count: answers } = judged
      return { confidence, answers, excludes: rateExcluded(answers), situations: ofAllKinds }
    },
  }
}

export type CaseExchange = Readonly<{
  request: TestRequest
  exchange: Exchange
  context: Context
}>

/** The first answer of a kind from the cases with the fewest requests, and its case. */
type FirstAnswer = Omit<CaseExchange, 'exchange'> & { readonly shown: ShownExchange }

/** A difference from the baseline, and the first answer that shows it. */
export type MetDrift = FirstAnswer & { readonly drift: Drift }

/** Maximum number of answers kept for reports, in total and for differences. */
const keptExchanges = 400
const keptDepartures = 200

/**
 * Learns the shapes of answers to requests with no flaw, or with one certain flaw and one documented code. Keeps the answers that differ
 * from the `known` baseline.
 */
export function watchBaseline(known: Baseline, shown: JudgedAnswers['shown']) {
  let learned = emptyBaseline
  const first = new Map<string, FirstAnswer>()

  return {
    seen: () => learned,

    /** Learns from an answer, unless it depends on a quota, which varies during the day. */
    note({ request, exchange, context }: CaseExchange, facts: Facts) {
      const { traits } = request
      const { response } = exchange
      if (hasUncertainFlaw(facts) || facts.quota === 'used-up') return
      if (traits.client === 'disposable' || traits.asksForQuota || traits.transportMayRefuse) return
      const [flaw, ...more] = certainFlaws(facts)
      // If several codes are documented, a service may answer differently tomorrow.
      if (more.length > 0 || (flaw && flaw.codes.length > 1)) return

      const answered = answeredBy(response)
      const name = flaw ? `${flaw.fact} ${facts[flaw.fact]}` : null
      const requestName = requestNameOf(traits.endpoint, name)
      const body = response.body.kind === 'json' ? { value: wholeValue(response) } : null
      const seen = observe(emptyBaseline, { ...answered, requestName, body })
      learned = mergeBaselines(learned, seen)
      const answer = `${requestName} ${answered.status}/${answered.errorCode ?? ''}`
      for (const key of new Set([answer, ...compareBaselines(known, seen).map(keyOf)])) {
        const before = first.get(key)
        const isSimpler = before && requestsOf(context) < requestsOf(before.context)
        const most = key === answer ? keptExchanges : keptDepartures
        if (isSimpler || (!before && first.size < most))
          first.set(key, { shown: shown(request, exchange), request, context })
      }
    },

    /** Forgets all answers before a case is repeated. */
    forget() {
      learned = emptyBaseline
      first.clear()
    },

    /** The breaking differences from a baseline. */
    compare: (baseline: Baseline) =>
      compareBaselines(baseline, learned).flatMap((drift) => {
        const met = first.get(keyOf(drift)) ?? first.get(`${drift.requestName} ${drift.answer}`)
        return met ? [{ ...met, drift }] : []
      }),
  }
}

/** A key that leaves out the kind of change, because a property that one answer lacks may be present in others. */
function keyOf({ requestName, answer, path }: Drift) {
  return [requestName, answer, ...(path === null ? [] : [path])].join(' ')
}

/** The number of requests in a replay; infinite if the case cannot be replayed. */
function requestsOf({ replayable = true, requestsAlone = 1 }: Context) {
  return replayable ? requestsAlone : Infinity
}

/** A judgement of an answer; null if it does not apply. */
export type Expectation = (exchange: Exchange) => Judgement | null

/** The rule for each tolerated change. */
export const ruleOfChange: Readonly<Record<ToleratedChange['name'], SpecRuleId>> = {
  added: 'tolerance/added-properties',
  order: 'tolerance/property-order',
  opaque: 'tolerance/opaque-strings',
}

/** A breach of a run-wide rule. */
export type Accusation = Readonly<{
  rule: SpecRuleId
  /** The exchange that shows it, after the change if it is not tolerated. */
  exchange: Exchange
  breach: Breach
  /** Whether another answer also shows it; null if no confirmation is needed because the service is not to blame. */
  violates: ((again: Exchange) => boolean) | null
}>

/** Maximum total size of the changed answers that are kept, in characters. */
const keptText = 4 * 1_024 * 1_024
/** Maximum length of a changed answer, in characters. Longer answers cost seconds and hundreds of MiB. */
const longest = 256 * 1_024
/** Maximum depth. Deeper answers take hundreds of milliseconds and do not occur in practice. */
const deepest = 200
/** Answers with more values than this are large: only two per path are changed, for up to eight paths. */
const manyValues = 5_000
const largeOfPath = 2
const largePaths = 8

/**
 * Judges answers again after each tolerated change. A check that then fails demands more than the specification promises. There are no
 * such changes for an answer that breaks the check unchanged.
 */
export function intolerancesOf(seed: number) {
  /** The changed answers by text, because several checks judge each, and many answers are alike. */
  const changed = new Map<string, ReturnType<typeof changesOf>>()
  let kept = 0
  /** The number of large answers changed so far, by path. */
  const large = new Map<string, number>()

  const isWorthIt = ({ request, response }: Exchange) => {
    const { depth, values } = sizeOf(response.text)
    if (depth > deepest) return false
    if (values <= manyValues) return true

    const [path = ''] = request.target.split('?', 1)
    const before = large.get(path) ?? (large.size < largePaths ? 0 : largeOfPath)
    if (before === largeOfPath) return false
    large.set(path, before + 1)
    return true
  }

  const changesOf = (exchange: Exchange) =>
    (isWorthIt(exchange) ? toleratedChanges : []).map(({ name }) => ({
      rule: ruleOfChange[name],
      content: readBody(Buffer.from(changeText(exchange.response.text, [name], seed).text)),
    }))

  return (exchange: Exchange, expects: Expectation): readonly Accusation[] => {
    const { response } = exchange
    const { text } = response
    if (response.body.kind !== 'json' || response.cutFrom !== undefined || text.length > longest) return []
    if (expects(exchange)?.kind !== 'holds') return []
    const changes = changed.get(text) ?? changesOf(exchange)
    if (!changed.has(text)) {
      const size = changes.reduce((sum, { content }) => sum + content.text.length, text.length)
      if (kept + size > keptText) changed.clear()
      kept = changed.size === 0 ? size : kept + size
      changed.set(text, changes)
    }
    return changes.flatMap(({ rule, content }) => {
      const after = { ...exchange, response: { ...response, ...content } }
      const judgement = expects(after)
      if (judgement?.kind !== 'violates') return []
      return [{ rule, exchange: after, breach: blaming(judgement.breach), violates: null }]
    })
  }
}

/** The depth of a JSON text and its number of values: an upper bound, since strings may contain brackets and commas. */
function sizeOf(text: string): { readonly depth: number; readonly values: number } {
  let open = 0
  let depth = 0
  let values = 0
  for (const sign of text) {
    const opens = sign === '{' || sign === '['
    if (opens || sign === ',' || sign === ':') values += 1
    if (opens) open += 1
    if (open > depth) depth = open
    if (sign === '}' || sign === ']') open -= 1
  }
  return { depth, values }
}

function blaming(breach: Breach): Breach {
  return {
    ...breach,
    difference: `not tolerated: ${breach.difference}`,
    summary: `an accepted answer is no longer accepted after a change that clients must tolerate: ${breach.summary}`,
    blames: breach.difference.startsWith(endpointsFileDifferences.success) ? 'endpoints-file' : 'suite',
  }
}

/**
 * The checks for plain valid requests to endpoints, by their labels: success, with the schema from the endpoints file if there is one.
 * Loads Ajv only if there is a schema, because loading Ajv takes longer than loading a suite.
 */
export async function successChecks(endpoints: readonly KnownEndpoint[]) {
  if (endpoints.every(({ success: schema }) => schema === null)) return succeeds
  const [{ Ajv }, formats] = await Promise.all([import('ajv'), import('ajv-formats')])
  // One Ajv for each schema, because a stopped Ajv may be broken.
  const compile: Compile = (schema) =>
    formats.default.default(new Ajv({ strict: false, allErrors: false })).compile(schema)
  const checks = new Map(endpoints.map((one) => [one.label, checkOf(one, compile)]))
  return (label: string) => checks.get(label) ?? succeeds()
}

type Compile = (schema: object) => ValidateFunction

function checkOf({ success: schema, label, described }: KnownEndpoint, compile: Compile) {
  if (schema === null) return succeeds()
  const { file, number } = described ?? {}
  let validate: ValidateFunction | null = null
  /** After a stop, the judgement of every answer: another check might take as long, and Ajv may be broken. */
  let stopped: Judgement | null = null

  const judge: Check['judge'] = (exchange) => {
    const { response } = exchange
    const plain = succeeds().judge(exchange)
    if (plain.kind !== 'holds' || response.body.kind !== 'json') return plain
    if (stopped !== null) return stopped
    try {
      const fits = (validate ??= within(workLimits.schema, () => compile(schema)))
      // A compiled schema only keeps its errors, so it can be used for a second attempt.
      if (within(workLimits.value, () => fits(wholeValue(response)))) return plain
    } catch (error) {
      if (!(error instanceof WorkStopped || error instanceof MachineTooBusy)) throw error
      const because = `an answer of ${label} could not be checked against its schema in ${file} (entry ${number}): ${error.message}`
      return (stopped = { kind: 'unclear', because })
    }
    const { keyword = '', instancePath = '', message = '' } = validate.errors?.[0] ?? {}
    return {
      kind: 'violates',
      breach: {
        allowed: [success],
        answered: answeredBy(response),
        difference: `${endpointsFileDifferences.success}: ${keyword}`,
        summary: `${label} answered ${response.status}, but not as ${file} requires (entry ${number}: ${instancePath || 'the body'} ${message})`,
      },
    }
  }
  return { allowed: [success], judge }
}
