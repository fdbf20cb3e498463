import type { HttpExchange, HttpExchangeNameValue } from 'allure-js-commons'
import type { ShownExchange } from '../judge/record.ts'
import { beginning, printable, printableLines } from '../settings/printable.ts'
import { visible } from './visible.ts'

/** The type of the attachments that Allure draws as a request and its answer. */
export const exchangeType = 'application/vnd.allure.http+json'

/**
 * An exchange as Allure draws it. No body is labelled as anything but JSON or text, so that no report renders what a service sent, and
 * what moves the eye or cannot be seen is written as escapes.
 */
export function allureExchange({ request, response }: ShownExchange): HttpExchange {
  const sent = {
    method: printable(request.method),
    url: printable(visible(request.url)),
    headers: namesAndValues(request.headers),
  }
  if (response === null) {
    return { schemaVersion: 1, request: sent, error: { name: 'no answer', message: 'no answer came' } }
  }
  const { status, reason, headers, trailers, body, bodyCut } = response
  return {
    schemaVersion: 1,
    request: sent,
    response: {
      status,
      ...(reason === undefined ? {} : { statusText: printable(reason) }),
      headers: namesAndValues(headers),
      ...(trailers === undefined ? {} : { trailers: namesAndValues(trailers) }),
      body: {
        contentType: isJson(headers) ? 'application/json' : 'text/plain',
        encoding: 'utf8',
        // Lines stay lines, so that JSON of several lines stays JSON.
        value: beginning(printableLines(body.replaceAll('\r\n', '\n')), Infinity, bodyCut),
        truncated: bodyCut > 0,
      },
    },
  }
}

function namesAndValues(fields: ShownExchange['request']['headers']): HttpExchangeNameValue[] {
  return fields.map(([name, value]) => ({
    name: printable(visible(name)),
    value: printable(visible(value)),
  }))
}

function isJson(fields: ShownExchange['request']['headers']): boolean {
  return fields.some(
    ([name, value]) => name.toLowerCase() === 'content-type' && /^[^;]*[/+]json\b/i.test(value),
  )
}
