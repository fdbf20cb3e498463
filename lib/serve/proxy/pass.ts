import { STATUS_CODES, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Target } from '../../http/exchange.ts'
import { MAX_ANSWER_BYTES, classifyError, TransportError } from '../../http/transport-error.ts'
import type { Connector } from '../../http/transport.ts'
import { codeOf } from '../../text/printable.ts'
import { originForm } from '../listening.ts'
import { changeAnswer, tooLong, type ChangedAnswer, type Changing } from './change-answer.ts'

/** A client's request, its response, and the route to the target. */
export type Call = Changing &
  Readonly<{
    request: IncomingMessage
    response: ServerResponse
    target: Target
    connector: Connector
    /** Maximum time to wait for a connection, and for the start of an answer, in milliseconds. */
    timeoutMs: number
  }>

/** The outcome of a call for the log. `status` is the one sent to the client, or null if the client left early. */
export type Passed = ChangedAnswer & Readonly<{ status: number | null }>

/** Fields in the order and letter case in which they were received, including repeated fields. */
type Fields = readonly (readonly [name: string, value: string])[]

/** Fields for one connection, even if `connection` does not name them, and for trailers, which are dropped. RFC 9110, 6.5.1 and 7.6.1. */
const ofConnection = /^(?:connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i

/** Fields that no longer fit once content has been changed: length, coding and digests. */
const ofContent =
  /^(?:content-length|content-encoding|etag|accept-ranges|content-md5|digest|content-digest|repr-digest)$/i

/** Forwards a request and its answer. Changes JSON, and streams anything else. Never throws. */
export async function pass(call: Call): Promise<Passed> {
  const { request, response, target } = call
  let ended: unknown = null
  response.once('close', () => (ended ??= 'the client left before the end'))
  try {
    const hosts = request.headersDistinct['host'] ?? []
    const malformed = hosts.length > 1 ? 'several host fields' : hasOtherCoding(request) ? otherCoding : null
    if (malformed !== null) return refuse(response, 400, `The proxy refuses a request with ${malformed}`)
    const answer = await sendOn(call)
    answer.once('error', (error) => (ended ??= error))
    return { status: answer.statusCode ?? null, ...(await passBack(answer, call)) }
  } catch (error) {
    ended ??= error
    if (typeof ended === 'string')
      return {
        status: null,
        says: ended,
        texts: null,
      }
    return refuse(response, 502, `The proxy got no answer from the service: ${whyNoAnswer(ended, target.at)}`)
  }
}

const otherCoding = 'a transfer-encoding other than chunked'
const switched = 'switched to another protocol (101)'

/** Whether a transfer coding remains that Node has not decoded. */
function hasOtherCoding({ headers: { 'transfer-encoding': coding = 'chunked' } }: IncomingMessage) {
  return coding.toLowerCase() !== 'chunked'
}

/** The end-to-end fields of a message. Host and length are kept even if `connection` names them. */
function endToEnd(raw: readonly string[]) {
  const fields = raw.flatMap((name, at) => (at % 2 === 0 ? [[name, raw[at + 1] ?? ''] as const] : []))
  const named = fields
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.toLowerCase().split(/\s*,\s*/))
    .filter((name) => name !== 'host' && name !== 'content-length')
  return fields.filter(([name]) => !ofConnection.test(name) && !named.includes(name.toLowerCase()))
}

function onwardFields({ method = '', headers, rawHeaders }: IncomingMessage, host: string) {
  const fields = endToEnd(rawHeaders)
  const isChunked = headers['transfer-encoding'] !== undefined
  const isFramed =
    headers['content-length'] !== undefined || /^(?:GET|HEAD|DELETE|OPTIONS|TRACE)$/.test(method)
  return [
    ...(headers.host === undefined ? [['Host', host] as const] : []),
    ...fields.map(([name, value]) => [name, name.toLowerCase() === 'host' ? host : value] as const),
    ...(isChunked ? [['Transfer-Encoding', 'chunked'] as const] : []),
    ...(isChunked || isFramed ? [] : [['Content-Length', '0'] as const]),
    ['Connection', 'close'],
  ]
}

