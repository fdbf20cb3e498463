import { answer, clientOf, listen, refusal } from '../base.mjs'

export const wrong = true
export const about =
  'All flaws of a request are collected; the body shows the first, the status is the highest of all. ' +
  'A request that lacks one field while another is invalid (no x-version and an unknown key) gets 401 ' +
  'with 1003. It breaks "Error body (JSON), returned with the HTTP status shown below": 1001, 1002 ' +
  'and 1003 are 400.'

const fields = { 'x-api-key': '1001', 'x-secret-key': '1002', 'x-version': '1003' }

function flaws(request) {
  const { headers } = request
  const found = Object.keys(fields)
    .filter((name) => headers[name] === undefined)
    .map((name) => fields[name])
  const client = clientOf(request)
  const secret = headers['x-secret-key']
  if (headers['x-api-key'] !== undefined && !client) found.push('1006')
  if (client && secret !== undefined && client.secret !== secret) found.push('1007')
  else if (client && secret !== undefined && client.refused) found.push(client.refused)
  return found.map(refusal)
}

export function start() {
  const state = {}
  return listen((request) => {
    const found = flaws(request)
    if (found.length < 2) return answer(request, state)
    return { ...found[0], status: Math.max(...found.map((out) => out.status)) }
  })
}
