import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { Client, type buildConnector } from 'undici'
import { nextOf, valueOf, whyNotRaw, type Request, type Target } from './exchange.ts'
import {
  asSocket,
  boundsOfAnswers,
  endOfHead,
  receive,
  watching,
  type Limits,
  type Received,
} from './receive.ts'
import { MAX_ANSWER_BYTES, TransportError } from './transport-error.ts'

/**
 * Half the pause between two segments of a header section, in milliseconds. It is too long for the network to join them, and too short for
 * a server to time out.
 */
const betweenSegmentsMs = 40

/**
 * Maximum wait after an answer for the next answer or the end of the connection, in milliseconds. Envoy closes 1 s after its answer; a
 * server that ignores `connection: close` closes an idle connection, usually after 5 s.
 */
const readOnMs = 4_000

/** The target, and what connects to it. */
type Peer = Readonly<{ target: Target; connect: buildConnector.connector }>

/**
 * Sends a request in its form on a separate connection, and continues reading after the answer if the form asks for it. undici parses the
 * answers from the received bytes. Rejects like {@link receiveRaw}.
 */
export async function receiveMessages(
  request: Request,
  { target, connect }: Peer,
  limits: Limits,
): Promise<Received> {
  const [next] = nextOf(request)
  const heads = [request, ...nextOf(request)].map((message) => headOf(message, target))
  limits.signal?.throwIfAborted()
  const socket = await new Promise<Socket>((resolve, reject) => {
    connect(target, (...[error, opened]) => (error === null ? resolve(opened) : reject(error)))
  })
  const came = await converse(socket, { request, heads }, limits)
  const end = answerEnd(came.bytes, request.method)
  const at = typeof end === 'number' ? end : came.bytes.length
  const rest = withoutLineEnds(came.bytes.subarray(at))
  const isNext = next !== undefined && startsAnswer(rest)
  const read = (asked: Request, bytes: Buffer) =>
    receiveRaw(asked, { target, connect: replaying(bytes) }, limits)
  const received = await read(request, came.bytes.subarray(0, at))
  if (request.form?.followedBy === undefined) return received
  // Content that ends with the connection may be incomplete before that; the parser refuses any other incomplete answer.
  const isRead = isNext && (came.isClosed || answerEnd(rest, next.method) !== 'closing')
  const following = isRead ? await read(next, rest).catch(() => null) : null
  const strayBytes = isNext || isTimeout(rest) ? 0 : rest.length
  return {
    ...received,
    behind: {
      strayBytes,
      isClosed: came.isClosed,
      next: following?.response ?? null,
    },
  }
}

function startsAnswer(bytes: Buffer) {
  return bytes.toString('latin1', 0, 7) === 'HTTP/1.'
}

/** Whether a server closed an idle connection with 408 (RFC 9110, 15.5.9). */
function isTimeout(bytes: Buffer) {
  return /^HTTP\/1\.\d 408/.test(bytes.toString('latin1', 0, 12))
}

type Sending = Readonly<{
  request: Request
  /** The heads of the request and of the next request. */
  heads: readonly Buffer[]
}>

/** Writes to a connection and collects the received bytes until there are enough, the server closes it, or the wait is over. */
function converse(socket: Socket, sending: Sending, { timeoutMs, signal }: Limits) {
  const { request, heads } = sending
  const { followedBy } = request.form ?? {}
  let bytes: Buffer = Buffer.alloc(0)
  let timer: NodeJS.Timeout | undefined
  let stop = () => {}
  return new Promise<{ bytes: Buffer; isClosed: boolean }>((resolve, reject) => {
    const end = (isClosed: boolean) => resolve({ bytes, isClosed })
    const late = new TransportError('timeout', `no answer came within ${timeoutMs} ms (RUN_TIMEOUT_MS)`)
    timer = setTimeout(reject, timeoutMs, late)
    let isAnswered = false
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      const stage = stageOf(bytes, request)
      if (stage === 'complete') end(false)
      if (stage !== 'answered' || isAnswered) return
      isAnswered = true
      clearTimeout(timer)
      timer = setTimeout(end, Math.min(readOnMs, timeoutMs), false)
      if (typeof followedBy === 'object' && !followedBy.isInSameSegment) socket.write(heads[1] ?? '')
    })
    // A connection that is cut after the answer counts as closed; before that, the parser finds the answer incomplete.
    for (const event of ['end', 'close', 'error']) socket.on(event, () => end(true))
    stop = () => reject(signal?.reason)
    signal?.addEventListener('abort', stop)
    if (signal?.aborted === true) stop()
    else writeHeads(socket, sending)
  }).finally(() => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    socket.destroy()
  })
}

function writeHeads(socket: Socket, { request, heads }: Sending) {
  const { cut, followedBy } = request.form ?? {}
  const isTogether = typeof followedBy === 'object' && followedBy.isInSameSegment
  const bytes = Buffer.concat(isTogether ? heads : heads.slice(0, 1))
  const at = cut === undefined ? bytes.length : bytes.indexOf(cut.behind) + cut.behind.length + cut.by
  socket.setNoDelay(true)
  socket.write(bytes.subarray(0, at))
  if (at === bytes.length) return
  // Waits twice, because a busy machine may read both segments at once when it resumes.
  const rest = () => void setTimeout(() => socket.write(bytes.subarray(at)), betweenSegmentsMs)
  setTimeout(rest, betweenSegmentsMs)
}

