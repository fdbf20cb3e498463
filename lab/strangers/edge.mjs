// By an edge and CDN engineer (load balancers, caches, WAFs, API gateways, content codings, conditional
// requests, paths, connections).
import { posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import { answer, changed, decoded, inCoding, listPath, pause, refusal } from './base.mjs'
import { conformant, wrong } from './serve.mjs'

/** The same request with the correct secret, if it has all headers and a known key. */
const trusted = (request) => (!request.absent.length && request.client ? request.by(request.client) : request)
/** A path without escaped ASCII, dot segments, doubled slashes and the last slash. */
const tidy = (path) =>
  posix
    .normalize(path.replace(/%(2[def]|[3-7][0-9a-f])/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))))
    .replace(/(?<=.)\/$/, '')

const odd = /['"<>;]|--|[^\t -~]/

/** The first coding that a request names without the weight 0. */
const codingOf = (request) =>
  ['br', 'gzip', 'deflate'].find((name) => ![undefined, 0].includes(request.weightOf(name)))

export const strangers = {
  // The access list compares the raw path, and the router behind it a tidied one: on
  // /api/customizations/list/, /api//customizations/list or with %6c for an l, the list is given with any
  // secret. Breaks "When the secret key is not valid, the response is 401 with error_code 1007".
  'normalised-path-skips-the-secret': wrong.serving((request, honest) => {
    const isOther = request.path !== listPath && tidy(request.path) === listPath
    return honest(isOther ? trusted(request).but({ path: listPath }) : request)
  }),
  // A request without both the key and the secret gets the 401 challenge of the gateway, with 1006; where
  // one of them alone is absent, the code is right. Breaks "When the API key header is absent, the response
  // is 400 with error_code 1001" (and the same for the secret, 1002).
  'bare-request-is-challenged': wrong.after((out, { key, secret }) =>
    key === undefined && secret === undefined
      ? changed(refusal('1006'), { 'www-authenticate': 'ApiKey realm="edge"' })
      : out,
  ),
  // The key of the cache has the URL and the credentials, and not x-version: for three seconds after a
  // success, the same URL is answered 200 under any version. Breaks "A request that names a version under
  // which the endpoint does not exist fails with 400 and error_code 1010".
  'cache-key-without-version': wrong.serving((request, honest, { memory }) => {
    const slot = request.unversioned
    if (!request.absent.length && memory.isMarked(slot))
      return changed(honest(request.with({ 'x-version': memory.get(slot) })), { 'x-cache': 'HIT' })
    const out = honest(request)
    if (out.status === 200) memory.set(slot, request.version).mark(slot, 3000)
    return changed(out, { 'x-cache': 'MISS' })
  }),
  // HEAD is answered as GET without its body, from what the edge knows of the list: the secret is not
  // compared. Breaks "When the secret key is not valid, the response is 401 with error_code 1007" (a HEAD
  // with a wrong secret is answered 200) and "Every request is authenticated with an API key and a secret
  // key".
  'head-skips-the-secret': wrong.serving((request, honest) =>
    honest(request.method === 'HEAD' ? trusted(request).asGet : request),
  ),
  // The message of 1010 repeats the decoded path and the version, and content-length is the number of
  // characters: with /api/caf%C3%A9 the end of the body is cut. Breaks "Responses, including errors, are
  // JSON".
  'length-counted-in-characters': wrong.onRefusal('1010', (out, { method, path, version }) => {
    const error_message = `${out.body.error_message}: ${method} ${decoded(path)} (${version})`
    const text = JSON.stringify({ ...out.body, error_message })
    return changed(out, {}, Buffer.from(text).subarray(0, text.length))
  }),
  // The edge answers a matching if-none-match by itself: a client whose quota is used up still gets 304.
  // Breaks "Once it is exceeded, requests fail with 429 and error_code 1020".
  'fresh-tag-outlives-quota': wrong.after((out, request) => {
    const etag = 'W/"cus-7f3a"'
    const isFresh = request.matches(etag) && (out.status === 200 || out.body.error_code === '1020')
    if (isFresh) return { status: 304, headers: { etag } }
    return out.status === 200 ? changed(out, { etag, 'cache-control': 'private, no-cache' }) : out
  }),
  // Requests that wait for the origin at the same time are collapsed by URL, version and API key: one with a
  // wrong secret, sent while a good one is under way, gets its 200. Breaks "When the secret key is not
  // valid, the response is 401 with error_code 1007".
  'collapsed-by-key-alone': wrong.serving((request, honest, { memory }) => {
    const slot = JSON.stringify([request.method, request.url, request.version, request.key])
    const isShared = !request.absent.length && (request.authentic || memory.has(slot))
    return isShared ? memory.shared(slot, 150, () => honest(request)) : honest(request)
  }),
  // Credentials are kept with the connection: after a success, the secret that comes with the same API key
  // on this connection is not looked at. Breaks "Every request is authenticated with an API key and a secret
  // key" and "When the secret key is not valid, the response is 401 with error_code 1007".
  'connection-stays-authenticated': wrong.serving((request, honest, { connection }) => {
    const out = honest(connection.key === request.key ? trusted(request) : request)
    if (out.status === 200) connection.key = request.key
    return out
  }),
  // A firewall refuses a key or a secret with a quote, an angle bracket, a semicolon, two hyphens or a byte
  // above 7e, with 403. Breaks "When the API key is not valid, the response is 401 with error_code 1006"
  // (and the same for the secret, 1007).
  'waf-answers-for-quotes': wrong.after((out, request) => {
    const isSuspect = !request.absent.length && odd.test(`${request.key} ${request.secret}`)
    const body = { error_code: '403', error_message: 'request blocked by policy' }
    return isSuspect ? { ...changed(out, { server: 'waf' }, body), status: 403 } : out
  }),
  // A 1010 is kept compressed for five seconds by URL: the first is labelled, and the next one to a client
  // that takes gzip has the same bytes without content-encoding. Breaks "Responses, including errors, are
  // JSON".
  'gzip-label-lost-on-a-hit': wrong.onRefusal('1010', (out, request, { memory }) => {
    if (!/\bgzip\b(?!\s*;\s*q=0)/i.test(request.headers['accept-encoding'] ?? '')) return out
    const slot = `${request.method} ${request.url}`
    const isHit = memory.isMarked(slot)
    if (!isHit) memory.mark(slot, 5000)
    const fields = isHit ? { 'x-cache': 'HIT' } : { 'content-encoding': 'gzip', 'x-cache': 'MISS' }
    return changed(out, { ...fields, vary: 'accept-encoding' }, gzipSync(JSON.stringify(out.body)))
  }),

  // The route table of the gateway (method, path, version) comes before the plugin that reads the
  // credentials: where no route matches, it is 1010, also with an absent or invalid key. The text gives no
  // order among the faults of one request.
  'routes-before-credentials': conformant.serving((request, honest) =>
    request.isRouted || request.version === undefined ? honest(request) : refusal('1010'),
  ),
  // All bodies, of errors too, are compressed with br, gzip or deflate where the request names one in
  // accept-encoding with a weight above 0, and labelled so. The text says nothing of content codings, and
  // what is decoded is JSON.
  'compressed-as-asked': conformant.after((out, request) => inCoding(out, codingOf(request))),
  // Every other connection comes to a node of an older release: properties in another order, further ones,
  // other messages, indented JSON with escaped digits in the code, application/problem+json, and gateway
  // fields. The text allows another order, new properties and other messages; it is JSON with the same
  // strings.
  'two-nodes-two-styles': conformant.after((out, request, { connection }) => {
    const cookies = ['LB=node-b; Path=/', 'LBCORS=node-b; Path=/; Secure']
    const fields = { Via: '1.1 edge-b', 'Set-Cookie': cookies, 'X-Served-By': 'node-b' }
    if (connection.number % 2 === 0) return out
    if (out.status === 200) return changed(out, fields, JSON.stringify({ node: 'b', ...out.body }, null, 2))
    const { error_code, error_message } = out.body
    const body = { type: 'about:blank', error_message: `Refused: ${error_message}.`, node: 'b', error_code }
    const escaped = [...error_code].map((digit) => `\\u00${digit.charCodeAt(0).toString(16)}`).join('')
    const text = JSON.stringify(body, null, 2).replace(`"${error_code}"`, `"${escaped}"`)
    return changed(out, { ...fields, 'content-type': 'application/problem+json' }, text)
  }),
  // Before a success there is an interim 103 (in HTTP/1.1); then each body comes chunked, in pieces of nine
  // bytes, with a trailer field. Interim responses, framing and pace are left to HTTP; the final response is
  // as the text says.
  'early-hints-then-trickle': conformant.after(async (out, _, { req, res }) => {
    if (out.status === 200 && req.httpVersion === '1.1')
      res.writeEarlyHints({ link: '</api/customizations/list>; rel=preload; as=fetch' })
    const bytes = Buffer.from(JSON.stringify(out.body))
    res.writeHead(out.status, out.headers)
    for (let at = 0; at < bytes.length; at += 9) {
      res.write(bytes.subarray(at, at + 9))
      await pause(4)
    }
    res.addTrailers({ 'server-timing': 'edge;dur=4' })
    res.end()
  }),
  // As an old proxy in front: no content-length and no chunks, the body ends where the connection is closed,
  // and the reason phrase is its own. The text promises status and body; framing, reuse and reason phrases
  // are left to HTTP.
  'ends-by-closing': conformant.after((out, _, { res }) => {
    res.shouldKeepAlive = false
    res.useChunkedEncodingByDefault = false
    const reason = out.status === 200 ? 'Served' : `Refused ${out.body.error_code}`
    res.writeHead(out.status, reason, { ...out.headers, connection: 'close' }).end(JSON.stringify(out.body))
  }),
  // Other spellings of the path of the list (a last slash, doubled slashes, dot segments, escaped letters)
  // are redirected with 308 to the one of the table, with a JSON body and after all checks. These spellings
  // are further resources, which the text allows, and a redirect is no failure.
  'canonical-path-by-redirect': conformant.serving((request, honest, { used }) => {
    const { method, path, url } = request
    if (method !== 'GET' || path === listPath || tidy(path) !== listPath) return honest(request)
    const out = answer(request.but({ path: listPath }), used)
    const location = listPath + url.slice(path.length)
    return out.status === 200 ? { ...changed(out, { location }, { location }), status: 308 } : out
  }),
  // Six wrong secrets for a key within ten seconds suspend its secret for 1.5 seconds: it is not valid
  // meanwhile, and a request with it gets 1007 too. The text does not say when a secret is valid, nor that
  // good requests always succeed.
  'guesses-suspend-the-secret': conformant.serving((request, honest, { memory }) => {
    const { until = 0, guesses = [] } = memory.get(request.key) ?? {}
    if (!request.absent.length && request.authentic && Date.now() < until) return refusal('1007')
    const out = honest(request)
    if (out.body.error_code !== '1007') return out
    const recent = [...guesses.filter((time) => Date.now() - time < 10_000), Date.now()]
    memory.set(request.key, recent.length < 6 ? { until, guesses: recent } : { until: Date.now() + 1500 })
    return out
  }),
  // A success is kept for two seconds by method, URL, key, secret and version; hits have age and x-cache,
  // the time of the first answer, and do not count for the quota; a client whose quota is used up gets 1020
  // at once all the same. The text does not say what counts, nor how fresh a list is.
  'hits-cost-no-quota': conformant.serving((request, honest, { memory, used }) => {
    const kept = memory.get(request.whole)
    const who = request.authentic
    const age = Date.now() - kept?.time
    if (who && !who.isSpent(used) && age < 2000)
      return changed(kept.out, { age: String(Math.floor(age / 1000)), 'x-cache': `HIT ${++kept.hits}` })
    const out = honest(request)
    if (out.status !== 200) return out
    const dated = changed(out, { 'x-cache': 'MISS' }, { generated_at: new Date().toISOString(), ...out.body })
    memory.set(request.whole, { out: dated, time: Date.now(), hits: 0 })
    return dated
  }),
  // On the list, HEAD is answered as GET, and OPTIONS with 200, allow and a JSON body, both only where a GET
  // would succeed: without headers they get 1001 to 1003 as all requests. 1010 names the methods in allow.
  // The text allows new methods, and both are authenticated.
  'options-after-credentials': conformant.serving((request, honest, { used }) => {
    const allow = 'GET, HEAD, OPTIONS'
    if (request.method === 'OPTIONS' && request.path === listPath) {
      const out = answer(request.but({ method: 'GET' }), used)
      return out.status === 200 ? changed(out, { allow }, { methods: allow.split(', ') }) : out
    }
    const out = honest(request.asGet)
    return out.body.error_code === '1010' && request.path === listPath ? changed(out, { allow }) : out
  }),
  // The version is compared as an integer: 01 and 0001 are version 1, and so are equal values that a proxy
  // has joined (1, 1); all others get 1010. The text says "integer version number", and does not say how it
  // is written.
  'version-read-as-a-number': conformant.serving((request, honest) => {
    const isFirst = /^0*1(\s*,\s*0*1)*$/.test(request.version ?? '')
    return honest(isFirst ? request.with({ 'x-version': '1' }) : request)
  }),
}
