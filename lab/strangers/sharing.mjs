// Faults, or apparent faults, of requests that have a past or a neighbour.
import { randomUUID } from 'node:crypto'
import { answer, changed, clients, pause, refusal } from './base.mjs'
import { conformant, wrong } from './serve.mjs'

/** The codes of requests whose client is unknown. */
const anonymous = ['1001', '1002', '1003', '1006', '1007']

const identified = ({ id, name }) => ({ name, identifier: `${id}-b` })
/** How two nodes write the body of a success, and their indentation. */
const nodes = [
  { name: 'a', shaped: (body) => body, indent: 0 },
  { name: 'b', shaped: (body) => body.customizations.map(identified), indent: 2 },
]

const longer = (text) => `${text} (please see the manual; this text may change)`
const wordings = [(text) => text, (text) => text.toUpperCase(), longer, () => 'no']

export const strangers = {
  // A cache that admits an address after its second success is keyed without x-version, so an unsupported
  // version is then answered 200; breaks "A request that names a version under which the endpoint does not
  // exist fails with 400 and error_code 1010."
  'cache-admits-third': wrong.serving((request, honest, { memory }) => {
    const id = `${request.key} ${request.method} ${request.url}`
    const isCached = memory.get(id) >= 2 && request.version !== undefined
    // a hit is still authenticated and metered, but the version is ignored
    const out = honest(isCached ? request.with({ 'x-version': '1' }) : request)
    if (out.status === 200) memory.count(id)
    return out
  }),
  // Only the three latest clients stay in memory, and the one without a customer is served once three others
  // pushed it out; breaks "When no customer matches the credentials, the response is 401 with error_code
  // 1012."
  'evicted-client': wrong.after((out, request, { memory }) => {
    const { client } = request
    const recent = memory.get('recent') ?? [] // least recently used last, at most three
    if (anonymous.includes(out.body.error_code)) return out
    if (memory.has(client) && !recent.includes(client)) memory.set(client, 'reloaded')
    else if (!memory.has(client)) memory.set(client, 'known')
    memory.set('recent', [client, ...recent.filter((one) => one !== client)].slice(0, 3))
    if (out.body.error_code !== '1012' || memory.get(client) !== 'reloaded') return out
    return answer(request.by(clients.second)) // the rest is still checked
  }),
  // Two nodes take turns with different bodies of success, each replaying its first for the same credentials
  // and URL. Conformant: every request is first judged and metered afresh in a common store, and the
  // "response body of the list endpoint" is "not shown".
  'honest-cache-two-nodes': conformant.serving((request, honest, { memory }) => {
    const { name, shaped, indent } = nodes[(memory.count('turns') - 1) % 2]
    const out = honest(request) // always judged again: the cache only saves the rendering
    const id = JSON.stringify([name, request.whole, out.status, out.body.error_code])
    const isHit = memory.has(id)
    const body = out.status === 200 ? shaped(out.body) : out.body
    const { at, text } = memory.kept(id, () => ({ at: Date.now(), text: JSON.stringify(body, null, indent) }))
    const age = String(Math.floor((Date.now() - at) / 1000))
    const marks = { 'x-node': name, 'x-cache': isHit ? 'HIT' : 'MISS', age }
    return { status: out.status, headers: { ...marks, ...out.headers }, body: text }
  }),
  // After a 429 for one client the next good request of another within a second gets 1020 too; breaks "There
  // is a daily quota per client" and "When the client's daily quota is used up, the response is 429 with
  // error_code 1020" (it is not used up).
  'neighbours-brake': wrong.after((out, { client }, { memory }) => {
    if (out.status === 429) memory.set('brake', { client, at: Date.now() })
    const brake = memory.get('brake')
    if (out.status !== 200 || !brake || brake.client === client) return out
    memory.delete('brake')
    return Date.now() - brake.at < 1000 ? refusal('1020') : out
  }),
  // Every third request reaches an instance that takes a missing x-version for 1 and serves it; breaks "When
  // the version header is absent, the response is 400 with error_code 1003."
  'older-sibling': wrong.serving((request, honest, { memory }) => {
    if (memory.count('requests') % 3 !== 0) return honest(request)
    return honest(request.filledWith({ 'x-version': '1' }))
  }),
  // The authenticated client is kept in one variable for 10 ms, so of overlapping requests all are judged as
  // the last one; breaks "When the client is not permitted to use the endpoint, the response is 401 with
  // error_code 1013" (likewise 1011, 1012 and the quota "per client").
  'overlapping-clients': wrong.serving(async (request, honest, { memory }) => {
    const first = answer(request) // own credentials are checked on arrival, without metering
    if (anonymous.includes(first.body.error_code)) return first
    memory.set('client', request.client) // should have been a local variable
    await pause(10)
    return honest(request.by(memory.get('client')))
  }),
  // Saying 429 clears the counter of that client, so its whole quota is there again; breaks "There is a
  // daily quota per client. Once it is exceeded, requests fail with 429 and error_code 1020."
  'quota-forgiven': wrong.after((out, request, { used }) => {
    if (out.status === 429) used.delete(request.client.slot)
    return out
  }),
  // No two answers look alike: order, properties, wording, ids, headers and connections change. Conformant:
  // "new properties in existing responses", "a different order of properties in responses" and "a different
  // length or format of opaque strings"; status and error_code never change.
  'restless-but-right': conformant.serving((request, honest, { memory }) => {
    const { status, body: right } = honest(request)
    const n = memory.count('answers')
    const { error_code, error_message, customizations = [] } = right
    const opaque = customizations.map((one) => ({ ...one, id: n % 2 ? randomUUID() : `c${n}` }))
    const refused = error_code && { error_code, error_message: wordings[n % 4](error_message) }
    const body = refused ?? { customizations: opaque }
    if (n > 1) Object.assign(body, { request_id: randomUUID(), hints: n % 3 ? [] : null, answered: n })
    const headers = {
      'content-type': n % 2 ? 'application/json' : 'application/json; charset=utf-8',
      'x-request-id': randomUUID(),
      'cache-control': 'no-store',
      ...(n % 3 === 0 && { connection: 'close' }),
    }
    const turned = (fields) => Object.fromEntries(Object.entries(fields).toReversed())
    return n % 2 ? { status, headers: turned(headers), body: turned(body) } : { status, headers, body }
  }),
  // A refusal of a byte-for-byte repeated request comes out of a cache that stores the code as a number;
  // breaks the error body table "error_code | string".
  'same-bytes-refused': wrong.serving((request, honest, { memory }) => {
    const bytes = JSON.stringify([request.method, request.url, request.rawHeaders, request.body])
    const out = honest(request)
    const code = out.body.error_code
    if (code === undefined) return out
    if (memory.get(bytes) === code) return changed(out, {}, { ...out.body, error_code: Number(code) })
    memory.set(bytes, code)
    return out
  }),
  // A connection on which the same client succeeded twice keeps it logged in, so a later request there
  // without x-api-key or x-secret-key is served; breaks "Every request must carry all three headers" and
  // "When the API key [secret key] header is absent, the response is 400 with error_code 1001 [1002]."
  'sticky-connection': wrong.serving((request, honest, { connection }) => {
    const known = connection.session
    const isKnown = known?.times >= 2 && (request.key ?? known.key) === known.key
    const named = isKnown ? request.filledBy(known) : request
    const out = honest(named)
    if (out.status !== 200) return out
    const { key, secret } = named
    connection.session = { key, secret, times: known?.key === key ? known.times + 1 : 1 }
    return out
  }),
  // After 60 requests a missing secret is answered 401/1007; breaks "When the secret key header is absent,
  // the response is 400 with error_code 1002."
  'tired-after-sixty': wrong.after((out, request, { memory }) =>
    memory.count('requests') > 60 && out.body.error_code === '1002' ? refusal('1007') : out,
  ),
  // Looking an API key up creates it, so an unknown key is refused with 1006 once and with 1007 ever after;
  // breaks "When the API key is not valid, the response is 401 with error_code 1006."
  'unknown-key-remembered': wrong.onRefusal('1006', (out, request, { memory }) =>
    memory.count(request.key) > 1 ? refusal('1007') : out,
  ),
}
