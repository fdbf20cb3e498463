import { AsyncLocalStorage } from 'node:async_hooks'
import { inspect } from 'node:util'
import type { Baseline } from '../../drift/baseline.ts'
import type { MutatedRequest } from '../../fuzz/case-class.ts'
import { sameShape } from '../../fuzz/seeded.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { Connection, Signal } from '../../http/transport.ts'
import { isServed } from '../../judge/answered.ts'
import { answers, holds, succeeds, type Breach, type Check, type Judgement } from '../../judge/judge.ts'
import { runWideChecks } from '../../judge/run-wide.ts'
import type { Redactor } from '../../redact/redact.ts'
import { issue, type SettingIssue } from '../../settings/issue.ts'
import type { Refusal } from '../../specification/answers.ts'
import { clientNames, type ClientName } from '../../specification/client-rows.ts'
import { refusedClients } from '../../specification/flaws.ts'
import {
  isRuleId,
  ruleOf,
  runWideRules,
  type DeclaredRule,
  type Rule,
  type RuleId,
  type SpecRuleId,
} from '../../specification/rules.ts'
import { errorText, printable } from '../../text/printable.ts'
import { oncePerRun } from './suite-context.ts'
import type { JudgedEndpoint, ListedChoice, Purpose, SuiteContext, TestRequest } from './suite-context.ts'

/** The rules for one part of the specification. */
export interface Area {
  readonly title: string
  readonly rules: readonly SuiteRule[]
}

/** A rule in the catalogue and how it is judged. */
export type SuiteRule = DeclaredRule &
  Readonly<{
    /** Makes the cases that it would send; called before the run sends anything. */
    work: (context: SuiteContext) => Work | Untestable
    /** Its place in the order in which a small budget is spent; by default, after all rules that have a rank. */
    rank?: number
    /** The module of a user's own rule; absent if it came from a script. */
    file?: string
  }>

/** The listed or generated cases of a rule. */
export type Work = readonly Case[] | Property

/** The reason why these settings allow none of a rule's cases. */
export type Untestable = { readonly untested: string }

export type Case = Example | Scenario

/** The requests of a case. */
export type Cost = Readonly<{
  /** The number of requests to a conformant service. Further requests use the remaining budget. */
  requests: number
  /** The minimum number of requests that it must be able to send. */
  least: number
  /** Number of requests by the client whose quota they use. */
  byClient: RequestsByClient
}>

/** One request, listed or generated, and the check for its answer. Free if another case sends the same request. */
export type Example = Readonly<{
  kind: 'example'
  /** Part of the public name of a case, so it never changes. For a generated case, it is followed by a shrink path. */
  name: string
  request: TestRequest
  check: Check
  /** Another possible explanation for a breach: `FIXTURE_… is not such a client`. */
  hint?: string
  /** The documented rule that this flawed request also violates if it succeeds. */
  brokenIfServed?: SpecRuleId
  /** The same case without conditions, judged instead if the answer under conditions violates the check. */
  plain?: Example
  /** Sent separately even if another case sends the same request. */
  again?: true
  /** What was changed, in words, for use in findings. */
  says?: string
  /** Sent on a separate connection. */
  alone?: true
  /** The request sent immediately before it, on the same separate connection. */
  lead?: TestRequest | undefined
  /** A request that is sent first, in the same way, and the check that its answer implies; null if its connection was closed. */
  pair?: { readonly request: TestRequest; readonly check: (before: Exchange | null) => Check }
  /** Where the answer, or why there is none, is recorded among the observations. */
  observe?: MutatedRequest['observe']
  /** Simpler cases, simplest first, drawn on demand. */
  simpler?: () => Iterable<Example>
}>

/** Several requests judged together; playing the scenario again confirms its breaches. */
export type Scenario = Cost &
  Pick<Example, 'name'> &
  Readonly<{
    kind: 'scenario'
    play: (stage: Stage) => Promise<readonly JudgedExchange[]>
    /** The scene that it plays, once per run for all cases that judge it, and the steps that it judges. */
    scene?: Scene
    own?: readonly Step[]
    /** Requests whose answers other cases may use. */
    provides: readonly TestRequest[]
    /** Requests whose answers it takes from other cases with {@link Stage.known}. */
    wants: readonly TestRequest[]
    /** Played after all other cases of its rule, with no other request in flight, because it may lock a client out or get the sender banned. */
    last?: true
  }>

