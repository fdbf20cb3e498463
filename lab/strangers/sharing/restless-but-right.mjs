import { randomUUID } from 'node:crypto'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Conformant: no two answers look alike (properties reordered, new properties from the second answer on, wording and length of error_message, opaque ids, header order, charset and every third connection closed change with the count), which "new properties in existing responses", "a different order of properties in responses" and "a different length or format of opaque strings" allow; status, error_code and the string type of both error fields never change.'

const wordings = [
  (m) => m,
  (m) => m.toUpperCase(),
  (m) => `${m} (please see the manual; this text may change)`,
  () => 'no',
]

export function start() {
  const state = {}
  let n = 0
  return listen((request) => {
    const out = answer(request, state)
    n += 1
    let body = out.body.error_code
      ? { error_code: out.body.error_code, error_message: wordings[n % 4](out.body.error_message) }
      : { customizations: out.body.customizations.map((c) => ({ ...c, id: n % 2 ? randomUUID() : `c${n}` })) }
    if (n > 1) body = { ...body, request_id: randomUUID(), hints: n % 3 ? [] : null, answered: n }
    if (n % 2) body = Object.fromEntries(Object.entries(body).toReversed())
    const headers = [
      ['content-type', n % 2 ? 'application/json' : 'application/json; charset=utf-8'],
      ['x-request-id', randomUUID()],
      ['cache-control', 'no-store'],
    ]
    if (n % 3 === 0) headers.push(['connection', 'close'])
    if (n % 2) headers.reverse()
    return { status: out.status, headers: Object.fromEntries(headers), body }
  })
}
