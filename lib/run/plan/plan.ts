import type { Exchange } from '../../http/exchange.ts'
import { InvalidRule } from '../../judge/judge.ts'
import { fingerprintOf, type EndpointRecord, type RuleResult } from '../../judge/record.ts'
import type { KnownEndpoint } from '../../judge/target-model.ts'
import type { SettingIssue } from '../../settings/issue.ts'
import type { Settings } from '../../settings/settings.ts'
import {
  catalogueOf,
  countedRules,
  isRuleId,
  phases,
  placeOfRule,
  type DeclaredRule,
  type RuleId,
} from '../../specification/rules.ts'
import { membersNamed } from '../../text/members.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import {
  OwnRuleError,
  asOwnCode,
  costFor,
  costOf,
  ownError,
  ownPlace,
  sumByClient,
  type Area,
  type Case,
  type Cost,
  type JudgedExchange,
  type RequestsByClient,
  type Scenario,
  type Scene,
  type SuiteRule,
  type Untestable,
  type Work,
} from './cases.ts'
import { redactorOf, suiteContext, targetModel } from './suite-context.ts'
import type { Context, JudgedEndpoint, RunBackground, SuiteContext, TestRequest } from './suite-context.ts'

/** The events of a run. */
export type RunEvent =
  /** How many rules have made their cases. With a large endpoints file, this takes seconds. */
  | { readonly kind: 'planning'; readonly done: number; readonly of: number }
  | { readonly kind: 'planned'; readonly rules: readonly PlannedRule[]; readonly budget: number }
  | { readonly kind: 'rule-started'; readonly rule: RuleId }
  | { readonly kind: 'request-done'; readonly sent: number }
  /** A raw request and its answer, including credentials. */
  | { readonly kind: 'answered'; readonly request: TestRequest; readonly exchange: Exchange }
  | { readonly kind: 'case-done'; readonly rule: RuleId }
  | { readonly kind: 'rule-settled'; readonly result: RuleResult }
  | { readonly kind: 'run-ended'; readonly verdict: Verdict }

/** Receives every event; `answered` contains raw requests and answers, including credentials. */
export type OnEvent = (event: RunEvent) => void

type OnPlanning = (event: Extract<RunEvent, { kind: 'planning' }>) => void

/** A planned rule and its cases. */
export type PlannedWork = ReturnType<typeof planRun>['works'][number]

/** Maximum number of health checks in a run beyond the plan: one per series of rejections, and two when a quota is used up. */
export function healthChecks(rules: readonly PlannedRule[]): number {
  const requests = rules.reduce((sum, rule) => sum + rule.requests, 0)
  const meetsQuota = rules.some(({ byClient }) => (byClient.exhausted ?? 0) > 0)
  // That rule plans these checks itself.
  const isPlanned = rules.some(({ id }) => id === 'quota/per-client')
  return Math.floor(requests / rejectionsBetween) + (meetsQuota && !isPlanned ? 2 : 0)
}

/** The plan of a run; sends nothing. The settings must name an address and a client. */
export function plan(
  settings: Settings,
  suites: readonly Area[],
  input?: Partial<Omit<RunBackground, 'catalogue'>>,
  onPlanning?: OnPlanning,
): readonly PlannedRule[] {
  const context = suiteContext(settings, { ...input, catalogue: catalogueOf(suites) })
  return rulesOf(planRun(suites, context, onPlanning).works)
}

