import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The whole error goes through the message formatter where the first language of accept-language is not ' +
  'English, and the code is formatted as a number of that language ("1.006" for de, "1 006" for fr). ' +
  'Breaks "error_code | string | Code from the tables below".'

const first = /^\s*([a-z]{2,3}(-[\w-]+)?)/i
const language = (request) => first.exec(request.headers['accept-language'] ?? '')?.[1]

function format(code, tag) {
  try {
    return new Intl.NumberFormat(tag).format(Number(code))
  } catch {
    return code
  }
}

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    const tag = language(request)
    if (!out.body.error_code || !tag || /^en\b/i.test(tag)) return out
    return {
      ...out,
      headers: { ...out.headers, 'content-language': tag, vary: 'accept-language' },
      body: { ...out.body, error_code: format(out.body.error_code, tag) },
    }
  })
}
