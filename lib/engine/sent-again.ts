import { responseFields, type Exchange } from '../http/exchange.ts'
import { closesConnection, TransportError, type TransportErrorKind } from '../http/transport-error.ts'
import { answeredBy } from '../judge/answered.ts'
import { isErrorCode } from '../spec/answers.ts'

/** How long to wait before each new try, in milliseconds: together longer than a gateway takes to find a restarted service. */
export const retryDelaysMs = [250, 750, 1_500] as const
const longestGatewayWaitMs = 10_000

/** 520 to 527 and 530 are those of a CDN that does not reach the service. */
const gatewayStatus: ReadonlySet<number> = new Set([
  502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530,
])
const idleTooLong = 408
const neverTheRequestsFault: ReadonlySet<TransportErrorKind> = new Set([
  'connection-refused',
  'host-not-found',
  'connect-timeout',
  'unreachable',
  'tls',
  'proxy',
  // No decoder here: this program's want, and nobody's fault.
  'undecodable',
])

/** Whether trouble of this kind may be an answer to one particular request; the others concern the connection only. */
export function mayBeTheRequestsFault(kind: TransportErrorKind): boolean {
  return !neverTheRequestsFault.has(kind)
}

/** Whether trouble of this kind may be how a transport, a gateway or a firewall refuses a request: it closes, answers itself, or drops. */
export function mayBeRefusal(kind: TransportErrorKind): boolean {
  return closesConnection(kind) || kind === 'gateway' || kind === 'timeout'
}

/** Gateway trouble with the wait that the gateway asked for. */
class GatewayTrouble extends TransportError {
  readonly retryAfterMs: number | null
  /** Whether a new connection was answered with 503, as where too many stand open. */
  readonly refusesConnection: boolean

  constructor({ response: { status }, reused }: Exchange, wait: number | null) {
    super('gateway', `a gateway answered ${status} in the place of the service`)
    this.retryAfterMs = wait
    this.refusesConnection = status === 503 && !reused
  }
}

const perConnection: ReadonlySet<TransportErrorKind> = new Set([
  'connection-closed',
  'connection-refused',
  'connect-timeout',
])

/** Whether trouble may mean that too many connections stand open: this one is refused or closed. */
export function mayMeanTooManyConnections(trouble: TransportError): boolean {
  return trouble instanceof GatewayTrouble ? trouble.refusesConnection : perConnection.has(trouble.kind)
}

/**
 * Whether nobody answered the request: a gateway did in the place of the service (502, 503, 504 or a CDN's like), or a server gave
 * up a connection that had lain idle, just as the request came (408, RFC 9110, 15.5.9); both without a documented error.
 */
export function isGatewayTrouble({ response, reused }: Exchange): boolean {
  const { status, flaw, errorCode } = answeredBy(response)
  if (status === idleTooLong) return reused && flaw !== null
  return gatewayStatus.has(status) && (flaw !== null || !isErrorCode(errorCode))
}

/** The trouble that such an answer is. */
export function gatewayTrouble(exchange: Exchange): TransportError {
  if (exchange.response.status === idleTooLong)
    return new TransportError(
      'connection-closed',
      'a connection that was used before was given up with 408 (Request Timeout) and without the documented error object',
    )
  return new GatewayTrouble(exchange, retryAfterMs(exchange, longestGatewayWaitMs))
}

/** Whether the rate is refused: a 429 without 1020; one with another documented code is an answer under a wrong status, not a rate limit. */
export function isRateRefusal({ response }: Exchange): boolean {
  return response.status === 429 && !isErrorCode(answeredBy(response).errorCode)
}

/** How long to wait, in milliseconds, after so many tries that ended in trouble. */
export function waitAfter(trouble: TransportError, tries: number): number {
  const wait = retryDelaysMs[tries - 1] ?? 0
  return trouble instanceof GatewayTrouble ? Math.max(wait, trouble.retryAfterMs ?? 0) : wait
}

/** `Retry-After` in milliseconds, seconds or a date, at most so long; null without one. Source: RFC 9110, 10.2.3. */
export function retryAfterMs({ response }: Exchange, longest: number): number | null {
  const value = responseFields(response, 'retry-after')[0]?.trim()
  if (value === undefined || value === '') return null

  const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), longest)
}