/** Makes the cases of all selected rules, in catalogue order, and finds the requests that they share. If the budget is too small, no rule relies on another rule's request, because it may not be sent. */
export function planRun(suites: readonly Area[], context: SuiteContext, onPlanning: OnPlanning = () => {}) {
  const { maxRequests } = context.settings.run
  const made = casesOf(suites, context, onPlanning)

  const planOf = ({ rule, work, cases, accuses, ...known }: MadeWork, shared: SharedRequests) => {
    const { id, entry } = rule
    const property = 'size' in work ? work : null
    const isDrawnLater = property !== null && cases.length < property.size
    // Whether its cases of one request may take answers from other cases: the requests of other phases must be sent alone or in order.
    const shares = !isDrawnLater && (entry.phase === 'together' || entry.phase === 'summary')
    const costs = isDrawnLater
      ? [costFor(property.requests)]
      : cases.map((one) => shared.plan(rule, one, shares))
    const sum = (of: 'requests' | 'least') => costs.reduce((all, one) => all + one[of], 0)
    const requests = sum('requests')
    const planned: PlannedRule = {
      id,
      ...membersNamed(entry, ['needs']),
      cases: property?.size ?? cases.length,
      requests,
      least: sum('least'),
      first: property === null ? (costs[0]?.least ?? 0) : Math.min(1, requests),
      allotted: 0,
      byClient: sumByClient(costs.map(({ byClient }) => byClient)),
      ...known,
    }
    return { rule, planned, work, shares, accuses }
  }

  const planned = (announced: readonly Case[]) => {
    const shared = new SharedRequests(announced)
    // The rule that asks first pays for the request.
    const phaseOf = ({ rule: { entry } }: MadeWork) => phases.indexOf(entry.phase)
    const inPhases = made.toSorted((a, b) => phaseOf(a) - phaseOf(b))
    const works = new Map(inPhases.map((one) => [one.rule, planOf(one, shared)]))
    return { works: made.flatMap(({ rule }) => works.get(rule) ?? []), shared }
  }

  const whole = planned(made.flatMap(({ cases }) => cases))
  const { works, shared } = isAmple(rulesOf(whole.works), maxRequests) ? whole : planned([])
  const rankOf = ({ rule }: Pick<MadeWork, 'rule'>) => rule.rank ?? Number.MAX_SAFE_INTEGER
  const allotment = allot(rulesOf(works.toSorted((a, b) => rankOf(a) - rankOf(b))), maxRequests)
  const given = works.map(({ planned: rule, ...one }) => {
    return { ...one, planned: { ...rule, allotted: allotment[rule.id] ?? 0 } }
  })
  return { works: given, shared, allotment }
}

/** Maximum number of cases of a property that planning draws to find requests that other cases also send. */
const fewCases = 500

/** What is known of a rule's work before the requests that rules share; without the cases that are drawn only when they are sent. */
type MadeWork = ReturnType<typeof madeWork>

function madeWork(rule: SuiteRule, { endpoints, settings }: SuiteContext, made: Work | Untestable) {
  const drawn = 'size' in made && made.size <= fewCases ? [...made.cases()] : null
  const cases = 'length' in made ? made : (drawn ?? [])
  if (!isRuleId(rule.id)) tryOwn(rule, made, cases)
  const untested = 'untested' in made ? made.untested : null
  return {
    rule,
    work: drawn === null ? made : { ...made, cases: () => drawn },
    cases,
    /** Other rules whose breaches its cases may reveal. */
    accuses: cases.flatMap((one) => ('brokenIfServed' in one && one.brokenIfServed) || []),
    endpoints: 'size' in made ? (made.endpoints ?? []) : endpointsOf(cases, endpoints),
    untested: untested && redactorOf(settings).ofAnswer().redact(untested),
  }
}

/** Throws if the work of a user's own rule or one of its cases is malformed, so that the mistake is attributed to the rule. */
function tryOwn(rule: SuiteRule, made: Work | Untestable, cases: readonly Case[]) {
  const isWork = 'untested' in made ? typeof made.untested === 'string' : 'length' in made || 'size' in made
  if (!isWork) throw new InvalidRule('a list of cases, or { untested } with the reason', made)
  const trial = new SharedRequests(cases)
  sumByClient(cases.map((one) => trial.plan(rule, one, true).byClient))
}

