import { randomUUID } from 'node:crypto'
import { answer, listen, refusal } from '../base.mjs'

export const wrong = false
export const about =
  'A firewall in front looks at the query before anyone is authenticated: script tags, steps to ' +
  'parent folders and pieces of SQL get 400 with 1030, a message of its own and a closed connection. ' +
  '"When the input parameters are invalid, the response is 400 with error_code 1030"; no order of ' +
  'checks is specified.'

const attacks = [/<\s*script/i, /\.\.[/\\]/, /\bunion\b.+\bselect\b/i, /'\s*or\s+['\d]/i, /;\s*drop\s+table/i]
const suspicious = (query) =>
  [...query].some(([name, value]) => attacks.some((attack) => attack.test(`${name}=${value}`)))

export function start() {
  const state = {}
  return listen((request) => {
    if (!suspicious(request.query)) {
      const out = answer(request, state)
      return { ...out, headers: { ...out.headers, server: 'edge', 'x-request-id': randomUUID() } }
    }
    const out = refusal('1030')
    const incident = randomUUID()
    return {
      status: out.status,
      headers: { ...out.headers, server: 'edge-firewall', 'x-incident': incident, connection: 'close' },
      body: {
        incident,
        error_message: `Your request has been blocked. Tell the support this number: ${incident}`,
        error_code: out.body.error_code,
      },
    }
  })
}
