import { answer, listen } from '../base.mjs'

export const wrong = false
export const about =
  'error_message comes in the language that accept-language prefers (German, French), with letters ' +
  'beyond ASCII; error_code and status stay. Of the message the specification says "Its wording and ' +
  'length may change without notice, so clients must not depend on it."'

const texts = {
  de: {
    1001: 'Das Feld für den API-Schlüssel fehlt',
    1002: 'Das Feld für den geheimen Schlüssel fehlt',
    1003: 'Das Feld für die Version fehlt',
    1006: 'Ungültiger API-Schlüssel',
    1007: 'Ungültiger geheimer Schlüssel',
    1010: 'Diesen Endpunkt gibt es in der verlangten Version nicht',
    1011: 'Endpunkt außer Betrieb',
    1012: 'Kein Kunde gefunden',
    1013: 'Endpunkt für diesen Kunden nicht freigegeben',
    1020: 'Das Tageskontingent ist erschöpft',
    1030: 'Ungültige Eingaben',
  },
  fr: {
    1001: 'L’en-tête de la clé d’API est absent',
    1002: 'L’en-tête de la clé secrète est absent',
    1003: 'L’en-tête de la version est absent',
    1006: 'Clé d’API non valide',
    1007: 'Clé secrète non valide',
    1010: 'Point d’accès introuvable pour la version demandée',
    1011: 'Point d’accès désactivé',
    1012: 'Client introuvable',
    1013: 'Point d’accès non autorisé',
    1020: 'Quota journalier épuisé',
    1030: 'Paramètres non valides',
  },
}

function languageOf(field = '') {
  const wanted = field.split(',').map((item) => {
    const [, tag, q = '1'] = /^\s*([a-z]+)[\w-]*\s*(?:;\s*q=([\d.]+))?/i.exec(item) ?? []
    return { tag: tag?.toLowerCase(), q: Number(q) }
  })
  wanted.sort((a, b) => b.q - a.q)
  return wanted.find(({ tag, q }) => q > 0 && (tag === 'en' || tag in texts))?.tag ?? 'en'
}

export function start() {
  const state = {}
  return listen((request) => {
    const out = answer(request, state)
    const language = out.status < 400 ? 'en' : languageOf(request.headers['accept-language'])
    const headers = { ...out.headers, 'content-language': language, vary: 'accept-language' }
    if (language === 'en') return { ...out, headers }
    const { error_code } = out.body
    return { ...out, headers, body: { error_message: texts[language][error_code], error_code } }
  })
}