/** How many requests use each client's quota. */
export type RequestsByClient = Readonly<Partial<Record<ClientName, number>>>

/** Groups of steps, in order; the steps in a group are sent concurrently. Several rules may judge a scene. */
export type Scene = readonly (readonly Step[])[]

/** A request in a scene. */
export type Step = Readonly<{
  request: TestRequest
  check: Check
  /** Steps with the same name share a separate connection; a step without a name uses any connection from the pool. */
  connection?: string
  /** The plain valid request, sent if this form of it is not served. Without a success, the scene is not judged. */
  fallback?: TestRequest
}>

/** An exchange in a scenario and its judgement. */
export type JudgedExchange = Readonly<{
  request: TestRequest
  exchange: Exchange
  judgement: Judgement
  /** The step of a scene that it belongs to. */
  step?: Step
}>

/** Observations, which are recorded but never judged. */
export interface Notes {
  /** Records a value; the last value for an id counts. */
  readonly observe: (id: string, value: unknown) => void
  /** Adds an outcome for a subject of an observation; earlier outcomes are kept. */
  readonly note: (id: string, subject: string, outcome: string) => void
}

/** Sends the requests of a scenario. Every method that sends throws `NoAnswer` if there is no answer to judge. */
export type Stage = Readonly<{
  /** Aborted when the run is cancelled. A play that waits for anything other than answers must listen to it. */
  cancelled: Signal
  observations: Notes
  /** The number of case requests that the rule can still send. */
  affordable: number
  send(request: TestRequest, connection?: Connection): Promise<Exchange>
  /** The exchange for a request that another case sent, if the scenario wants it; otherwise sends the request. */
  known(request: TestRequest): Promise<Exchange>
  /** Sends a request that the transport may reject; returns null if it did. */
  attempt(request: TestRequest, connection?: Connection): Promise<Exchange | null>
  /** Sends all requests at once, each on a separate connection, whatever concurrency the settings allow; returns the answers. */
  crowd(requests: readonly TestRequest[]): Promise<readonly Exchange[]>
  judge(request: TestRequest, check: Check, connection?: Connection): Promise<JudgedExchange>
  /** Judges a request that the scenario wants from other cases; sends it again if their answer violates the check. */
  judgeKnown(request: TestRequest, check: Check): Promise<JudgedExchange>
  /** Sends a request that must succeed; throws `NoAnswer` if it does not. */
  served(request: TestRequest, connection?: Connection): Promise<JudgedExchange>
  /** Like `served`, but with the answer that another case got. */
  servedKnown(request: TestRequest): Promise<JudgedExchange>
  /** Waits until no request in the run is in flight, then sends nothing for this many milliseconds. */
  silence(waitMs: number): Promise<void>
  /** The number of requests sent for a client so far, including retries. */
  sentAs(client: ClientName): number
  /** A new connection, closed after the play. */
  connection(): Connection
  /** Records how the answers in the run so far differ from a baseline. */
  compareWith(baseline: Baseline): Promise<void>
}>

/** The generated cases of a rule. */
export type Property = Readonly<{
  size: number
  /** The total number of requests. */
  requests: number
  /** Draws the cases on demand; they are always the same. */
  cases: () => Iterable<Example>
  /** The names of the conditions for its rows. */
  conditions?: readonly string[]
  /** The labels of the endpoints that its cases use. */
  endpoints?: readonly string[]
  /** Maximum number of requests to refine failing rows; absent if rows are reported as they are. */
  refining?: number
}>

/** A case made up of one request. */
export function example(name: string, request: TestRequest, check: Check, hint?: string): Example {
  return { kind: 'example', name, request, check, ...(hint === undefined ? {} : { hint }) }
}

/** Whether a case is a row of factors. */
export function isRow({ request }: Example): boolean {
  return request.traits.conditions !== undefined
}

/** A case made up of several requests. */
export function scenario(
  name: string,
  requests: number | { readonly least: number; readonly most: number },
  play: Scenario['play'],
  more: Partial<Pick<Scenario, 'provides' | 'wants' | 'byClient' | 'last'>> = {},
): Scenario {
  const { least, most } = typeof requests === 'number' ? { least: requests, most: requests } : requests
  return { kind: 'scenario', name, ...costFor(most), least, play, provides: [], wants: [], ...more }
}

