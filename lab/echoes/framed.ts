import { bodyOf } from '../../lib/serve/reference/answer.ts'
import { spellings } from '../../tests/leaks/spellings.ts'
import { echo, placed, type Echo } from './echo.ts'
import { saying, write } from './write.ts'

/** A nightly run sends thousands of keys. */
const mostSpelled = 500
const spelled = new Map<string, readonly (readonly [how: string, text: string])[]>()

/** A text in every spelling. Cached, because most requests of a run have the same credentials. */
function inEverySpelling(text: string): readonly (readonly [how: string, text: string])[] {
  const known = spelled.get(text)
  if (known !== undefined) return known
  const made = Object.entries(spellings).map(([how, spell]) => [how, spell(text)] as const)
  if (spelled.size > mostSpelled) spelled.clear()
  spelled.set(text, made)
  return made
}

/** Echoes in the framing of an answer, and in all places of an answer at once. */
export const framedEchoes: readonly Echo[] = [
  echo({
    name: 'in-trailers',
    about: 'Every answer has the credentials in fields after its body.',
    exit: 0,
    rules: ['security/no-secret-echo'],
    repeat: (answer, { apiKey, secretKey }, response) => {
      // Node refuses to announce trailers in an answer without a body.
      const isHead = response.req.method === 'HEAD'
      const trailer = isHead ? {} : { trailer: 'x-seen, x-key' }
      response.writeHead(answer.status, { 'content-type': 'application/json', ...trailer })
      response.write(bodyOf(answer))
      if (!isHead) response.addTrailers({ 'x-seen': secretKey, 'x-key': apiKey })
      response.end()
    },
  }),
  echo({
    name: 'in-chunk-extensions',
    about: 'Every answer has the credentials beside the lengths of its chunks.',
    exit: 0,
    rules: [],
    repeat: (answer, { apiKey, secretKey }, response) => {
      const body = bodyOf(answer)
      const token = (text: string): string => text.replaceAll(/[^A-Za-z0-9]/g, '')
      response.socket?.end(
        [
          `HTTP/1.1 ${String(answer.status)} Seen`,
          'content-type: application/json',
          'transfer-encoding: chunked',
          'connection: close',
          '',
          `${Buffer.byteLength(body).toString(16)};key=${token(apiKey)};secret=${token(secretKey)}`,
          body,
          '0',
          '',
          '',
        ].join('\r\n'),
      )
    },
  }),
  echo({
    name: 'in-early-hints',
    about: 'Before every answer comes one with status 103 that repeats the credentials.',
    exit: 0,
    rules: [],
    repeat: (answer, { secretKey }, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload', 'x-seen': secretKey })
      write(answer, response, {})
    },
  }),
  echo({
    name: 'cut-half-way',
    about:
      'The answer to an invalid secret repeats the credentials, and the connection is closed in the middle of them.',
    exit: 1,
    rules: ['authentication/secret-key-invalid'],
    repeat: (answer, { both }, response) => {
      if (answer.refusal !== '1007') return write(answer, response, {})
      response.writeHead(answer.status, {
        'content-type': 'application/json',
        'content-length': 4_000,
        'x-seen': both,
      })
      response.write(JSON.stringify({ ...answer.payload, ...saying(answer, both) }), () => response.destroy())
    },
  }),
  echo({
    name: 'broken-head',
    about: 'The answer to an invalid secret has a head that is no HTTP, made of the credentials.',
    exit: 1,
    rules: ['authentication/secret-key-invalid'],
    repeat: (answer, { both }, response) => {
      if (answer.refusal !== '1007') return write(answer, response, {})
      response.socket?.end(`HTTP/1.1 ${both}\r\n${both}\r\n${both}: ${both}\r\n\r\n${both}`)
    },
  }),
  ...placed({
    'unknown-coding': {
      about: 'The answer to an invalid secret names the credentials as its content coding.',
      exit: 3,
      on: (refusal) => refusal === '1007',
      written: ({ both }) => ({ fields: { 'content-encoding': both } }),
    },
    everywhere: {
      about:
        'Everything at once: fields, cookies, reason phrase, and the body in every spelling, one within another.',
      written: ({ both, apiKey, secretKey }, answer) => {
        const keys = inEverySpelling(apiKey)
        const spelt = inEverySpelling(both).map(([how, text], at) => ({ how, text, key: keys[at]?.[1] }))
        return {
          reason: both,
          fields: {
            'x-key': apiKey,
            'set-cookie': [`s=${secretKey}`],
            'www-authenticate': `Basic realm="${both}"`,
          },
          added: { ...saying(answer, both), [both]: spelt },
        }
      },
    },
    'refused-with-everything': {
      about: 'From the first request on every answer is an undocumented error that repeats the credentials.',
      exit: 1,
      rules: ['endpoints/list-succeeds', 'errors/documented-pairs'],
      written: ({ both, secretKey }) => ({
        status: 403,
        reason: both,
        fields: { 'x-seen': secretKey },
        body: JSON.stringify({ error_code: secretKey, error_message: both }),
      }),
    },
    'refused-by-name': {
      about: 'From the first request on every credential is refused, by name, in fields and in the body.',
      exit: 3,
      rules: [],
      written: ({ both, apiKey }) => ({
        status: 401,
        fields: { 'www-authenticate': `Key realm="${both}"` },
        body: JSON.stringify({ error_code: '1006', error_message: `${apiKey} is nobody's key: ${both}` }),
      }),
    },
  }),
]
