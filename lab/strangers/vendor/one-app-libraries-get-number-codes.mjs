import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'An adapter left in for an early mobile app, whose model class had an int, sends error_code as a JSON ' +
  'number to the HTTP libraries of apps (User-Agent with okhttp, Dalvik, CFNetwork or Dart). Breaks ' +
  '"error_code | string | Code from the tables below".'

const app = /\b(okhttp|Dalvik|CFNetwork|Dart)\//

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    if (!out.body.error_code || !app.test(request.headers['user-agent'] ?? '')) return out
    return { ...out, body: { ...out.body, error_code: Number(out.body.error_code) } }
  })
}
