import type { ValidateFunction } from 'ajv'
import type { Baseline } from '../../drift/baseline.ts'
import { changeText, toleratedChanges, type ToleratedChange } from '../../drift/tolerated.ts'
import { readBody, wholeValue } from '../../http/body.ts'
import type { Exchange } from '../../http/exchange.ts'
import { answeredBy, isServed, isTransportRefusal } from '../../judge/answered.ts'
import { endpointsFileDifferences } from '../../judge/differences.ts'
import { isExempt } from '../../judge/excuses.ts'
import { factsIfKnown } from '../../judge/facts.ts'
import { succeeds, weakened, withHint, type Breach, type Check, type Judgement } from '../../judge/judge.ts'
import { hasMalformedLine, isReadInOneWay } from '../../judge/readings.ts'
import { runWideChecks } from '../../judge/run-wide.ts'
import type { KnownEndpoint } from '../../judge/target-model.ts'
import { success } from '../../specification/answers.ts'
import { areaOf, isRuleId, runWideRules, type RuleId, type SpecRuleId } from '../../specification/rules.ts'
import { MachineTooBusy, WorkStopped, within, workLimits } from '../../specification/within.ts'
import { redactorOf, type SuiteContext } from '../plan/suite-context.ts'
import { judgedAnswers, openObservations, openPower, watchBaseline, type CaseExchange } from './answers.ts'
import { openFindings, openReplay } from './findings.ts'

/** A judgement of an answer; null if it does not apply. */
export type Expectation = (exchange: Exchange) => Judgement | null

/** The rule for each tolerated change. */
const ruleOfChange: Readonly<Record<ToleratedChange['name'], SpecRuleId>> = {
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
  const compile = (schema: object): ValidateFunction =>
    formats.default.default(new Ajv({ strict: false, allErrors: false })).compile(schema)
  const checks = new Map(endpoints.map((one) => [one.label, checkOf(one, compile)]))
  return (label: string): Check => checks.get(label) ?? succeeds()
}

function checkOf(
  { success: schema, label, described }: KnownEndpoint,
  compile: (schema: object) => ValidateFunction,
): Check {
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

/** What a run records, without credentials; `baseline` is null without a baseline, `replay` in a normal run. */
export async function openRecord(suite: SuiteContext) {
  const { settings, model, places, replayed } = suite
  const { mode } = settings.run.baseline ?? {}
  const successes = await successChecks(model.endpoints)
  const answers = judgedAnswers(suite)
  const observations = openObservations()
  const power = openPower(model)
  const baseline = mode === undefined ? null : watchBaseline(mode === 'compare' ? suite.baseline : null)
  const replay = replayed === null ? null : openReplay()
  const intolerances = intolerancesOf(settings.run.seed)
  const unclear = new Map<RuleId, Set<string>>()

  const judgedAs = (rule: SpecRuleId, judge: Expectation, given: CaseExchange): readonly Accusation[] => {
    const { request, exchange } = given
    const judgement = judge(exchange)
    if (judgement === null) return []
    if (judgement.kind === 'unclear') {
      unclear.set(rule, (unclear.get(rule) ?? new Set()).add(judgement.because))
      return []
    }
    answers.countAnswer(rule, request, exchange)
    if (judgement.kind !== 'violates') return []
    const breach = weakened(excused(rule, given, judgement.breach), request.traits.weakness)
    return [{ rule, exchange, breach, violates: (again) => judge(again)?.kind === 'violates' }]
  }

  /** Checks every exchange of a run, whatever its purpose. */
  const checks = {
    /** The reasons why a rule could not judge answers, without duplicates. */
    unclear: (rule: RuleId): readonly string[] => [...(unclear.get(rule) ?? [])],

    /** Records observations and learns the answer's shape, if the request has a single reading. */
    observe(given: CaseExchange) {
      const { request, exchange, context } = given
      if (request.traits.observed) return
      observations.noteForm(exchange)
      const facts = isReadInOneWay(request.request) ? factsIfKnown(request.request, model) : null
      if (facts === null) return
      const { conditions } = request.traits
      if (conditions === undefined) baseline?.note(given, facts, () => answers.shown(request, exchange))
      observations.noteOutcome(exchange, facts)
      if (context.purpose === undefined) power.met(request, exchange, facts)
    },

    /** The breaches of run-wide rules in an exchange; counts the exchange for the rules that judge it. */
    judge(given: CaseExchange): readonly Accusation[] {
      const { request, exchange, context } = given
      const { traits } = request
      const { plain, described = false } = traits
      if (context.purpose === undefined && !traits.observed) power.answered(exchange)
      const found: Accusation[] = []
      if (plain || (described && isServed(exchange))) {
        const check = successes(traits.endpoint)
        found.push(...judgedAs('endpoints/list-succeeds', check.judge, given))
        if (plain) found.push(...intolerances(exchange, check.judge))
      }
      for (const rule of runWideRules) {
        const judge = (one: Exchange): Judgement | null =>
          isExempt(one, traits, places) && !countsAlways(rule, one) ? null : runWideChecks[rule](one)
        found.push(...judgedAs(rule, judge, given))
        if (readsBody(rule)) found.push(...intolerances(exchange, judge))
      }
      if (exchange.response.body.kind === 'json')
        for (const rule of Object.values(ruleOfChange)) answers.countAnswer(rule, request, exchange)
      return found
    },

    /** Applies a case's check to the answer after each tolerated change. A user's own rule may demand more than the specification does. */
    tolerate: ({ exchange, context }: CaseExchange, expects: Expectation): readonly Accusation[] =>
      isRuleId(context.rule) ? intolerances(exchange, expects) : [],

    /** How the answers in the run so far differ from a baseline; counts the compared answers. */
    compare(expected: Baseline, rule: RuleId) {
      if (baseline === null) return []
      const seen = Object.values(baseline.seen().stimuli).flatMap((one) => Object.values(one))
      const compared = seen.reduce((sum, one) => sum + one.seen, 0)
      answers.countAnswersOfRun(rule, compared)
      return baseline.compare(expected)
    },
  }

  const findings = openFindings(suite, answers, power, replay)
  return { answers, observations, power, baseline, findings, checks, replay, redactor: redactorOf(settings) }
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
