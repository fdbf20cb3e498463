/** Why no answer came, or none that can be judged. */
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

/** No answer: a value that is thrown, for an answer is a value and trouble is an error. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly kind: TransportErrorKind

  constructor(kind: TransportErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** How it is said that a connection was switched to another protocol (101), which no request of ours asks for. */
export function unaskedSwitch(at: string): string {
  return `${at} answered with 101, which the request did not ask for`
}

/** Whether the target, once connected to, closed the connection instead of answering, or before its answer was complete. */
export function closesConnection(kind: TransportErrorKind): boolean {
  return kind === 'connection-closed'
}
