import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { settingsOf } from '../../lib/doors/cli/serve-command.ts'
import { bodyOf, type Answer } from '../../lib/serve/reference/answer.ts'
import { callOf, field, type Call } from '../../lib/serve/reference/call.ts'
import { examine } from '../../lib/serve/reference/checks.ts'
import { clients, everyClient } from '../../lib/serve/reference/clients.ts'
import { quotaStore } from '../../lib/serve/reference/quota.ts'
import { usualReading } from '../../lib/serve/reference/reading.ts'
import { startReference } from '../../lib/serve/reference/service.ts'
import type { SpecRuleId } from '../../lib/specification/rules.ts'
import { spellings } from '../../tests/leaks/spellings.ts'
import type { Service } from '../judge/service.ts'
import { canaries } from './canaries.ts'

/** The credentials of a request as received. Empty if absent. */
interface Heard {
  readonly apiKey: string
  readonly secretKey: string
  /** Both, separated by a space. */
  readonly both: string
}

/** For a spelling that the suite detects. */
const noticed: readonly SpecRuleId[] = ['security/no-secret-echo']

/** A place in an answer for the credentials of its request. */
interface Place {
  /** The exit code of a gate. Default 0. */
  readonly exit?: 0 | 1 | 3
  /** One of these rules is red in the verdict; empty if the suite does not detect the spelling. Default: the rule on echoes. */
  readonly rules?: readonly SpecRuleId[]
  /** The answers that repeat the credentials, by the code of the refusal. Default: all. */
  readonly on?: (refusal: Answer['refusal']) => boolean
  readonly written: Written
}

/** The differences of an answer that repeats the credentials, or null if this writes it. */
type Written = (heard: Heard, answer: Answer, response: ServerResponse) => Difference | null

/** Places by the name of the service. A function alone is a place with the defaults. */
type Places = Readonly<Record<string, Place | Written>>

const placing = (how: Omit<Place, 'written'>, place: Place | Written): Place =>
  typeof place === 'function' ? { ...how, written: place } : place

/** Services that check requests like the reference service, with other clients, and repeat their credentials. */
function placed(places: Places): readonly Service[] {
  const all = Object.entries(places).map(([name, one]) => ({ name, ...placing({}, one) }))
  return all.map(({ name, exit = 0, rules = noticed, on = () => true, written }) => ({
    of: 'echoes',
    name,
    expects: { exit, by: rules, inPart: true },
    profiles: ['gate'],
    over: 'program',
    start: async () => {
      const how = { bend: {}, reading: usualReading, quota: quotaStore({}, Date.now) }
      const service = await startReference({
        intervene: (request, response) => {
          const answer = examine(withReferenceClient(callOf(request, 0)), how)
          const differences = on(answer.refusal) ? written(heardIn(request), answer, response) : {}
          if (differences !== null) write(answer, response, differences)
          return true
        },
      })
      return { env: settingsOf({ ...service, clients: canaries }), close: () => service.close() }
    },
  }))
}

function heardIn({ headers }: IncomingMessage): Heard {
  const [apiKey, secretKey] = [String(headers['x-api-key'] ?? ''), String(headers['x-secret-key'] ?? '')]
  return { apiKey, secretKey, both: `${apiKey} ${secretKey}`.trim() }
}

/** Replaces the canaries by the reference clients' credentials, so that the reference's checks recognise them. */
function withReferenceClient(call: Call): Call {
  const headers = { ...call.headers }
  for (const [name, header] of [['apiKey', 'x-api-key'] as const, ['secretKey', 'x-secret-key'] as const]) {
    const sent = field(call, header)
    const owner = everyClient.find((client) => canaries[client.name][name] === sent)
    if (owner !== undefined) headers[header] = clients[owner.name][name]
    else if (sent !== undefined && sent !== '') headers[header] = `?${sent}`
  }
  return { ...call, headers }
}

/** How an answer differs from the reference service's. */
interface Difference {
  readonly status?: number
  /** Properties added to the answer. */
  readonly added?: Readonly<Record<string, unknown>>
  readonly fields?: Readonly<Record<string, string | readonly string[]>>
  readonly reason?: string
  /** The body that replaces the JSON. */
  readonly body?: string | Buffer
}

