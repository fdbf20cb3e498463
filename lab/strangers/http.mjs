// By an implementer of HTTP: negotiation, conditions, ranges, connections, and how a server treats them.
import { hash, randomUUID } from 'node:crypto'
import net from 'node:net'
import { brotliCompressSync } from 'node:zlib'
import { changed, honestly, inCoding, numberIn, partOf, pause, refusal, translated } from './base.mjs'
import { conformant, listening, requestOf, wrong } from './serve.mjs'

/** The preferred coding of accept-encoding, or undefined. */
function preferredCoding(request) {
  const of = (...names) => names.map((name) => request.weightOf(name)).find((weight) => weight >= 0) ?? 0
  const best = ['br', 'gzip', 'deflate'].toSorted((a, b) => of(b, '*') - of(a, '*'))[0]
  return of(best, '*') > 0 && of(best, '*') >= of('identity') ? best : undefined
}

const attacks = [/<\s*script/i, /\.\.[/\\]/, /\bunion\b.+\bselect\b/i, /'\s*or\s+['\d]/i, /;\s*drop\s+table/i]

function localised(code, field = '') {
  const language = field.split(/[,;]/)[0].trim()
  return !language || language === '*' ? code : numberIn(language, code)
}

function flawsOfCredentials({ key, secret, client }) {
  if (!client) return key === undefined ? [] : ['1006']
  if (client.secret !== secret) return secret === undefined ? [] : ['1007']
  return client.refused ? [client.refused] : []
}

/** The codes of all flaws except those of version, path and parameters, absent headers first. */
const flawsOfSender = (request) => [...request.absent, ...flawsOfCredentials(request)]

/** The codes of all flaws except those of parameters and quota, the version first. */
function flawsFromVersion(request) {
  const { version, isRouted, absent } = request
  const ofVersion = version !== undefined && !isRouted ? ['1010'] : []
  return [...absent.toReversed(), ...ofVersion, ...flawsOfCredentials(request)]
}

/** Whether a range covers a whole text of this size. */
function spansAll(field, size) {
  const [, from, to] = /^bytes=(\d*)-(\d*)$/i.exec(field ?? '') ?? []
  if (from === undefined) return false
  if (from === '') return to !== '' && Number(to) >= size
  return Number(from) === 0 && (to === '' || Number(to) >= size - 1)
}

const day = 86_400_000

/** The preferred language of accept-language among the available ones. */
function preferredLanguage(field = '') {
  const wanted = field.split(',').map((item) => {
    const [, tag, q = '1'] = /^\s*([a-z]+)[\w-]*\s*(?:;\s*q=([\d.]+))?/i.exec(item) ?? []
    return { tag: tag?.toLowerCase(), q: Number(q) }
  })
  wanted.sort((a, b) => b.q - a.q)
  return wanted.find(({ tag, q }) => q > 0 && ['en', 'de', 'fr'].includes(tag))?.tag ?? 'en'
}

/** How a homemade HTTP layer reads the head of a request. */
function parsed(head) {
  const [line, ...fields] = head.replace(/^(\r\n)+/, '').split('\r\n')
  const [method, url = '', protocol = ''] = line.split(' ')
  const headers = {}
  for (const field of fields) {
    const at = field.indexOf(':')
    const name = field.slice(0, at).toLowerCase()
    const value = field.slice(at + 1).trim()
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value
  }
  return requestOf({ method, url, headers }).but({ protocol })
}

