// Two workers of different releases behind one address; the counters stand in a store that both share.
import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Every other connection gets a newer release: another order of properties, added ones, other ' +
  'wording, indented JSON, another server field. Conformant: codes, statuses and the shared quota are ' +
  'the same; order, added properties and wording of messages may change ("clients must tolerate").'

export function start() {
  const shared = {}
  const bound = new WeakMap()
  let opened = 0
  return listen((request) => {
    if (!bound.has(request.socket)) bound.set(request.socket, opened++ % 2)
    const out = answer(request, shared)
    const older = { ...out.headers, server: 'nginx/1.24.0' }
    if (bound.get(request.socket) === 0) return { ...out, headers: older }
    const { error_code: code, ...rest } = out.body
    const newer = { node: 'edge-b', ...rest, count: 2 }
    const failed = { trace_id: '7f3a9c', error_message: `Request refused (${code}).`, error_code: code }
    const body = `${JSON.stringify(code === undefined ? newer : failed, null, 2)}\n`
    return { ...out, headers: { 'content-type': 'application/json', server: 'envoy' }, body }
  })
}
