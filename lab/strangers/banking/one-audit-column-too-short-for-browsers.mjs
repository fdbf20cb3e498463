import { answer, listen, refusal } from '../base.mjs'

export const wrong = true
export const about =
  'Every 401 is first written to an audit table whose column for the user agent holds 64 characters. ' +
  'The agent of a browser is longer, the insert fails, and the general handler for data errors answers ' +
  '400 with 1030 in place of the refusal. Breaks "When the secret key is not valid, the response is 401 ' +
  'with error_code 1007." (and the other rules for 401).'

const width = 64

const write = (table, row) => {
  if (row.agent.length > width) throw new RangeError('value too long for type character varying(64)')
  table.push(row)
}

export const start = () => {
  const state = {}
  const table = []
  return listen((request) => {
    const out = answer(request, state)
    if (out.status !== 401) return out
    try {
      write(table, { agent: request.headers['user-agent'] ?? '', code: out.body.error_code })
      return out
    } catch {
      return refusal('1030')
    }
  })
}
