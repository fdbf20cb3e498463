// Refusals are problem details for those who accept that type, with the documented members in them.
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'A client that lists application/problem+json in accept gets refusals of that type, with type, ' +
  'title, status and detail before the documented members. Conformant: it is JSON, error_code and ' +
  'error_message are as specified, more properties are allowed, and who does not ask for the type ' +
  'gets application/json.'

const accepts = /(^|,)\s*application\/problem\+json\s*(;(?!\s*q=0(\.0*)?\s*(,|$))[^,]*)?(,|$)/i

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    if (out.status < 400 || !accepts.test(request.headers.accept ?? '')) return out
    const { error_code, error_message } = out.body
    const title = { 400: 'Bad Request', 401: 'Unauthorized', 429: 'Too Many Requests' }[out.status]
    const body = {
      type: `urn:problem:${error_code}`,
      title,
      status: out.status,
      detail: error_message,
      instance: request.path,
      error_message,
      error_code,
    }
    const headers = { 'content-type': 'application/problem+json', vary: 'accept' }
    return { status: out.status, headers, body }
  })
}
