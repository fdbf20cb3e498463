// By an engineer who runs such services in production: bugs of state between requests, of lock-outs, and of
// concurrency.
import { changed, listPath, pause, refusal } from './base.mjs'
import { conformant, wrong } from './serve.mjs'

const codeOf = (out) => out.body.error_code
/** A refusal of a locked-out client, which says when to come again. */
const lockedOut = (code, seconds) => changed(refusal(code), { 'retry-after': String(seconds) })

export const strangers = {
  // Memory of earlier requests.

  // Once a pair was accepted, it is remembered by the key and the first 16 characters of the secret, so that
  // another secret that begins alike is accepted too: "When the secret key is not valid, the response is 401
  // with error_code 1007."
  'validation-memoised-by-secret-prefix': wrong.serving((request, honest, { memory }) => {
    const slot = `${request.key} ${request.secret?.slice(0, 16)}`
    if (request.authentic) memory.set(slot, request.secret)
    const remembered = request.secret && memory.get(slot)
    return honest(remembered ? request.with({ 'x-secret-key': remembered }) : request)
  }),

  // Requests of a client for one address that overlap share the answer of the first, whatever their
  // versions: "A request that names a version under which the endpoint does not exist fails with 400 and
  // error_code 1010", and "The version is chosen per request".
  'flights-shared-across-versions': wrong.serving((request, honest, { memory }) => {
    if (request.absent.length || !request.authentic) return honest(request)
    return memory.shared(`${request.key} ${request.method} ${request.url}`, 80, () => honest(request))
  }),

  // The refusal of a key is cached for half a second by key and path alone, and given to the next bad
  // request of the key: an absent secret after a wrong one is 1007, a wrong one after an absent one is 1002:
  // "When the secret key header is absent, the response is 400 with error_code 1002", "When the secret key
  // is not valid, the response is 401 with error_code 1007."
  'last-refusal-of-a-key-replayed': wrong.serving((request, honest, { memory }) => {
    if (!request.client || request.authentic) return honest(request)
    const slot = `${request.key} ${request.path}`
    if (!memory.isMarked(slot)) memory.set(slot, honest(request)).mark(slot, 500)
    return memory.get(slot)
  }),

  // Two workers, of which one gets three requests of four, count the daily quota each for itself, so that a
  // client that was told that its quota is used up succeeds again some requests later: "Once it is exceeded,
  // requests fail with 429 and error_code 1020."
  'quota-counted-by-each-worker': wrong.countedBy((_, { memory }) => memory.count('requests') % 4 > 0),

  // The list of a client is made once in five seconds and served from a cache, with age, x-cache and the
  // request_id and time of the first: nothing is promised of the body of the list, every request is
  // authenticated and counted, and new properties are non-breaking.
  'answers-cached-with-their-age': conformant.after((out, request, { memory }) => {
    if (out.status !== 200) return changed(out, { 'x-cache': 'BYPASS' })
    const cached = memory.get(request.key)
    const age = cached ? Math.floor((Date.now() - cached.time) / 1000) : Infinity
    if (age < 5) return changed(out, { 'x-cache': 'HIT', age: String(age) }, cached.body)
    const time = Date.now()
    const body = { request_id: `req_${time}`, generated_at: new Date(time).toISOString(), ...out.body }
    memory.set(request.key, { time, body })
    return changed(out, { 'x-cache': 'MISS', age: '0' }, body)
  }),

  // Requests that overlap and agree in method, address and all three headers wait for one answer, with the
  // same request id, and count once for the quota: all have the same right answer, and how the quota is
  // counted is not shown.
  'equal-flights-share-one-answer': conformant.serving((request, honest, { memory }) => {
    const work = () => changed(honest(request), { 'x-request-id': `req-${Date.now()}` })
    return memory.shared(request.whole, 60, work)
  }),

  // A connection is closed after each refusal and after its third request, with connection: close: nothing
  // is promised of how long a connection lasts.
  'connections-closed-after-refusals': conformant.after((out, request, { connection }) =>
    out.status >= 400 || connection.requests >= 3 ? changed(out, { connection: 'close' }) : out,
  ),

  // Lock-outs.

  // After four wrong secrets of a key in half a minute the key is locked for 20 seconds, before the headers
  // are looked at: all but the right pair is refused with 1007, an absent secret too: "When the secret key
  // header is absent, the response is 400 with error_code 1002."
  'locked-key-answers-for-absent-secrets': wrong.after((out, request, { memory }) => {
    if (memory.isMarked(request.key) && !request.authentic) return lockedOut('1007', 20)
    if (codeOf(out) === '1007' && memory.recent(request.key, 30_000) >= 4) memory.mark(request.key, 20_000)
    return out
  }),

  // After five unknown keys from an address in half a minute, a gateway answers further unknown ones with
  // 403 and a page: "When the API key is not valid, the response is 401 with error_code 1006", and
  // "Responses, including errors, are JSON."
  'ban-page-after-unknown-keys': wrong.onRefusal('1006', (out, request, { memory }) => {
    const body = '<html><body><h1>403 Forbidden</h1>Too many failed attempts.</body></html>\n'
    if (memory.recent(request.address, 30_000) <= 5) return out
    return { status: 403, headers: { 'content-type': 'text/html', 'retry-after': '30' }, body }
  }),

  // A circuit breaker takes refused credentials for faults of the credential store: when at least four of
  // the last eight that were validated were refused, it is open for three seconds, and meanwhile known keys
  // pass with any secret: "When the secret key is not valid, the response is 401 with error_code 1007."
  'refusals-open-the-breaker': wrong.serving((request, honest, { memory }) => {
    const who = request.client
    if (memory.isMarked('store') && who && request.secret !== undefined) return honest(request.by(who))
    const out = honest(request)
    if (request.absent.length) return out
    const last = [...(memory.get('last') ?? []), /^100[67]$/.test(codeOf(out))].slice(-8)
    const opens = last.length === 8 && last.filter(Boolean).length >= 4
    if (opens) memory.mark('store', 3000)
    memory.set('last', opens ? [] : last)
    return out
  }),

  // After five wrong secrets of a key without a success between them, the secret of the key is not valid for
  // a second and a half, and the right one is refused with 401 and 1007 as well: lock-outs are not shown, no
  // sentence says when a request succeeds, and each bad request has its own code still.
  'locked-key-looks-like-a-wrong-secret': conformant.after((out, request, { memory }) => {
    const { key } = request
    if (codeOf(out) === '1007' && memory.count(key) % 5 === 0) memory.mark(key, 1500)
    if (out.status !== 200) return out
    if (memory.isMarked(key)) return lockedOut('1007', 2)
    memory.delete(key)
    return out
  }),

  // After fifteen 401s to an address in two seconds, good requests from it, of any client, get 429 with 1020
  // and retry-after for a second: rate limits are not shown, 429 has this one code, and every other request
  // has its own code still.
  'address-throttled-after-refusals': conformant.after((out, request, { memory }) => {
    if (out.status === 401 && memory.recent(request.address, 2000) >= 15) memory.mark(request.address, 1000)
    return out.status === 200 && memory.isMarked(request.address) ? lockedOut('1020', 1) : out
  }),

  // A connection on which three requests got a 401 is distrusted until its end: good requests on it get 401
  // with 1013, and the connection is closed; on a new connection they succeed. Whom the service permits to
  // use the endpoint, and for how long, is not shown.
  'connection-distrusted-after-refusals': conformant.after((out, request, { connection }) => {
    if (out.status === 401) connection.denied = (connection.denied ?? 0) + 1
    if (out.status !== 200 || !(connection.denied >= 3)) return out
    return changed(refusal('1013'), { connection: 'close' })
  }),

  // A client with whose key thirty wrong secrets came, over any time, is not permitted to use the endpoint
  // any more, and gets 401 with 1013 for good credentials until somebody calls the provider; other clients
  // are served: "When the client is not permitted to use the endpoint, the response is 401 with error_code
  // 1013."
  'client-barred-after-thirty-wrong-secrets': conformant.after((out, request, { memory }) => {
    if (codeOf(out) === '1007') memory.count(request.key)
    return out.status === 200 && memory.get(request.key) >= 30 ? refusal('1013') : out
  }),

  // Concurrency.

  // The credentials are kept in a variable of the process while the store is asked, so that requests in
  // flight are judged by those of the last that came: a wrong secret passes beside a right one that came
  // later: "When the secret key is not valid, the response is 401 with error_code 1007" (and 1006 for a
  // key).
  'credentials-of-the-last-request': wrong.credentialsOfTheLast(40),

  // The object for the headers comes from a pool, and only a success clears its version: after a refused
  // request that carried a version, a request without one is served under that version: "When the version
  // header is absent, the response is 400 with error_code 1003."
  'version-left-in-a-pooled-object': wrong.serving((request, honest, { memory }) => {
    const given = request.version ?? memory.get('version')
    const out = honest(given === undefined ? request : request.with({ 'x-version': given }))
    memory.set('version', out.status === 200 ? undefined : given)
    return out
  }),

  // While five requests are in flight, further ones get 503 with a text of the server in front, whatever
  // they carry: "Responses, including errors, are JSON", and the codes of absent and bad headers.
  'page-of-a-full-pool': wrong.serving((request, honest, { memory }) =>
    memory.inFlight('all', async (now) => {
      const headers = { 'content-type': 'text/plain', 'retry-after': '1' }
      if (now > 5) return { status: 503, headers, body: 'no worker available\n' }
      await pause(60)
      return honest(request)
    }),
  ),

  // Three workers take turns during a roll-out: one as before, one with the properties in the opposite order
  // and a further one, one with other wording, an indented body and another spelling of the media type.
  // Order, further properties and the texts of messages may differ, and the codes are the same.
  'three-workers-of-three-releases': conformant.after((out, request, { memory }) => {
    const turn = memory.count('requests') % 3
    const { error_message: text, ...rest } = out.body
    if (turn === 1) return out
    const turned = Object.fromEntries(Object.entries(out.body).toReversed())
    if (turn === 2) return changed(out, { server: 'worker/2' }, { served_by: 'worker-2', ...turned })
    const body = text ? { error_message: `Request refused. Reason: ${text.toUpperCase()}!`, ...rest } : rest
    const type = { 'content-type': 'Application/JSON;charset="UTF-8"' }
    return changed(out, type, `${JSON.stringify(body, null, 4)}\n`)
  }),

  // Two requests are worked on at a time for 15 ms each; others wait, and the one that came last is taken
  // first, so that answers of parallel requests come in another order and slowly: nothing is promised of
  // order or time, and each request has its own answer.
  'newest-of-the-waiting-first': conformant.serving(async (request, honest, { memory }) => {
    const waiting = memory.kept('waiting', () => [])
    if ((memory.get('busy') ?? 0) >= 2) await new Promise((go) => waiting.push(go))
    else memory.count('busy')
    await pause(15)
    const next = waiting.pop()
    if (next) next()
    else memory.set('busy', memory.get('busy') - 1)
    return honest(request)
  }),

  // A client with three good requests in flight, 50 ms each, gets 429 with 1020 for further ones at once,
  // without being counted: rate limits are not shown and 429 has this one code; bad requests have their own
  // code always.
  'three-at-once-of-a-client': conformant.serving((request, honest, { memory }) => {
    const who = request.authentic
    if (!who || who.refused || request.absent.length || request.path !== listPath) return honest(request)
    return memory.inFlight(request.key, async (now) => {
      if (now <= 3) return pause(50).then(() => honest(request))
      const out = honest(request, 'not counted')
      return out.status === 200 ? lockedOut('1020', 1) : out
    })
  }),
}
