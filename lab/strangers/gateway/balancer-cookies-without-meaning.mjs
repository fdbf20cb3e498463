// A balancer marks every answer with its cookies and tells what it took for the address of the caller.
import { randomBytes } from 'node:crypto'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'All answers, refusals too, set two balancer cookies anew and echo the first forwarded address. ' +
  'Conformant: cookies and forwarding fields that a client sends have no part in any check; the three ' +
  'headers alone decide.'

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    const mark = randomBytes(24).toString('base64url')
    const forwarded = (request.headers['x-forwarded-for'] ?? '').split(',')[0].trim()
    const caller = /^[\da-f.:]+$/i.test(forwarded) ? forwarded : request.socket.remoteAddress
    const cookies = [`AWSALB=${mark}; Path=/`, `AWSALBCORS=${mark}; Path=/; SameSite=None; Secure`]
    const marks = { 'set-cookie': cookies, 'x-client-address': caller, 'x-amzn-requestid': mark.slice(0, 12) }
    return { ...out, headers: { ...out.headers, ...marks, via: '1.1 edge, 1.0 inner', vary: 'Origin' } }
  })
}
