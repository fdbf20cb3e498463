import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  "The framework's JSONP answer, made for a demo page, is still on: a query with callback=name (as " +
  'jQuery sends it) gets every answer, refusals too, wrapped in a call of this function as ' +
  'text/javascript. Breaks "Responses, including errors, are JSON".'

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    const name = request.query.get('callback')?.replace(/[^[\]\w$.]/g, '')
    if (!name) return out
    return {
      status: out.status,
      headers: { 'content-type': 'text/javascript; charset=utf-8', 'x-content-type-options': 'nosniff' },
      body: `/**/ typeof ${name} === 'function' && ${name}(${JSON.stringify(out.body)});`,
    }
  })
}