function casesOf(suites: readonly Area[], context: SuiteContext, onPlanning: OnPlanning) {
  const issues: SettingIssue[] = []
  const selected = suites
    .flatMap(({ rules }) => rules)
    .filter(({ id }) => context.selects(id))
    .toSorted((a, b) => placeOfRule(a.id) - placeOfRule(b.id))
  const counted = countedRules(selected)
  const made = selected.flatMap((rule) => {
    const done = counted.indexOf(rule)
    if (done >= 0) onPlanning({ kind: 'planning', done, of: counted.length })
    const where = ownPlace(rule)
    try {
      return [asOwnCode(where, () => madeWork(rule, context, rule.work(context)))]
    } catch (error) {
      const own = ownError(error, where, redactorOf(context.settings))
      if (!(own instanceof OwnRuleError)) throw own
      issues.push(...own.issues)
      return []
    }
  })
  onPlanning({ kind: 'planning', done: counted.length, of: counted.length })
  if (issues.length > 0) throw new OwnRuleError(issues)
  return made
}

const rulesOf = (works: readonly { readonly planned: PlannedRule }[]) => works.map(({ planned }) => planned)

/** Groups of rules, in order; the rules in a group run concurrently. */
export function turnsOf(works: readonly PlannedWork[]): readonly (readonly PlannedWork[])[] {
  return phases.flatMap((phase) => {
    const ofPhase = works.filter(({ rule }) => rule.entry.phase === phase)
    if (phase === 'alone' || phase === 'last') return ofPhase.map((one) => [one])
    if (phase !== 'summary') return [ofPhase]
    // Rules that send requests come first, because the others summarize them.
    const sends = ({ planned: { requests } }: PlannedWork) => requests > 0
    return [ofPhase.filter(sends), ofPhase.filter((one) => !sends(one))]
  })
}

/** The plan for one rule. */
export type PlannedRule = Readonly<{
  id: RuleId
  /** The settings that it needs in addition to a permitted client. */
  needs?: string
  cases: number
  requests: number
  /** The minimum number of requests; with fewer than `requests`, it reports what it left out. */
  least: number
  /** The number of requests in its first case, which finds the most faults. */
  first: number
  /** The number of requests that the budget allows. */
  allotted: number
  /** The number of requests by the client whose quota they use. */
  byClient: RequestsByClient
  /** The labels of the endpoints that its cases use, such as `GET /api/customizations/list`. */
  endpoints: readonly string[]
  /** Why it cannot be tested with these settings, or null. */
  untested: string | null
}>

/** How many requests each rule may send for its cases, decided before the first request. */
export type Allotment = Readonly<Record<RuleId, number>>

/** Maximum number of rejections between two health checks; half as many after a lockout. */
export const rejectionsBetween = 50

/** The plain valid request that opens every run. */
export const openingControl = 1

/** Whether the whole plan fits into the budget, with room for health checks. */
function isAmple(rules: readonly PlannedRule[], limit: number) {
  const useful = rules.reduce((sum, { requests }) => sum + requests, 0) + openingControl
  return useful + Math.ceil(limit / rejectionsBetween) <= limit
}

/**
 * Allots the budget: the whole plan if it fits; otherwise the first case of each rule, then the minimums, then the rest, in order. At
 * most a tenth is kept in reserve for all rules.
 */
export function allot(rules: readonly PlannedRule[], limit: number): Allotment {
  const wanted = rules.reduce((sum, { least }) => sum + least, 0) + openingControl
  const tenth = limit / 10
  const reserve = wanted <= limit ? Math.min(limit - wanted, Math.ceil(tenth)) : Math.floor(tenth)
  let left = isAmple(rules, limit) ? Infinity : Math.max(0, limit - reserve - openingControl)
  const given = new Map<RuleId, number>()
  for (const part of ['first', 'least', 'requests'] as const)
    for (const { id, [part]: wish } of rules) {
      const before = given.get(id) ?? 0
      const more = Math.min(wish - before, left)
      given.set(id, before + more)
      left -= more
    }
  return Object.fromEntries(given)
}

/** Whether a request goes to exactly this endpoint rather than a near miss of its path, and its answer is judged. */
export function isFor({ request, traits }: TestRequest, { label, method, path }: KnownEndpoint) {
  if (traits.endpoint !== label || traits.observed || request.method !== method) return false
  // A described value may appear in the path.
  return traits.described === true || request.target.split('?', 1)[0] === path
}