/** Whether the bytes hold the whole answer to a request, and all that its form waits for. */
function stageOf(bytes: Buffer, request: Request): 'open' | 'answered' | 'complete' {
  if (bytes.length > 2 * MAX_ANSWER_BYTES) return 'complete'
  const end = answerEnd(bytes, request.method)
  if (typeof end !== 'number') return 'open'
  if (request.form?.followedBy === undefined) return 'complete'
  const [next] = nextOf(request)
  if (next === undefined) return 'answered'
  const rest = withoutLineEnds(bytes.subarray(end))
  const isStray = rest.length >= 7 && !startsAnswer(rest)
  return isStray || typeof answerEnd(rest, next.method) === 'number' ? 'complete' : 'answered'
}

/** A connector whose connections return these bytes after the first write, and then end. */
function replaying(bytes: Buffer): buildConnector.connector {
  return (_options, callback) => {
    const line = new Duplex({
      read: () => {},
      write: (_chunk, _encoding, done) => {
        line.push(bytes)
        line.push(null)
        done()
      },
    })
    setImmediate(callback, null, asSocket(line))
  }
}

/**
 * Finds the end of the first answer in the bytes of a connection, including interim responses: an index, `closing` for the end of the
 * connection, or null if it is beyond these bytes. Source: RFC 9112, 6.3.
 */
function answerEnd(bytes: Buffer, method: string) {
  for (let start = 0; ;) {
    const headEnd = endOfHead(bytes.subarray(start))
    if (headEnd < 0) return null
    const head = bytes.toString('latin1', start, start + headEnd)
    const content = start + headEnd
    const status = /^[\r\n]*HTTP\/\d\.\d (\d{3})/.exec(head)?.[1]
    if (status === undefined) return 'closing'
    if (status.startsWith('1') && status !== '101') {
      start = content
      continue
    }
    if (method === 'HEAD' || status === '204' || status === '304') return content
    return contentEnd(bytes, head, content)
  }
}

function contentEnd(bytes: Buffer, head: string, content: number) {
  if (/^transfer-encoding:.*chunked[ \t]*\r?$/im.test(head)) return chunksEnd(bytes, content)
  const length = /^content-length:[ \t]*(\d+)/im.exec(head)?.[1]
  if (length === undefined) return 'closing'
  const end = content + Number(length)
  return end <= bytes.length ? end : null
}

/** Index after the last chunk and the trailer fields (RFC 9112, 7.1). */
function chunksEnd(bytes: Buffer, from: number) {
  for (let at = from; ;) {
    const lineEnd = bytes.indexOf('\n', at)
    if (lineEnd < 0) return null
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (Number.isNaN(size)) return 'closing'
    if (size === 0) {
      // The line of the last chunk acts as a status line before the trailer fields.
      const end = endOfHead(bytes.subarray(at))
      return end < 0 ? null : at + end
    }
    const dataEnd = bytes.indexOf('\n', lineEnd + 1 + size)
    if (dataEnd < 0) return null
    at = dataEnd + 1
  }
}

const lineFeed = 0x0a
const carriageReturn = 0x0d

/** The bytes without leading line endings, which HTTP parsers skip (RFC 9112, 2.2). */
function withoutLineEnds(bytes: Buffer) {
  let at = 0
  while (bytes[at] === carriageReturn || bytes[at] === lineFeed) at += 1
  return bytes.subarray(at)
}

/**
 * The head of a request as the raw socket writes it, including credentials. It contains names and values exactly as given, plus
 * `content-length` if there is a body, and `connection: close` unless the request has that field or another request follows. Throws a
 * `TypeError`, which never quotes a value, if the head would hide something.
 */
export function headOf(request: Request, { host, prefix }: Target) {
  const why = whyNotRaw(request)
  if (why !== null) throw new TypeError(`the raw socket does not send this request: ${why}`)

  const { form = {} } = request
  const colon = form.isTight === true ? ':' : ': '
  const isLast = nextOf(request).length === 0
  const hasConnection = request.fields.some(({ name }) => name.toLowerCase() === 'connection')
  const lines = [
    `${request.method} ${prefix}${request.target} HTTP/${form.version ?? '1.1'}`,
    `host${colon}${host}`,
    ...request.fields.map((field) => `${field.name}${colon}${valueOf(field)}`),
    ...(request.body === undefined ? [] : [`content-length: ${Buffer.byteLength(request.body)}`]),
    ...(hasConnection || !isLast ? [] : [`connection${colon}close`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

/**
 * Sends a request as {@link headOf} writes it, on its own connection. undici parses the answer, so that both routes agree on answers, but
 * undici's own writes are dropped. Rejects as {@link receive} does.
 */
export async function receiveRaw(
  request: Request,
  { target, connect }: Peer,
  limits: Limits,
): Promise<Received> {
  const bytes = Buffer.concat([headOf(request, target), Buffer.from(request.body ?? '')])
  const wire = watching(connect, bytes)
  const client = new Client(target.origin, { connect: wire.connect, ...boundsOfAnswers })
  const sender = { dispatcher: client, whenWritten: wire.whenWritten }
  try {
    return await receive(sender, { method: request.method, path: '/' }, limits)
  } finally {
    await client.destroy()
  }
}
