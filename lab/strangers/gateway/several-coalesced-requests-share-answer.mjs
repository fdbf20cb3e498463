// Collapsed forwarding: requests for the same address that overlap in time go to the origin once.
import { setTimeout as pause } from 'node:timers/promises'
import { answer, listen, refusal } from '../base.mjs'

export const wrong = true
export const about =
  'While a GET is on its way to the origin, further GETs of the same URI wait for it and get its ' +
  'answer, though their key, secret or version is another: a wrong secret next to a valid request is ' +
  'served. Breaks "When the secret key is not valid, the response is 401 with error_code 1007." One ' +
  'after another, all is right.'

export function start() {
  const state = {}
  const underway = new Map()
  return listen(async (request) => {
    const { headers, method, url } = request
    if (headers['x-api-key'] === undefined) return refusal('1001')
    if (headers['x-secret-key'] === undefined) return refusal('1002')
    if (headers['x-version'] === undefined) return refusal('1003')
    const slot = `${method} ${url}`
    if (!underway.has(slot)) {
      const fetched = pause(30).then(() => answer(request, state))
      const forget = () => underway.delete(slot)
      underway.set(slot, fetched)
      fetched.then(forget, forget)
    }
    return underway.get(slot)
  })
}
