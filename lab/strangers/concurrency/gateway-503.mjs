import { answer, listen, pause } from '../base-concurrency.mjs'

export const about =
  'Conformant: every answer of the service is right; a gateway before it turns the seventh and further request in flight away with a bare 503 (no body, no error_code, retry-after: 1), which is HTTP\'s own way to say "later" and claims no code of the specification; a request turned away uses no quota.'
export const wrong = false

export function start() {
  const state = {}
  let flying = 0
  return listen(async (request) => {
    if (flying >= 6) return { status: 503, headers: { 'retry-after': '1' }, body: null }
    flying += 1
    await pause(30)
    flying -= 1
    return answer(request, state)
  })
}
