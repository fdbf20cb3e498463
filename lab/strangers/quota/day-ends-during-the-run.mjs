import { answer, clientOf, listen } from '../base.mjs'

export const wrong = false
export const about =
  'The provider\'s day happens to end just after a client was refused for the fourth time: all counters start again, once, and then never in the run; conformant, since "The quota size, its reset time and any per-second or per-minute rate limits: not shown", and one reset is what a daily quota must have at some moment.'

export function start() {
  const state = { used: new Map() }
  let refusals = 0
  let ended = false
  return listen((request) => {
    const out = answer(request, state)
    // The client with quota 0 has none on the next day either and does not move the clock.
    if (out.body.error_code === '1020' && clientOf(request).quota > 0) refusals++
    if (refusals === 4 && !ended) {
      ended = true
      state.used.clear()
    }
    return out
  })
}