/** Writes an answer as JSON, with these additions. */
function write(answer: Answer, response: ServerResponse, written: Difference): void {
  const { status, added, fields, reason, body } = written
  response.statusCode = status ?? answer.status
  if (reason !== undefined) response.statusMessage = fieldSafe(reason)
  response.setHeader('content-type', 'application/json')
  for (const [name, value] of Object.entries(fields ?? {}))
    response.setHeader(name, typeof value === 'string' ? fieldSafe(value) : value.map(fieldSafe))
  response.end(body ?? JSON.stringify({ ...answer.payload, ...added }))
}

/** The answer's payload with another message. A success gets a property of that name next to the list. */
function saying(answer: Answer, text: string): Readonly<Record<string, unknown>> {
  return answer.refusal === null
    ? { note: text }
    : { error_message: `${String(answer.payload['error_message'])}: ${text}` }
}

/** A text reduced to the characters that a field or a reason phrase can contain. */
const fieldSafe = (text: string): string => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')

const success: Place['on'] = (refusal) => refusal === null
const failure: Place['on'] = (refusal) => refusal !== null
const coded = (coding: string) => ({ 'content-encoding': coding })
const onFailure = { exit: 1, on: failure } as const
const onNoJson = { ...onFailure, rules: ['conventions/json-response'] } as const
const onSecret: Place['on'] = (refusal) => refusal === '1007'
const onKeyOrSecret: Place['on'] = (refusal) => refusal === '1006' || refusal === '1007'
const onInvalidSecret = { exit: 1, rules: ['authentication/secret-key-invalid'], on: onSecret } as const

/** Echoes in every place of an answer that can hold text. */
const placedInJson: Places = {
  // Every success carries the headers of its request.
  'in-success': placing({ on: success }, (heard) => ({ added: { request: { headers: heard } } })),
  // The message of every error quotes both credentials.
  'in-error-message': placing({ on: failure }, ({ apiKey, secretKey }, answer) => ({
    added: saying(answer, `"${apiKey}", "${secretKey}"`),
  })),
  // The code of every error for an invalid secret is that secret.
  'in-error-code': placing(
    { exit: 1, rules: ['errors/documented-pairs', 'authentication/secret-key-invalid'], on: onSecret },
    ({ secretKey }) => ({ added: { error_code: secretKey } }),
  ),
  // Every answer has both credentials in fields, one of them twice.
  'in-field-values': ({ apiKey, secretKey }) => {
    const seen = [secretKey, `k=${apiKey}; s="${secretKey}"`]
    return { fields: { 'x-api-key': apiKey, 'x-seen': seen, link: `</a?s=${secretKey}>; rel=next` } }
  },
  // Every answer has a field that is named after the secret.
  'in-field-names': placing({ rules: [] }, ({ secretKey }) => ({
    fields: { [`x-${secretKey.replaceAll(/[^\w+$!#%&'*.^`|~-]/g, '')}`]: 'seen' },
  })),
  // Every error is a redirect to a login page, with both credentials in its path and query.
  'in-redirect': placing({ ...onFailure, rules: ['errors/documented-pairs'] }, ({ apiKey, secretKey }) => {
    const [path, secret] = [`/login/${encodeURIComponent(apiKey)}`, encodeURIComponent(secretKey)]
    return { status: 302, fields: { location: `${path}?key=${apiKey}&secret=${secret}#${secretKey}` } }
  }),
  // Every error is a page with the credentials in its title and text.
  'in-html-page': placing(onNoJson, ({ both }) => {
    const body = `<!doctype html><title>${both}</title><p>${both}</p>`
    return { fields: { 'content-type': 'text/html' }, body }
  }),
  // The reason phrase of every answer repeats both credentials.
  'in-reason-phrase': ({ both }) => ({ reason: `Seen ${both}` }),
  // Every answer sets cookies that hold the credentials.
  'in-cookie': ({ apiKey, secretKey, both }) => {
    const session = `session=${Buffer.from(both).toString('base64url')}; Path=/; HttpOnly`
    const cookies = [session, `key=${encodeURIComponent(apiKey)}`, `secret="${secretKey}"`]
    return { fields: { 'set-cookie': cookies } }
  },
  // A parameter of the content type holds the secret, and the type is not that of JSON.
  'in-content-type': placing(
    { rules: ['conventions/json-content-type', ...noticed] },
    ({ secretKey, apiKey }) => ({ fields: { 'content-type': `text/${apiKey}; secret="${secretKey}"` } }),
  ),
  // Every answer has properties that are named after the credentials.
  'in-property-names': ({ apiKey, secretKey }) => ({
    added: { [apiKey]: { [secretKey]: [{ [`${secretKey}${apiKey}`]: 1 }] } },
  }),
  // The body of every error is no JSON, from the credentials on.
  'in-invalid-json': placing(onNoJson, ({ both }) => ({ body: `{"error_code": ${both}` })),
  // Every body is gzipped or compressed by brotli, and repeats the credentials.
  'in-gzip': ({ both, apiKey }, answer) => {
    const text = JSON.stringify({ ...answer.payload, ...saying(answer, both) })
    if (apiKey.length % 2 === 0) return { fields: coded('gzip'), body: gzipSync(text) }
    return { fields: coded('br'), body: brotliCompressSync(text) }
  },
  // The credentials stand across every bound at which a body may be cut.
  'late-in-a-long-body': ({ both }) => {
    const line = both.padEnd(80, '.').slice(0, 80)
    return { added: { log: Array.from({ length: 900 }, (_, at) => `${'-'.repeat(at % 7)}${line}`) } }
  },
  // The error for an unknown endpoint is a debugging page with the credentials of every client.
  'client-table': placing({ on: (refusal) => refusal === '1010' }, () => ({ added: { clients: canaries } })),
  // An invalid credential is answered with the valid one that is most like it.
  'did-you-mean': placing({ rules: [], on: onKeyOrSecret }, ({ both }, answer) => {
    const { apiKey, secretKey } = canaries.permitted
    const meant = answer.refusal === '1006' ? apiKey : secretKey
    return { added: saying(answer, `${both}; did you mean ${meant}?`) }
  }),
}