/** Sends a request on a separate connection and resolves once the answer begins. Follows no redirects. */
function sendOn({ request, response, target, connector, timeoutMs }: Call): Promise<IncomingMessage> {
  const { host, at } = target
  const path = originForm(request.url)
  return new Promise((resolve, reject) => {
    const onward = httpRequest({
      method: request.method,
      path: path === '*' ? path : target.prefix + path,
      headers: onwardFields(request, host).flat(),
      createConnection: (_, opened) => {
        // The stream is not used after an error.
        connector.connect(target, (error, socket) => opened(error, error === null ? socket : new Duplex()))
        return undefined
      },
    })
    const end = (kind: TransportError['kind'], says: string) => {
      reject(new TransportError(kind, `${at} ${says}`))
      onward.destroy()
    }
    // The limit in bytes is sufficient; a limit on their number would drop fields.
    onward.maxHeadersCount = 0
    // Needed even after a complete answer, because the target may not have read all of the content.
    response.once('close', () => onward.destroy())
    onward.setTimeout(timeoutMs, () =>
      end('timeout', `did not begin to answer within ${timeoutMs} ms (RUN_TIMEOUT_MS)`),
    )
    if (request.httpVersion === '1.1') onward.once('continue', () => response.writeContinue())
    onward.once('response', (answer) => {
      // There is no time limit from here on, because an answer may be an event stream.
      onward.setTimeout(0)
      // In Node 24 and later, waiting for an answer that ends with its connection would never end.
      response.once('close', () => answer.destroy())
      if (hasOtherCoding(answer)) end('not-http', `answered with ${otherCoding}`)
      else if (answer.statusCode === 101) end('not-http', switched)
      else resolve(answer)
    })
    onward.once('upgrade', (_, socket) => {
      socket.destroy()
      end('not-http', switched)
    })
    onward.on('error', reject)
    request.pipe(onward)
    // Drains the client's content once the target stops reading. Must follow `pipe`, which pauses when it ends.
    onward.once('close', () => void request.resume())
  })
}

async function passBack(answer: IncomingMessage, call: Call) {
  const { statusCode = 0, statusMessage = '', headers } = answer
  const { request, response } = call
  const fields = endToEnd(answer.rawHeaders)
  const begin = (head: Fields) => {
    response.sendDate = false
    response.writeHead(statusCode, statusMessage, head.flat())
  }
  const type = headers['content-type'] ?? ''
  const isJson = /^\s*(?:application\/json|[^\s;/]+\/[^\s;/]+\+json)\s*(?:;|$)/i.test(type)
  // A 206 is only a part of an answer.
  if (!isJson || request.method === 'HEAD' || [204, 206, 304].includes(statusCode)) {
    begin(fields)
    await pipeline(answer, response)
    return { says: 'streamed unchanged', texts: null }
  }
  const chunks: Buffer[] = []
  let length = 0
  const content: AsyncIterable<Buffer> = answer.iterator({ destroyOnReturn: false })
  for await (const chunk of content) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) break
  }
  if (length > MAX_ANSWER_BYTES) {
    begin([...fields, ['x-tolerated-changes', tooLong.says]])
    for (const chunk of chunks) response.write(chunk)
    await pipeline(answer, response)
    return tooLong
  }
  const bytes = Buffer.concat(chunks)
  const changed = changeAnswer(
    {
      type,
      encoding: headers['content-encoding'] ?? '',
      bytes,
    },
    call,
  )
  const { says, texts } = changed
  const after = Buffer.from(texts?.after ?? bytes)
  const kept = fields.filter(([name]) => texts === null || !ofContent.test(name))
  const added: Fields = texts === null ? [] : [['content-length', String(after.length)]]
  begin([...kept, ...added, ['x-tolerated-changes', says]])
  await pipeline([after], response)
  return changed
}

/** Fails in a way that clearly differs from the service, with plain text or by cutting off an answer that has begun. */
function refuse(response: ServerResponse, status: 400 | 502, says: string): Passed {
  if (response.headersSent) {
    response.destroy()
    return { status: response.statusCode, says: `cut: ${says}`, texts: null }
  }
  // The end of a malformed request is unknown.
  if (status === 400) response.shouldKeepAlive = false
  const fields = {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(says) + 1,
  }
  // Replaces the reason phrase of an answer that could not be written.
  response.writeHead(status, STATUS_CODES[status], fields).end(`${says}\n`)
  return { status, says, texts: null }
}

/** Why there is no complete answer, without any value from the request; `at` is the host and port. */
function whyNoAnswer(error: unknown, at: string) {
  const given = codeOf(error)
  const code = typeof given === 'string' ? given : 'unknown'
  const malformed = `the answer from ${at} is not HTTP: check the scheme and the port of TARGET_BASE_URL`
  const other = code.startsWith('HPE_') ? malformed : `the answer from ${at} cannot be forwarded (${code})`
  return classifyError(error, at)?.message ?? other
}
