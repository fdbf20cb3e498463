// By a Java backend developer: Spring, servlet filters, Tomcat and Jetty, JPA, interceptors, thread locals
// and caches.
import { hash } from 'node:crypto'
import { changed, clients, inCoding, listPath, pause, refusal, success, translated } from './base.mjs'
import { conformant, wrong } from './serve.mjs'

/** A path without its matrix parameters, as a dispatcher servlet looks it up. */
const withoutMatrix = (path) => path.replace(/;[^/]*/g, '')
const digestOf = (value) => hash('md5', JSON.stringify(value))
const listTag = `W/"${digestOf(success().body)}"`

/** The part of a pepper, a key and a secret that a bcrypt encoder uses: the first 72 bytes. */
const seenByBcrypt = (key, secret) =>
  Buffer.from(`tenant-pepper-2019-eu:${key}:${secret}`, 'latin1').subarray(0, 72).toString('latin1')

export const strangers = {
  // The secret is hashed by bcrypt behind a pepper and the key, and bcrypt ignores all after 72 bytes: a
  // secret with another end, or a longer one, is accepted. Breaks "When the secret key is not valid, the
  // response is 401 with error_code 1007."
  'bcrypt-of-pepper-key-and-secret': wrong.serving((request, honest) => {
    const { client: who, secret } = request
    if (!who || secret === undefined) return honest(request)
    const same = seenByBcrypt(who.key, secret) === seenByBcrypt(who.key, who.secret)
    return honest(same ? request.by(who) : request)
  }),

  // An interceptor keeps the version in a thread local, which is not cleared where the authentication after
  // it throws: after a 401, the next request without x-version is served under the version of the refused
  // one. Breaks "When the version header is absent, the response is 400 with error_code 1003."
  'version-context-left-on-the-thread': wrong.serving((request, honest, { memory }) => {
    if (request.version !== undefined) memory.set('version', request.version)
    const out = honest(memory.has('version') ? request.with({ 'x-version': memory.get('version') }) : request)
    if (out.status !== 401) memory.clear()
    return out
  }),

  // x-version is bound to an int; a larger integer ends in the error attributes of the framework, which have
  // no error_code. Breaks "A request that names a version under which the endpoint does not exist fails with
  // 400 and error_code 1010."
  'version-beyond-int-in-the-framework-body': wrong.onRefusal('1010', (out, { version: number, path }) => {
    if (!/^-?\d+$/.test(number) || BigInt.asIntN(32, BigInt(number)) === BigInt(number)) return out
    return changed(out, {}, { timestamp: new Date().toISOString(), status: 400, error: 'Bad Request', path })
  }),

  // The filter of the keys is mapped to the exact path, and the dispatcher drops matrix parameters:
  // /api/customizations/list;a=b is served without a key or a secret, or with wrong ones. Breaks "Every
  // request must carry all three headers" (1001, 1002, 1006, 1007).
  'matrix-parameters-past-the-key-filter': wrong.serving((request, honest) => {
    const path = withoutMatrix(request.path)
    if (path === request.path || path !== listPath) return honest(request)
    return honest(request.by(clients.target).but({ path }))
  }),

  // The rule that wants valid credentials names the method GET, and the framework serves HEAD by the GET
  // handler: HEAD of the list with an invalid key or secret is 200. Breaks "When the API key is not valid,
  // the response is 401" and "When the secret key is not valid, the response is 401".
  'head-not-in-the-security-matcher': wrong.serving((request, honest) => {
    const isChecked = request.method !== 'HEAD' || request.absent.length > 0 || request.authentic
    return honest(isChecked ? request.asGet : request.asGet.by(clients.target))
  }),

  // An XML converter is on the class path and error handlers declare no media type: where accept names XML
  // and not JSON, as browsers do, errors are XML; the list is always JSON. Breaks "Responses, including
  // errors, are JSON."
  'errors-negotiated-into-xml': wrong.after((out, { headers: { accept = '' } }) => {
    if (out.status === 200 || !/[/+]xml/.test(accept) || /json/.test(accept)) return out
    const { error_code: code, error_message: message } = out.body
    const xml = `<ErrorBody><error_code>${code}</error_code><error_message>${message}</error_message></ErrorBody>`
    return changed(out, { 'content-type': 'application/xml;charset=UTF-8' }, xml)
  }),

  // The handler of conditional requests runs before the quota interceptor: a client whose quota is used up
  // gets 304 where if-none-match names the tag of the list. Breaks "Once it is exceeded, requests fail with
  // 429 and error_code 1020."
  'not-modified-before-the-quota': wrong.after((out, request) => {
    if (out.status !== 200 && out.body.error_code !== '1020') return out
    if (request.matches(listTag)) return { status: 304, headers: { etag: listTag } }
    return out.status === 200 ? changed(out, { etag: listTag }) : out
  }),

  // The key of the rate limit bucket is made of the API key and the whole URL: each other query string has a
  // quota of its own, so a client that has got 429 is served again with ?page=2. Breaks "There is a daily
  // quota per client. Once it is exceeded, requests fail with 429".
  'quota-bucket-by-whole-url': wrong.countedBy(({ url }) => url),

  // A singleton bean keeps the credentials of the current request in a field, and verifies them some ms
  // later: a request with an invalid key or secret that is overtaken by a good one is served. Breaks "When
  // the secret key is not valid, the response is 401 with error_code 1007."
  'credentials-in-a-singleton-field': wrong.credentialsOfTheLast(60),

  // The filter that refuses an unknown key joins the body from strings and repeats the key in the message: a
  // key with a quotation mark, a backslash or a tab gives a body that is not JSON. Breaks "Responses,
  // including errors, are JSON."
  'filter-concatenates-json': wrong.onRefusal('1006', (out, { key }) =>
    changed(out, {}, `{"error_code":"1006","error_message":"invalid api key: ${key}"}`),
  ),

  // Errors are application/problem+json with the properties of problem details before error_message and
  // error_code. It is JSON, and new properties and another order are to be tolerated.
  'problem-details-beside-the-code': conformant.after((out, { path }) => {
    if (out.status === 200) return out
    const { error_code, error_message } = out.body
    const named = { type: 'about:blank', title: error_message, status: out.status, instance: path }
    const body = { ...named, timestamp: Date.now(), error_message, error_code }
    return changed(out, { 'content-type': 'application/problem+json' }, body)
  }),

  // A bean validator reports any of the violations: of several absent headers the version is named first,
  // then the secret, then the key. Each has its own code, and no order is given.
  'violations-in-set-order': conformant.serving((request, honest) =>
    request.absent.length ? refusal(request.absent.at(-1)) : honest(request),
  ),

  // A cache of login attempts: after six invalid secrets for a key, its secret is not valid for two seconds
  // and gets 1007. Nothing says that a secret is valid always; all other refusals are as ever.
  'failed-logins-lock-the-key': conformant.after((out, request, { memory }) => {
    const { failures, last } = memory.get(request.key) ?? { failures: 0, last: 0 }
    const recent = Date.now() - last < 2000 ? failures : 0
    if (out.body.error_code === '1007') memory.set(request.key, { failures: recent + 1, last: Date.now() })
    return out.status === 200 && recent >= 6 ? refusal('1007') : out
  }),

  // As newer servlet containers do: status lines without a reason phrase, bodies in chunks without a length,
  // and the connection closed after a 400. Status and body are as specified.
  'bare-status-line-and-close-after-400': conformant.after(({ status, headers, body }, request, { res }) => {
    res.writeHead(status, '', status === 400 ? { ...headers, connection: 'close' } : headers)
    res.write(JSON.stringify(body))
    res.end('\n')
  }),

  // The framework maps HEAD and OPTIONS beside GET, behind the same credentials, version and quota; OPTIONS
  // has an allow header and a JSON body. New methods are to be tolerated, and all refusals stay.
  'implicit-head-and-options': conformant.serving((request, honest) => {
    if (request.method !== 'OPTIONS') return honest(request.asGet)
    const [out, allow] = [honest(request.but({ method: 'GET' })), ['GET', 'HEAD', 'OPTIONS']]
    return out.status === 200 ? changed(out, { allow: allow.join() }, { allow }) : out
  }),

  // Old path matching: with good credentials the list is also found at /list.json and /list;a=b, and /list/
  // is a 308 to it with a JSON body. New resources are to be tolerated; without the headers, or past the
  // quota, all of them are refused as the list is.
  'suffix-and-matrix-matched-slash-redirected': conformant.serving((request, honest) => {
    const path = withoutMatrix(request.path)
    const slash = path === `${listPath}/`
    if (!slash && path !== listPath && path !== `${listPath}.json`) return honest(request)
    const out = honest(request.but({ path: listPath }))
    if (!slash || out.status !== 200) return out
    const location = listPath + request.url.slice(request.path.length)
    return { ...changed(out, { location }, { moved_to: location }), status: 308 }
  }),

  // A cold start of 0.7 s, then a pool with one database connection, so that requests wait for each other; a
  // gateway adds its fields and a session cookie that nobody reads. Nothing is said on times or on further
  // header fields.
  'gateway-and-a-pool-of-one': conformant.serving(async (request, honest, { memory }) => {
    const mine = (memory.get('pool') ?? pause(700)).then(() => pause(12))
    memory.set('pool', mine)
    await mine
    const id = memory.count('requests').toString(16).padStart(32, '0')
    const cookie = `JSESSIONID=${id.toUpperCase()}.node1; Path=/; HttpOnly`
    const own = { via: '1.1 gateway', 'x-b3-traceid': id, 'set-cookie': cookie }
    const uncached = { 'cache-control': 'no-cache, no-store, max-age=0', pragma: 'no-cache', expires: '0' }
    return changed(honest(request), { 'x-frame-options': 'DENY', ...uncached, ...own })
  }),

  // All answers, errors too, are compressed where accept-encoding names gzip, and have a tag that ends in
  // --gzip then; if-none-match is ignored. It is the same JSON once it is decoded.
  'gzip-handler-with-suffixed-tags': conformant.after((out, request) => {
    const coding = request.weightOf('gzip') > 0 ? 'gzip' : undefined
    const etag = `W/"${digestOf(out.body)}${coding ? '--gzip' : ''}"`
    return inCoding(out, coding, { vary: 'Accept-Encoding', etag })
  }),

  // A message source translates error_message by accept-language, with letters outside ASCII; the codes
  // stay. The wording and length of the message may change without notice.
  'messages-in-the-language-of-the-caller': conformant.after((out, { headers }) => {
    const language = /^\s*(de|fr|ja)\b/i.exec(headers['accept-language'] ?? '')?.[1].toLowerCase()
    return out.status === 200 || !language ? out : translated(out, language)
  }),

  // The quota interceptor counts every request with good credentials, also those that end in 1010 or 1030.
  // Neither the size of the quota nor what counts is shown; who has used it up gets 429 with 1020.
  'quota-counts-refused-requests-too': conformant.after((out, request, { used }) => {
    const who = request.authentic
    if (who && ['1010', '1030'].includes(out.body.error_code)) used.count(who.slot)
    return out
  }),
}