const spelled = new Map<string, readonly (readonly [how: string, text: string])[]>()

/** A text in every spelling. Cached, because most requests of a run have the same credentials. */
function inEverySpelling(text: string): readonly (readonly [how: string, text: string])[] {
  const known = spelled.get(text)
  const made = known ?? Object.entries(spellings).map(([how, spell]) => [how, spell(text)] as const)
  spelled.set(text, made)
  return made
}

/** Echoes in the framing of an answer, and in all places of an answer at once. */
const framed: Places = {
  // Every answer has the credentials in fields after its body.
  'in-trailers': ({ apiKey, secretKey }, answer, response) => {
    // Node refuses to announce trailers in an answer without a body.
    const isHead = response.req.method === 'HEAD'
    const trailer = isHead ? {} : { trailer: 'x-seen, x-key' }
    response.writeHead(answer.status, { 'content-type': 'application/json', ...trailer })
    response.write(bodyOf(answer))
    if (!isHead) response.addTrailers({ 'x-seen': secretKey, 'x-key': apiKey })
    response.end()
    return null
  },
  // Every answer has the credentials beside the lengths of its chunks.
  'in-chunk-extensions': placing({ rules: [] }, ({ apiKey, secretKey }, answer, response) => {
    const body = bodyOf(answer)
    const token = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, '')
    const head = `HTTP/1.1 ${answer.status} Seen\r\ncontent-type: application/json\r\ntransfer-encoding: chunked`
    const chunk = `${Buffer.byteLength(body).toString(16)};key=${token(apiKey)};secret=${token(secretKey)}`
    response.socket?.end(`${head}\r\nconnection: close\r\n\r\n${chunk}\r\n${body}\r\n0\r\n\r\n`)
    return null
  }),
  // Before every answer comes one with status 103 that repeats the credentials.
  'in-early-hints': placing({ rules: [] }, ({ secretKey }, answer, response) => {
    response.writeEarlyHints({ link: '</a.css>; rel=preload', 'x-seen': secretKey })
    return {}
  }),
  // The answer to an invalid secret repeats the credentials, and the connection is closed in the middle of
  // them.
  'cut-half-way': placing(onInvalidSecret, ({ both }, answer, response) => {
    const fields = { 'content-type': 'application/json', 'content-length': 4_000, 'x-seen': both }
    response.writeHead(answer.status, fields)
    response.write(JSON.stringify({ ...answer.payload, ...saying(answer, both) }), () => response.destroy())
    return null
  }),
  // The answer to an invalid secret has a head that is no HTTP, made of the credentials.
  'broken-head': placing(onInvalidSecret, ({ both }, _, response) => {
    response.socket?.end(`HTTP/1.1 ${both}\r\n${both}\r\n${both}: ${both}\r\n\r\n${both}`)
    return null
  }),
  // The answer to an invalid secret names the credentials as its content coding.
  'unknown-coding': placing({ exit: 3, on: onSecret }, (heard) => ({ fields: coded(heard.both) })),
  // Everything at once: fields, cookies, reason phrase, and the body in every spelling, one within another.
  everywhere: ({ both, apiKey, secretKey }, answer) => {
    const keys = inEverySpelling(apiKey)
    const spelt = inEverySpelling(both).map(([how, text], at) => ({ how, text, key: keys[at]?.[1] }))
    const asked = { 'www-authenticate': `Basic realm="${both}"` }
    const fields = { 'x-key': apiKey, 'set-cookie': [`s=${secretKey}`], ...asked }
    return { reason: both, fields, added: { ...saying(answer, both), [both]: spelt } }
  },
  // From the first request on every answer is an undocumented error that repeats the credentials.
  'refused-with-everything': placing(
    { exit: 1, rules: ['endpoints/list-succeeds', 'errors/documented-pairs'] },
    ({ both, secretKey }) => {
      const body = JSON.stringify({ error_code: secretKey, error_message: both })
      return { status: 403, reason: both, fields: { 'x-seen': secretKey }, body }
    },
  ),
  // From the first request on every credential is refused, by name, in fields and in the body.
  'refused-by-name': placing({ exit: 3, rules: [] }, ({ both, apiKey }) => {
    const body = JSON.stringify({ error_code: '1006', error_message: `${apiKey} is nobody's key: ${both}` })
    return { status: 401, fields: { 'www-authenticate': `Key realm="${both}"` }, body }
  }),
}

