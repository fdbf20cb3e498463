import { randomUUID } from 'node:crypto'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Refusals are problem details: type application/problem+json, members type, title, status, trace_id, ' +
  'and a list of all missing headers with numeric codes; error_code stands last and 401 has a ' +
  'challenge. Conformant: it is JSON, error_code is one string of the tables, and new properties and ' +
  'orders are non-breaking.'

const required = { 'x-api-key': 1001, 'x-secret-key': 1002, 'x-version': 1003 }
const titles = { 400: 'Bad Request', 401: 'Unauthorized', 429: 'Too Many Requests' }

export const start = () => {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    if (out.status === 200) return out
    const headers = { 'content-type': 'application/problem+json', 'content-language': 'en' }
    if (out.status === 401) headers['www-authenticate'] = 'Basic realm="partners", ApiKey realm="partners"'
    if (out.status === 429) headers['retry-after'] = '3600'
    const errors = Object.entries(required)
      .filter(([name]) => request.headers[name] === undefined)
      .map(([field, code]) => ({ field, code }))
    const { error_code, error_message } = out.body
    const type = 'about:blank'
    const problem = { type, title: titles[out.status], status: out.status, trace_id: randomUUID(), errors }
    return { status: out.status, headers, body: { ...problem, error_message, error_code } }
  })
}
