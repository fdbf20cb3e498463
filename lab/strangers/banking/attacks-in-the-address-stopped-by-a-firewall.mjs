import { randomInt } from 'node:crypto'
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'A firewall in front stops addresses that carry an attack (script tags, SQL, climbing out of the ' +
  'path, null bytes) with 403, a support id and a closed connection, whoever asks. Conformant: such ' +
  'requests never reach the service, even the block page is JSON, and header fields are not inspected: ' +
  'every ordinary request passes.'

const attack = /<script|javascript:|union(\s|\+)+select|'\s*(or|and)\s|;\s*drop\s|\.\.[/\\]|\0|\/etc\/passwd/i

const decoded = (url) => {
  try {
    return decodeURIComponent(url.replaceAll('+', ' '))
  } catch {
    return url
  }
}

export const start = () => {
  const state = {}
  return listen((request) => {
    const server = 'edge'
    if (attack.test(decoded(request.url))) {
      const body = { message: 'The requested URL was rejected.', support_id: String(randomInt(1e12)) }
      const headers = { 'content-type': 'application/json', server, connection: 'close' }
      return { status: 403, headers, body }
    }
    const out = answer(request, state)
    return { ...out, headers: { ...out.headers, server, via: '1.1 edge' } }
  })
}
