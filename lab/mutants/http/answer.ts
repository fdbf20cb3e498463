import type { IncomingMessage, ServerResponse } from 'node:http'
import { documentedPairs, type ErrorCode } from '../../../lib/specification/answers.ts'

/** The kind of an answer. */
export type Kind = 'success' | ErrorCode

/** The kinds of errors. */
export const errorKinds = documentedPairs.map(({ errorCode }) => errorCode).toSorted()

/** The content of an answer: the list, or one of the documented codes. */
export const kinds: readonly Kind[] = ['success', ...errorKinds]

/** An answer that is about to be written. */
export interface PlainAnswer {
  readonly status: number
  /** Names and values in order. */
  readonly fields: readonly (readonly [string, string])[]
  readonly body: Buffer
}

/** Writes an answer in the usual way. Node omits the body where HTTP requires it. */
export function write(response: ServerResponse, { status, fields, body }: PlainAnswer): void {
  response.sendDate = false
  response.writeHead(status, fields.flat())
  response.end(body)
}

/** Calls back with the answer to this request instead of writing it. The date is one of its fields. */
export function captured(response: ServerResponse, done: (answer: PlainAnswer) => void): void {
  let head: Omit<PlainAnswer, 'body'> = { status: 0, fields: [] }
  Reflect.set(response, 'writeHead', (status: number, flat: readonly string[]) => {
    const fields = flat.flatMap((name, at) => (at % 2 === 0 ? [[name, flat[at + 1] ?? ''] as const] : []))
    head = { status, fields: [...fields, ['date', new Date().toUTCString()]] }
    return response
  })
  Reflect.set(response, 'end', (body = '') => {
    Reflect.deleteProperty(response, 'writeHead')
    Reflect.deleteProperty(response, 'end')
    done({ ...head, body: Buffer.from(body) })
    return response
  })
}

/** The kind of an answer of the unmutated service. */
export function kindOf({ status, body }: PlainAnswer): Kind {
  if (status === 200) return 'success'
  const kind = kinds.find((one) => one === recordOf(body)['error_code'])
  if (kind === undefined) throw new Error(`the service answered ${String(status)} ${body.toString()}`)
  return kind
}

/** The members of a JSON body. */
export const recordOf = (body: Buffer): Readonly<Record<string, unknown>> => JSON.parse(body.toString())

/** The answer with another body and the right length. */
export function withBody(answer: PlainAnswer, body: string | Buffer): PlainAnswer {
  const bytes = Buffer.from(body)
  return withField({ ...answer, body: bytes }, 'content-length', String(bytes.length))
}

/** The answer with other members, as JSON. */
export const withMembers = (answer: PlainAnswer, members: unknown): PlainAnswer =>
  withBody(answer, JSON.stringify(members))

/** The answer with a field replaced in place, or appended. */
export function withField(answer: PlainAnswer, name: string, value: string): PlainAnswer {
  const { fields } = answer
  const isThere = fields.some(([own]) => own === name)
  const replaced = fields.map((field) => (field[0] === name ? ([name, value] as const) : field))
  return { ...answer, fields: isThere ? replaced : [...fields, [name, value]] }
}

/** The answer without a field. */
export function withoutField(answer: PlainAnswer, name: string): PlainAnswer {
  return { ...answer, fields: answer.fields.filter(([own]) => own !== name) }
}

/** An answer in progress, with its context. */
export interface Occasion {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly kind: Kind
  /** The number of answers of this kind so far, including this one. */
  readonly nth: number
  /** The number of requests on this connection so far, including this one. */
  readonly nthOnConnection: number
  /** The number of requests waiting for an answer, including this one. */
  readonly inFlight: number
  /** The previous answer to any request, or null for the first. */
  readonly previous: PlainAnswer | null
}