/** A case that judges a scene or some of its steps; other cases judge the same scene for free. */
export function inScene(name: string, scene: Scene, own: readonly Step[] = scene.flat()): Scenario {
  const provides = scene.flat().map(({ request }) => request)
  const more = { provides, byClient: countByClient(provides) }
  return { ...scenario(name, provides.length, (stage) => playScene(scene, stage), more), scene, own }
}

async function playScene(scene: Scene, stage: Stage): Promise<readonly JudgedExchange[]> {
  const names = new Set(scene.flat().flatMap(({ connection = [] }) => connection))
  const connections = new Map(Array.from(names, (name) => [name, stage.connection()]))
  const enact = async (step: Step) => {
    const { request, check, fallback } = step
    const connection = connections.get(step.connection ?? '')
    const met = await stage.judge(request, check, connection)
    if (!fallback || isServed(met.exchange)) return { ...met, step }
    return { ...(await stage.served(fallback, connection)), step }
  }
  const played: JudgedExchange[] = []
  for (const group of scene) played.push(...(await Promise.all(group.map(enact))))
  return played
}

/** The cost of a case that shares no request. */
export function costOf(one: Case): Cost {
  if (one.kind === 'scenario') return one
  return costFor(one.lead || one.pair ? 2 : 1, one.request.traits.client)
}

/** The cost of so many requests by one client. */
export function costFor(requests: number, client: ClientName = 'target'): Cost {
  return { requests, least: requests, byClient: { [client]: requests } }
}

/** Adds up requests by client. */
export function sumByClient(all: readonly RequestsByClient[]): RequestsByClient {
  const sums = clientNames.map((client) => {
    let sum = 0
    for (const one of all) sum += one[client] ?? 0
    return [client, sum] as const
  })
  return Object.fromEntries(sums.filter(([, requests]) => requests !== 0))
}

/** Counts requests by the client whose quota they use. */
export function countByClient(requests: readonly TestRequest[]): RequestsByClient {
  return sumByClient(requests.map(({ traits }) => ({ [traits.client]: 1 })))
}

export type CasesOf = (context: SuiteContext) => readonly Case[] | Untestable

/** Groups rules under the title of a part of the specification. */
export function area(title: string, rules: readonly SuiteRule[]): Area {
  return { title, rules }
}

/** A user's own rule with its catalogue entry; its phase is `together` by default. */
export interface OwnRule extends Omit<Rule, 'phase'>, Partial<Pick<Rule, 'phase'>> {
  /** A prefix that is not an area of the specification, a slash and a name, in lower-case letters, digits and hyphens. */
  readonly id: DeclaredRule['id']
}

export function declared(given: SpecRuleId | OwnRule): DeclaredRule {
  if (typeof given === 'string') return { id: given, entry: ruleOf(given) }
  const { id, ...entry } = given
  return { id, entry: { phase: 'together', ...entry } }
}

/** Declares a rule with listed cases; a rule that summarizes the run may have none. */
export function rule(
  given: SpecRuleId | OwnRule,
  casesOf: (context: SuiteContext) => Iterable<Case> | Untestable,
  choice: ListedChoice = {},
): SuiteRule {
  const { id, entry } = declared(given)
  const further = typeof given === 'string' ? [] : null
  return {
    id,
    entry,
    work: (context) => {
      const all = casesOf(context)
      if ('untested' in all) return all
      const made = [...all]
      const { replayed } = context
      if (replayed?.rule !== id) return context.listed(made, { further, ...choice })
      const cases = made.filter(({ name }) => name === replayed.case)
      if (made.length === 0 || cases.length > 0) return cases
      return { untested: `no case is called ${replayed.case}` }
    },
  }
}

/** Declares a rule that judges every answer; it sends a request only if no other rule does. */
export function onEveryAnswer(id: (typeof runWideRules)[number]): SuiteRule {
  // The run already judges every exchange by this rule.
  const check: Check = { allowed: [], judge: (exchange) => runWideChecks[id](exchange) ?? holds }
  const oneOfEach = onEachEndpoint((endpoint, context) => [
    example('valid', endpoint.request, check),
    ...flawedRequests(context, endpoint).map(({ name, request }) => example(name, request, check)),
  ])
  return rule(id, (context) => {
    const isAlone = context.selected.every((one) => runWideRules.some((runWide) => runWide === one))
    return isAlone || context.replayed !== null ? oneOfEach(context) : []
  })
}

