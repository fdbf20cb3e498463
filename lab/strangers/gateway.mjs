// By an operator of gateways: what an edge in front of the service does to some requests, or only seems to
// do.
import { randomBytes, randomUUID } from 'node:crypto'
import { brotliCompressSync } from 'node:zlib'
import { answer, changed, clients, decoded, inCoding, listPath, partOf, refusal, success } from './base.mjs'
import { conformant, wrong } from './serve.mjs'

/** The coding with the highest weight in accept-encoding. */
function chosenCoding(request) {
  const usable = ['br', 'gzip', 'deflate'].filter((name) => request.weightOf(name) > 0)
  return usable.toSorted((a, b) => request.weightOf(b) - request.weightOf(a))[0]
}

const modified = 'Mon, 06 Jan 2025 08:00:00 GMT'
const isSince = (date) => Date.parse(date ?? '') >= Date.parse(modified)
const listTag = 'W/"list-7"'

function isUnchanged({ headers, tags }) {
  if (headers['if-none-match'] === undefined) return isSince(headers['if-modified-since'])
  const isStar = headers['if-none-match'].split(',').some((tag) => tag.trim() === '*')
  return isStar || tags.includes(listTag.slice('W/'.length))
}

const odd = /<\s*script|\bunion\b.+\bselect\b|\.\.[/\\]|'\s*(or|and|--|;)|\0|\/etc\/passwd/i

const isSuspicious = (text) => odd.test(decoded(text.replaceAll('+', ' '), '../'))

const innerAddress = /^(10\.|127\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)/
const acceptsProblems = /(^|,)\s*application\/problem\+json\s*(;(?!\s*q=0(\.0*)?\s*(,|$))[^,]*)?(,|$)/i
const titles = { 400: 'Bad Request', 401: 'Unauthorized', 429: 'Too Many Requests' }

