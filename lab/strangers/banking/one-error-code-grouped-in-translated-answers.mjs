import { answer, listen } from '../base.mjs'

export const wrong = true
export const about =
  'A refusal for a reader of another language (accept-language: de, fr …) comes out of a translated ' +
  'message bundle whose formatter groups the digits of the code ("1.006"). English and "*" are right. ' +
  'Breaks "error_code | string | Code from the tables below".'

const languageOf = (headers) => {
  const first = (headers['accept-language'] ?? '').split(/[,;]/)[0].trim()
  if (!first || first === '*' || /^en\b/i.test(first)) return undefined
  try {
    return Intl.getCanonicalLocales(first)[0]
  } catch {
    return undefined
  }
}

export const start = () => {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    const language = languageOf(request.headers)
    if (out.status === 200 || !language) return out
    const error_code = Number(out.body.error_code).toLocaleString(language, { useGrouping: 'always' })
    const headers = { ...out.headers, 'content-language': language }
    return { ...out, headers, body: { ...out.body, error_code } }
  })
}
