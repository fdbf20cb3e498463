import { responseFields, type Exchange } from '../../http/exchange.ts'
import { closesConnection, TransportError, type TransportErrorKind } from '../../http/transport-error.ts'
import { answeredBy } from '../../judge/answered.ts'
import { isErrorCode } from '../../specification/answers.ts'
import type { TestRequest } from '../plan/test-request.ts'

/** Maximum accepted wait of a gateway, in milliseconds. */
const longestGatewayWaitMs = 10_000
/** A CDN that does not reach the service sends 520 to 527 and 530. */
const gatewayStatus = new Set([502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530])
const neverTheRequestsFault: ReadonlySet<TransportErrorKind> = new Set([
  'connection-refused',
  'host-not-found',
  'connect-timeout',
  'unreachable',
  'tls',
  'proxy',
  // This program has no decoder for it.
  'undecodable',
])
const perConnection: ReadonlySet<TransportErrorKind> = new Set([
  'connection-closed',
  'connection-refused',
  'connect-timeout',
])

/** A gateway's answer in place of the service's. */
export class GatewayError extends TransportError {
  readonly status: number
  readonly retryAfterMs: number
  /** A new connection was answered with 503, as when too many are open. */
  readonly refusesConnection: boolean
  /** As {@link insteadOfJson}. */
  readonly insteadOfJson: string | null

  constructor(exchange: Exchange) {
    const { status } = exchange.response
    super('gateway', `a gateway answered ${status} in the place of the service`)
    this.status = status
    this.retryAfterMs = retryAfterMs(exchange, longestGatewayWaitMs) ?? 0
    this.refusesConnection = status === 503 && !exchange.reused
    this.insteadOfJson = insteadOfJson(exchange)
  }
}

/** What an answer's body is instead of JSON, in words; null if it is JSON. */
export function insteadOfJson({ response }: Exchange): string | null {
  const { kind } = response.body
  if (kind === 'json') return null
  const [label = 'without content-type'] = responseFields(response, 'content-type')
  return kind === 'empty' ? 'an empty body' : `a body that is not JSON (${label.slice(0, 80)})`
}

/** A gateway's 502, 503, 504 or 52x, or a 408 for an idle connection (RFC 9110, 15.5.9); null otherwise or with a documented error. */
export function gatewayFailure(exchange: Exchange): TransportError | null {
  const { status, flaw, errorCode } = answeredBy(exchange.response)
  if (status === 408 && exchange.reused && flaw !== null) {
    const says =
      'a connection that was used before was given up with 408 (Request Timeout) and without the documented error object'
    return new TransportError('connection-closed', says)
  }
  const isGateway = gatewayStatus.has(status) && (flaw !== null || !isErrorCode(errorCode))
  return isGateway ? new GatewayError(exchange) : null
}

/** Whether a failure may mean the rate: nginx refuses one by a 503 that nothing tells from an overloaded service. */
export function mayMeanRate(error: TransportError | undefined): boolean {
  return error instanceof GatewayError && error.status === 503
}

/** Whether one request may cause failures of this kind; the others concern the connection only. */
export function mayBeTheRequestsFault(kind: TransportErrorKind): boolean {
  return !neverTheRequestsFault.has(kind)
}

/** Whether an answer came that only this program cannot read: it would come again, and the service is there. */
export function isAnswered(kind: TransportErrorKind): boolean {
  return kind === 'undecodable'
}

/** Whether a transport, gateway or firewall may have rejected this request by closing, answering or dropping it. */
export function isRejection({ traits }: TestRequest, kind: TransportErrorKind): boolean {
  return traits.transportMayRefuse && (closesConnection(kind) || kind === 'gateway' || kind === 'timeout')
}

/** Whether too many open connections may explain the failure: this one was refused or closed. */
export function mayMeanTooManyConnections(error: TransportError): boolean {
  return error instanceof GatewayError ? error.refusesConnection : perConnection.has(error.kind)
}

/** The wait that a gateway requested, in milliseconds. */
export function waitAskedFor(error: TransportError): number {
  return error instanceof GatewayError ? error.retryAfterMs : 0
}

/** Whether the rate is refused: a 429 without a documented code. With a code it is an answer, perhaps under a wrong status. */
export function isRateRefusal({ response }: Exchange): boolean {
  return response.status === 429 && !isErrorCode(answeredBy(response).errorCode)
}

/** `Retry-After` (seconds or a date) in milliseconds, up to a maximum; null without one. Source: RFC 9110, 10.2.3. */
export function retryAfterMs({ response }: Exchange, longest: number): number | null {
  const value = responseFields(response, 'retry-after')[0]?.trim()
  if (value === undefined || value === '') return null

  const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), longest)
}
