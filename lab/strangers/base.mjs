// The common part of all strangers: the clients, requests and answers, and the honest service of the specification.
// No dependencies.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'

export const listPath = '/api/customizations/list'

const credentialsOf = ({ key, secret }) => ({ 'x-api-key': key, 'x-secret-key': secret })

class Client {
  constructor(name, number, { quota = Infinity, refused } = {}) {
    Object.assign(this, { key: `key-${name}-${number}`, secret: `secret-${name}-${number}` })
    // Successful answers per (UTC) day, and the code for every good request.
    Object.assign(this, { quota, refused })
  }
  /** The slot in which its successes are counted. */
  get slot() {
    return `${this.key} ${new Date().toISOString().slice(0, 10)}`
  }
  isSpent(used) {
    return (used.get(this.slot) ?? 0) >= this.quota
  }
}

export const clients = {
  target: new Client('target', 'aaaa-1111-0001'),
  second: new Client('second', 'bbbb-2222-0002'),
  noCustomer: new Client('nocust', 'cccc-3333-0003', { refused: '1012' }),
  inactive: new Client('inactive', 'dddd-4444-0004', { refused: '1011' }),
  unauthorized: new Client('unauth', 'eeee-5555-0005', { refused: '1013' }),
  exhausted: new Client('exhaust', 'ffff-6666-0006', { quota: 0 }),
  disposable: new Client('dispos', 'gggg-7777-0007', { quota: 8 }),
}

export const codes = {
  1001: [400, 'api key header is missing'],
  1002: [400, 'secret key header is missing'],
  1003: [400, 'version header is missing'],
  1010: [400, 'endpoint not found for the specified version'],
  1030: [400, 'invalid input parameters'],
  1006: [401, 'invalid api key'],
  1007: [401, 'invalid secret key'],
  1011: [401, 'inactive endpoint'],
  1012: [401, 'customer not found'],
  1013: [401, 'unauthorized_endpoint'],
  1020: [429, 'daily quota limit exceeded'],
}

/** The required headers, and the code for each if it is absent. */
export const required = { 'x-api-key': '1001', 'x-secret-key': '1002', 'x-version': '1003' }

const json = () => ({ 'content-type': 'application/json; charset=utf-8' })
export const refusal = (code) => {
  const [status, error_message] = codes[code]
  return { status, headers: json(), body: { error_code: String(code), error_message } }
}
const list = ['default', 'dark'].map((name, at) => ({ id: `cus_${at + 1}`, name }))
export const success = (body = { customizations: list }) => ({ status: 200, headers: json(), body })

/**
 * A request as a service reads it: method, url, path, query, headers, rawHeaders, socket and body, and what follows
 * from these.
 */
export class Request {
  constructor(read) {
    const { method, url, path, query, headers, socket } = read
    const { 'x-api-key': key, 'x-secret-key': secret, 'x-version': version } = headers
    const absentFields = Object.keys(required).filter((name) => headers[name] === undefined)
    const client = Object.values(clients).find((one) => one.key === key)
    const isNumeric = (name) => /^(page|limit|offset|size|per_page|page_size)$/.test(name)
    Object.assign(this, read, {
      key,
      secret,
      version,
      /** The names of the required headers that it does not have, and the codes for these. */
      absentFields,
      absent: absentFields.map((name) => required[name]),
      /** The client with its key, and the one with its key and secret. */
      client,
      authentic: client?.secret === secret ? client : undefined,
      /** Whether the requested endpoint exists under the requested version. */
      isRouted: version === '1' && method === 'GET' && path === listPath,
      hasBadParameter: [...query].some(([name, value]) => isNumeric(name) && !/^\d{1,6}$/.test(value)),
      /** Method, URL and the required headers, on which a response depends. */
      whole: JSON.stringify([method, url, key, secret, version]),
      /** The same without the version. */
      unversioned: JSON.stringify([method, url, key, secret]),
      address: socket?.remoteAddress,
      /** Its original address according to a proxy, or an empty string. */
      forwardedFor: (headers['x-forwarded-for'] ?? '').split(',')[0].trim(),
      /** The tags of if-none-match, with weak ones as strong ones. */
      tags: (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, '')),
    })
  }
  /** The same request with these properties. */
  but(changes) {
    return new Request({ ...this, ...changes })
  }
  /** The same request with these header fields. */
  with(fields) {
    return this.but({ headers: { ...this.headers, ...fields } })
  }
  /** The same request with these header fields where it has none. */
  filledWith(fields) {
    return this.but({ headers: { ...fields, ...this.headers } })
  }
  /** The same request with the credentials of this client where it has none. */
  filledBy(client) {
    return this.filledWith(credentialsOf(client))
  }
  /** The same request with the credentials of this client. */
  by(client) {
    return this.with(credentialsOf(client))
  }
  /** The same request with GET instead of HEAD. */
  get asGet() {
    return this.method === 'HEAD' ? this.but({ method: 'GET' }) : this
  }
  cookie(name) {
    return new RegExp(`(?:^|;\\s*)${name}=([\\w-]+)`).exec(this.headers.cookie ?? '')?.[1]
  }
  /** The weight of a coding in accept-encoding. NaN if it is malformed, undefined if there is none. */
  weightOf(coding) {
    const items = (this.headers['accept-encoding'] ?? '').toLowerCase().split(',')
    const found = items.map((item) => item.trim().split(/\s*;\s*/)).find(([name]) => name === coding)
    return found && Number((found.find((part) => part.startsWith('q=')) ?? 'q=1').slice(2))
  }
  /** Whether if-none-match is a star, or contains this weak tag. */
  matches(etag) {
    return this.headers['if-none-match']?.trim() === '*' || this.tags.includes(etag.slice('W/'.length))
  }
}

