import { whyNotRaw } from './raw-refusal.ts'
import type { Request } from './request.ts'
import { Secret } from './secret.ts'
import type { Target } from './target.ts'

/**
 * The head of a request as the raw lane writes it, in pieces whose characters are bytes: field names and values exactly as
 * given, `connection: close` unless the request has that field. Throws a `TypeError`, which quotes no value, for a request
 * in whose head something would be hidden.
 */
export function headPieces(request: Request, { host, prefix }: Target): readonly (string | Secret)[] {
  const why = whyNotRaw(request)
  if (why !== null) throw new TypeError(`the raw lane does not send this request: ${why}`)

  const hasConnection = request.fields.some(({ name }) => name.toLowerCase() === 'connection')
  return [
    `${request.method} ${prefix}${request.target} HTTP/1.1\r\nhost: ${host}\r\n`,
    ...request.fields.flatMap(({ name, value }) => [`${name}: `, value, '\r\n']),
    hasConnection ? '\r\n' : 'connection: close\r\n\r\n',
  ]
}

/** The same as the bytes that go on the wire, credentials included. */
export function headOf(request: Request, target: Target): Buffer {
  const texts = headPieces(request, target).map((piece) => (piece instanceof Secret ? piece.reveal() : piece))
  return Buffer.from(texts.join(''), 'latin1')
}