/** The labels of the endpoints that cases use; a scenario's name contains its endpoint. */
function endpointsOf(cases: readonly Case[], endpoints: readonly JudgedEndpoint[]) {
  const known = new Map(endpoints.map((one) => [one.label, one]))
  const placesOf = (one: Case) => {
    if (one.kind === 'scenario') return one.requests > 0 ? [one.name.replace(/^[^@]*/, '')] : []
    const endpoint = known.get(one.request.traits.endpoint)
    return endpoint && isFor(one.request, endpoint) ? [endpoint.label] : []
  }
  const used = new Set(cases.flatMap(placesOf))
  return endpoints.flatMap(({ label, named }) => (used.has(label) || used.has(named('')) ? [label] : []))
}

/** The endpoints that get no requests, by their names in reports, and why. */
export function unplannedEndpoints(settings: Settings, rules: readonly Pick<PlannedRule, 'endpoints'>[]) {
  return judgedEndpoints(settings, rules).flatMap(({ name: endpoint, because }) =>
    because === null ? [] : [{ endpoint, because }],
  )
}

/** The endpoints that a run judges, and the rules that have judged an answer of each, by its label. */
export function endpointRecords(
  settings: Settings,
  rules: readonly Pick<PlannedRule, 'id' | 'endpoints'>[],
  run: { readonly hasEnded: boolean; readonly judgedBy: (rule: RuleId) => ReadonlySet<string> },
): readonly EndpointRecord[] {
  return judgedEndpoints(settings, rules).map(({ name, label, because }) => {
    const summary = because ?? 'no rule judged an answer from exactly this endpoint'
    const isEnded = because === null && run.hasEnded
    return {
      name,
      fingerprint: fingerprintOf(label, { allowed: [], answered: null, difference: 'not judged', summary }),
      judgedBy: rules.flatMap(({ id }) => (run.judgedBy(id).has(label) ? [id] : [])),
      otherwise: isEnded
        ? { kind: 'ended', text: 'the run ended before' }
        : { kind: 'untested', text: summary },
    }
  })
}

/**
 * The list endpoint and each version of the endpoints in the endpoints file, by their names in reports (`POST /api/cards (version 2)`,
 * without GET and the target's version), and why they get no requests, or null.
 */
function judgedEndpoints(settings: Settings, rules: readonly Pick<PlannedRule, 'endpoints'>[]) {
  const { only, essential } = settings.run
  const others = only === null ? 'no rule sends requests to it' : 'no selected rule sends requests to it'
  const unused = essential ? 'only one case per rule was selected, and no case goes to it' : others
  const judged = targetModel(settings).endpoints.filter(({ inactive }) => !inactive)
  return judged.map(({ method, path, version, described, label, mayBeSent }) => {
    const verb = method === 'GET' ? '' : `${method} `
    const ofVersion = version === settings.target.version ? '' : ` (version ${version})`
    const name = `${verb}${described?.template ?? path}${ofVersion}`
    if (!mayBeSent)
      return { name, label, because: `${method} is sent only if the endpoints file says "fuzz": true` }
    return { name, label, because: rules.some(({ endpoints }) => endpoints.includes(label)) ? null : unused }
  })
}

const free: Cost = { requests: 0, least: 0, byClient: {} }

/** The cost without a request that another case sends. */
function without({ traits: { client } }: TestRequest, { requests, least, byClient }: Cost) {
  if (requests === 1) return free
  return { requests: requests - 1, least: least - 1, byClient: sumByClient([byClient, { [client]: -1 }]) }
}

/**
 * The requests and scenes that rules share, so that each is sent once: decided while planning, and their answers kept during the run.
 * Sharing never changes a result for a stateless service; for other services, a request that fails when shared is sent alone before it is
 * reported. Because an answer may be large, it is dropped after its last planned use.
 */