/** Makes cases, or parts of cases, for every endpoint and adds its label to their names. */
export function onEachEndpoint<Named extends { readonly name: string }>(
  make: (endpoint: JudgedEndpoint, context: SuiteContext) => readonly Named[],
): (context: SuiteContext) => readonly Named[] {
  return (context) =>
    context.endpoints.flatMap((endpoint) =>
      make(endpoint, context).map((one) => ({ ...one, name: endpoint.named(one.name) })),
    )
}

/** A request with exactly one certain flaw, and its documented answer: `of` is the flawed part, `how` its flaw, and the name combines both. */
export type FlawedRequest = ReturnType<typeof flawedRequests>[number]

/** An invented API key in the shape of the valid key. */
export const wrongKey = oncePerRun(({ target, seed }) => sameShape(target.apiKey.reveal(), seed, 'wrong-key'))

/** An invented secret key in the shape of the valid key. */
export const wrongSecret = oncePerRun(({ target, seed }) =>
  sameShape(target.secretKey.reveal(), seed, 'wrong-secret'),
)

/** A request for each single flaw that the settings allow, except for the exhausted client. */
export function flawedRequests(context: SuiteContext, endpoint: JudgedEndpoint) {
  const { request, path, invalidQuery } = endpoint
  const { unsupportedVersion } = context.fixtures
  return [
    flawed('api-key', 'absent', request.without('x-api-key'), 400, '1001'),
    flawed('secret-key', 'absent', request.without('x-secret-key'), 400, '1002'),
    flawed('version', 'absent', request.without('x-version'), 400, '1003'),
    flawed('api-key', 'wrong', request.with('x-api-key', wrongKey(context)), 401, '1006'),
    flawed('secret-key', 'wrong', request.with('x-secret-key', wrongSecret(context)), 401, '1007'),
    flawed('version', 'unsupported', request.with('x-version', unsupportedVersion), 400, '1010'),
    flawed('endpoint', 'unknown', context.unknownEndpoint('flawed'), 400, '1010'),
    ...(invalidQuery === null
      ? []
      : [flawed('input', 'invalid', request.to(`${path}?${invalidQuery}`), 400, '1030')]),
    ...refusedClients.flatMap(({ client, name, refusal }) =>
      endpoint.of(client).map((made) => ({
        of: 'client' as const,
        how: client,
        name,
        request: made,
        check: answers(refusal),
      })),
    ),
  ]
}

function flawed<Of extends string, How extends string>(
  of: Of,
  how: How,
  request: TestRequest,
  ...[status, errorCode]: readonly [Refusal['status'], Refusal['errorCode']]
) {
  return { of, how, name: `${of}-${how}` as const, request, check: answers({ status, errorCode }) }
}

/** The reason why there is no answer to judge. Only `silent` blames the service. */
export type None =
  /** Nobody is to blame, because no answer came or a precondition failed. */
  | 'trouble'
  /** The settings or the target lack something, so the rule is untested. */
  | 'unavailable'
  /** The budget has no requests left for this purpose. */
  | 'budget'
  /** Wrong credentials are no longer sent, because they lock the client out. */
  | 'left-out'
  /** Nothing more is sent, because the target cannot be judged any further. */
  | 'ended'
  /** Like `ended`, but the client seems to be locked out, so breaches since it was last served do not count. */
  | 'locked'
  /** The transport rejected a request that it may reject. */
  | 'rejected'
  /** A violation: the service never answers this request, but does answer plain valid ones. */
  | 'silent'

/** Thrown when there is no answer to judge; the message completes a sentence in the report. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
  readonly none: None
  /** The breaches from which it follows; empty if it has any other cause. */
  readonly follows: readonly PreconditionBreach[] = []
  /** The purpose for which the budget refused to pay. */
  readonly purpose: Purpose | null = null
  /** The request that was never answered, and how many times it was sent, for `silent`. */
  readonly silence: { request: TestRequest; difference: string; times: number } | null = null

  constructor(none: None, says: string, more: Partial<NoAnswer> = {}) {
    super(says)
    this.none = none
    Object.assign(this, more)
  }

  /** Whether this says nothing about the request itself, so that its case is inconclusive or untested. */
  get leavesOpen() {
    return this.none !== 'rejected' && this.none !== 'silent'
  }

  get endsRun() {
    return this.none === 'ended' || this.none === 'locked'
  }

  /** Whether a lockout is the reason, so that a breach counts only if it was seen again. */
  get isAboutLockout() {
    return this.none === 'locked' || this.none === 'left-out'
  }
}

