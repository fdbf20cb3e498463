import { whyNotRaw } from './raw-refusal.ts'
import { valueOf } from './request.ts'
import type { Request } from './request.ts'
import type { Target } from './target.ts'

/**
 * The head of a request as the bytes that the raw socket writes, credentials included: field names and values exactly as
 * given, `connection: close` unless the request has that field. Throws a `TypeError`, which quotes no value, for a request
 * in whose head something would be hidden.
 */
export function headOf(request: Request, { host, prefix }: Target): Buffer {
  const why = whyNotRaw(request)
  if (why !== null) throw new TypeError(`the raw socket does not send this request: ${why}`)

  const hasConnection = request.fields.some(({ name }) => name.toLowerCase() === 'connection')
  const lines = [
    `${request.method} ${prefix}${request.target} HTTP/1.1`,
    `host: ${host}`,
    ...request.fields.map((field) => `${field.name}: ${valueOf(field)}`),
    ...(hasConnection ? [] : ['connection: close']),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}
