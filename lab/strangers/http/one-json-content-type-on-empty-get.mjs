import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The body parser of the framework runs for every method: an otherwise valid GET without a body, ' +
  'with the "content-type: application/json" that many client libraries always set, fails with the ' +
  'error object of the framework. It breaks "JSON. On failure the error object described under ' +
  'Errors" (there is no error_code).'

const emptyBody = {
  status: 400,
  headers: { 'content-type': 'application/json; charset=utf-8' },
  body: {
    statusCode: 400,
    error: 'Bad Request',
    message: "Body cannot be empty when content-type is set to 'application/json'",
  },
}

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    const typed = /^application\/json\b/i.test(request.headers['content-type'] ?? '')
    return out.status === 200 && typed && request.body === '' ? emptyBody : out
  })
}
