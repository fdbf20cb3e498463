import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** A request as the service sees it; faults see another one by copying. */
export interface Call {
  readonly method: string
  /** The path as it was sent, without the query. */
  readonly path: string
  /** The query as it was sent, without the question mark. */
  readonly query: string
  /** Whether there was a question mark, with or without a query behind it. */
  readonly hasMark: boolean
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, in the order and letter case in which they were sent. */
  readonly rawHeaders: readonly string[]
  /** What came with it; empty too where the service reads no bodies. */
  readonly body: string
  readonly httpVersion: string
  /** Which connection it came on: the same object for the same connection. */
  readonly connection: object
  /** How many requests the service had seen with this one. */
  readonly arrival: number
}

/** The names of the three headers that every request carries. */
export type RequiredName = 'x-api-key' | 'x-secret-key' | 'x-version'

/** Reads what the service needs of a request. */
export function callOf(request: IncomingMessage, arrival: number, body = ''): Call {
  const target = originForm(request.url ?? '/')
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

/** The value of a header, joined where it was repeated; undefined where it is absent. */
export function field(call: Call, name: string): string | undefined {
  const value = call.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** The call with a header set, or left out where the value is undefined. */
export function withField(call: Call, name: string, value: string | undefined): Call {
  return { ...call, headers: { ...call.headers, [name]: value } }
}

// RFC 9112, 3.2.2: a server accepts `GET http://host/path` too.
function originForm(target: string): string {
  const absolute = /^https?:\/\/[^/?]*/i.exec(target)
  return absolute === null ? target : target.slice(absolute[0].length)
}

/** Maximum size of a body, in bytes. */
const mostBytes = 1_024 * 1_024

/** Reads the body of a request; of a larger one its beginning. */
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
