import type { Exchange } from '../http/exchange.ts'
import type { Connection } from '../http/transport.ts'
import type { Check, Judgement } from '../judge/judge.ts'
import type { RuleId } from '../spec/rules.ts'
import type { Context, TestRequest } from './test-request.ts'
import type { TestClient } from './client.ts'

/** One request and what is demanded of its answer. */
export interface Example {
  readonly kind: 'example'
  /** Stable: part of the public name of a case. */
  readonly name: string
  readonly stimulus: TestRequest
  readonly check: Check
  /** Whether another rule sends the same request, so that this one need not. */
  readonly isShared?: true
  /** What else may explain a breach: `FIXTURE_… is not such a client`. */
  readonly orElse?: string
  /** The documented rule that is broken besides when this request, which is certainly flawed, succeeds. */
  readonly lettingInBreaks?: RuleId
}

/** Several requests whose answers mean something together; confirmed by playing it again. */
export interface Scenario {
  readonly kind: 'scenario'
  readonly name: string
  /** How many requests it sends to a service that answers as documented; what others need besides is paid from what is left. */
  readonly requests: number
  /** How many it must be able to send; as many as `requests` unless it can do with less. */
  readonly least: number
  readonly play: (stage: Stage) => Promise<readonly Judged[]>
}

/** A stimulus of a rule. */
export type Case = Example | Scenario

/** An exchange of a scenario and what judging it came to. */
export interface Judged {
  readonly stimulus: TestRequest
  readonly exchange: Exchange
  readonly judgement: Judgement
}

/** What a scenario plays on. Every method throws what {@link TestClient.send} throws. */
export interface Stage {
  /** Sends on any connection, or on the one given. */
  readonly send: (stimulus: TestRequest, connection?: Connection) => Promise<Exchange>
  /** The same, or null where the transport refused the request by itself, and may. */
  readonly attempt: (stimulus: TestRequest, connection?: Connection) => Promise<Exchange | null>
  /** Sends and judges. */
  readonly judge: (stimulus: TestRequest, check: Check, connection?: Connection) => Promise<Judged>
  /** Sends a request that must succeed before the rest means anything; throws `Inconclusive` where it does not. */
  readonly served: (stimulus: TestRequest, connection?: Connection) => Promise<Judged>
  /** One connection of its own, closed when the scenario ends. */
  readonly connection: () => Connection
  readonly session: TestClient
  readonly context: Context
}

/** Why none of a rule's cases can be sent with these settings. */
export interface Untestable {
  readonly untested: string
}

/** A case of one request. */
export function example(name: string, stimulus: TestRequest, check: Check, orElse?: string): Example {
  return { kind: 'example', name, stimulus, check, ...(orElse === undefined ? {} : { orElse }) }
}

/** A case of several requests. */
export function scenario(
  name: string,
  requests: number | { readonly least: number; readonly most: number },
  play: Scenario['play'],
): Scenario {
  const { least, most } = typeof requests === 'number' ? { least: requests, most: requests } : requests
  return { kind: 'scenario', name, requests: most, least, play }
}

/** How many requests a case sends to a service that answers as documented. */
export function requestsOf(one: Case): number {
  if (one.kind === 'scenario') return one.requests
  return one.isShared === true ? 0 : 1
}

/** How many requests a case must be able to send. */
export function leastOf(one: Case): number {
  return one.kind === 'scenario' ? one.least : requestsOf(one)
}
