import { readBody, type Exchange, type Response, type Field, type Request } from '../../http/exchange.ts'
import { Secret } from '../../redact/secret.ts'

/** The credentials of the client that tests use. */
export const credentials = {
  apiKey: new Secret('TARGET_API_KEY', 'ak_live_4hT9mQzL2cVxNf'),
  secretKey: new Secret('TARGET_SECRET_KEY', 'Jw8RtU3nBvD5eXyK0aPqLs7G'),
} as const

/** The parts of an answer that a test can change. The default label is JSON. */
type AnswerOptions = Partial<Pick<Response, 'fields'>>

/** An answer as read by the transport. `body` is a text, or a value sent as JSON. */
export function answer(status: number, body: unknown, options: AnswerOptions = {}): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { fields = [['Content-Type', 'application/json']] } = options
  return { status, reason: '', fields, trailers: [], ...readBody(Buffer.from(text, 'utf8')) }
}

/** An answer whose content does not match its coding label. */
export const damaged = (status: number, because: string, options: AnswerOptions = {}): Response => ({
  ...answer(status, '', options),
  text: `(100 bytes: ${because})`,
  body: { kind: 'damaged', because },
})

/** The documented error object under a status. */
export const refused = (status: number, errorCode: string, options: AnswerOptions = {}): Response =>
  answer(status, { error_code: errorCode, error_message: 'a text of some length' }, options)

/** A success as a service may send it. */
export const served = answer(200, { customizations: [], total: 0 })

/** The plain valid request, with changes. */
export const requestWith = (changes: Partial<Request> = {}): Request => ({
  method: 'GET',
  target: '/api/customizations/list',
  fields: plainFields,
  ...changes,
})

/** The fields of a plain valid request, with these values by name. Null removes a field. */
export function fieldsWith(changes: Readonly<Record<string, string | Secret | null>>): readonly Field[] {
  return plainFields.flatMap(({ name, value }) => {
    const changed = changes[name] === undefined ? value : changes[name]
    return changed === null ? [] : [{ name, value: changed }]
  })
}

const plainFields: readonly Field[] = [
  { name: 'x-api-key', value: credentials.apiKey },
  { name: 'x-secret-key', value: credentials.secretKey },
  { name: 'x-version', value: '1' },
  { name: 'accept', value: 'application/json' },
  { name: 'user-agent', value: 'card-switch-conformance/test' },
]

/** A request and its answer. */
export const exchange = (response: Response, request: Request = requestWith()): Exchange => ({
  request,
  response,
  durationMs: 3.21,
  reused: false,
})
