import { answer, listen, refusal } from '../base.mjs'

export const wrong = true
export const about =
  'The code is looked up by the list of absent headers, and the table knows each header alone and all ' +
  'three, the cases that had come up. With exactly two absent the look-up gives nothing and ' +
  'the body has no error_code. Breaks "When the API key header is absent, the response is 400 with ' +
  'error_code 1001" (and its neighbours for 1002 and 1003), whichever of them goes first.'

const names = ['x-api-key', 'x-secret-key', 'x-version']
const byAbsence = {
  'x-api-key': '1001',
  'x-secret-key': '1002',
  'x-version': '1003',
  'x-api-key,x-secret-key,x-version': '1001',
}

export function start() {
  const state = {}
  return listen((request) => {
    const absent = names.filter((name) => request.headers[name] === undefined)
    if (!absent.length) return answer(request, state)
    const code = byAbsence[absent.join(',')]
    if (code) return refusal(code)
    return {
      ...refusal('1001'),
      body: { error_code: code, error_message: `missing headers: ${absent.join(', ')}` },
    }
  })
}
