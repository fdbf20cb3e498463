import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'A refusal of a byte-for-byte repeated request comes out of a negative cache that stores the code as a number, so error_code is 1006 rather than "1006" from the second asking on; breaks the error body table "error_code | string".'

export function start() {
  const state = {}
  const refused = new Map() // exact bytes -> status and numeric code
  return listen((request) => {
    const bytes = JSON.stringify([request.method, request.url, request.rawHeaders, request.body])
    const out = answer(request, state)
    const code = out.body.error_code
    if (code === undefined) return out
    if (refused.get(bytes) === code) return { ...out, body: { ...out.body, error_code: Number(code) } }
    refused.set(bytes, code)
    return out
  })
}
