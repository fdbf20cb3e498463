// The edge cuts accepted answers to the range asked for, and never cuts a refusal.
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'A single satisfiable byte range of an accepted answer is sent as 206; several, unsatisfiable or ' +
  'if-range ranges get the whole. Conformant: 206 is sent only where it was asked for and the parts ' +
  'make up the JSON; refusals ignore the range and are whole.'

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    if (out.status !== 200) return out
    const text = JSON.stringify(out.body)
    out.headers['accept-ranges'] = 'bytes'
    const asked = /^bytes=(?=.*\d)(\d*)-(\d*)$/.exec(request.headers.range ?? '')
    if (!asked || request.headers['if-range'] !== undefined) return out
    const tail = asked[1] === ''
    const from = tail ? Math.max(0, text.length - Number(asked[2])) : Number(asked[1])
    const last = tail || asked[2] === '' ? text.length - 1 : Math.min(Number(asked[2]), text.length - 1)
    if (from > last) return out
    out.headers['content-range'] = `bytes ${from}-${last}/${text.length}`
    return { status: 206, headers: out.headers, body: text.slice(from, last + 1) }
  })
}
