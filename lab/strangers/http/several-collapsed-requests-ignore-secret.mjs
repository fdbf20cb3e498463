import { setTimeout as pause } from 'node:timers/promises'
import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'Requests for the same thing that arrive while one is under way share its answer, and the secret is ' +
  'no part of what is compared: a wrong secret sent at the same time as the right one is served. It ' +
  'breaks "When the secret key is not valid, the response is 401 with error_code 1007."'

const compared = ['x-api-key', 'x-version', 'accept', 'accept-language']
const required = ['x-api-key', 'x-secret-key', 'x-version']

export function start() {
  const state = {}
  const underWay = new Map()
  const work = async (request, slot) => {
    try {
      await pause(40)
      return answer(request, state)
    } finally {
      underWay.delete(slot)
    }
  }
  return listen((request) => {
    const { method, url, headers } = request
    if (method !== 'GET' || required.some((name) => headers[name] === undefined))
      return answer(request, state)
    const slot = JSON.stringify([url, ...compared.map((name) => headers[name])])
    if (!underWay.has(slot)) underWay.set(slot, work(request, slot))
    return underWay.get(slot)
  })
}
