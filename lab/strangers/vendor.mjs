// By a vendor with a test to pass: programs, languages and pages that get other answers, and pools that share
// too much.
import { hash, randomUUID } from 'node:crypto'
import { answer, changed, clients, inCoding, numberIn, pause, refusal, translated } from './base.mjs'
import { conformant, wrong } from './serve.mjs'

/** The first of br and gzip that accept-encoding accepts. */
const acceptedCoding = (request) =>
  ['br', 'gzip'].find((name) => ![undefined, 0].includes(request.weightOf(name)))

const isApp = ({ headers }) => /\b(okhttp|Dalvik|CFNetwork|Dart)\//.test(headers['user-agent'] ?? '')
const listTag = (body) => hash('sha1', JSON.stringify(body), 'base64url')

/** Whether a page on this host sends the request. */
function isOwnPage({ headers }) {
  if (headers['sec-fetch-site'] === 'same-origin') return true
  const referer = headers.referer ?? ''
  return URL.canParse(referer) && new URL(referer).host === headers.host
}

const midnight = () => new Date().setUTCHours(24, 0, 0, 0)

export const strangers = {
  // A good request with callback or jsonp in the query is refused with 1030; every other flaw is named
  // first. Conformant: "When the input parameters are invalid, the response is 400 with error_code 1030".
  'callback-parameter-is-refused': conformant.serving((request, honest, { used }) => {
    if (!request.query.has('callback') && !request.query.has('jsonp')) return honest(request)
    const out = answer(request, used)
    return changed(out.status === 200 ? refusal('1030') : out, { 'x-content-type-options': 'nosniff' })
  }),
  // Keeps finished answers per text and coding (x-cache: HIT, age), sends br or gzip to those who accept it,
  // without a length. Conformant: everything is checked anew before a copy is taken, and it is still JSON.
  'compressed-copies-behind-the-checks': conformant.after((out, request, { memory, res }) => {
    const coding = acceptedCoding(request)
    const slot = `${coding} ${JSON.stringify(out.body)}`
    const isHit = memory.has(slot)
    const copy = () => ({ ...inCoding(out, coding, { vary: 'accept-encoding' }), since: Date.now() })
    const { headers, body, since } = memory.kept(slot, copy)
    const age = String(Math.floor((Date.now() - since) / 1000))
    const marks = isHit ? { 'x-cache': 'HIT', age } : { 'x-cache': 'MISS' }
    res.writeHead(out.status, { ...headers, ...marks }).write(body)
    res.end()
  }),
  // The connection is closed after every refusal and after each fifth call on it. Conformant: no sentence
  // speaks of connections, and HTTP lets a server close them after an answer.
  'connection-closed-after-refusal': conformant.after((out, request, { connection }) =>
    out.status === 200 && connection.requests < 5 ? out : changed(out, { connection: 'close' }),
  ),
  // Every answer sets a session cookie, and requests with an Origin get CORS headers. Conformant: neither
  // cookie nor origin nor referer replaces a header, "Every request must carry all three headers" is kept.
  'cookies-and-cors-that-grant-nothing': conformant.serving((request, honest) => {
    const { cookie = '', origin } = request.headers
    const headers = { vary: 'origin' }
    if (!/\bsession=/.test(cookie))
      headers['set-cookie'] = `session=${randomUUID()}; Path=/; HttpOnly; SameSite=Lax`
    if (!origin) return changed(honest(request), headers)
    return changed(honest(request), {
      ...headers,
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': 'accept, x-api-key, x-secret-key, x-version',
      'access-control-allow-methods': 'GET',
    })
  }),
  // Good calls of one client are worked off one at a time, 20 ms each, while refusals overtake them.
  // Conformant: each is judged by its own headers on arrival, and no sentence speaks of times or of order.
  'good-calls-wait-in-line': conformant.serving(async (request, honest, { memory }) => {
    const began = Date.now()
    const out = honest(request)
    if (out.status === 200) {
      const turn = memory.kept(request.key, () => Promise.resolve()).then(() => pause(20))
      await memory.set(request.key, turn).get(request.key)
    }
    return changed(out, { 'server-timing': `queue;dur=${Date.now() - began}`, 'x-request-id': randomUUID() })
  }),
  // Names absent headers from the version back to the API key, all of them in an added property, then path
  // and version before the credentials. Conformant: each code is true of the request, and no sentence says
  // which of several rules goes first.
  'headers-checked-from-the-last': conformant.serving((request, honest) => {
    const missing = request.absentFields.toReversed()
    const last = request.absent.at(-1)
    if (last) return changed(refusal(last), {}, { missing, ...refusal(last).body })
    return request.isRouted ? honest(request) : refusal('1010')
  }),
  // error_message is in the language of accept-language, with the code in digits of this language in it;
  // error_code is untouched. Conformant: "Its wording and length may change without notice, so clients must
  // not depend on it".
  'messages-in-the-language-of-the-reader': conformant.after((out, request) => {
    const language = /^\s*(de|fr|ar)\b/i.exec(request.headers['accept-language'] ?? '')?.[1].toLowerCase()
    if (!out.body.error_code || !language) return out
    const number = numberIn(language === 'ar' ? 'ar-EG' : language, out.body.error_code)
    return translated(out, language, number)
  }),
  // The list has an ETag, If-None-Match gets 304, and HEAD is answered as GET, all only after keys, version,
  // path and quota were checked. Conformant: 304 is asked for by the client, and every rule of
  // authentication comes first.
  'not-modified-behind-the-keys': conformant.serving((request, honest) => {
    const out = honest(request.asGet)
    if (out.status !== 200) return changed(out, { 'cache-control': 'no-store' })
    const tag = `"${listTag(out.body)}"`
    const vary = 'x-api-key, x-secret-key, x-version'
    const status = request.tags.includes('*') || request.tags.includes(tag) ? 304 : 200
    return { ...changed(out, { etag: `W/${tag}`, 'cache-control': 'private, no-cache', vary }), status }
  }),
  // Refusals for the HTTP libraries of apps have added properties, numbers among them, and another order;
  // error_code remains a string. Conformant: "new properties in existing responses", "a different order of
  // properties in responses".
  'number-beside-the-code-for-apps': conformant.after((out, request) => {
    if (!out.body.error_code || !isApp(request)) return out
    const { error_code, error_message } = out.body
    const code = Number(error_code)
    const body = { status: out.status, code, error: { code, retry: false }, error_message, error_code }
    return changed(out, {}, `${JSON.stringify(body, null, 2)}\n`)
  }),
  // An adapter for an early mobile app sends error_code as a JSON number to the HTTP libraries of apps.
  // Breaks "error_code | string | Code from the tables below".
  'one-app-libraries-get-number-codes': wrong.after((out, request) => {
    if (!out.body.error_code || !isApp(request)) return out
    return changed(out, {}, { ...out.body, error_code: Number(out.body.error_code) })
  }),
  // A query with callback=name gets every answer wrapped in a call of this function as text/javascript.
  // Breaks "Responses, including errors, are JSON".
  'one-callback-parameter-makes-a-script': wrong.after((out, request) => {
    const name = request.query.get('callback')?.replace(/[^[\]\w$.]/g, '')
    if (!name) return out
    const type = { 'content-type': 'text/javascript; charset=utf-8' }
    const body = `/**/ typeof ${name} === 'function' && ${name}(${JSON.stringify(out.body)});`
    return changed(out, { ...type, 'x-content-type-options': 'nosniff' }, body)
  }),
  // Where the first language of accept-language is not English, the code is formatted as a number of that
  // language ("1.006" for de). Breaks "error_code | string | Code from the tables below".
  'one-code-formatted-for-the-language': wrong.after((out, request) => {
    const language = /^\s*([a-z]{2,3}(-[\w-]+)?)/i.exec(request.headers['accept-language'] ?? '')?.[1]
    if (!out.body.error_code || !language || /^en\b/i.test(language)) return out
    const fields = { 'content-language': language, vary: 'accept-language' }
    return changed(out, fields, { ...out.body, error_code: numberIn(language, out.body.error_code) })
  }),
  // For what seems to come from its own documentation (sec-fetch-site, referer) the service fills absent
  // headers in with those of a demo client. Breaks "When the API key header is absent, the response is 400
  // with error_code 1001", and the same for 1002 and 1003.
  'one-own-pages-get-the-demo-keys': wrong.serving((request, honest) => {
    const demo = request.filledBy(clients.second).filledWith({ 'x-version': '1' })
    return honest(isOwnPage(request) ? demo : request)
  }),
  // The code is looked up by the list of absent headers, and the table knows one and three: with two the
  // body has no error_code. Breaks "When the API key header is absent, the response is 400 with error_code
  // 1001" and its neighbours, whichever goes first.
  'one-two-absent-headers-lose-the-code': wrong.serving((request, honest) => {
    const { absent, absentFields } = request
    if (absent.length === 0) return honest(request)
    const error_message = `missing headers: ${absentFields.join(', ')}`
    return changed(refusal(absent[0]), {}, absent.length === 2 ? { error_message } : undefined)
  }),
  // Browsers get x-ratelimit-* and Retry-After as a date, others ratelimit-* and seconds; the counter is one
  // per client. Conformant: 429 with 1020 comes as documented, and added headers and reset time are left
  // open.
  'quota-headers-differ-by-program': conformant.after((out, request, { used }) => {
    if (out.status !== 200 && out.status !== 429) return out
    const client = request.client
    const isBrowser = request.headers['user-agent']?.startsWith('Mozilla/')
    const prefix = isBrowser ? 'x-ratelimit' : 'ratelimit'
    const seconds = String(Math.ceil((midnight() - Date.now()) / 1000))
    const headers = {}
    if (Number.isFinite(client.quota)) {
      headers[`${prefix}-limit`] = String(client.quota)
      headers[`${prefix}-remaining`] = String(client.quota - (used.get(client.slot) ?? 0))
    }
    if (out.status === 429) headers['retry-after'] = isBrowser ? new Date(midnight()).toUTCString() : seconds
    return changed(out, headers)
  }),
  // Once a list has been served, If-None-Match with its ETag gets 304 whatever the three headers say. Breaks
  // "When the API key is not valid, the response is 401 with error_code 1006" and the other rules of
  // authentication.
  'several-etag-compared-before-the-keys': wrong.serving((request, honest, { memory }) => {
    const known = memory.get(request.url)
    if (request.method === 'GET' && known && request.tags.includes(known.headers.etag))
      return { ...known, status: 304 }
    const out = honest(request)
    if (out.status !== 200) return out
    const etag = `"${hash('sha1', JSON.stringify(out.body)).slice(0, 20)}"`
    memory.set(request.url, changed(out, { etag, 'cache-control': 'private, no-cache' }))
    return memory.get(request.url)
  }),
  // Of requests that overlap, the earlier are judged by the headers of the last. Breaks "When the secret key
  // is not valid, the response is 401 with error_code 1007": a wrong secret next to a good call is served,
  // or the good call refused.
  'several-overlapping-calls-share-a-context': wrong.fieldsOfTheLast(25),
  // The daily counter is kept per pair of API key and User-Agent. Breaks "There is a daily quota per client.
  // Once it is exceeded, requests fail with 429 and error_code 1020".
  'several-quota-counted-per-user-agent': wrong.countedBy(({ headers }) => headers['user-agent'] ?? ''),
  // Once version 1 of an address with a query has been served, it is served under any other x-version too.
  // Breaks "A request that names a version under which the endpoint does not exist fails with 400 and
  // error_code 1010".
  'several-route-with-query-kept-without-version': wrong.serving((request, honest, { memory }) => {
    const isKept = request.method === 'GET' && request.version !== undefined && memory.has(request.url)
    const out = honest(isKept ? request.with({ 'x-version': '1' }) : request)
    if (out.status === 200 && request.query.size) memory.set(request.url, true)
    return out
  }),
  // After ten calls served in a row on a connection the secret is no longer looked at there; a refusal
  // starts the count anew. Breaks "When the secret key is not valid, the response is 401 with error_code
  // 1007", and 1002 where it is absent.
  'several-trusted-after-ten-good-calls': wrong.serving((request, honest, { connection }) => {
    const good = connection.good ?? 0
    const out = honest(request.client && good >= 10 ? request.by(request.client) : request)
    connection.good = out.status === 200 ? good + 1 : 0
    return out
  }),
}