/** What a service remembers. */
export class Memory extends Map {
  /** Increments the count of a key and returns it. */
  count(key) {
    this.set(key, (this.get(key) ?? 0) + 1)
    return this.get(key)
  }
  /** Records an event under a key. Returns the number of these within the last ms. */
  recent(key, ms) {
    const times = [...(this.get(key) ?? []), Date.now()].filter((time) => time > Date.now() - ms)
    this.set(key, times)
    return times.length
  }
  /** The value of a key, made first if there is none. */
  kept(key, make) {
    return this.get(key) ?? this.set(key, make()).get(key)
  }
  /** Marks a key for this many ms. */
  mark(key, ms) {
    this.set(`mark of ${key}`, Date.now() + ms)
  }
  isMarked(key) {
    return this.get(`mark of ${key}`) > Date.now()
  }
  /** Works on a request with the number of those in flight under a key, including this one. */
  async inFlight(key, work) {
    try {
      return await work(this.count(key))
    } finally {
      this.set(key, this.get(key) - 1)
    }
  }
  /** Works for this many ms on the first of several overlapping requests, and gives its answer to all of them. */
  shared(slot, ms, work) {
    const fly = async () => {
      await pause(ms)
      this.delete(slot)
      return work()
    }
    return this.kept(slot, fly)
  }
}

/** The answer that the specification requires after these successes, counted by slot. */
export function answer(request, used = new Map()) {
  const { absent, client } = request
  if (absent.length > 0) return refusal(absent[0])
  if (!client) return refusal('1006')
  if (!request.authentic) return refusal('1007')
  if (client.refused === '1012') return refusal('1012')
  if (!request.isRouted) return refusal('1010')
  if (client.refused) return refusal(client.refused)
  if (request.hasBadParameter) return refusal('1030')
  return client.isSpent(used) ? refusal('1020') : success()
}

/**
 * A new honest service: honest(request) → the right answer; a success is counted in `used`, the counts by slot.
 * honest(request, name) counts in another counter with this name.
 */
export function honestly(used = new Memory()) {
  const counters = new Memory([['all', used]])
  return (request, name = 'all') => {
    const counter = counters.kept(name, () => new Memory())
    const out = answer(request, counter)
    if (out.status === 200) counter.count(request.client.slot)
    return out
  }
}

/** The same answer with additional header fields, or also with another body. */
export function changed(out, fields, body = out.body) {
  return { ...out, headers: { ...out.headers, ...fields }, body }
}

export const pause = (ms) => new Promise((done) => setTimeout(done, ms))

const codings = { br: brotliCompressSync, gzip: gzipSync, deflate: deflateSync }

/** The same answer in a coding, or as bytes if there is none. */
export function inCoding(out, coding, fields = { vary: 'Accept-Encoding' }) {
  const plain = Buffer.from(JSON.stringify(out.body))
  if (!coding) return changed(out, fields, plain)
  return changed(out, { ...fields, 'content-encoding': coding }, codings[coding](plain))
}

/** A part of an answer, from one byte to another, as 206. */
export function partOf(out, from, last) {
  const text = JSON.stringify(out.body)
  const field = { 'content-range': `bytes ${from}-${last}/${text.length}` }
  return { ...changed(out, field, text.slice(from, last + 1)), status: 206 }
}

const texts = {
  de: 'Die Anfrage wurde abgelehnt',
  fr: 'La requête a été refusée « voir la documentation »',
  ar: 'تم رفض الطلب',
  ja: 'リクエストは拒否されました',
}

/** A refusal with a message in one of these languages, and its code as this text in it. */
export function translated(out, language, code = out.body.error_code) {
  const fields = { 'content-language': language, vary: 'accept-language' }
  return changed(out, fields, { ...out.body, error_message: `${texts[language]} (${code})` })
}

/** The result of a call, or `otherwise` if it throws. */
export function attempt(call, otherwise) {
  try {
    return call()
  } catch {
    return otherwise
  }
}

/** A code as a number of a language, or unchanged if there is no such language. */
export const numberIn = (language, code) =>
  attempt(() => new Intl.NumberFormat(language).format(Number(code)), code)

/** A text with its percent-encoding decoded once, or `otherwise` if it is malformed. */
export const decoded = (text, otherwise = text) => attempt(() => decodeURIComponent(text), otherwise)
