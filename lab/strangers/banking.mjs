// By a developer of banking backends: faults that show only if a flaw meets another property of the request.
import { hash, randomInt, randomUUID } from 'node:crypto'
import { attempt, changed, decoded, listPath, pause, refusal, success } from './base.mjs'
import { conformant, wrong } from './serve.mjs'

const idOf = ({ headers }) =>
  headers['idempotency-key'] ?? headers['x-request-id'] ?? headers['x-correlation-id']

const attack = /<script|javascript:|union(\s|\+)+select|'\s*(or|and)\s|;\s*drop\s|\.\.[/\\]|\0|\/etc\/passwd/i

const hardened = {
  'content-type': 'Application/JSON; Charset="utf-8"',
  'content-security-policy': `default-src 'none'`,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cache-control': 'no-cache, no-store, max-age=0, must-revalidate',
  pragma: 'no-cache',
  expires: '0',
}

const words = { de: 'Fehler', fr: 'Erreur', es: 'Error', it: 'Errore', nl: 'Fout', ja: 'エラー' }
const firstLanguage = ({ headers }) => (headers['accept-language'] ?? '').split(/[,;]/)[0].trim()
const grouped = (code, language) => Number(code).toLocaleString(language, { useGrouping: 'always' })

/** The first requested language, unless it is English or invalid. */
const foreignLanguage = (request) => {
  const first = firstLanguage(request)
  if (!first || first === '*' || /^en\b/i.test(first)) return undefined
  return attempt(() => Intl.getCanonicalLocales(first)[0])
}

/** A path without parameters, doubled slashes and the last slash. */
const routed = (path) =>
  path
    .replace(/;[^/]*/g, '')
    .replace(/\/{2,}/g, '/')
    .replace(/(.)\/$/, '$1')

const titles = { 400: 'Bad Request', 401: 'Unauthorized', 429: 'Too Many Requests' }
const most = { page: 9999, limit: 100 }

