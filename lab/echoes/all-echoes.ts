import { brotliCompressSync, gzipSync } from 'node:zlib'
import { bodyOf } from '../../lib/serve/reference/answer.ts'
import { spellings } from '../../tests/leaks/spellings.ts'
import { canaries } from './canaries.ts'
import { noticed, placed, saying, type Heard, type Place } from './echo.ts'

const success: Place['on'] = (refusal) => refusal === null
const failure: Place['on'] = (refusal) => refusal !== null
const onNoJson = { exit: 1, rules: ['conventions/json-response'], on: failure } as const
const onSecret: Place['on'] = (refusal) => refusal === '1007'
const onInvalidSecret = { exit: 1, rules: ['authentication/secret-key-invalid'], on: onSecret } as const

/** Echoes in every place of an answer that can hold text. */
const placedInJson: Readonly<Record<string, Place>> = {
  // Every success carries the headers of its request.
  'in-success': { on: success, written: (heard) => ({ added: { request: { headers: heard } } }) },
  // The message of every error quotes both credentials.
  'in-error-message': {
    on: failure,
    written: ({ apiKey, secretKey }, answer) => ({ added: saying(answer, `"${apiKey}", "${secretKey}"`) }),
  },
  // The code of every error for an invalid secret is that secret.
  'in-error-code': {
    exit: 1,
    rules: ['errors/documented-pairs', 'authentication/secret-key-invalid'],
    on: onSecret,
    written: ({ secretKey }) => ({ added: { error_code: secretKey } }),
  },
  // Every answer has both credentials in fields, one of them twice.
  'in-field-values': {
    written: ({ apiKey, secretKey }) => ({
      fields: {
        'x-api-key': apiKey,
        'x-seen': [secretKey, `k=${apiKey}; s="${secretKey}"`],
        link: `</a?s=${secretKey}>; rel=next`,
      },
    }),
  },
  // Every answer has a field that is named after the secret.
  'in-field-names': {
    rules: [],
    written: ({ secretKey }) => ({
      fields: { [`x-${secretKey.replaceAll(/[^\w+$!#%&'*.^`|~-]/g, '')}`]: 'seen' },
    }),
  },
  // Every error is a redirect to a login page, with both credentials in its path and query.
  'in-redirect': {
    exit: 1,
    rules: ['errors/documented-pairs'],
    on: failure,
    written: ({ apiKey, secretKey }) => {
      const [path, secret] = [`/login/${encodeURIComponent(apiKey)}`, encodeURIComponent(secretKey)]
      return { status: 302, fields: { location: `${path}?key=${apiKey}&secret=${secret}#${secretKey}` } }
    },
  },
  // Every error is a page with the credentials in its title and text.
  'in-html-page': {
    ...onNoJson,
    written: ({ both }) => {
      const body = `<!doctype html><title>${both}</title><p>${both}</p>`
      return { fields: { 'content-type': 'text/html' }, body }
    },
  },
  // The reason phrase of every answer repeats both credentials.
  'in-reason-phrase': { written: ({ both }) => ({ reason: `Seen ${both}` }) },
  // Every answer sets cookies that hold the credentials.
  'in-cookie': {
    written: ({ apiKey, secretKey, both }) => ({
      fields: {
        'set-cookie': [
          `session=${Buffer.from(both).toString('base64url')}; Path=/; HttpOnly`,
          `key=${encodeURIComponent(apiKey)}`,
          `secret="${secretKey}"`,
        ],
      },
    }),
  },
  // A parameter of the content type holds the secret, and the type is not that of JSON.
  'in-content-type': {
    rules: ['conventions/json-content-type', 'security/no-secret-echo'],
    written: ({ secretKey, apiKey }) => ({
      fields: { 'content-type': `text/${apiKey}; secret="${secretKey}"` },
    }),
  },
  // Every answer has properties that are named after the credentials.
  'in-property-names': {
    written: ({ apiKey, secretKey }) => ({
      added: { [apiKey]: { [secretKey]: [{ [`${secretKey}${apiKey}`]: 1 }] } },
    }),
  },
  // The body of every error is no JSON, from the credentials on.
  'in-invalid-json': { ...onNoJson, written: ({ both }) => ({ body: `{"error_code": ${both}` }) },
  // Every body is gzipped or compressed by brotli, and repeats the credentials.
  'in-gzip': {
    written: ({ both, apiKey }, answer) => {
      const text = JSON.stringify({ ...answer.payload, ...saying(answer, both) })
      const [coding, body] =
        apiKey.length % 2 === 0 ? ['gzip', gzipSync(text)] : ['br', brotliCompressSync(text)]
      return { fields: { 'content-encoding': coding }, body: Buffer.from(body) }
    },
  },
  // The credentials stand across every bound at which a body may be cut.
  'late-in-a-long-body': {
    written: ({ both }) => {
      const line = both.padEnd(80, '.').slice(0, 80)
      return { added: { log: Array.from({ length: 900 }, (_, at) => `${'-'.repeat(at % 7)}${line}`) } }
    },
  },
  // The error for an unknown endpoint is a debugging page with the credentials of every client.
  'client-table': { on: (refusal) => refusal === '1010', written: () => ({ added: { clients: canaries } }) },
  // An invalid credential is answered with the valid one that is most like it.
  'did-you-mean': {
    rules: [],
    on: (refusal) => refusal === '1006' || refusal === '1007',
    written: ({ both }, answer) => {
      const { apiKey, secretKey } = canaries.permitted
      const meant = answer.refusal === '1006' ? apiKey : secretKey
      return { added: saying(answer, `${both}; did you mean ${meant}?`) }
    },
  },
}

