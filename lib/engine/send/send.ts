import type { Exchange } from '../../http/exchange.ts'
import type { Connection } from '../../http/transport.ts'
import type { TransportError } from '../../http/transport-error.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { Purpose, TestRequest } from '../plan/test-request.ts'

/** How a request is sent. */
export interface SendOptions {
  /** The rule whose budget it uses. */
  readonly rule: RuleId
  readonly purpose: Purpose
  /** The name of its case, for its trace; without it, none is sent. */
  readonly case?: string | undefined
  /** The connection to send on; by default any of the pool. */
  readonly connection?: Connection | undefined
  /** Nothing else may be in flight. */
  readonly exclusive?: boolean
  /** As many at once as the settings allow, even if the service is slower then: a scenario may be about that. */
  readonly atOnce?: boolean | undefined
  /** One of a crowd: bound by the pace alone, and a refused rate is its answer. */
  readonly isCrowd?: boolean
  /** One attempt: the caller handles a failure. */
  readonly once?: boolean
  /** Failed attempts to continue from; waits first, unless it is sent `once`. */
  readonly after?: Unanswered
  /** A failure is expected, and indicates no outage. */
  readonly expectsFailure?: boolean
  /** Aborts when it is not to be sent any more as it is: it then rejects with the reason, unless it was sent already. */
  readonly until?: AbortSignal
  /** Higher priorities go out first. */
  readonly priority?: number
}

/** A layer: sends a request through the layer below it. Throws a {@link TransportError} without a response. */
export type Layer = (request: TestRequest, options: SendOptions) => Promise<Exchange>

/** No attempt to send a request got a response. */
export interface Unanswered {
  readonly kind: 'no response'
  /** The error of the last attempt. */
  readonly error: TransportError
  /** The error of each attempt. */
  readonly attempts: readonly TransportError[]
}

/** Sends a request. Throws {@link Inconclusive} if the service keeps refusing the rate, or no request is left. */
export type Send = (request: TestRequest, options: SendOptions) => Promise<Exchange | Unanswered>

/** Whether no response came. */
export function isUnanswered(sent: Exchange | Unanswered): sent is Unanswered {
  return 'kind' in sent
}