/** The reason if nobody is to blame, and the breaches from which it follows, if any. */
export const trouble = (says: string, more?: Pick<NoAnswer, 'follows'>) => new NoAnswer('trouble', says, more)

/** Returns the error as a {@link NoAnswer}; rethrows any other error, which is a bug. */
export function noAnswer(error: unknown) {
  if (error instanceof NoAnswer) return error
  throw error
}

/** The result, or another value if there is no answer for this reason. */
export async function instead<Result, Other>(none: None, sent: Promise<Result>, other: Other) {
  try {
    return await sent
  } catch (error) {
    if (noAnswer(error).none === none) return other
    throw error
  }
}

/** A breach that keeps another case from being judged, and the rule that reports it. */
export type PreconditionBreach = Readonly<{
  rule: RuleId
  request: TestRequest
  breach: Breach
}>

/** The breach of a precondition in an answer, by default that a valid request was not served; empty if the check passes. */
export function notServed(
  { request, exchange }: Pick<JudgedExchange, 'request' | 'exchange'>,
  check = succeeds(),
  reportedBy: RuleId = 'endpoints/list-succeeds',
) {
  const judgement = check.judge(exchange)
  return judgement.kind === 'violates' ? [{ rule: reportedBy, request, breach: judgement.breach }] : []
}

/** Thrown for a mistake in a user's own rules. The user's files are wrong, not the service or the suite. */
export class OwnRuleError extends Error {
  override readonly name = 'OwnRuleError'
  /** The issues, without credentials. */
  readonly issues: readonly SettingIssue[]

  constructor(issues: readonly SettingIssue[]) {
    super(
      issues.map(({ setting, given, expected }) => `${setting}: ${given}: expected ${expected}`).join('; '),
    )
    this.issues = issues
  }
}

/** The message of an error and its location, without stack frames from libraries. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return errorText(error)
  const frame = error.stack
    ?.split('\n')
    .find((line) => line.trim().startsWith('at ') && !line.includes('node_modules'))
  return frame === undefined ? error.message : `${error.message} (${frame.trim()})`
}

/** The same error, or, if it contains a credential, an error with only the redacted text. */
export function withoutCredentials(error: unknown, redactor: Redactor): unknown {
  if (error instanceof OwnRuleError) return error
  const text = errorText(error)
  const shown = `${text}\n${inspect(error, wholly)}`
  if (redactor.redact(shown) === shown) return error
  const told = new Error(redactor.redact(text))
  told.stack = redactor.redact(error instanceof Error ? (error.stack ?? '') : '')
  return told
}

const wholly = { depth: Infinity, maxArrayLength: Infinity, maxStringLength: Infinity, showHidden: true }

/** The location of the user's code that is running or that started a timer or promise: a rule and its file, or a file. */
const running = new AsyncLocalStorage<string>()

/** Where a user's own rule comes from, such as `acme/one (a.mjs)`; null for a rule of the specification. */
export function ownPlace({ id, file }: SuiteRule): string | null {
  if (isRuleId(id)) return null
  return file === undefined ? id : `${id} (${file})`
}

/** Calls code so that a later error is attributed to the user's code at this place, if it is not null. */
export function asOwnCode<Result>(where: string | null, call: () => Result): Result {
  return where === null ? call() : running.run(where, call)
}

/** The error for a mistake in the user's code at a place, without credentials; the same error if the place is null. */
export function ownError(error: unknown, where: string | null, redactor: Redactor): unknown {
  if (where === null || error instanceof NoAnswer || error instanceof OwnRuleError) return error
  const isInvalid = error instanceof Error && error.name === 'InvalidRule'
  const expected = isInvalid ? error.message : `functions that throw nothing, instead of: ${errorText(error)}`
  return mistakeIn(where, expected, (text) => redactor.ofAnswer().redact(text))
}

/** The error in a user's code that no longer had a caller; null if other code threw it. */
export function lateOwnError(error: unknown, redact: (text: string) => string) {
  const where = running.getStore()
  if (where === undefined) return null
  const expected = `nothing thrown later, as in a timer or a promise that nobody awaits, instead of: ${errorText(error)}`
  return mistakeIn(where, expected, redact)
}

function mistakeIn(where: string, expected: string, redact: (text: string) => string) {
  const told = (text: string) => printable(redact(text))
  return new OwnRuleError([issue('RUN_SUITES', { given: told(where), expected: told(expected) })])
}