export const strangers = {
  // Replays the body of a served request, with its old time and age, to the same client, address and request
  // id. Conformant: all checks and the quota come before, and generated_at is a new property.
  'answers-replayed-to-the-same-client-only': conformant.after((out, request, { memory }) => {
    const id = idOf(request)
    if (id) out.headers['x-request-id'] = id
    if (out.status !== 200) return out
    const slot = JSON.stringify([request.key, request.url, id])
    const old = id && memory.get(slot)
    const body = old || { generated_at: new Date().toISOString(), ...out.body }
    if (id) memory.set(slot, body)
    const age = String(Math.floor((Date.now() - Date.parse(body.generated_at)) / 1000))
    return changed(out, old ? { age, 'idempotent-replayed': 'true', 'x-cache': 'HIT' } : {}, body)
  }),
  // A firewall stops addresses that carry an attack with 403, a support id as JSON and a closed connection,
  // whoever asks. Conformant: these never reach the service, and every ordinary request passes.
  'attacks-in-the-address-stopped-by-a-firewall': conformant.serving((request, honest) => {
    if (!attack.test(decoded(request.url.replaceAll('+', ' '), request.url)))
      return changed(honest(request), { server: 'edge', via: '1.1 edge' })
    const body = { message: 'The requested URL was rejected.', support_id: String(randomInt(1e12)) }
    const headers = { 'content-type': 'application/json', server: 'edge', connection: 'close' }
    return { status: 403, headers, body }
  }),
  // Browsers get indented JSON in reversed order, a type in other letters, a cookie that is never read, and
  // security headers. Conformant: white space, order and case mean nothing, and every rule holds.
  'browsers-get-indented-json-and-a-cookie': conformant.after((out, request) => {
    const { 'user-agent': agent = '', accept = '' } = request.headers
    const vary = 'accept, user-agent'
    if (!agent.startsWith('Mozilla/') && !/text\/html/.test(accept)) return changed(out, { vary })
    const cookie = `SESSION=${randomUUID()}; Path=/; HttpOnly; SameSite=Lax`
    const body = Object.fromEntries(Object.entries(out.body).toReversed())
    const headers = { ...hardened, vary, 'set-cookie': cookie }
    return { status: out.status, headers, body: `${JSON.stringify(body, null, 2)}\n` }
  }),
  // Looks at parameters, quota, permission, endpoint, credentials and missing headers in this order.
  // Conformant: the code always names a flaw that the request has, and no order of the rules is specified.
  'flaws-checked-from-the-last-to-the-first': conformant.serving((request, honest, { used }) => {
    const { key, secret, client, absent } = request
    if (request.hasBadParameter) return refusal('1030')
    if (client?.isSpent(used)) return refusal('1020')
    if (client?.refused) return refusal(client.refused)
    if (!request.filledWith({ 'x-version': '1' }).isRouted) return refusal('1010')
    if (client && secret !== undefined && secret !== client.secret) return refusal('1007')
    if (key !== undefined && !client) return refusal('1006')
    return absent.length ? refusal(absent.at(-1)) : honest(request)
  }),
  // Answers HEAD like GET, and if-none-match with the tag of the list by 304, both counted by the quota.
  // Conformant: only who would have got the 200 gets a 304, and these requests ask for empty bodies.
  'head-and-not-modified-after-all-checks': conformant.serving((request, honest) => {
    const out = honest(request.asGet)
    if (out.status !== 200) return changed(out, { 'cache-control': 'no-store' })
    const etag = `W/"${hash('sha256', JSON.stringify(out.body)).slice(0, 16)}"`
    const kept = { etag, 'cache-control': 'private, no-cache', vary: 'x-api-key, x-secret-key, x-version' }
    if (request.matches(etag)) return { status: 304, headers: kept, body: out.body }
    return changed(out, kept)
  }),
  // error_message follows accept-language, with a grouped code in it ("Fehler 1.006"), or is empty.
  // Conformant: error_code stays the plain string, and "its wording and length may change without notice".
  'messages-in-the-language-of-the-reader': conformant.serving((request, honest) => {
    const language = firstLanguage(request).toLowerCase().slice(0, 2)
    const out = changed(honest(request), { vary: 'accept-language' })
    if (out.status === 200 || ['en', '', '*'].includes(language)) return out
    const { error_code } = out.body
    if (!words[language]) return changed(out, {}, { error_code, error_message: '' })
    const error_message = `${words[language]} ${grouped(error_code, language)}`
    return changed(out, { 'content-language': language }, { error_message, error_code })
  }),
  // Every 401 goes to an audit table first, whose column is too short for the user agent of a browser: 400
  // with 1030 comes instead. Breaks "When the secret key is not valid, the response is 401 with error_code
  // 1007." and the other rules for 401.
  'one-audit-column-too-short-for-browsers': wrong.after((out, { headers }) =>
    out.status === 401 && headers['user-agent']?.length > 64 ? refusal('1030') : out,
  ),
  // The router forgives slashes and ;parameters, the table of entitlements is searched by the raw path: a
  // client without permission is served at /list/. Breaks "When the client is not permitted to use the
  // endpoint, the response is 401 with error_code 1013."
  'one-entitlement-looked-up-by-raw-path': wrong.serving((request, honest) => {
    const out = honest(request.but({ path: routed(request.path) }))
    return request.path !== listPath && /1011|1013/.test(out.body.error_code) ? success() : out
  }),
  // A refusal for a reader of another language than English has a code with grouped digits ("1.006"). Breaks
  // "error_code | string | Code from the tables below".
  'one-error-code-grouped-in-translated-answers': wrong.after((out, request) => {
    const language = foreignLanguage(request)
    if (out.status === 200 || !language) return out
    const error_code = grouped(out.body.error_code, language)
    return changed(out, { 'content-language': language }, { ...out.body, error_code })
  }),
  // Where two or three headers are missing at once, their codes stand joined in one property ("1002,1003").
  // Breaks "error_code | string | Code from the tables below".
  'one-missing-headers-joined-in-one-code': wrong.serving((request, honest) => {
    const { absent } = request
    if (absent.length < 2) return honest(request)
    const error_message = absent.map((code) => refusal(code).body.error_message).join(', ')
    return changed(refusal(absent[0]), {}, { error_code: absent.join(','), error_message })
  }),
  // Without x-version a version in the query (?api-version=1) or in accept (application/json;version=1) is
  // taken, and the request served. Breaks "When the version header is absent, the response is 400 with
  // error_code 1003."
  'one-version-read-from-query-or-media-type': wrong.serving((request, honest) => {
    const { headers, query, version } = request
    const inQuery = [...query].find(([name]) => /^(api-version|x-version|version|v)$/i.test(name))?.[1]
    const inType = /;\s*(?:api-version|version|v)\s*=\s*"?(\d+)/i.exec(headers.accept ?? '')?.[1]
    return honest(request.with({ 'x-version': version ?? inQuery ?? inType }))
  }),
  // Compares paths without case, spare slashes and ;parameters, the version as an integer (01, +1).
  // Conformant: other spellings are more paths ("new resources or methods"), and 01 names 1 as an "integer
  // version number".
  'paths-and-versions-compared-by-value': conformant.serving((request, honest) => {
    const integer = /^[+]?\d{1,9}$/.test(request.version) ? String(Number(request.version)) : request.version
    const read = request.with({ 'x-version': integer }).but({ path: routed(request.path).toLowerCase() })
    return changed(honest(read), { 'api-supported-versions': '1.0' })
  }),
  // Refusals are problem details, with numeric codes of all missing headers in a list, error_code last and a
  // challenge with 401. Conformant: it is JSON, error_code is one string of the tables, and new properties
  // and orders are non-breaking.
  'problem-details-with-all-violations': conformant.after((out, { absent, absentFields }) => {
    if (out.status === 200) return out
    const { status, body } = out
    const headers = { 'content-type': 'application/problem+json', 'content-language': 'en' }
    if (status === 401) headers['www-authenticate'] = 'Basic realm="partners", ApiKey realm="partners"'
    if (status === 429) headers['retry-after'] = '3600'
    const errors = absentFields.map((field, at) => ({ field, code: Number(absent[at]) }))
    const problem = { type: 'about:blank', title: titles[status], status, trace_id: randomUUID(), errors }
    const { error_code, error_message } = body
    return { status, headers, body: { ...problem, error_message, error_code } }
  }),
  // After five wrong secrets for a key without a success, every request with this key gets 403 with a code
  // of its own for three seconds. Breaks "When the secret key is not valid, the response is 401 with
  // error_code 1007." and "Code from the tables below".
  'several-client-locked-after-five-wrong-secrets': wrong.serving((request, honest, { memory }) => {
    const key = request.client?.key
    const isFull = request.absent.length === 0 && memory.get(key) >= 5
    const body = { error_code: '1014', error_message: 'client is locked' }
    if (isFull && memory.isMarked(key)) return { ...refusal('1007'), status: 403, body }
    if (isFull) memory.delete(key)
    const out = honest(request)
    if (out.body.error_code === '1007' && memory.count(key) > 0) memory.mark(key, 3000)
    if (out.status === 200) memory.delete(key)
    return out
  }),
  // Lists with a query are cached by URL for a minute, before entitlement and quota. Breaks "When the client
  // is not permitted to use the endpoint, the response is 401 with error_code 1013." and "Once it is
  // exceeded, requests fail with 429".
  'several-pages-cached-by-url-before-entitlement': wrong.after((out, request, { memory }) => {
    const { url, query } = request
    if (/1011|1013|1020/.test(out.body.error_code) && memory.isMarked(url)) return memory.get(url)
    if (out.status === 200 && query.size > 0) memory.set(url, out).mark(url, 60_000)
    return out
  }),
  // Requests under way at the same time are all judged by the fields of the latest. Breaks "When the secret
  // key is not valid, the response is 401 with error_code 1007." and every other rule of Authentication.
  'several-parallel-requests-share-one-context': wrong.fieldsOfTheLast(20),
  // A served answer is replayed to any request with the same idempotency-key or x-request-id, whatever its
  // credentials. Breaks "When the secret key is not valid, the response is 401 with error_code 1007."
  'several-replay-by-request-id-before-authentication': wrong.serving((request, honest, { memory }) => {
    const id = idOf(request)
    if (id && memory.has(id)) return memory.get(id)
    const out = honest(request)
    if (id && out.status === 200) memory.set(id, out)
    return out
  }),
  // A served request opens a session; with its cookie key and secret must be there, but are not looked at
  // any more. Breaks "When the secret key is not valid, the response is 401 with error_code 1007."
  'several-session-cookie-stands-for-credentials': wrong.serving((request, honest, { memory }) => {
    const client = memory.get(request.cookie('SESSION'))
    if (client && request.key !== undefined && request.secret !== undefined) return honest(request.by(client))
    const out = honest(request)
    if (out.status !== 200) return out
    const id = randomUUID()
    memory.set(id, request.client)
    return changed(out, { 'set-cookie': `SESSION=${id}; Path=/; HttpOnly; SameSite=Lax` })
  }),
  // Only page and limit are parameters, each at most once; all else is refused with 1030 after
  // authentication. Conformant: the parameters are not shown, and "When the input parameters are invalid,
  // the response is 400 with error_code 1030."
  'unknown-query-parameters-refused': conformant.serving((request, honest) => {
    const isValid = ([name, value]) =>
      Object.hasOwn(most, name) &&
      request.query.getAll(name).length === 1 &&
      /^[1-9]\d{0,3}$/.test(value) &&
      Number(value) <= most[name]
    const query = [...request.query].every(isValid) ? request.query : [['page', 'invalid']]
    return honest(request.but({ query }))
  }),
  // Every further wrong key or secret is answered later, at most 320 ms, and each 401 closes the connection.
  // Conformant: status, code and body stay as documented, and neither times nor connections are specified.
  'wrong-credentials-answered-slowly-and-hung-up': conformant.after(async (out, request, { memory }) => {
    if (out.status === 200) memory.delete(request.key)
    if (out.status !== 401) return out
    if (/1006|1007/.test(out.body.error_code)) await pause(Math.min(40 * memory.count(request.key), 320))
    return changed(out, { connection: 'close' })
  }),
}
