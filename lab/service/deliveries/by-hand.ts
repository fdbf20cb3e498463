import { STATUS_CODES } from 'node:http'
import type { Deliverer } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'

/** How an answer differs from what Node would write, besides its last lines. */
interface Odd {
  readonly version?: '1.0' | '1.1'
  /** A line before the fields, with line ends if it is more than one. */
  readonly first?: string
  readonly spell?: (name: string, value: string) => string
  readonly framed?: (body: Buffer) => Buffer
  /** How long the connection stays open after the answer, in milliseconds. */
  readonly lingerMs?: number
}

/**
 * Writes what Node would not write, with these lines after the fields, and closes, because Node does not know that
 * the answer is complete.
 */
function byHand(
  last: (length: number) => readonly string[],
  {
    version = '1.1',
    first,
    spell = (name, value) => `${name}: ${value}`,
    framed = (body) => body,
    lingerMs = 0,
  }: Odd = {},
): Deliverer {
  return ({ status, fields, body }, response) => {
    const bytes = Buffer.from(body)
    const head = [
      `HTTP/${version} ${String(status)} ${STATUS_CODES[status] ?? ''}`,
      ...(first === undefined ? [] : [first]),
      ...fields.flatMap((name, index) => (index % 2 === 0 ? [spell(name, fields[index + 1] ?? '')] : [])),
      ...last(bytes.length),
    ]
    response.socket?.write(Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'))
    response.socket?.write(response.req.method === 'HEAD' ? '' : framed(bytes))
    if (lingerMs === 0) response.socket?.end()
    else setTimeout(() => response.socket?.end(), lingerMs).unref()
  }
}

const closing = (length: number) => [`Content-Length: ${String(length)}`, 'Connection: close']

/** Answers with HTTP/1.0, as some proxies do: with a length, or ended by closing. */
export function withOldVersion(framing: 'length' | 'closing'): Deliverer {
  return byHand((length) => (framing === 'length' ? [`Content-Length: ${String(length)}`] : []), {
    version: '1.0',
  })
}

/** Answers a request with `connection: close` by closing after this many milliseconds, and others as usual. */
export function lingering(ms: number): Deliverer {
  const late = byHand(closing, { lingerMs: ms })
  return (outgoing, response) =>
    (response.req.headers.connection === 'close' ? late : whole)(outgoing, response)
}

/** Ends the body by closing the connection (RFC 9112, 6.3). */
export const endedByClosing = byHand(() => ['Connection: close'])

/** Sends chunks with extensions, and with sizes in capitals and with leading zeros (RFC 9112, 7.1). */
export const withChunkExtensions = byHand(() => ['Transfer-Encoding: chunked', 'Connection: close'], {
  framed: (body) => {
    const size = body.length.toString(16).toUpperCase()
    const [before, after] = [`00${size};signature="a;b";last\r\n`, '\r\n0;done=1\r\n\r\n']
    return Buffer.concat([Buffer.from(before), body, Buffer.from(after)])
  },
})

/** Writes a raw line into the head, including line ends. */
export function withLine(line: string): Deliverer {
  return byHand(closing, { first: line })
}

/** Writes no space before values, or much white space around them (RFC 9112, 5). */
export function withSpaceAround(before: string, behind: string): Deliverer {
  // Some parsers do not accept white space after fields that frame a message.
  return byHand((length) => [`Content-Length:${before}${String(length)}`, 'Connection:close'], {
    spell: (name, value) => `${name}:${before}${value}${behind}`,
  })
}

/** Writes the length with leading zeros, which its grammar allows (RFC 9110, 8.6). */
export const withZerosBeforeLength = byHand((length) => [
  `Content-Length: 000${String(length)}`,
  'Connection: close',
])

/** Writes every field name in lower case, including those of the connection, and no date. */
export const withLowerCaseNames = byHand(
  (length) => [`content-length: ${String(length)}`, 'connection: close'],
  { spell: (name, value) => `${name.toLowerCase()}: ${value}` },
)