export const strangers = {
  // All answers set two balancer cookies anew and echo the first forwarded address. Conformant: cookies and
  // forwarding fields have no part in any check, the three headers alone decide.
  'balancer-cookies-without-meaning': conformant.serving((request, honest) => {
    const { forwardedFor } = request
    const mark = randomBytes(24).toString('base64url')
    return changed(honest(request), {
      'set-cookie': [`AWSALB=${mark}; Path=/`, `AWSALBCORS=${mark}; Path=/; SameSite=None; Secure`],
      'x-client-address': /^[\da-f.:]+$/i.test(forwardedFor) ? forwardedFor : request.socket.remoteAddress,
      'x-amzn-requestid': mark.slice(0, 12),
      via: '1.1 edge, 1.0 inner',
      vary: 'Origin',
    })
  }),
  // Repeated requests get a stored answer (x-cache: HIT, a growing age), refusals too. Conformant: the key
  // holds all that an answer depends on, checks and quota run before each hit, and an added property is one
  // of the "changes treated as non-breaking".
  'cache-keyed-on-all-credentials': conformant.serving((request, honest, { memory }) => {
    const slot = JSON.stringify([request.whole, request.headers.accept])
    const out = honest(request)
    const old = memory.get(slot)
    const isHit = old?.status === out.status && Date.now() - old.at < 30_000
    if (!isHit) {
      const body = { request_id: `req-${memory.count('serial')}`, ...out.body }
      memory.set(slot, { status: out.status, at: Date.now(), body })
    }
    const { at, body } = memory.get(slot)
    const marks = { age: String(Math.floor((Date.now() - at) / 1000)), 'x-cache': isHit ? 'HIT' : 'MISS' }
    const vary = 'x-api-key, x-secret-key, x-version, accept'
    const rules = { via: '1.1 varnish (Varnish/7.4)', 'cache-control': 'private, max-age=30', vary }
    return changed(out, { ...marks, ...rules }, body)
  }),
  // Answers and refusals come in brotli, gzip or deflate, in two chunks and without a length. Conformant:
  // content-encoding names the coding, decoded it is the documented JSON, and who accepts no coding gets
  // none.
  'compressed-refusals-in-chunks': conformant.atHead((request, honest) => ({
    ...inCoding(honest(request), chosenCoding(request)),
    first: 10,
  })),
  // Accepted conditional requests get a 304 without a body, HEAD the fields of GET. Conformant: the
  // condition is looked at only where the request would have been served, and every refusal is the
  // documented one.
  'conditional-answers-after-checks': conformant.atHead((request, honest) => {
    const out = honest(request.asGet)
    if (out.status !== 200) return changed(out, { 'cache-control': 'no-store' })
    const tags = { etag: listTag, 'last-modified': modified, 'cache-control': 'private, no-cache' }
    return isUnchanged(request) ? { status: 304, headers: tags } : changed(out, tags)
  }),
  // A refusal closes the connection, as does its fourth request, and an offered upgrade is passed over.
  // Conformant: each request is checked for itself, and the specification is silent on connections.
  'connection-closed-after-refusal': conformant.after((out, request, { connection: { requests } }) => {
    if (out.status >= 400 || requests >= 4) out.headers.connection = 'close'
    return changed(out, { 'x-connection-requests': String(requests) })
  }),
  // Queries that look like an attack or cannot be decoded are blocked before the keys are looked at, with a
  // support_id and a closed connection. Conformant: the block is the documented 400 with 1030 ("invalid
  // input parameters"), and ordinary queries pass.
  'firewall-refuses-odd-queries': conformant.serving((request, honest) => {
    const at = request.url.indexOf('?')
    if (at < 0 || !isSuspicious(request.url.slice(at + 1))) return honest(request)
    const error_message = 'The requested URL was rejected. Please consult with your administrator.'
    const fields = { 'cache-control': 'no-store', 'x-waf-action': 'block', connection: 'close' }
    return changed(refusal('1030'), fields, { support_id: randomUUID(), error_code: '1030', error_message })
  }),
  // A refusal to a client that accepts brotli has a brotli body but no content-encoding, so that what
  // arrives is not JSON. Breaks "Responses, including errors, are JSON."
  'one-brotli-refusal-without-coding-name': wrong.atHead((request, honest) => {
    const out = changed(honest(request), { vary: 'accept-encoding' })
    if (!/(^|,)\s*br\s*(,|$)/.test(request.headers['accept-encoding'] ?? '')) return out
    const named = out.status < 400 ? { 'content-encoding': 'br' } : {}
    return changed(out, named, brotliCompressSync(JSON.stringify(out.body)))
  }),
  // The secret is not asked of callers whose x-forwarded-for begins with a private address. Breaks "When the
  // secret key is not valid, the response is 401 with error_code 1007" and "When the secret key header is
  // absent, the response is 400 with error_code 1002."
  'one-forwarded-private-address-skips-secret': wrong.serving((request, honest) => {
    const { client, forwardedFor } = request
    return honest(client && innerAddress.test(forwardedFor) ? request.by(client) : request)
  }),
  // The edge checks keys for GET alone: a HEAD is answered 200 with any or no credentials. Breaks "Every
  // request must carry all three headers" and "When the API key header is absent, the response is 400 with
  // error_code 1001."
  'one-head-skips-key-auth': wrong.serving((request, honest) => {
    if (request.method !== 'HEAD') return honest(request)
    return request.path === listPath ? success() : refusal('1010')
  }),
  // A GET of the list with if-modified-since of today is answered 304 by the edge before the credentials are
  // looked at. Breaks "When the API key is not valid, the response is 401 with error_code 1006", and the
  // like for the other flaws.
  'one-not-modified-before-key-check': wrong.atHead((request, honest) => {
    const { method, path, headers } = request
    if (method === 'GET' && path === listPath && isSince(headers['if-modified-since']))
      return { status: 304, headers: { 'last-modified': modified } }
    const out = honest(request)
    return out.status === 200 ? changed(out, { 'last-modified': modified }) : out
  }),
  // A table of absent headers has no row for exactly two: there the gateway fills the gaps with its service
  // account and serves. Breaks "Every request must carry all three headers" (each of the two absences has a
  // 400 of its own).
  'one-two-missing-headers-fall-through': wrong.serving((request, honest) => {
    const { absent, client = clients.target } = request
    if (absent.length === 1 || absent.length === 3) return refusal(absent[0])
    return honest(request.filledBy(client).filledWith({ 'x-version': '1' }))
  }),
  // Who lists application/problem+json in accept gets refusals of that type, with more members before the
  // documented ones. Conformant: it is JSON, error_code and error_message are as specified, and more
  // properties are allowed.
  'problem-type-with-documented-members': conformant.after((out, request) => {
    const { status } = out
    if (status < 400 || !acceptsProblems.test(request.headers.accept ?? '')) return out
    const { error_code, error_message } = out.body
    const headers = { 'content-type': 'application/problem+json', vary: 'accept' }
    const named = { type: `urn:problem:${error_code}`, title: titles[status], status, detail: error_message }
    return { status, headers, body: { ...named, instance: request.path, error_message, error_code } }
  }),
  // A single satisfiable byte range of an accepted answer is sent as 206; other ranges get the whole.
  // Conformant: 206 comes only where it was asked for, the parts make up the JSON, and refusals are whole.
  'ranges-of-accepted-answers': conformant.after((out, request) => {
    if (out.status !== 200) return out
    const text = JSON.stringify(out.body)
    out.headers['accept-ranges'] = 'bytes'
    const asked = /^bytes=(?=.*\d)(\d*)-(\d*)$/.exec(request.headers.range ?? '')
    if (!asked || request.headers['if-range'] !== undefined) return out
    const isTail = asked[1] === ''
    const from = isTail ? Math.max(0, text.length - Number(asked[2])) : Number(asked[1])
    const last = Math.min(isTail || asked[2] === '' ? Infinity : Number(asked[2]), text.length - 1)
    return from > last ? out : partOf(out, from, last)
  }),
  // Of several flaws another one is named than usual: absent headers from the last, endpoint, parameters,
  // then an unknown secret before an unknown key. Conformant: no order is given, each code is true of the
  // request, and a single flaw gets its own.
  'router-and-parameters-before-keys': conformant.serving((request, honest) => {
    if (request.absent.length) return refusal(request.absent.at(-1))
    const routed = answer(request.by(clients.target))
    if (routed.status !== 200) return routed
    const isSecret = Object.values(clients).some(({ secret }) => secret === request.secret)
    return isSecret ? honest(request) : refusal('1007')
  }),
  // GETs with a query are cached for a minute under key, secret and URI: the same with another x-version is
  // served too. Breaks "A request that names a version under which the endpoint does not exist fails with
  // 400 and error_code 1010."
  'several-cached-query-ignores-version': wrong.serving((request, honest, { memory }) => {
    const isHit = request.version !== undefined && memory.isMarked(request.unversioned)
    const out = honest(isHit ? request.with({ 'x-version': '1' }) : request)
    if (!request.url.includes('?')) return out
    if (out.status === 200 && !isHit) memory.mark(request.unversioned, 60_000)
    return changed(out, { 'x-cache': isHit ? 'HIT' : 'MISS' })
  }),
  // GETs of one URI that overlap get the answer of the first, though their key, secret or version is
  // another. Breaks "When the secret key is not valid, the response is 401 with error_code 1007." One after
  // another, all is right.
  'several-coalesced-requests-share-answer': wrong.serving((request, honest, { memory }) => {
    if (request.absent.length) return refusal(request.absent[0])
    return memory.shared(`${request.method} ${request.url}`, 30, () => honest(request))
  }),
  // Two workers count apart and connections are spread over them: after a 429 the client is served on
  // another connection. Breaks "There is a daily quota per client. Once it is exceeded, requests fail with
  // 429 and error_code 1020."
  'several-quota-counted-per-worker': wrong.countedBy((_, io) => [1, 1, 2][io.connection.number % 3]),
  // An accepted request sets a cookie that stands for key and secret afterwards, wrong or absent as they
  // are. Breaks "Every request must carry all three headers" and "When the API key is not valid, the
  // response is 401 with error_code 1006."
  'several-session-cookie-replaces-keys': wrong.serving((request, honest, { memory }) => {
    const known = memory.get(request.cookie('edge_session'))
    if (known) return honest(request.by(known))
    const out = honest(request)
    if (out.status !== 200) return out
    const fresh = randomUUID()
    memory.set(fresh, request.client)
    return changed(out, { 'set-cookie': `edge_session=${fresh}; Path=/; HttpOnly; SameSite=Lax` })
  }),
  // After a request with an Upgrade field all that follows on its connection is passed on with credentials
  // of the proxy, though nobody answered 101. Breaks "Every request must carry all three headers."
  'several-tunnel-after-upgrade-offer': wrong.serving((request, honest, { connection }) => {
    if (connection.isTunnel) return honest(request.by(clients.target).with({ 'x-version': '1' }))
    connection.isTunnel = request.headers.upgrade !== undefined
    return honest(request)
  }),
  // Every other connection gets a newer release: other order, added properties, other wording, indented
  // JSON. Conformant: codes, statuses and the shared quota are the same, and such changes are those that
  // "clients must tolerate".
  'workers-share-one-counter': conformant.after((out, request, { connection }) => {
    if (connection.number % 2 === 0) return changed(out, { server: 'nginx/1.24.0' })
    const { error_code: code, ...rest } = out.body
    const served = { node: 'edge-b', ...rest, count: 2 }
    const failed = { trace_id: '7f3a9c', error_message: `Request refused (${code}).`, error_code: code }
    const body = `${JSON.stringify(code === undefined ? served : failed, null, 2)}\n`
    return { status: out.status, headers: { 'content-type': 'application/json', server: 'envoy' }, body }
  }),
}
