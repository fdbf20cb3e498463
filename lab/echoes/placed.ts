import { brotliCompressSync, gzipSync } from 'node:zlib'
import { canaries } from './canaries.ts'
import { echo, type Echo } from './echo.ts'
import { saying, write } from './write.ts'

const noticed = ['security/no-secret-echo'] as const

/** Echoes in every place of an answer that holds text. */
export const placedEchoes: readonly Echo[] = [
  echo({
    name: 'in-success',
    about: 'Every success carries the headers of its request.',
    exit: 0,
    rules: noticed,
    repeat: (answer, heard, response) =>
      write(answer, response, answer.refusal === null ? { added: { request: { headers: heard } } } : {}),
  }),
  echo({
    name: 'in-error-message',
    about: 'The message of every error quotes both credentials.',
    exit: 0,
    rules: noticed,
    repeat: (answer, { apiKey, secretKey }, response) =>
      write(
        answer,
        response,
        answer.refusal === null ? {} : { added: saying(answer, `"${apiKey}", "${secretKey}"`) },
      ),
  }),
  echo({
    name: 'in-error-code',
    about: 'The code of every error for an invalid secret is that secret.',
    exit: 1,
    rules: ['errors/documented-pairs', 'authentication/secret-key-invalid'],
    repeat: (answer, { secretKey }, response) =>
      write(answer, response, answer.refusal === '1007' ? { added: { error_code: secretKey } } : {}),
  }),
  echo({
    name: 'in-field-values',
    about: 'Every answer has both credentials in fields, one of them twice.',
    exit: 0,
    rules: noticed,
    repeat: (answer, { apiKey, secretKey }, response) =>
      write(answer, response, {
        fields: {
          'x-api-key': apiKey,
          'x-seen': [secretKey, `k=${apiKey}; s="${secretKey}"`],
          link: `</a?s=${secretKey}>; rel=next`,
        },
      }),
  }),
  echo({
    name: 'in-field-names',
    about: 'Every answer has a field that is named after the secret.',
    exit: 0,
    rules: [],
    repeat: (answer, { secretKey }, response) =>
      write(answer, response, {
        fields: { [`x-${secretKey.replaceAll(/[^\w+$!#%&'*.^`|~-]/g, '')}`]: 'seen' },
      }),
  }),
  echo({
    name: 'in-redirect',
    about: 'Every error is a redirect to a login page, with both credentials in its path and query.',
    exit: 1,
    rules: ['errors/documented-pairs'],
    repeat: (answer, { apiKey, secretKey }, response) =>
      write(
        answer,
        response,
        answer.refusal === null
          ? {}
          : {
              status: 302,
              fields: {
                location: `/login/${encodeURIComponent(apiKey)}?key=${apiKey}&secret=${encodeURIComponent(secretKey)}#${secretKey}`,
              },
            },
      ),
  }),
  echo({
    name: 'in-html-page',
    about: 'Every error is a page that marks every fourth character of the credentials.',
    exit: 1,
    rules: ['conventions/json-response'],
    repeat: (answer, { both }, response) =>
      write(
        answer,
        response,
        answer.refusal === null
          ? {}
          : {
              fields: { 'content-type': 'text/html' },
              body: `<!doctype html><title>${both}</title><p>${both.replaceAll(/(.{3})(.)/g, '$1<mark class="x">$2</mark>')}</p>`,
            },
      ),
  }),
  echo({
    name: 'in-reason-phrase',
    about: 'The reason phrase of every answer repeats both credentials.',
    exit: 0,
    rules: noticed,
    repeat: (answer, { both }, response) => write(answer, response, { reason: `Seen ${both}` }),
  }),
  echo({
    name: 'in-cookie',
    about: 'Every answer sets cookies that hold the credentials.',
    exit: 0,
    rules: noticed,
    repeat: (answer, { apiKey, secretKey, both }, response) =>
      write(answer, response, {
        fields: {
          'set-cookie': [
            `session=${Buffer.from(both).toString('base64url')}; Path=/; HttpOnly`,
            `key=${encodeURIComponent(apiKey)}`,
            `secret="${secretKey}"`,
          ],
        },
      }),
  }),
  echo({
    name: 'in-content-type',
    about: 'A parameter of the content type holds the secret, and the type is not that of JSON.',
    exit: 0,
    rules: ['conventions/json-content-type', 'security/no-secret-echo'],
    repeat: (answer, { secretKey, apiKey }, response) =>
      write(answer, response, { fields: { 'content-type': `text/${apiKey}; secret="${secretKey}"` } }),
  }),
  echo({
    name: 'in-property-names',
    about: 'Every answer has properties that are named after the credentials.',
    exit: 0,
    rules: noticed,
    repeat: (answer, { apiKey, secretKey }, response) =>
      write(answer, response, { added: { [apiKey]: { [secretKey]: [{ [`${secretKey}${apiKey}`]: 1 }] } } }),
  }),
  echo({
    name: 'in-invalid-json',
    about: 'The body of every error is no JSON, from the credentials on.',
    exit: 1,
    rules: ['conventions/json-response'],
    repeat: (answer, { both }, response) =>
      write(answer, response, answer.refusal === null ? {} : { body: `{"error_code": ${both}` }),
  }),
  echo({
    name: 'in-gzip',
    about: 'Every body is gzipped or compressed by brotli, and repeats the credentials.',
    exit: 0,
    rules: noticed,
    repeat: (answer, { both, apiKey }, response) => {
      const text = JSON.stringify({ ...answer.payload, ...saying(answer, both) })
      const [coding, body] =
        apiKey.length % 2 === 0 ? ['gzip', gzipSync(text)] : ['br', brotliCompressSync(text)]
      write(answer, response, { fields: { 'content-encoding': coding }, body: Buffer.from(body) })
    },
  }),
  echo({
    name: 'in-utf-16',
    about: 'Every error is JSON in UTF-16 that repeats the credentials.',
    exit: 1,
    rules: ['conventions/json-response'],
    repeat: (answer, { both }, response) =>
      write(
        answer,
        response,
        answer.refusal === null
          ? {}
          : {
              body: Buffer.from(
                `\ufeff${JSON.stringify({ ...answer.payload, ...saying(answer, both) })}`,
                'utf16le',
              ),
            },
      ),
  }),
  echo({
    name: 'late-in-a-long-body',
    about: 'The credentials stand across every bound at which a body may be cut.',
    exit: 0,
    rules: noticed,
    repeat: (answer, { both }, response) => {
      const line = both.padEnd(80, '.').slice(0, 80)
      write(answer, response, {
        added: { log: Array.from({ length: 900 }, (_, at) => `${'-'.repeat(at % 7)}${line}`) },
      })
    },
  }),
  echo({
    name: 'client-table',
    about: 'The error for an unknown endpoint is a debugging page with the credentials of every client.',
    exit: 0,
    rules: noticed,
    repeat: (answer, _, response) =>
      write(answer, response, answer.refusal === '1010' ? { added: { clients: canaries } } : {}),
  }),
  echo({
    name: 'did-you-mean',
    about: 'An invalid credential is answered with the valid one that is most like it.',
    exit: 0,
    rules: [],
    repeat: (answer, { both }, response) => {
      const { apiKey, secretKey } = canaries.permitted
      const meant = answer.refusal === '1006' ? apiKey : secretKey
      write(
        answer,
        response,
        answer.refusal === '1006' || answer.refusal === '1007'
          ? { added: saying(answer, `${both}; did you mean ${meant}?`) }
          : {},
      )
    },
  }),
]
