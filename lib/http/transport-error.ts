/** Reasons why there is no usable answer, with their names in reports. */
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

/** The reason why there is no usable answer. */
export type TransportErrorKind = keyof typeof failureNames

/** Thrown if there is no usable answer. An answer, even a refusal, is returned as a value. */
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

/** Whether the target accepted the connection and closed it before its answer was complete. */
export function closesConnection(kind: TransportErrorKind): boolean {
  return kind === 'connection-closed'
}
