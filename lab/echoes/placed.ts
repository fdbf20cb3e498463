import { brotliCompressSync, gzipSync } from 'node:zlib'
import { canaries } from './canaries.ts'
import { placed, type Echo, type Place } from './echo.ts'
import { saying } from './write.ts'

const success: Place['on'] = (refusal) => refusal === null
const failure: Place['on'] = (refusal) => refusal !== null

/** Echoes in every place of an answer that can hold text. */
export const placedEchoes: readonly Echo[] = placed({
  'in-success': {
    about: 'Every success carries the headers of its request.',
    on: success,
    written: (heard) => ({ added: { request: { headers: heard } } }),
  },
  'in-error-message': {
    about: 'The message of every error quotes both credentials.',
    on: failure,
    written: ({ apiKey, secretKey }, answer) => ({ added: saying(answer, `"${apiKey}", "${secretKey}"`) }),
  },
  'in-error-code': {
    about: 'The code of every error for an invalid secret is that secret.',
    exit: 1,
    rules: ['errors/documented-pairs', 'authentication/secret-key-invalid'],
    on: (refusal) => refusal === '1007',
    written: ({ secretKey }) => ({ added: { error_code: secretKey } }),
  },
  'in-field-values': {
    about: 'Every answer has both credentials in fields, one of them twice.',
    written: ({ apiKey, secretKey }) => ({
      fields: {
        'x-api-key': apiKey,
        'x-seen': [secretKey, `k=${apiKey}; s="${secretKey}"`],
        link: `</a?s=${secretKey}>; rel=next`,
      },
    }),
  },
  'in-field-names': {
    about: 'Every answer has a field that is named after the secret.',
    rules: [],
    written: ({ secretKey }) => ({
      fields: { [`x-${secretKey.replaceAll(/[^\w+$!#%&'*.^`|~-]/g, '')}`]: 'seen' },
    }),
  },
  'in-redirect': {
    about: 'Every error is a redirect to a login page, with both credentials in its path and query.',
    exit: 1,
    rules: ['errors/documented-pairs'],
    on: failure,
    written: ({ apiKey, secretKey }) => {
      const [path, secret] = [`/login/${encodeURIComponent(apiKey)}`, encodeURIComponent(secretKey)]
      return { status: 302, fields: { location: `${path}?key=${apiKey}&secret=${secret}#${secretKey}` } }
    },
  },
  'in-html-page': {
    about: 'Every error is a page with the credentials in its title and text.',
    exit: 1,
    rules: ['conventions/json-response'],
    on: failure,
    written: ({ both }) => {
      const body = `<!doctype html><title>${both}</title><p>${both}</p>`
      return { fields: { 'content-type': 'text/html' }, body }
    },
  },
  'in-reason-phrase': {
    about: 'The reason phrase of every answer repeats both credentials.',
    written: ({ both }) => ({ reason: `Seen ${both}` }),
  },
  'in-cookie': {
    about: 'Every answer sets cookies that hold the credentials.',
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
  'in-content-type': {
    about: 'A parameter of the content type holds the secret, and the type is not that of JSON.',
    rules: ['conventions/json-content-type', 'security/no-secret-echo'],
    written: ({ secretKey, apiKey }) => ({
      fields: { 'content-type': `text/${apiKey}; secret="${secretKey}"` },
    }),
  },
  'in-property-names': {
    about: 'Every answer has properties that are named after the credentials.',
    written: ({ apiKey, secretKey }) => ({
      added: { [apiKey]: { [secretKey]: [{ [`${secretKey}${apiKey}`]: 1 }] } },
    }),
  },
  'in-invalid-json': {
    about: 'The body of every error is no JSON, from the credentials on.',
    exit: 1,
    rules: ['conventions/json-response'],
    on: failure,
    written: ({ both }) => ({ body: `{"error_code": ${both}` }),
  },
  'in-gzip': {
    about: 'Every body is gzipped or compressed by brotli, and repeats the credentials.',
    written: ({ both, apiKey }, answer) => {
      const text = JSON.stringify({ ...answer.payload, ...saying(answer, both) })
      const [coding, body] =
        apiKey.length % 2 === 0 ? ['gzip', gzipSync(text)] : ['br', brotliCompressSync(text)]
      return { fields: { 'content-encoding': coding }, body: Buffer.from(body) }
    },
  },
  'late-in-a-long-body': {
    about: 'The credentials stand across every bound at which a body may be cut.',
    written: ({ both }) => {
      const line = both.padEnd(80, '.').slice(0, 80)
      return { added: { log: Array.from({ length: 900 }, (_, at) => `${'-'.repeat(at % 7)}${line}`) } }
    },
  },
  'client-table': {
    about: 'The error for an unknown endpoint is a debugging page with the credentials of every client.',
    on: (refusal) => refusal === '1010',
    written: () => ({ added: { clients: canaries } }),
  },
  'did-you-mean': {
    about: 'An invalid credential is answered with the valid one that is most like it.',
    rules: [],
    on: (refusal) => refusal === '1006' || refusal === '1007',
    written: ({ both }, answer) => {
      const { apiKey, secretKey } = canaries.permitted
      const meant = answer.refusal === '1006' ? apiKey : secretKey
      return { added: saying(answer, `${both}; did you mean ${meant}?`) }
    },
  },
})
