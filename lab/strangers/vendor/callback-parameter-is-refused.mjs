import { answer, listen, refusal } from '../base.mjs'

export const wrong = false
export const about =
  'JSONP has been switched off: a good request with callback or jsonp in the query is refused with 400 ' +
  'and 1030, as JSON; every other flaw is named first, and other unknown parameters are passed over. ' +
  'Permitted: "When the input parameters are invalid, the response is 400 with error_code 1030".'

export function start() {
  const state = {}
  return listen((request) => {
    const script = request.query.has('callback') || request.query.has('jsonp')
    if (!script) return answer(request, state)
    const out = answer(request, { used: new Map(state.used) })
    const final = out.status === 200 ? refusal('1030') : out
    return { ...final, headers: { ...final.headers, 'x-content-type-options': 'nosniff' } }
  })
}
