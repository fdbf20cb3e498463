// A firewall before the service refuses queries that look like an attack or cannot be decoded.
import { randomUUID } from 'node:crypto'
import { answer, listen, refusal } from '../base.mjs'

export const wrong = false
export const about =
  'Queries with script tags, SQL, path climbing or broken percent-coding are blocked before the keys ' +
  'are looked at, with a support_id, no-store and the end of the connection. Conformant: the block is ' +
  'the documented 400 with 1030 ("invalid input parameters"), as JSON; an ordinary query is not ' +
  'touched.'

const odd = /<\s*script|\bunion\b.+\bselect\b|\.\.[/\\]|'\s*(or|and|--|;)|\0|\/etc\/passwd/i

function suspicious(text) {
  try {
    return odd.test(decodeURIComponent(text.replaceAll('+', ' ')))
  } catch {
    return true
  }
}

export function start() {
  const state = {}
  return listen((request) => {
    const at = request.url.indexOf('?')
    if (at < 0 || !suspicious(request.url.slice(at + 1))) return answer(request, state)
    const out = refusal('1030')
    const block = { 'cache-control': 'no-store', 'x-waf-action': 'block', connection: 'close' }
    const message = 'The requested URL was rejected. Please consult with your administrator.'
    const body = { support_id: randomUUID(), ...out.body, error_message: message }
    return { status: out.status, headers: { ...out.headers, ...block }, body }
  })
}
