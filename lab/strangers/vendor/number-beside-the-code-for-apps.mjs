import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'Refusals for the HTTP libraries of apps have added properties, among them numbers (code, status) and ' +
  'a nested copy, and another order; error_code remains a string of the tables. Permitted: "new ' +
  'properties in existing responses", "a different order of properties in responses".'

const app = /\b(okhttp|Dalvik|CFNetwork|Dart)\//

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    if (!out.body.error_code || !app.test(request.headers['user-agent'] ?? '')) return out
    const { error_code, error_message } = out.body
    const code = Number(error_code)
    const body = { status: out.status, code, error: { code, retry: false }, error_message, error_code }
    return { ...out, body: JSON.stringify(body, null, 2) + '\n' }
  })
}
