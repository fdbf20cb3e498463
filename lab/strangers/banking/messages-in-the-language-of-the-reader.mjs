import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'error_message follows accept-language, with the code grouped in the manner of the language ("Fehler ' +
  '1.006"), and is empty for languages without a translation. Conformant: error_code stays the plain ' +
  'string, and of the message "its wording and length may change without notice".'

const words = { de: 'Fehler', fr: 'Erreur', es: 'Error', it: 'Errore', nl: 'Fout', ja: 'エラー' }

const languageOf = (headers) => {
  const first = (headers['accept-language'] ?? '*').split(/[,;]/)[0].trim().toLowerCase()
  return first === '*' || first === '' ? 'en' : first.slice(0, 2)
}

export const start = () => {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    const language = languageOf(request.headers)
    const headers = { ...out.headers, vary: 'accept-language' }
    if (out.status === 200 || language === 'en') return { ...out, headers }
    const { error_code } = out.body
    const word = words[language]
    if (!word) return { ...out, headers, body: { error_code, error_message: '' } }
    const number = Number(error_code).toLocaleString(language, { useGrouping: 'always' })
    headers['content-language'] = language
    return { ...out, headers, body: { error_message: `${word} ${number}`, error_code } }
  })
}