/** Writes an answer to the socket. Returns whether it is the last one on the connection. */
function writeTo(socket, { method, protocol, headers }, out) {
  const body = JSON.stringify(out.body)
  const isLast = /close/i.test(headers.connection ?? '') || protocol === 'HTTP/1.0'
  const connection = isLast ? 'close' : 'keep-alive'
  const fields = { ...out.headers, 'content-length': body.length, connection }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  const status = `${out.status} ${out.status < 400 ? 'OK' : 'Refused'}`
  socket.write(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${method === 'HEAD' ? '' : body}`)
  return isLast
}

export const strangers = {
  // A connection serves one request, the body has no length and ends with it, in two pieces and with white
  // space, and the media type has capitals and quotes. Conformant: HTTP and JSON permit all that, and the
  // specification says only that responses are JSON.
  'close-delimited-one-answer-per-connection': conformant.after((out, request, { res }) => {
    const text = `\r\n${JSON.stringify(out.body, null, 4)}\n\n`
    Object.assign(res, { useChunkedEncodingByDefault: false, shouldKeepAlive: false })
    res.writeHead(out.status, { 'Content-Type': 'Application/JSON;Charset="UTF-8"', Connection: 'close' })
    res.write(text.slice(0, 30))
    setTimeout(() => res.end(text.slice(30)), 5)
  }),
  // Every answer is sent in the coding that accept-encoding prefers, chunked and without a length.
  // Conformant: content-encoding says so, and a coding that was asked for does not change that "Responses,
  // including errors, are JSON."
  'compression-by-quality-also-for-refusals': conformant.after((out, request) => ({
    ...inCoding(out, preferredCoding(request)),
    first: 20,
  })),
  // An interim 103 goes ahead of every final answer (not to HTTP/1.0), and answers take up to 30 ms.
  // Conformant: a client of HTTP/1.1 must be able to read interim answers, and the final one is as
  // specified.
  'early-hints-before-final-answer': conformant.serving(async (request, honest, { req, res }) => {
    const link = '</docs/customizations.json>; rel=preload; as=fetch'
    if (req.httpVersionMinor > 0) res.writeEarlyHints({ link })
    await pause(Math.random() * 30)
    return changed(honest(request), { link })
  }),
  // A firewall refuses attacks in the query with 400, 1030 and a message of its own before anyone is
  // authenticated. Conformant: "When the input parameters are invalid, the response is 400 with error_code
  // 1030"; no order of checks is specified.
  'firewall-refuses-attacks-as-invalid-input': conformant.serving((request, honest) => {
    const incident = randomUUID()
    const isAttack = ([name, value]) => attacks.some((attack) => attack.test(`${name}=${value}`))
    if (![...request.query].some(isAttack))
      return changed(honest(request), { server: 'edge', 'x-request-id': incident })
    const error_message = `Your request has been blocked. Tell the support this number: ${incident}`
    const fields = { server: 'edge-firewall', 'x-incident': incident, connection: 'close' }
    return changed(refusal('1030'), fields, { incident, error_message, error_code: '1030' })
  }),
  // Successes carry a weak tag and if-none-match gets 304, only after the request was authenticated,
  // permitted and counted. Conformant: a 304 has no content by HTTP and comes to those who ask for it;
  // refusals are never conditional.
  'not-modified-after-authentication-and-quota': conformant.after((out, request) => {
    if (out.status !== 200) return changed(out, { 'cache-control': 'no-store' })
    const text = JSON.stringify(out.body)
    const tagged = `${request.key} ${text}`
    const etag = `W/"${tagged.length.toString(16)}-${hash('md5', tagged)}"`
    const fields = { etag, vary: 'X-Api-Key, X-Secret-Key, X-Version', 'cache-control': 'private, no-cache' }
    // a 304 has the length of the 200, but no body
    return request.matches(etag) ? { status: 304, headers: fields, body: text } : changed(out, fields)
  }),
  // The error handler throws content-encoding away after the body has been put through brotli: a refusal to
  // who accepts br cannot be read. Breaks "Responses, including errors, are JSON."
  'one-brotli-refusal-without-content-encoding': wrong.serving((request, honest) => {
    const out = changed(honest(request), { vary: 'accept-encoding' })
    if (!(request.weightOf('br') > 0)) return out
    const named = out.status < 400 ? { 'content-encoding': 'br' } : {}
    return changed(out, named, brotliCompressSync(JSON.stringify(out.body)))
  }),
  // The code goes through a message formatter as a number: with the accept-language of a browser it is
  // "1,006" or "1.006". Breaks "error_code | string | Code from the tables below".
  'one-error-code-grouped-for-language': wrong.after((out, request) => {
    if (out.status < 400) return out
    const error_code = localised(out.body.error_code, request.headers['accept-language'])
    return changed(out, {}, { ...out.body, error_code })
  }),
  // A valid GET without a body but with "content-type: application/json" fails with the error object of the
  // framework. Breaks "JSON. On failure the error object described under Errors" (there is no error_code).
  'one-json-content-type-on-empty-get': wrong.after((out, request) => {
    const isTyped = /^application\/json\b/i.test(request.headers['content-type'] ?? '')
    if (out.status !== 200 || !isTyped || request.body !== '') return out
    const message = "Body cannot be empty when content-type is set to 'application/json'"
    return changed(refusal('1030'), {}, { statusCode: 400, error: 'Bad Request', message })
  }),
  // Of several flaws the body shows the first and the status is the highest: no x-version and an unknown key
  // get 401 with 1003. Breaks "Error body (JSON), returned with the HTTP status shown below": 1001, 1002 and
  // 1003 are 400.
  'one-missing-and-invalid-mixes-status-and-code': wrong.serving((request, honest) => {
    const found = flawsOfSender(request).map(refusal)
    if (found.length < 2) return honest(request)
    return { ...found[0], status: Math.max(...found.map((out) => out.status)) }
  }),
  // The range filter cuts every answer: a refused request with "range: bytes=0-" comes back as 206. Breaks
  // "When the API key is not valid, the response is 401 with error_code 1006" and its like.
  'one-range-makes-partial-success-of-refusal': wrong.serving((request, honest) => {
    const out = changed(honest(request), { 'accept-ranges': 'bytes' })
    const text = JSON.stringify(out.body)
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    if (from === undefined || Number(from) >= text.length || (to && Number(to) < Number(from))) return out
    const last = to ? Math.min(Number(to), text.length - 1) : text.length - 1
    return partOf(out, Number(from), last)
  }),
  // Checks the version first and the endpoint before the key, and lists all flaws in a further property.
  // Conformant: no order is specified, and clients must tolerate "new properties in existing responses" and
  // "a different order of properties".
  'other-order-of-checks-lists-all-flaws': conformant.serving((request, honest) => {
    const found = flawsFromVersion(request)
    const out = found.length ? refusal(found[0]) : honest(request)
    if (out.status < 400) return out
    const { error_message, error_code } = out.body
    return changed(out, {}, { all_errors: found.length ? found : [error_code], error_message, error_code })
  }),
  // Answers look cached (age, an old date, x-cache: HIT), as the text is kept for a minute per client and
  // address. Conformant: each request, HEAD too, is authenticated and counted before, and refusals are never
  // kept.
  'private-cache-fields-age-and-head': conformant.serving((request, honest, { memory }) => {
    const via = '1.1 edge'
    const out = honest(request.asGet)
    if (out.status !== 200) return changed(out, { via, 'x-cache': 'MISS', 'cache-control': 'no-store' })
    const slot = JSON.stringify([request.key, request.version, request.url])
    const isHit = memory.get(slot) + 60_000 > Date.now()
    if (!isHit) memory.set(slot, Date.now())
    const at = memory.get(slot)
    const marks = { date: new Date(at).toUTCString(), age: String(Math.floor((Date.now() - at) / 1000)), via }
    const rules = { 'cache-control': 'private, max-age=60', vary: 'X-Api-Key, X-Secret-Key, X-Version' }
    return changed(out, { ...marks, 'x-cache': isHit ? 'HIT' : 'MISS', ...rules })
  }),
  // Requests with right credentials count for the quota, also those refused with 1010 or 1030, and fields
  // tell what is left. Conformant: there is "a daily quota per client", and which requests count is not
  // said.
  'quota-fields-and-refusals-counted': conformant.serving((request, honest, { memory }) => {
    const client = request.authentic
    if (!client || !request.version || client.refused || client.quota === Infinity) return honest(request)
    const count = memory.count(`${client.key} ${Math.floor(Date.now() / day)}`)
    const out = count > client.quota ? refusal('1020') : honest(request)
    const reset = String(Math.ceil((day - (Date.now() % day)) / 1000))
    return changed(out, {
      'ratelimit-limit': String(client.quota),
      'ratelimit-remaining': String(Math.max(0, client.quota - count)),
      'ratelimit-reset': reset,
      ...(out.status === 429 && { 'retry-after': reset }),
    })
  }),
  // Requests for the same thing that overlap share an answer, and the secret is not compared: a wrong one
  // beside the right one is served. Breaks "When the secret key is not valid, the response is 401 with
  // error_code 1007."
  'several-collapsed-requests-ignore-secret': wrong.serving((request, honest, { memory }) => {
    const { url, key, version, headers } = request
    if (request.method !== 'GET' || request.absent.length) return honest(request)
    const slot = JSON.stringify([url, key, version, headers.accept, headers['accept-language']])
    return memory.shared(slot, 40, () => honest(request))
  }),
  // Rendered answers are kept for ten seconds per client and address, whatever the method: after a HEAD a
  // GET has status 200 with an empty body. Breaks "Responses, including errors, are JSON."
  'several-head-leaves-empty-representation': wrong.serving((request, honest, { memory }) => {
    const out = honest(request.asGet)
    if (out.status !== 200) return out
    const slot = `${request.key} ${request.url}`
    if (!memory.isMarked(slot)) memory.set(slot, request.method === 'HEAD' ? '' : JSON.stringify(out.body))
    if (!memory.isMarked(slot)) memory.mark(slot, 10_001)
    return changed(out, {}, memory.get(slot))
  }),
  // Once an entity tag has been handed out, anyone who sends it in if-none-match gets 304. Breaks "Every
  // request is authenticated with an API key and a secret key" and "When the secret key is not valid, the
  // response is 401".
  'several-known-etag-before-authentication': wrong.serving((request, honest, { memory }) => {
    const known = memory.get(request.path)
    if (request.method === 'GET' && known && request.tags.includes(known.etag))
      return { status: 304, headers: { etag: known.etag }, body: known.text }
    const out = honest(request)
    if (out.status !== 200) return out
    const text = JSON.stringify(out.body)
    const etag = `"${hash('sha1', text, 'base64url')}"`
    memory.set(request.path, { etag, text })
    return changed(out, { etag, 'cache-control': 'private, no-cache' })
  }),
  // The quota is counted per client and the address that x-forwarded-for says first. Breaks "There is a
  // daily quota per client. Once it is exceeded, requests fail with 429 and error_code 1020."
  'several-quota-per-forwarded-address': wrong.countedBy((one) => one.forwardedFor || one.address),
  // A self-made HTTP layer never reads bodies: what a POST carried begins the next request of the
  // connection, so that a valid GET gets 1010. Breaks "When the requested endpoint does not exist under the
  // requested version, the response is 400 with error_code 1010": it does exist.
  'several-unread-body-spoils-next-request': wrong.started(() => {
    const honest = honestly()
    const sockets = new Set()
    const server = net.createServer((socket) => {
      let text = ''
      sockets.add(socket.setEncoding('latin1'))
      socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
      socket.on('data', (chunk) => {
        text += chunk
        for (let end; (end = text.indexOf('\r\n\r\n')) >= 0;) {
          const request = parsed(text.slice(0, end))
          text = text.slice(end + 4)
          if (writeTo(socket, request, honest(request))) return socket.end()
        }
      })
    })
    return listening(server, () => sockets.forEach((socket) => socket.destroy()))
  }),
  // error_message comes in the language that accept-language prefers; error_code and status stay.
  // Conformant: "Its wording and length may change without notice, so clients must not depend on it."
  'translated-messages-by-accept-language': conformant.after((given, request) => {
    const language = given.status < 400 ? 'en' : preferredLanguage(request.headers['accept-language'])
    if (language !== 'en') return translated(given, language)
    return changed(given, { 'content-language': language, vary: 'accept-language' })
  }),
  // A range that spans the whole of a success is answered with 206 and all of the JSON; others are ignored,
  // and refusals keep their status. Conformant: the specification names no status for success, and the body
  // stays JSON.
  'whole-range-as-206-for-success-only': conformant.after((given, request) => {
    if (given.status !== 200) return given
    const text = JSON.stringify(given.body)
    const out = changed(given, { 'accept-ranges': 'bytes' })
    const { range, 'if-range': condition } = request.headers
    if (condition !== undefined || !spansAll(range, text.length)) return out
    return partOf(out, 0, text.length - 1)
  }),
}
