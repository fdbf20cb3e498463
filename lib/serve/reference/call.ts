import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { originForm } from '../listening.ts'

/** A request as the service sees it. Faults copy and change it. */
export interface Call {
  readonly method: string
  /** The path as sent, without the query. */
  readonly path: string
  /** The query as sent, without the question mark. */
  readonly query: string
  /** Whether there was a question mark, with or without a query after it. */
  readonly hasMark: boolean
  readonly headers: IncomingHttpHeaders
  /** Alternating names and values, in the order and letter case as sent. */
  readonly rawHeaders: readonly string[]
  /** The received body; also empty if the service reads no bodies. */
  readonly body: string
  readonly httpVersion: string
  /** Identifies the connection: the same object for the same connection. */
  readonly connection: object
  /** Number of requests seen by the service, including this one. */
  readonly arrival: number
}

/** Names of the three headers of every request. */
export type RequiredName = 'x-api-key' | 'x-secret-key' | 'x-version'

/** Reads the parts of a request that the service needs. */
export function callOf(request: IncomingMessage, arrival: number, body = ''): Call {
  const target = originForm(request.url)
  const mark = target.indexOf('?')
  return {
    method: request.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    hasMark: mark >= 0,
    headers: request.headers,
    rawHeaders: request.rawHeaders,
    body,
    httpVersion: request.httpVersion,
    connection: request.socket,
    arrival,
  }
}

/** The value of a header, joined if repeated; undefined if absent. */
export function field(call: Call, name: string): string | undefined {
  const value = call.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** The call with a header set, or removed if the value is undefined. */
export function withField(call: Call, name: string, value: string | undefined): Call {
  return { ...call, headers: { ...call.headers, [name]: value } }
}

/** Maximum size of a body, in bytes. */
const mostBytes = 1_024 * 1_024

/** Reads the body of a request, up to the maximum size. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    const read = Buffer.from(chunk)
    bytes += read.length
    if (bytes <= mostBytes) chunks.push(read)
  }
  return Buffer.concat(chunks).toString()
}
