import type { Baseline } from '../../drift/baseline.ts'
import type { Signal } from '../../http/abort-signal.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { Connection } from '../../http/transport.ts'
import type { Check, Judgement } from '../../judge/judge.ts'
import type { Situation } from '../../verdict/power.ts'
import { clientNames, type ClientName } from '../../specification/client-rows.ts'
import type { DeclaredRule } from '../../specification/catalogue.ts'
import type { SpecRuleId } from '../../specification/rules.ts'
import type { SuiteContext } from './suite-context.ts'
import type { TestRequest } from './test-request.ts'

/** Rules of one part of the specification. */
export interface Area {
  readonly title: string
  readonly rules: readonly SuiteRule[]
}

/** A rule of the catalogue and how it is judged: a plain value. */
export interface SuiteRule extends DeclaredRule {
  /** What it would send; called before anything is sent. */
  readonly work: (context: SuiteContext) => Work | Untestable
  /** Its place in the order in which a small budget is spent; default behind all that have one. */
  readonly rank?: number
  /** The module of a rule of the user's own; absent if it came from a script. */
  readonly file?: string
}

/** What a rule sends in a run: listed or generated cases. */
export type Work = { readonly kind: 'cases'; readonly cases: readonly Case[] } | Property

/** Why none of a rule's cases can be sent with these settings. */
export interface Untestable {
  readonly untested: string
}

export type Case = Example | Scenario

interface CaseCost {
  /** Part of the public name of a case: never changes. A shrink path follows the name of a generated one. */
  readonly name: string
  /** Requests it sends to a service that answers as documented; more come from the remaining budget. */
  readonly requests: number
  /** Requests it must be able to send. */
  readonly least: number
  /** Requests it sends when it is replayed, where nothing is shared. */
  readonly requestsAlone: number
}

/** One request, listed or generated, and what its answer must be. Free if another case sends the same request. */
export interface Example extends CaseCost {
  readonly kind: 'example'
  readonly request: TestRequest
  readonly check: Check
  /** Another explanation of a breach: `FIXTURE_… is not such a client`. */
  readonly hint?: string
  /** The documented rule that is also broken if this certainly flawed request succeeds. */
  readonly brokenIfServed?: SpecRuleId
  /** The same without conditions, which is judged instead if the answer under conditions does not hold. */
  readonly plain?: Example
  /** Sent by itself even if another case sends the same request. */
  readonly again?: true
  /** What was changed, in words, for findings. */
  readonly says?: string
  /** Sent on a connection of its own. */
  readonly alone?: true
  /** What is sent right before it, on a connection that both have to themselves. */
  readonly lead?: TestRequest
  readonly pair?: Pair
  /** Records an observation: what was answered, or why nothing was. */
  readonly observe?: (observations: Notes, outcome: string) => void
  /** Simpler cases, simplest first, drawn on demand. */
  readonly simpler?: () => Iterable<Example>
}

/** A request that is sent first, in the same way. */
interface Pair {
  readonly request: TestRequest
  /** What holds after its answer; null if its connection was closed. */
  readonly check: (before: Exchange | null) => Check
}

/** Several requests judged together; confirmed by playing it again. */
export interface Scenario extends CaseCost {
  readonly kind: 'scenario'
  readonly play: (stage: Stage) => Promise<readonly JudgedExchange[]>
  /** The scene that it judges, or null. */
  readonly scene: Scene | null
  /** Requests whose answers it leaves to other cases. */
  readonly provides: readonly TestRequest[]
  /** Requests whose answers it takes from other cases, by {@link Stage.known}. */
  readonly wants: readonly TestRequest[]
  /** Its requests by the client whose quota they use. */
  readonly byClient: RequestsByClient
  /** Played after all other cases of its rule, with nothing else of the run in flight: it may lock a client or ban the sender. */
  readonly last?: true
}

/** How many requests use each client's quota. */
export type RequestsByClient = Readonly<Partial<Record<ClientName, number>>>

/** Requests in a fixed order: groups one after the other, the steps of a group side by side. Several rules may judge it. */
export type Scene = readonly (readonly Step[])[]

/** A request of a scene. */
export interface Step {
  readonly request: TestRequest
  readonly check: Check
  /** Steps with the same name use one connection of their own; without a name, any of the pool. */
  readonly connection?: string
  /** The plain valid request, sent instead if this other form of it is not served. Without a success the scene means nothing. */
  readonly fallback?: TestRequest
}

/** What came of each step. */
export type Played = ReadonlyMap<Step, JudgedExchange>

/** An exchange of a scenario and its judgement. */
export interface JudgedExchange {
  readonly request: TestRequest
  readonly exchange: Exchange
  readonly judgement: Judgement
}

