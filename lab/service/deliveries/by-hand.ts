import { STATUS_CODES, type ServerResponse } from 'node:http'
import type { Deliverer, Outgoing } from '../../../lib/serve/reference/answer.ts'
import { whole } from '../../../lib/serve/reference/deliver.ts'

/** The bytes of an answer, after which the connection is closed. */
interface Written {
  /** The status line and the header lines, without line ends. */
  readonly head: readonly string[]
  readonly body: Buffer | string
}

/** Writes what Node would not write, and closes, because Node does not know that the answer is complete. */
function byHand(write: (outgoing: Outgoing, body: Buffer) => Written, lingerMs = 0): Deliverer {
  return (outgoing, response) => {
    const { head, body } = write(outgoing, Buffer.from(outgoing.body))
    const bytes = [
      Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'),
      hasBody(response) ? Buffer.from(body) : '',
    ]
    for (const part of bytes) response.socket?.write(part)
    if (lingerMs === 0) response.socket?.end()
    else setTimeout(() => response.socket?.end(), lingerMs).unref()
  }
}

function hasBody({ req }: ServerResponse): boolean {
  return req.method !== 'HEAD'
}

function lines(
  fields: readonly string[],
  write = (name: string, value: string) => `${name}: ${value}`,
): readonly string[] {
  return fields.flatMap((name, index) => (index % 2 === 0 ? [write(name, fields[index + 1] ?? '')] : []))
}

function statusLine(version: string, status: number): string {
  return `HTTP/${version} ${String(status)} ${STATUS_CODES[status] ?? ''}`
}

/** Answers with HTTP/1.0, as some proxies do: with a length, or ended by closing. */
export function withOldVersion(framing: 'length' | 'closing'): Deliverer {
  return byHand(({ status, fields }, body) => ({
    head: [
      statusLine('1.0', status),
      ...lines(fields),
      ...(framing === 'length' ? [`Content-Length: ${String(body.length)}`] : []),
    ],
    body,
  }))
}

/** Answers a request with `connection: close` by closing after this many milliseconds, and others as usual. */
export function lingering(ms: number): Deliverer {
  const late = byHand(
    ({ status, fields }, body) => ({
      head: [
        statusLine('1.1', status),
        ...lines(fields),
        `Content-Length: ${String(body.length)}`,
        'Connection: close',
      ],
      body,
    }),
    ms,
  )
  return (outgoing, response) =>
    (response.req.headers.connection === 'close' ? late : whole)(outgoing, response)
}

/** Ends the body by closing the connection (RFC 9112, 6.3). */
export const endedByClosing: Deliverer = byHand(({ status, fields }, body) => ({
  head: [statusLine('1.1', status), ...lines(fields), 'Connection: close'],
  body,
}))

/** Sends chunks with extensions, and with sizes in capitals and with leading zeros (RFC 9112, 7.1). */
export const withChunkExtensions: Deliverer = byHand(({ status, fields }, body) => ({
  head: [statusLine('1.1', status), ...lines(fields), 'Transfer-Encoding: chunked', 'Connection: close'],
  body: Buffer.concat([
    Buffer.from(`00${body.length.toString(16).toUpperCase()};signature="a;b";last\r\n`),
    body,
    Buffer.from('\r\n0;done=1\r\n\r\n'),
  ]),
}))

/** Writes a raw line into the head, including line ends. */
export function withLine(line: string): Deliverer {
  return byHand(({ status, fields }, body) => ({
    head: [
      statusLine('1.1', status),
      line,
      ...lines(fields),
      `Content-Length: ${String(body.length)}`,
      'Connection: close',
    ],
    body,
  }))
}

/** Writes no space before values, or much white space around them (RFC 9112, 5). */
export function withSpaceAround(before: string, behind: string): Deliverer {
  return byHand(({ status, fields }, body) => ({
    head: [
      statusLine('1.1', status),
      ...lines(fields, (name, value) => `${name}:${before}${value}${behind}`),
      // Some parsers do not accept white space after fields that frame a message.
      `Content-Length:${before}${String(body.length)}`,
      'Connection:close',
    ],
    body,
  }))
}

/** Writes the length with leading zeros, which its grammar allows (RFC 9110, 8.6). */
export const withZerosBeforeLength: Deliverer = byHand(({ status, fields }, body) => ({
  head: [
    statusLine('1.1', status),
    ...lines(fields),
    `Content-Length: 000${String(body.length)}`,
    'Connection: close',
  ],
  body,
}))

/** Writes every field name in lower case, including those of the connection, and no date. */
export const withLowerCaseNames: Deliverer = byHand(({ status, fields }, body) => ({
  head: [
    statusLine('1.1', status),
    ...lines(
      [...fields, 'content-length', String(body.length), 'connection', 'close'],
      (name, value) => `${name.toLowerCase()}: ${value}`,
    ),
  ],
  body,
}))
