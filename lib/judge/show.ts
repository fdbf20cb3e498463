import { STATUS_CODES } from 'node:http'

import type { Exchange } from '../http/exchange.ts'
import { secretsOf, type Request } from '../http/request.ts'
import type { Scrubber } from '../redact/scrub.ts'
import { Secret } from '../redact/secret.ts'
import type { ShownExchange } from './record.ts'

/** How much of a body reports show, in characters. */
const shownBody = 2_000
/** A credential that begins before this bound is masked whole before the body is cut. */
const scrubbedBody = 64 * 1024
/** How many header fields of an answer are shown, and how much of each. */
const shownFields = 60
const shownField = 500
/** The bound as that of bodies, for a field, and for those that are shown together: heads may have 64 KiB. */
const scrubbedField = 8_000
const scrubbedFields = 20_000

/** A request, and its answer if one came, as reports show them. */
export function show(
  {
    request,
    response,
    durationMs,
  }: Pick<Exchange, 'request' | 'durationMs'> & { readonly response: Exchange['response'] | null },
  { baseUrl, scrubber }: { readonly baseUrl: string; readonly scrubber: Scrubber },
): ShownExchange {
  const scrub = (text: string): string => scrubber.scrub(text)
  const ofAnswer = response === null ? scrubber : scrubber.besides(secretsOf(request))
  const scrubAnswer = (text: string): string => ofAnswer.scrub(text)
  const scrubFields = (fields: Exchange['response']['fields']): ShownExchange['request']['headers'] =>
    firstOf(fields).map(([name, value]) => [
      scrubAnswer(name).slice(0, shownField),
      scrubAnswer(value).slice(0, shownField),
    ])

  return {
    request: {
      method: request.method,
      url: scrub(`${baseUrl}${request.target}`),
      headers: request.fields.map((field) => [field.name, shownValue(field, scrub)]),
    },
    response:
      response === null
        ? null
        : {
            status: response.status,
            ...(isUsual(response)
              ? {}
              : { reason: scrubAnswer(response.reason.slice(0, scrubbedField)).slice(0, shownField) }),
            headers: scrubFields(response.fields),
            ...(response.trailers.length === 0 ? {} : { trailers: scrubFields(response.trailers) }),
            ...cut(
              scrubAnswer(response.text.slice(0, scrubbedBody)),
              response.cutFrom ?? response.text.length,
            ),
          },
    durationMs: Math.round(durationMs * 10) / 10,
  }
}

/** The first fields, each as far as it is scrubbed. */
function firstOf(fields: Exchange['response']['fields']): Exchange['response']['fields'] {
  let left = scrubbedFields
  return fields.slice(0, shownFields).flatMap(([name, value]) => {
    const field = [name.slice(0, scrubbedField), value.slice(0, scrubbedField)] as const
    left -= field[0].length + field[1].length
    return left < 0 ? [] : [field]
  })
}

/** Whether a reason phrase says nothing: none, or that of the status. */
function isUsual({ status, reason }: Exchange['response']): boolean {
  return reason.trim() === '' || reason.toLowerCase() === STATUS_CODES[status]?.toLowerCase()
}

function shownValue({ value }: Request['fields'][number], scrub: (text: string) => string): string {
  return value instanceof Secret ? value.toString() : scrub(value)
}

function cut(scrubbed: string, length: number): { readonly body: string; readonly bodyCut: number } {
  // A slice would keep the whole text alive; a copy does not.
  const body = Buffer.from(scrubbed.slice(0, shownBody)).toString()
  const hidden = scrubbed.length - body.length + Math.max(0, length - scrubbedBody)
  return { body, bodyCut: hidden }
}
