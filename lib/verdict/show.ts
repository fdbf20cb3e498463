import { STATUS_CODES } from 'node:http'
import { type Exchange, sentIn } from '../http/exchange.ts'
import type { ShownExchange } from '../judge/record.ts'
import type { Redactor } from '../redact/redact.ts'
import { Secret } from '../redact/secret.ts'

/** Maximum number of characters of a body that are shown. */
const shownBody = 2_000
/** Number of characters that are redacted before truncation, so that no credential is ever cut in half. */
const readBody = 64 * 1024
/** Maximum number of header fields of an answer that are shown. */
const shownFields = 60
const shownField = 500
/** Maximum length of a field, and of all shown fields together, because headers may have 64 KiB. */
const readField = 8_000
const readFields = 20_000

/** A request and its answer, if there was one, as shown in reports. */
export function show(
  {
    request,
    response,
    durationMs,
  }: Pick<Exchange, 'request' | 'durationMs'> & { readonly response: Exchange['response'] | null },
  { baseUrl, redactor }: { readonly baseUrl: string; readonly redactor: Redactor },
): ShownExchange {
  const redact = (text: string): string => redactor.redact(text)
  const ofAnswer = response === null ? redactor : redactor.ofAnswer(sentIn(request))
  const redactField = (text: string): string => ofAnswer.redact(text).slice(0, shownField)
  const redactFields = (fields: Exchange['response']['fields']): ShownExchange['request']['headers'] =>
    firstOf(fields).map(([name, value]) => [redactField(name), redactField(value)])

  const sent = request.body === undefined ? null : beginningOf(request.body, redactor)
  const { status = 0, reason = '' } = response ?? {}
  const isUsual = reason.trim() === '' || reason.toLowerCase() === STATUS_CODES[status]?.toLowerCase()

  return {
    request: {
      method: request.method,
      // A space ensures that the target in a rule supplied by the user is not mistaken for part of the host.
      url: redact(`${baseUrl}${request.target.startsWith('/') ? '' : ' '}${request.target}`),
      headers: request.fields.map(({ name, value }) => [
        name,
        value instanceof Secret ? value.toString() : redact(value),
      ]),
      ...(sent === null ? {} : sent.bodyCut === 0 ? { body: sent.body } : sent),
    },
    response:
      response === null
        ? null
        : {
            status: response.status,
            ...(isUsual ? {} : { reason: redactField(response.reason.slice(0, readField)) }),
            headers: redactFields(response.fields),
            ...(response.trailers.length === 0 ? {} : { trailers: redactFields(response.trailers) }),
            ...beginningOf(response.text, ofAnswer, response.cutFrom),
          },
    durationMs: Math.round(durationMs * 10) / 10,
  }
}

/** The first few fields, up to the length that redaction covers. */
function firstOf(fields: Exchange['response']['fields']): Exchange['response']['fields'] {
  let left = readFields
  return fields.slice(0, shownFields).flatMap(([name, value]) => {
    const field = [name.slice(0, readField), value.slice(0, readField)] as const
    left -= field[0].length + field[1].length
    return left < 0 ? [] : [field]
  })
}

/** The beginning of a body, redacted before it is truncated. `length` is that of the whole body. */
function beginningOf(
  text: string,
  redactor: Pick<Redactor, 'redact'>,
  length = text.length,
): { readonly body: string; readonly bodyCut: number } {
  const redacted = redactor.redact(text.slice(0, readBody))
  const hidden = Math.max(0, redacted.length - shownBody) + Math.max(0, length - readBody)
  // A slice would keep the whole text in memory, but a copy does not.
  return { body: Buffer.from(redacted.slice(0, shownBody)).toString(), bodyCut: hidden }
}
