import { createHash } from 'node:crypto'
import type { Request } from './request.ts'

/** The fields of a trace, which a case may also set. */
const traceFields: ReadonlySet<string> = new Set(['traceparent', 'tracestate'])

/** The trace id of a case, 32 hexadecimal digits derived from its name `rule:seed:case`. Source: W3C Trace Context, 3.2.2.3. */
export function traceIdOf(name: string): string {
  return digitsOf(name, 32)
}

/**
 * Returns a request with the `traceparent` of its case, for the service's traces. The request is unchanged if it already has a trace field
 * or is sent byte for byte. The parent id depends on the purpose and the request line, never on field values.
 */
export function traced(request: Request, name: string, purpose: string): Request {
  const { method, target, fields, route } = request
  if (route === 'raw' || fields.some((field) => traceFields.has(field.name.toLowerCase()))) return request
  const names = fields.map((field) => field.name).join(' ')
  const parent = digitsOf(`${name} ${purpose} ${method} ${target} ${names}`, 16)
  const value = `00-${traceIdOf(name)}-${parent}-01`
  return { ...request, fields: [...fields, { name: 'traceparent', value }] }
}

function digitsOf(text: string, count: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, count)
}
