// A map over "which headers are there" has a row for each single gap, and none for two gaps.
import { answer, clientOf, clients, listen, refusal, version } from '../base.mjs'

export const wrong = true
export const about =
  'The gateway maps the pattern of present headers to a refusal; patterns with exactly two of the ' +
  'three headers absent are in no row and get the default, where the gateway fills the gaps with its ' +
  'service account: 200. Breaks "Every request must carry all three headers" (each of the two ' +
  'absences has a 400 of its own).'

const names = ['x-api-key', 'x-secret-key', 'x-version']
const rows = { '011': '1001', 101: '1002', 110: '1003', '000': '1001' }

export function start() {
  const state = {}
  return listen((request) => {
    const { headers } = request
    const pattern = names.map((name) => (headers[name] === undefined ? '0' : '1')).join('')
    if (rows[pattern]) return refusal(rows[pattern])
    const account = clientOf(request) ?? clients.target
    headers['x-api-key'] ??= account.key
    headers['x-secret-key'] ??= account.secret
    headers['x-version'] ??= version
    return answer(request, state)
  })
}