const spelled = new Map<string, readonly (readonly [how: string, text: string])[]>()

/** A text in every spelling. Cached, because most requests of a run have the same credentials. */
function inEverySpelling(text: string): readonly (readonly [how: string, text: string])[] {
  const made =
    spelled.get(text) ?? Object.entries(spellings).map(([how, spell]) => [how, spell(text)] as const)
  spelled.set(text, made)
  return made
}

/** Echoes in the framing of an answer, and in all places of an answer at once. */
const framed: Readonly<Record<string, Place>> = {
  // Every answer has the credentials in fields after its body.
  'in-trailers': {
    written: ({ apiKey, secretKey }, answer, response) => {
      // Node refuses to announce trailers in an answer without a body.
      const isHead = response.req.method === 'HEAD'
      const trailer = isHead ? {} : { trailer: 'x-seen, x-key' }
      response.writeHead(answer.status, { 'content-type': 'application/json', ...trailer })
      response.write(bodyOf(answer))
      if (!isHead) response.addTrailers({ 'x-seen': secretKey, 'x-key': apiKey })
      response.end()
      return null
    },
  },
  // Every answer has the credentials beside the lengths of its chunks.
  'in-chunk-extensions': {
    rules: [],
    written: ({ apiKey, secretKey }, answer, response) => {
      const body = bodyOf(answer)
      const token = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, '')
      const head = `HTTP/1.1 ${answer.status} Seen\r\ncontent-type: application/json\r\ntransfer-encoding: chunked`
      const chunk = `${Buffer.byteLength(body).toString(16)};key=${token(apiKey)};secret=${token(secretKey)}`
      response.socket?.end(`${head}\r\nconnection: close\r\n\r\n${chunk}\r\n${body}\r\n0\r\n\r\n`)
      return null
    },
  },
  // Before every answer comes one with status 103 that repeats the credentials.
  'in-early-hints': {
    rules: [],
    written: ({ secretKey }, answer, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload', 'x-seen': secretKey })
      return {}
    },
  },
  // The answer to an invalid secret repeats the credentials, and the connection is closed in the middle of
  // them.
  'cut-half-way': {
    ...onInvalidSecret,
    written: ({ both }, answer, response) => {
      const fields = { 'content-type': 'application/json', 'content-length': 4_000, 'x-seen': both }
      response.writeHead(answer.status, fields)
      response.write(JSON.stringify({ ...answer.payload, ...saying(answer, both) }), () => response.destroy())
      return null
    },
  },
  // The answer to an invalid secret has a head that is no HTTP, made of the credentials.
  'broken-head': {
    ...onInvalidSecret,
    written: ({ both }, _, response) => {
      response.socket?.end(`HTTP/1.1 ${both}\r\n${both}\r\n${both}: ${both}\r\n\r\n${both}`)
      return null
    },
  },
  // The answer to an invalid secret names the credentials as its content coding.
  'unknown-coding': {
    exit: 3,
    on: onSecret,
    written: ({ both }) => ({ fields: { 'content-encoding': both } }),
  },
  // Everything at once: fields, cookies, reason phrase, and the body in every spelling, one within another.
  everywhere: {
    written: ({ both, apiKey, secretKey }, answer) => {
      const keys = inEverySpelling(apiKey)
      const spelt = inEverySpelling(both).map(([how, text], at) => ({ how, text, key: keys[at]?.[1] }))
      const asked = { 'www-authenticate': `Basic realm="${both}"` }
      const fields = { 'x-key': apiKey, 'set-cookie': [`s=${secretKey}`], ...asked }
      return { reason: both, fields, added: { ...saying(answer, both), [both]: spelt } }
    },
  },
  // From the first request on every answer is an undocumented error that repeats the credentials.
  'refused-with-everything': {
    exit: 1,
    rules: ['endpoints/list-succeeds', 'errors/documented-pairs'],
    written: ({ both, secretKey }) => ({
      status: 403,
      reason: both,
      fields: { 'x-seen': secretKey },
      body: JSON.stringify({ error_code: secretKey, error_message: both }),
    }),
  },
  // From the first request on every credential is refused, by name, in fields and in the body.
  'refused-by-name': {
    exit: 3,
    rules: [],
    written: ({ both, apiKey }) => ({
      status: 401,
      fields: { 'www-authenticate': `Key realm="${both}"` },
      body: JSON.stringify({ error_code: '1006', error_message: `${apiKey} is nobody's key: ${both}` }),
    }),
  },
}

/** An echo of both credentials in this spelling, in the message of every error and next to every success. */
function spelling(name: string, rules: Place['rules'] = []): Place {
  const spell = spellings[name]
  if (spell === undefined) throw new TypeError(`there is no spelling ${name}`)
  const text = ({ apiKey, secretKey }: Heard): string => `${spell(apiKey)} | ${spell(secretKey)}`
  return { rules, written: (heard, answer) => ({ added: saying(answer, text(heard)) }) }
}

/** Echoes in other spellings, as written by libraries and template engines. */
const otherSpellings: Readonly<Record<string, Place>> = {
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
