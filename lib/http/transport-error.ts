/** Reasons for the lack of a usable answer, with their names in reports. */
export const failureNames = {
  'connection-refused': 'refused connection',
  'host-not-found': 'unresolved name',
  'connect-timeout': 'timeout of a connection',
  unreachable: 'missing route',
  tls: 'failed TLS handshake',
  proxy: 'failure of the proxy',
  timeout: 'timeout',
  'connection-closed': 'closed connection',
  'not-http': 'answer that is not HTTP',
  'answer-too-large': 'answer that is too large',
  undecodable: 'answer in an unknown coding',
  gateway: 'failure of a gateway',
} as const

/** Reason for the lack of a usable answer. */
export type TransportErrorKind = keyof typeof failureNames

/** Thrown without a usable answer; an answer, even a refusal, is a value. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly kind: TransportErrorKind

  constructor(kind: TransportErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Message for an unrequested switch to another protocol (101). */
export function unaskedSwitch(at: string): string {
  return `${at} answered with 101, which the request did not ask for`
}

/** Whether the target accepted the connection and closed it before a complete answer. */
export function closesConnection(kind: TransportErrorKind): boolean {
  return kind === 'connection-closed'
}