export class SharedRequests {
  /** The number of planned uses of each request that are still to come. */
  readonly #wanted = new Map<string, number>()
  /** Requests that scenarios send in their first play. */
  readonly #provided = new Set<string>()
  /** Requests in users' own rules, whose checks read the whole body. */
  readonly #readWhole = new Set<string>()
  readonly #scenes = new Set<Scene>()
  readonly #costs = new Map<Case, Cost>()
  /** The results of the first play of each scenario, or of the scene that it judges. */
  readonly plays = new Map<Scenario | Scene, Promise<readonly JudgedExchange[]>>()
  readonly #sent = new Map<string, Promise<Exchange>>()
  readonly #ofScenarios = new WeakSet<Exchange>()

  /** Notes the requests that the scenarios among all cases send. */
  constructor(cases: readonly Case[]) {
    for (const one of cases)
      if (one.kind === 'scenario') for (const request of one.provides) this.#provided.add(request.key)
  }

  /** The cost of a case without the requests that other cases also send, which a case of one request takes if its rule `shares`. */
  plan({ id }: DeclaredRule, one: Case, shares: boolean): Cost {
    const taken = one.kind === 'scenario' ? one.wants : [one.request]
    if (!isRuleId(id)) for (const request of taken) this.#readWhole.add(request.key)
    const scene = one.kind === 'scenario' ? one.scene : undefined
    let cost = scene && this.#scenes.has(scene) ? free : costOf(one)
    if (scene) this.#scenes.add(scene)
    const isTaken = one.kind === 'scenario' || (shares && !one.again)
    for (const request of isTaken ? taken : []) if (this.#want(request)) cost = without(request, cost)
    this.#costs.set(one, cost)
    return cost
  }

  /** The cost of a case in this plan; nothing if it was played. */
  costOf(one: Case) {
    const wasPlayed = one.kind === 'scenario' && this.plays.has(one.scene ?? one)
    return wasPlayed ? free : (this.#costs.get(one) ?? costOf(one))
  }

  /** Counts a use; returns whether another case also sends the request. */
  #want({ key }: TestRequest) {
    const wanted = this.#wanted.get(key) ?? 0
    this.#wanted.set(key, wanted + 1)
    return wanted > 0 || this.#provided.has(key)
  }

  /** The answer that another case gets, which is sent only if no case has it yet. */
  once(request: TestRequest, send: () => Promise<Exchange>, isOfScenario = false) {
    const { key } = request
    const known = this.#sent.get(key)
    const stillWanted = (this.#wanted.get(key) ?? 1) - 1
    this.#wanted.set(key, stillWanted)
    if (stillWanted <= 0) this.#sent.delete(key)
    return known ?? this.#keep(request, send(), isOfScenario)
  }

  /** Keeps an answer for the cases that still want it, and notes whether a scenario got it. */
  #keep({ key }: TestRequest, sent: Promise<Exchange>, isOfScenario: boolean) {
    if ((this.#wanted.get(key) ?? 0) <= 0) return sent
    this.#sent.set(key, sent)
    sent.then(
      (exchange) => isOfScenario && this.#ofScenarios.add(exchange),
      // A failure may be due to the caller, such as a spent allotment, so the next case sends the request itself.
      () => this.#sent.delete(key),
    )
    return sent
  }

  /** Keeps the exchange from a scenario for cases that want the same request. */
  provide(request: TestRequest, exchange: Exchange) {
    if (!this.#sent.has(request.key)) void this.#keep(request, Promise.resolve(exchange), true)
  }

  /** Whether a check reads the whole body of the answer, however long it is. */
  isReadWhole(request: TestRequest, { rule }: Pick<Context, 'rule'>) {
    return !isRuleId(rule) || this.#readWhole.has(request.key)
  }

  /** Whether a scenario got this answer, in which case its order and connections may be the reason for it. */
  isOfScenario(exchange: Exchange) {
    return this.#ofScenarios.has(exchange)
  }

  /** Forgets every answer, so that a repeated case is judged by new ones. */
  forget() {
    for (const known of [this.#sent, this.plays]) known.clear()
  }
}
