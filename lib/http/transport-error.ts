/** Why no answer came that can be judged. */
export type TransportErrorKind =
  | 'connection-refused'
  | 'host-not-found'
  | 'connect-timeout'
  | 'unreachable'
  | 'tls'
  | 'proxy'
  | 'timeout'
  | 'connection-closed'
  | 'not-http'
  | 'answer-too-large'
  | 'undecodable'
  | 'gateway'

/** Thrown if no answer can be judged; an answer, even a refusal, is a value. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly kind: TransportErrorKind

  constructor(kind: TransportErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Message for a connection switched to another protocol (101), which no request asks for. */
export function unaskedSwitch(at: string): string {
  return `${at} answered with 101, which the request did not ask for`
}

/** Whether the target accepted the connection and closed it before a complete answer. */
export function closesConnection(kind: TransportErrorKind): boolean {
  return kind === 'connection-closed'
}
