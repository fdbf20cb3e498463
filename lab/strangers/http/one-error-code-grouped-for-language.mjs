import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'The error texts go through a message formatter, and the code with them as a number: with the ' +
  'accept-language of a browser ("en-US,en;q=0.9", "de") a refusal has error_code "1,006" or "1.006". ' +
  'It breaks "error_code | string | Code from the tables below".'

function localised(code, field = '') {
  const language = field.split(/[,;]/)[0].trim()
  if (!language || language === '*') return code
  try {
    return new Intl.NumberFormat(language).format(Number(code))
  } catch {
    return code
  }
}

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    if (out.status < 400) return out
    const error_code = localised(out.body.error_code, request.headers['accept-language'])
    return { ...out, body: { ...out.body, error_code } }
  })
}
