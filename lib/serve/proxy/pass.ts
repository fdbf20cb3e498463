import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { MAX_ANSWER_BYTES } from '../../http/receive.ts'
import type { ChangeMade } from './changes-made.ts'
import { changeAnswer, isLabelledJson, tooLong, type Changing } from './change-answer.ts'
import { endToEnd, fieldsOfChanged, throughProxy, valuesOf, whyMalformed, type Fields } from './fields.ts'
import { sendOn, whyNoAnswer, type TargetAgent } from './send-on.ts'

/** A client's request, and where its answer goes. */
export interface Call {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Counted from 1. */
  readonly number: number
  /** The proxy's address, for clients that send no `host`. */
  readonly proxy: string
}

/** Outcome of a call for the log: the client's status, null if it left before, and what was done. */
export interface PassedOutcome {
  readonly status: number | null
  readonly says: string
  /** Each change, if changes are logged. */
  readonly made?: readonly ChangeMade[]
}

const changesField = 'x-tolerated-changes'

/** The client left before the end of the answer. */
class ClientLeft extends Error {}

/** Forwards a request and its answer, JSON changed and anything else streamed; never throws. */
export async function pass(call: Call, agent: TargetAgent, changing: Changing): Promise<PassedOutcome> {
  const { request, response } = call
  const malformed = whyMalformed(request)
  if (malformed !== null) {
    explain(response, 400, `The proxy does not pass on this request: ${malformed}\n`)
    return { status: 400, says: `not passed on: ${malformed}` }
  }
  const ending = new AbortController()
  response.once('close', () => {
    if (!response.writableFinished) ending.abort(new ClientLeft())
  })
  const onContinue = (): void => response.writeContinue()

  try {
    const answer = await sendOn(request, agent, { signal: ending.signal, onContinue })
    answer.once('error', (error) => ending.abort(error))
    // From Node 24 on, one that ends with its connection would be waited for without end.
    ending.signal.addEventListener('abort', () => answer.destroy())
    const passed = await passBack(answer, call, agent, changing)
    return { status: answer.statusCode ?? null, ...passed }
  } catch (error) {
    const first: unknown = ending.signal.aborted ? ending.signal.reason : error
    if (first instanceof ClientLeft) return { status: null, says: 'the client left before the end' }
    return fail(response, whyNoAnswer(first, agent.target.at))
  }
}

async function passBack(
  answer: IncomingMessage,
  { request, response, number, proxy }: Call,
  { target }: TargetAgent,
  changing: Changing,
): Promise<Omit<PassedOutcome, 'status'>> {
  const own = request.headers.host === undefined ? proxy : `http://${request.headers.host}`
  const fields = endToEnd(answer.rawHeaders).map(
    ([name, value]) =>
      [name, name.toLowerCase() === 'location' ? throughProxy(value, target, own) : value] as const,
  )
  const begin = (head: Fields): void => {
    response.sendDate = false
    response.writeHead(answer.statusCode ?? 0, phraseOf(answer), head.flat())
  }

  if (!mayChange(answer, request, fields)) {
    begin(fields)
    await pipeline(answer, response)
    return { says: 'streamed unchanged' }
  }
  const held = await hold(answer, fields)
  if (!held.isWhole) {
    begin([...fields, [changesField, tooLong]])
    await pipeline(rest(held.chunks, answer), response)
    return { says: tooLong }
  }
  const bytes = Buffer.concat(held.chunks)
  const changed = changeAnswer({ fields, bytes, number }, changing)
  const isChanged = changed.kind === 'changed'
  const content = isChanged ? changed.content : bytes
  begin([...(isChanged ? fieldsOfChanged(fields, content.length) : fields), [changesField, changed.says]])
  await pipeline([content], response)
  return isChanged ? { says: changed.says, made: changed.made } : { says: changed.says }
}

/** The reason phrase of an answer; empty if it holds what no phrase may, which Node reads and does not write. */
function phraseOf({ statusMessage = '' }: IncomingMessage): string {
  return /[^\t\x20-\x7e\x80-\xff]/.test(statusMessage) ? '' : statusMessage
}

/** Whether the answer can be a whole JSON value; a 206 is only a part. */
function mayChange({ statusCode }: IncomingMessage, { method }: IncomingMessage, fields: Fields): boolean {
  const isWhole = method !== 'HEAD' && ![204, 206, 304].includes(statusCode ?? 0)
  return isWhole && isLabelledJson(fields)
}

/** Content of an answer, or its beginning if it is too long to change. */
async function hold(
  answer: IncomingMessage,
  fields: Fields,
): Promise<{ readonly isWhole: boolean; readonly chunks: readonly Buffer[] }> {
  const chunks: Buffer[] = []
  if (Number(valuesOf(fields, 'content-length')[0] ?? 0) > MAX_ANSWER_BYTES) return { isWhole: false, chunks }

  let length = 0
  const iterator: AsyncIterable<Buffer> = answer.iterator({ destroyOnReturn: false })
  for await (const chunk of iterator) {
    chunks.push(chunk)
    length += chunk.length
    if (length > MAX_ANSWER_BYTES) return { isWhole: false, chunks }
  }
  return { isWhole: true, chunks }
}

async function* rest(held: readonly Buffer[], answer: IncomingMessage): AsyncGenerator<Buffer> {
  yield* held
  const remaining: AsyncIterable<Buffer> = answer
  yield* remaining
}

/** Fails visibly unlike the service: in plain text, or by breaking off an answer that has begun. */
function fail(response: ServerResponse, why: string): PassedOutcome {
  if (response.headersSent) {
    response.destroy()
    return { status: response.statusCode, says: `cut: ${why}` }
  }
  explain(response, 502, `The proxy has no answer of the service: ${why}\n`)
  return { status: 502, says: `no answer: ${why}` }
}

/** Answers in plain text and closes the connection after a malformed request, whose end is uncertain. */
function explain(response: ServerResponse, status: 400 | 502, text: string): void {
  if (status === 400) response.shouldKeepAlive = false
  const fields = { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) }
  // The phrase of an answer that could not be written would stay.
  response.writeHead(status, STATUS_CODES[status], fields).end(text)
}
