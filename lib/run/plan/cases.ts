import type { Baseline } from '../../drift/baseline.ts'
import type { MutatedRequest } from '../../fuzz/case-class.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { Signal, Connection } from '../../http/transport.ts'
import { isServed } from '../../judge/answered.ts'
import { holds, type Check, type Judgement } from '../../judge/judge.ts'
import { runWideChecks } from '../../judge/run-wide.ts'
import { clientNames, type ClientName } from '../../specification/client-rows.ts'
import {
  ruleOf,
  runWideRules,
  type DeclaredRule,
  type Rule,
  type SpecRuleId,
} from '../../specification/rules.ts'
import { flawedRequests, type JudgedEndpoint, type ListedChoice, type SuiteContext } from './suite-context.ts'
import type { TestRequest } from './test-request.ts'

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
export interface Untestable {
  readonly untested: string
}

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
    if (fallback === undefined || isServed(met.exchange)) return { ...met, step }
    return { ...(await stage.served(fallback, connection)), step }
  }
  const played: JudgedExchange[] = []
  for (const group of scene) played.push(...(await Promise.all(group.map(enact))))
  return played
}

/** The cost of a case that shares no request. */
export function costOf(one: Case): Cost {
  if (one.kind === 'scenario') return one
  return costFor(one.lead === undefined && one.pair === undefined ? 1 : 2, one.request.traits.client)
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
