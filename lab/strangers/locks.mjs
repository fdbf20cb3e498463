// By a security engineer of a bank: what a service remembers about refusals and successes.
import { randomUUID } from 'node:crypto'
import { answer, changed, clients, pause, refusal, required } from './base.mjs'
import { conformant, wrong } from './serve.mjs'

const etag = '"cus-5f2c-2"'
const namesTag = ({ headers }) => headers['if-none-match']?.includes(etag)

const page = '<!doctype html><title>403 Forbidden</title><h1>Request blocked</h1><p>Incident 0x5f2c</p>'

/** Whether a firewall treats a request as an attack. */
function isOdd({ url, method, headers, rawHeaders, body }) {
  if (/['"<>\\]|\.\.|%(?:00|22|27|2e%2e|3c|3e|5c)/i.test(url) || url.length > 1000) return true
  if (method === 'GET' && body !== '') return true
  const sent = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase())
  const isDoubled = (name) => sent.indexOf(name) !== sent.lastIndexOf(name)
  return Object.keys(required).some((name) => headers[name]?.length > 256 || isDoubled(name))
}

/** The first check of each of three different instances. Undefined: like the honest service. */
const firstRefusals = [
  () => undefined,
  ({ absent }) => absent.at(-1),
  ({ key, client, absent, isRouted }) => {
    if (key !== undefined && !client) return '1006'
    return absent.length || isRouted ? undefined : '1010'
  },
]
const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}.`
const wordings = [(text) => text, sentence, (text) => `Refused: ${text}`]

export const strangers = {
  // For 30 seconds after a success the result is cached under the secret alone, so an unknown key with that
  // secret is served; breaks "When the API key is not valid, the response is 401 with error_code 1006."
  'auth-cache-keyed-by-secret-only': wrong.after((out, request, { honest, memory }) => {
    if (out.status === 200) memory.mark(request.secret, 30_000)
    if (out.body.error_code !== '1006' || !memory.isMarked(request.secret)) return out
    const owner = Object.values(clients).find((client) => client.secret === request.secret)
    return honest(request.by(owner))
  }),
  // The verdict on each exact pair of key and secret, good or bad, is cached for two seconds, and answers
  // say so. Conformant: the verdict is always that of the very same pair, and all other checks are made
  // anew.
  'auth-cache-of-exact-pairs': conformant.serving(async (request, honest, { memory }) => {
    if (request.absent.length) return honest(request)
    const pair = JSON.stringify([request.key, request.secret])
    const isHit = memory.isMarked(pair)
    if (!isHit) await pause(150)
    if (!isHit) memory.mark(pair, 2000)
    const verdict = request.authentic ? 'good' : 'bad'
    return changed(honest(request), { 'x-auth-cache': isHit ? 'hit' : 'miss', 'x-auth-verdict': verdict })
  }),
  // Successes hand out a cookie, a token and an etag; the first two are never read again, and 304 comes only
  // after all checks. Conformant: every request is authenticated by its three headers alone.
  'etag-cookie-and-token-only-after-full-check': conformant.serving((request, honest) => {
    const out = changed(honest(request), { 'x-request-id': randomUUID() })
    if (out.status !== 200) return out
    const given = changed(out, {
      etag,
      'set-cookie': `session=${randomUUID()}; Path=/; HttpOnly`,
      'x-auth-token': randomUUID(),
      vary: 'x-api-key, x-secret-key, x-version',
    })
    if (!namesTag(request)) return given
    delete given.headers['content-type']
    return { ...given, status: 304, body: '' }
  }),
  // A request whose if-none-match names the etag of a success is answered 304 before the secret is compared;
  // breaks "When the secret key is not valid, the response is 401 with error_code 1007."
  'etag-match-answers-304-before-secret-check': wrong.serving((request, honest) => {
    const { client, secret, authentic } = request
    const isSkipped = client && secret !== undefined && namesTag(request)
    const out = honest(isSkipped ? request.by(client) : request)
    if (out.status !== 200) return isSkipped && !authentic ? honest(request) : out
    return isSkipped ? { status: 304, headers: { etag }, body: '' } : changed(out, { etag })
  }),
  // Wrong secrets are counted per key in four bits and a count of zero is read as "no failure", so every
  // sixteenth is let in; breaks "When the secret key is not valid, the response is 401 with error_code
  // 1007."
  'every-sixteenth-wrong-secret-passes': wrong.onRefusal('1007', (out, request, { honest, memory }) => {
    return memory.count(request.client) % 16 === 0 ? honest(request.by(request.client)) : out
  }),
  // The message of 1007 counts down "attempts left" and nothing happens at zero, a success tells failed
  // attempts in a new property. Conformant: "Its wording and length may change without notice" and "new
  // properties in existing responses".
  'failures-are-told-but-not-acted-on': conformant.after((out, request, { memory }) => {
    const isWrong = out.body.error_code === '1007'
    if (!isWrong && out.status !== 200) return out
    const { key } = request.client
    const past = memory.get(key) ?? { count: 0, at: null }
    if (!isWrong) {
      memory.delete(key)
      return changed(out, {}, { failed_attempts: past.count, last_failed_attempt: past.at, ...out.body })
    }
    memory.set(key, { count: past.count + 1, at: new Date().toISOString() })
    const left = Math.max(0, 4 - past.count)
    const told = left ? `${left} attempts left` : 'account locked'
    const body = { ...out.body, error_message: `invalid secret key, ${told}` }
    return changed(out, { 'x-attempts-left': String(left) }, body)
  }),
  // A firewall answers what looks like an attack (quotes, tags or dots-dots in the address, odd credential
  // headers, a GET with a body) with a 403 page, and from the fourth within ten seconds cuts it. Conformant:
  // it is not the service that answers, and no ordinary request is touched.
  'firewall-403-page-then-cut-for-odd-requests': conformant.serving((request, honest, { memory }) => {
    if (!isOdd(request)) return honest(request)
    if (memory.recent(request.address, 10_000) > 3) return void request.socket.destroy()
    return { status: 403, headers: { 'content-type': 'text/html', connection: 'close' }, body: page }
  }),
  // After five wrong secrets in a row every request that names the key has its connection cut for three
  // seconds. Conformant: it is a lock-out by the transport, and no answer contradicts the specification.
  'five-wrong-secrets-cut-off-key': conformant.serving((request, honest, { memory }) => {
    const { client, key } = request
    if (client && memory.isMarked(key)) return void request.socket.destroy()
    const out = honest(request)
    const code = out.body.error_code
    if (code === '1007' && memory.count(key) % 5 === 0) memory.mark(key, 3000)
    if (!['1007', '1002', '1003'].includes(code)) memory.delete(key)
    return out
  }),
  // Four instances take the connections in turn, and the third answers an unknown key with 1007; breaks
  // "When the API key is not valid, the response is 401 with error_code 1006."
  'one-instance-in-four-blames-secret-for-unknown-key': wrong.after((out, request, { connection }) =>
    connection.number % 4 === 2 && out.body.error_code === '1006' ? refusal('1007') : out,
  ),
  // After a single wrong secret the next request with a valid one, whoever sends it, is refused with 1007;
  // breaks "When the secret key is not valid, the response is 401 with error_code 1007." (here it is valid).
  'one-wrong-secret-refuses-next-valid-request': wrong.serving((request, honest, { memory }) => {
    const isGood = request.authentic && request.version !== undefined
    if (isGood && memory.delete('wrong secret')) return refusal('1007')
    const out = honest(request)
    if (out.body.error_code === '1007') memory.set('wrong secret', true)
    return out
  }),
  // A sender address with twelve refusals within three seconds has all its connections cut for one and a
  // half. Conformant: it is a plain ban by the transport, and every answer that does come is as specified.
  'refusals-ban-sender-briefly': conformant.serving((request, honest, { memory }) => {
    const { address } = request
    if (memory.isMarked(address)) return void request.socket.destroy()
    const out = honest(request)
    if (out.status === 200 || memory.recent(address, 3000) < 12) return out
    memory.delete(address)
    memory.mark(address, 1500)
    return out
  }),
  // Each refusal in a row makes the next one of the same sender 100 ms slower, up to 1.5 seconds, and closes
  // its connection. Conformant: status, code and body are as specified, and neither times nor connections
  // are.
  'refusals-grow-slow-and-close-connection': conformant.after(async (out, request, { memory }) => {
    if (out.status === 200) memory.delete(request.address)
    if (out.status === 200) return out
    await pause(Math.min(100 * (memory.count(request.address) - 1), 1500))
    return changed(out, { connection: 'close' })
  }),
  // Pairs of key and secret are cached for 30 seconds whatever the verdict, so a wrong secret is let in the
  // second time; breaks "When the secret key is not valid, the response is 401 with error_code 1007."
  'repeated-wrong-pair-is-taken-as-known': wrong.onRefusal('1007', (out, request, { honest, memory }) => {
    const pair = JSON.stringify([request.client.key, request.secret])
    if (memory.isMarked(pair)) return honest(request.by(request.client))
    memory.mark(pair, 30_000)
    return out
  }),
  // Once a client has been served on a connection, its secret is not compared again there; breaks "When the
  // secret key is not valid, the response is 401 with error_code 1007."
  'secret-checked-once-per-connection': wrong.after((out, request, { honest, connection }) => {
    if (out.status === 200) connection.served = request.client // the last attempt
    if (out.body.error_code !== '1007' || connection.served !== request.client) return out
    return honest(request.by(request.client))
  }),
  // A request that brings back the session cookie of a success needs no x-api-key any more; breaks "When the
  // API key header is absent, the response is 400 with error_code 1001."
  'session-cookie-stands-in-for-key': wrong.serving((request, honest, { memory }) => {
    const id = request.cookie('session')
    const { key = memory.get(id) } = request
    const out = honest(request.with({ 'x-api-key': key }))
    if (out.status !== 200 || memory.has(id)) return out
    const fresh = randomUUID()
    memory.set(fresh, key)
    return changed(out, { 'set-cookie': `session=${fresh}; Path=/; HttpOnly` })
  }),
  // From the sixth wrong secret of a key on, further ones are answered 1006 although the key is valid;
  // breaks "When the secret key is not valid, the response is 401 with error_code 1007."
  'sixth-wrong-secret-blames-key': wrong.onRefusal('1007', (out, request, { memory }) =>
    memory.count(request.client) > 5 ? refusal('1006') : out,
  ),
  // Three instances behind a sticky cookie (without it: by connection) check in different orders and word
  // differently. Conformant: orders differ only where several rules apply, for which no precedence is
  // stated, and "Its wording and length may change without notice".
  'sticky-balancer-over-unlike-instances': conformant.serving((request, honest, { connection }) => {
    const route = /(?:^|;\s*)route=i([012])\b/.exec(request.headers.cookie ?? '')?.[1]
    const instance = Number(route ?? connection.number % 3)
    const first = firstRefusals[instance](request)
    const out = first ? refusal(first) : honest(request)
    if (out.status !== 200) out.body.error_message = wordings[instance](out.body.error_message)
    return route === undefined ? changed(out, { 'set-cookie': `route=i${instance}; Path=/` }) : out
  }),
  // Ten wrong secrets within ten seconds suspend the quota of their client for six: its valid secret gets
  // 429 with 1020. Conformant: how the quota is counted and any other rate limit is "not shown", and the
  // error is the documented one.
  'ten-wrong-secrets-lock-key-with-429': conformant.serving((request, honest, { memory }) => {
    const { key } = request
    const isLocked = memory.isMarked(key)
    const out = isLocked ? answer(request) : honest(request) // nothing is counted during the lock
    if (isLocked) return out.status === 200 ? refusal('1020') : out
    if (out.body.error_code !== '1007' || memory.recent(key, 10_000) < 10) return out
    memory.delete(key)
    memory.mark(key, 6000)
    return out
  }),
  // After three wrong secrets in a row a key is locked for four seconds, in which even its valid secret gets
  // 1007. Conformant: it is an ordinary lock-out in which no secret is valid, the specification forbids
  // none, and other clients are not touched.
  'three-wrong-secrets-lock-key-with-1007': conformant.serving((request, honest, { memory }) => {
    const { client, key, absent } = request
    if (!client || absent.length) return honest(request)
    if (memory.isMarked(key)) return refusal('1007')
    const out = honest(request)
    if (out.body.error_code !== '1007') memory.delete(key)
    else if (memory.count(key) % 3 === 0) memory.mark(key, 4000)
    return out
  }),
  // The version of the last success of a client is filled in where it later leaves x-version out; breaks
  // "When the version header is absent, the response is 400 with error_code 1003."
  'version-remembered-per-client': wrong.serving((request, honest, { memory }) => {
    const { key, version, authentic } = request
    const named = version ?? (authentic && memory.get(key))
    const out = honest(request.with({ 'x-version': named }))
    if (out.status === 200) memory.set(key, named)
    return out
  }),
}
