// By an operator of gateways: how a daily quota is counted, and what refuses requests once it is used up.
import { answer, changed, pause, refusal, success } from './base.mjs'
import { conformant, wrong } from './serve.mjs'

/** The flaws of an authenticated request. */
const laterFlaws = ['1003', '1010', '1030']
const acceptsJson = /\bapplication\/json\b/i
const wordings = ['Too many requests today.', 'Kontingent für heute verbraucht – bitte morgen wieder', '']

export const strangers = {
  // A list is cached for 1.5 s under the URL and handed to clients whose quota is used up; breaks "Once it
  // is exceeded, requests fail with 429 and error_code 1020."
  'cached-list-served-past-quota': wrong.after((out, request, { memory }) => {
    if (out.status === 200) memory.set(request.url, out).mark(request.url, 1500)
    return out.body.error_code === '1020' && memory.isMarked(request.url) ? memory.get(request.url) : out
  }),
  // The counter of a client lives for 250 ms, renewed by each request, so any short silence gives the whole
  // quota back; breaks "There is a daily quota per client. Once it is exceeded, requests fail with 429 and
  // error_code 1020."
  'counter-evicted-after-silence': wrong.serving((request, honest, { memory, used }) => {
    const { client } = request
    const now = performance.now()
    if (client && now - memory.get(client) > 250) used.delete(client.slot)
    memory.set(client, now)
    return honest(request)
  }),
  // Each node reports its counts every 200 ms and may serve three on its own account meanwhile; conformant,
  // since "The quota size, its reset time and any per-second or per-minute rate limits: not shown", and
  // after the first 1020 every request of the day fails.
  'counts-synchronised-late': conformant.serving((request, honest, { memory }) => {
    const out = answer(request)
    const client = request.client
    if (out.status !== 200 || client.quota === Infinity) return out
    const count = memory.kept(client.slot, () => ({ shared: 0, own: 0, at: performance.now() }))
    if (performance.now() - count.at > 200)
      Object.assign(count, { shared: count.shared + count.own, own: 0, at: performance.now() })
    if (count.shared >= client.quota || count.shared + count.own >= client.quota + 3) return refusal('1020')
    count.own += 1
    return out
  }),
  // The day of the provider ends just after a client was refused for the fourth time: all counters start
  // again, once; conformant, since the "reset time" is "not shown", and one reset is what a daily quota must
  // have at some moment.
  'day-ends-during-the-run': conformant.after((out, request, { memory, used }) => {
    // the client with quota 0 has none on the next day either, and does not change the clock
    const isMoving = out.body.error_code === '1020' && request.client.quota > 0
    if (isMoving && memory.count('refusals') === 4) used.clear()
    return out
  }),
  // For a second after a quota refusal the edge answers repetitions with 429 and a body {"message": ...};
  // breaks "Error body (JSON), returned with the HTTP status shown below" with "error_code | string", and
  // "the response is 429 with error_code 1020."
  'edge-repeats-refusal-in-its-own-body': wrong.onRefusal('1020', (out, request, { memory }) => {
    if (memory.isMarked(request.key)) return changed(out, {}, { message: 'API rate limit exceeded' })
    memory.mark(request.key, 1000)
    return out
  }),
  // An exhausted client whose request has another flaw too (1003, 1010, 1030) gets that code and 1020 in
  // turn; conformant, since both rules apply to such a request and no order among errors is given, nor that
  // it be constant.
  'either-flaw-in-turn': conformant.after((out, request, { memory, used }) => {
    const client = request.authentic
    if (!client || !client.isSpent(used) || !laterFlaws.includes(out.body.error_code)) return out
    return memory.count('turns') % 2 ? out : refusal('1020')
  }),
  // Serves one request more than the quota; conformant, since it is the letter of "Once it is exceeded,
  // requests fail with 429 and error_code 1020." and the quota size is not shown.
  'exceeded-means-one-more': conformant.serving((request, honest, { used }) => {
    const client = request.client
    // the client with quota 0 exceeded it before this run, and is always refused
    if (client?.quota > 0 && !used.has(client.slot)) used.set(client.slot, -1)
    return honest(request)
  }),
  // The counter of a client is locked for 25 ms per request, and who finds it locked is let through
  // uncounted, without bound; breaks "Once it is exceeded, requests fail with 429 and error_code 1020."
  'fails-open-when-counter-is-busy': wrong.serving(async (request, honest, { memory }) => {
    const checked = answer(request) // everything except the quota; nothing is counted
    const code = checked.body.error_code
    if (code !== undefined && code !== '1020') return checked
    if (memory.has(request.client)) return success()
    memory.set(request.client, 'locked')
    await pause(25)
    memory.delete(request.client)
    return honest(request)
  }),
  // Requests of an authenticated client that are refused with 1003, 1010 or 1030 use up its quota too;
  // conformant, since "There is a daily quota per client" does not say which of its requests count.
  'other-refusals-use-the-quota': conformant.after((out, request, { used }) => {
    if (request.authentic && laterFlaws.includes(out.body.error_code)) used.count(request.authentic.slot)
    return out
  }),
  // Requests are counted when they end (15 ms later), so a burst gets up to three answers too many;
  // conformant, since "The quota size, its reset time and any per-second or per-minute rate limits: not
  // shown", the overshoot is bounded, and it ends with the burst.
  'overshoots-by-a-few-in-parallel': conformant.serving(async (request, honest, { memory }) => {
    const out = answer(request)
    const client = request.client
    if (out.status !== 200 || client.quota === Infinity) return out
    const count = memory.kept(client.slot, () => ({ done: 0, open: 0 }))
    if (count.done >= client.quota || count.done + count.open >= client.quota + 3) return refusal('1020')
    count.open += 1
    await pause(15)
    count.open -= 1
    count.done += 1
    return out
  }),
  // An exhausted client gets 1020 also with a wrong or absent secret, version, path or parameter;
  // conformant, since x-api-key "Identifies the client application", "the response is 429 with error_code
  // 1020." holds for those requests too, and no order is given.
  'quota-before-secret-and-version': conformant.serving((request, honest, { used }) =>
    request.client?.isSpent(used) ? refusal('1020') : honest(request),
  ),
  // The limit is attached to the route, one for "accept: application/json" and a default one, each with a
  // quota of its own; breaks "There is a daily quota per client. Once it is exceeded, requests fail with 429
  // and error_code 1020."
  'quota-per-accept-route': wrong.countedBy((request) => acceptsJson.test(request.headers.accept)),
  // A quota refusal is cached for 1.5 s under the URL alone, so other clients get it too; breaks "There is a
  // daily quota per client." and "When the client's daily quota is used up, the response is 429 with
  // error_code 1020."
  'refusal-cached-for-other-clients': wrong.serving((request, honest, { memory }) => {
    if (memory.isMarked(request.url)) {
      const checked = answer(request) // credentials, version and parameters are still checked; nothing is counted
      return [undefined, '1020'].includes(checked.body.error_code) ? memory.get(request.url) : checked
    }
    const out = honest(request)
    if (out.body.error_code === '1020') memory.set(request.url, out).mark(request.url, 1500)
    return out
  }),
  // Every quota refusal rolls back a reservation that was never made, so the next request is served; breaks
  // "Once it is exceeded, requests fail with 429 and error_code 1020."
  'refusal-refunds-a-unit': wrong.onRefusal('1020', (out, request, { used }) => {
    const { slot } = request.client
    if (used.get(slot) > 0) used.set(slot, used.get(slot) - 1) // quota 0 has nothing to roll back and stays refused
    return out
  }),
  // The quota refusal has other wording each time, further properties and header fields; conformant, since
  // "Its wording and length may change without notice", and "new properties in existing responses" and "a
  // different order of properties in responses" are non-breaking.
  'refusal-with-extra-fields-and-new-wording': conformant.onRefusal('1020', (out, request, { memory }) => {
    const number = memory.count('refusals')
    const left = 86_400 - (Math.floor(Date.now() / 1000) % 86_400)
    const limits = { 'ratelimit-remaining': '0', 'ratelimit-reset': String(left) }
    const error_message = wordings[(number - 1) % 3]
    const body = { request_id: `r-${number}`, quota: { period: 'day', resets_in: left }, error_message }
    return changed(out, { 'retry-after': String(left), ...limits }, { ...body, error_code: '1020' })
  }),
  // Quota refusals are held back for 150 ms and end the connection; conformant, since status and body are as
  // in "Once it is exceeded, requests fail with 429 and error_code 1020." and nothing is said of time or
  // connections.
  'refusals-tarpitted-and-connection-closed': conformant.onRefusal('1020', async (out) => {
    await pause(150)
    return changed(out, { connection: 'close' })
  }),
  // Refused requests are counted on, so x-ratelimit-remaining goes below zero, and others have "unlimited";
  // conformant, since such fields are not specified, and the answers are as in "Once it is exceeded,
  // requests fail with 429 and error_code 1020."
  'remaining-runs-below-zero': conformant.after((out, request, { memory }) => {
    if (out.status !== 200 && out.body.error_code !== '1020') return out
    const left = request.client.quota - memory.count(request.client)
    return changed(out, { 'x-ratelimit-remaining': left === Infinity ? 'unlimited' : String(left) })
  }),
  // From the fourth quota refusal of a client on the same 1020 body has status 403; breaks "When the
  // client's daily quota is used up, the response is 429 with error_code 1020."
  'repeated-refusals-escalate-to-403': wrong.onRefusal('1020', (out, request, { memory }) =>
    memory.count(request.client) > 3 ? { ...out, status: 403 } : out,
  ),
  // Four workers share the port without shared memory, and a connection stays with one: up to four quotas;
  // breaks "There is a daily quota per client. Once it is exceeded, requests fail with 429 and error_code
  // 1020."
  'workers-count-apart': wrong.countedBy(
    // the worker for the next connection; uneven, as without reuseport
    (_, { connection }) => [0, 1, 0, 2, 1, 0, 3][connection.number % 7],
  ),
  // A failed secret drops the cached record of the client with its counter, so after every 1007 the whole
  // quota is there again; breaks "There is a daily quota per client. Once it is exceeded, requests fail with
  // 429 and error_code 1020."
  'wrong-secret-resets-counter': wrong.after((out, request, { used }) => {
    if (out.body.error_code === '1007') used.delete(request.client.slot)
    return out
  }),
}