/** Where cases leave what is recorded and never judged. */
export interface Notes {
  /** Records a value; the last one under an id counts. */
  readonly observe: (id: string, value: unknown) => void
  /** Adds an outcome for one subject of an observation; other outcomes of the subject are kept, too. */
  readonly note: (id: string, subject: string, outcome: string) => void
}

/** What a scenario sends with. Every method that sends throws `NoAnswer` if there is no answer to judge. */
export interface Stage {
  /** Aborted when the run is cancelled: a play that waits for anything but answers must heed it. */
  readonly cancelled: Signal
  readonly observations: Notes
  /** Case requests that the scenario's rule can still send. */
  readonly affordable: number
  send(request: TestRequest, connection?: Connection): Promise<Exchange>
  /** The exchange of a request that another case sent before, where the scenario says that it wants it; else sends it. */
  known(request: TestRequest): Promise<Exchange>
  /** Sends; null if the transport rejected the request, and may. */
  attempt(request: TestRequest, connection?: Connection): Promise<Exchange | null>
  /** Sends each request once on a connection of its own, all at once, however few the settings allow; gives what was answered. */
  crowd(requests: readonly TestRequest[]): Promise<readonly Exchange[]>
  judge(request: TestRequest, check: Check, connection?: Connection): Promise<JudgedExchange>
  /** Judges a request that the scenario wants from other cases; sends it if what they got does not hold. */
  judgeKnown(request: TestRequest, check: Check): Promise<JudgedExchange>
  /** Plays a scene, once in a run for all rules that judge it. */
  enact(scene: Scene): Promise<Played>
  /** Sends a request that must succeed for the rest to mean anything; throws `NoAnswer` otherwise. */
  served(request: TestRequest, connection?: Connection): Promise<JudgedExchange>
  /** As `served`, with the answer that another case got before. */
  servedKnown(request: TestRequest): Promise<JudgedExchange>
  /** Waits until nothing of the run is in flight, and keeps it so for this long, in milliseconds. */
  silence(waitMs: number): Promise<void>
  /** Requests sent for a client so far, retries included. */
  sentAs(client: ClientName): number
  /** A new connection, closed when the play is over. */
  connection(): Connection
  /** Records what departs from a baseline in the answers of the run so far. */
  compareWith(baseline: Baseline): Promise<void>
}

/** A rule's generated cases. */
export interface Property {
  readonly kind: 'generated'
  readonly size: number
  /** Requests in all. */
  readonly requests: number
  /** Drawn on demand, always the same ones. */
  readonly cases: () => Iterable<Example>
  /** The conditions that rows are sent under, as situations that a run may meet. */
  readonly conditions?: readonly Situation[]
  /** The labels of the endpoints that its cases are for. */
  readonly endpoints?: readonly string[]
  /** Requests by client, where the cases are drawn when planned. */
  readonly byClient?: RequestsByClient
  /** Requests for refining what rows show; absent if they are told as they are. */
  readonly refining?: number
}

/** A case of one request. */
export function example(name: string, request: TestRequest, check: Check, hint?: string): Example {
  const cost = { name, requests: 1, least: 1, requestsAlone: 1 }
  return { kind: 'example', ...cost, request, check, ...(hint === undefined ? {} : { hint }) }
}

/** A case of several requests. */
export function scenario(
  name: string,
  requests: number | { readonly least: number; readonly most: number },
  play: Scenario['play'],
  more: Partial<Pick<Scenario, 'provides' | 'wants' | 'byClient' | 'last'>> = {},
): Scenario {
  const { least, most } = typeof requests === 'number' ? { least: requests, most: requests } : requests
  const { provides = [], wants = [], byClient = { target: most } } = more
  const cost = { name, requests: most, least, requestsAlone: most }
  const isLast = more.last === true ? { last: true as const } : {}
  return { kind: 'scenario', ...cost, play, scene: null, provides, wants, byClient, ...isLast }
}

/** A case that judges a scene, or some of its steps; further cases judge the same scene at no cost. */
export function inScene(name: string, scene: Scene, own: readonly Step[] = scene.flat()): Scenario {
  const steps = scene.flat()
  const play: Scenario['play'] = async (stage) => {
    const played = await stage.enact(scene)
    return own.flatMap((step) => played.get(step) ?? [])
  }
  const provides = steps.map(({ request }) => request)
  return { ...scenario(name, steps.length, play, { provides, byClient: countByClient(provides) }), scene }
}

/** Adds up requests by client. */
export function sumByClient(all: readonly RequestsByClient[]): RequestsByClient {
  const sums = clientNames.map((client) => {
    return [client, all.reduce((sum, one) => sum + (one[client] ?? 0), 0)] as const
  })
  return Object.fromEntries(sums.filter(([, requests]) => requests !== 0))
}

/** Counts requests by the client whose quota they use. */
export function countByClient(requests: readonly TestRequest[]): RequestsByClient {
  return sumByClient(requests.map(({ traits }) => ({ [traits.client]: 1 })))
}
