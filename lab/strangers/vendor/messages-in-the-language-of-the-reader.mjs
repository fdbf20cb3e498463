import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'error_message is in the language of accept-language (de, fr, ar; with the code in digits and groups ' +
  'of this language inside the text), error_code is untouched. Permitted: "Its wording and length may ' +
  'change without notice, so clients must not depend on it".'

const texts = {
  de: 'Die Anfrage wurde abgelehnt (Fehler %)',
  fr: 'La requête a été refusée (erreur %)',
  ar: 'تم رفض الطلب (خطأ %)',
}

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    const tag = /^\s*(de|fr|ar)\b/i.exec(request.headers['accept-language'] ?? '')?.[1].toLowerCase()
    if (!out.body.error_code || !tag) return out
    const number = new Intl.NumberFormat(tag === 'ar' ? 'ar-EG' : tag).format(Number(out.body.error_code))
    return {
      ...out,
      headers: { ...out.headers, 'content-language': tag, vary: 'accept-language' },
      body: { ...out.body, error_message: texts[tag].replace('%', number) },
    }
  })
}