/** An echo of both credentials in this spelling, in the message of every error and next to every success. */
function spelling(name: string, rules: Place['rules'] = []): Place {
  const spell = spellings[name]
  if (spell === undefined) throw new TypeError(`there is no spelling ${name}`)
  const text = ({ apiKey, secretKey }: Heard): string => `${spell(apiKey)} | ${spell(secretKey)}`
  return placing({ rules }, (heard, answer) => ({ added: saying(answer, text(heard)) }))
}

/** Echoes in other spellings, as written by libraries and template engines. */
const otherSpellings: Places = {
  'json-escaped': spelling('in JSON, every character'),
  'json-within-json': spelling('in JSON within JSON', noticed),
  base64: spelling('in base64', noticed),
  'base64-with-key': spelling('in base64 with its key', noticed),
  'base64-in-lines': spelling('in base64, broken into lines'),
  'percent-encoded': spelling('percent-encoded', noticed),
  'percent-encoded-form': spelling('percent-encoded as a form'),
  'percent-encoded-every-byte': spelling('percent-encoded, every byte, in upper case', noticed),
  'percent-encoded-twice': spelling('percent-encoded twice'),
  'upper-case': spelling('in upper case'),
  'swapped-case': spelling('in swapped case'),
  hexadecimal: spelling('in hexadecimal', noticed),
  'hexadecimal-in-capitals': spelling('in hexadecimal, in upper case', noticed),
  'html-entities': spelling('in HTML, decimal'),
  'html-names': spelling('in HTML, named'),
  'bytes-of-a-buffer': spelling('as the bytes of a buffer'),
}

/** Services that repeat the credentials they receive, in every place and spelling. */
export const echoes = placed({ ...placedInJson, ...framed, ...otherSpellings })
