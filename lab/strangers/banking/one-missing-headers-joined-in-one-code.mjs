import { answer, codes, listen, refusal } from '../base.mjs'

export const wrong = true
export const about =
  'The validator of the header object collects all violations: where two or three of the headers are ' +
  'missing at once, their codes stand joined in one property ("1002,1003"). A single missing header is ' +
  'right. Breaks "error_code | string | Code from the tables below".'

const required = { 'x-api-key': 1001, 'x-secret-key': 1002, 'x-version': 1003 }

export const start = () => {
  const state = {}
  return listen((request) => {
    const missing = Object.keys(required).filter((name) => request.headers[name] === undefined)
    if (missing.length < 2) return answer(request, state)
    const violated = missing.map((name) => required[name])
    const error_code = violated.join(',')
    const error_message = violated.map((code) => codes[code][1]).join(', ')
    return { ...refusal(violated[0]), body: { error_code, error_message } }
  })
}
