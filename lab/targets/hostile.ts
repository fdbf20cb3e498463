import type { Socket } from 'node:net'
import { clients } from '../../lib/serve/reference/clients.ts'
import type { Service, Started } from '../judge/service.ts'
import { alike, another, flooding, harmfulRefusals, inJson, json, ok, onBytes, redirect } from './bytes.ts'
import { aPart, few, harming, impatient, intervening, neverBegins, targets, violating } from './target.ts'
import type { Intervene } from './target.ts'

const neverEnds = 'the answer started but did not end within 500 ms (RUN_TIMEOUT_MS)'
const success = inJson('200 OK', '{"items":[]}')
const refusal = inJson('400 Bad Request', '{"error_code":"1001","error_message":"no"}')
const [notJson, noBypass] = ['conventions/json-response', 'authentication/no-bypass'] as const
const [keyMissing, listSucceeds] = ['authentication/api-key-missing', 'endpoints/list-succeeds'] as const
const tooLong = ['the answer from 127.0.0.1:', 'longer than the limit of this suite (4 MiB)'] as const
const labelledGzip = alike(ok(['Content-Encoding: gzip', 'Content-Length: 12'], '{"items":[]}'))
const inChunks = '2\r\n{}\r\n0\r\n\r\n'
const chunked = 'Transfer-Encoding: chunked'
const missing = '{"error_code":"1001","error_message":"api key header is missing"}'
const surrogates = String.raw`{"error_code":"\ud800\udfff\udc00","error_message":"\ud800"}`
const polluting =
  '{"__proto__":{"error_code":"1001","polluted":true},"constructor":{"prototype":{"polluted":true}},"a":1,"a":2,"toString":null,"hasOwnProperty":1}'
const notUtf8 = Buffer.from('{"error_code":"1001","error_message":"\xff\xfe\xc3"}', 'latin1')

/** The connections on which the client was refused last. */
const refused = new WeakSet<Socket>()
const givenAfterRefusal: Intervene = ({ headers, socket }, response) => {
  const isClient = headers['x-api-key'] === clients.permitted.apiKey
  if (refused.delete(socket)) socket.write(success)
  response.once('finish', () => isClient && response.statusCode >= 400 && refused.add(socket))
  return false
}

const mixedUp = (
  ['isolated-under-concurrency', 'not-cached', 'secret-key-invalid', 'customer-not-found'] as const
).map((rule) => `authentication/${rule}` as const)

/** A success, and the beginning of another answer behind it. */
const sendingMore = Buffer.concat([success, refusal.subarray(0, 40)])

/**
 * Clears the screen, sets the window title, makes a link and hides text; also a script that first closes tags
 * and sections.
 */
const escapes = '\u001b[2J\u001b]0;owned\u0007\u001b]8;;http://evil.invalid\u0007\u009b31m\u202e'
const script = ']]></system-out>"><script>alert(1)</script><!--'
const poison = `${escapes}${script}`
/** The same without the characters that a header field cannot contain. */
const poisonInFields = `\u009b31m\t${script}`
const poisonedFields = ['X-Poison', 'Server', 'Location'].map((name) => `${name}: ${poisonInFields}`)
const poisonInBody = JSON.stringify({ error_code: poison, error_message: poison, [poison]: poison })

/** A target that begins every answer with these bytes, and then writes a byte now and then, endlessly. */
function dripping(head: string, byte: string): () => Promise<Started> {
  const drip = (socket: Socket): void => {
    socket.write(head)
    const timer = setInterval(() => socket.write(byte), 50)
    socket.once('close', () => clearInterval(timer))
  }
  return () => onBytes(drip, { env: impatient })
}

/** A target whose refusals are this body, said to be JSON. */
const refusing = (body: string | Buffer, status = '400 Bad Request'): Service['start'] =>
  harmfulRefusals((socket) => socket.write(inJson(status, body)), few)

/** Interim answers come without end, and the answer never. */
const interim = (status: string) =>
  [neverBegins, flooding('', `HTTP/1.1 ${status}\r\n\r\n`.repeat(100), impatient)] as const

/** Who is to be served is, and nobody else gets an answer. */
const unanswered = (harm: (socket: Socket) => void, env = {}) =>
  harming('no answer', harmfulRefusals(harm, { ...env, ...aPart }))

/** Targets that attack what reads them. */
export const hostile: readonly Service[] = targets({
  // Answers that keep the run waiting.

  // A byte of the header fields comes now and then.
  'drips-fields': [neverBegins, dripping('HTTP/1.1 200 OK\r\nX-Slow: ', 'a')],
  // A byte of the body comes now and then.
  'drips-body': [neverEnds, dripping(ok([json, 'Content-Length: 100000'], '{'), ' ')],
  // Every answer announces more than it sends, and the connection stays open.
  'length-too-long': [neverEnds, alike(ok([json, 'Content-Length: 5000'], '{"items":[]}'), impatient)],
  // A chunked body of one byte a chunk, without end.
  'tiny-chunks-without-end': [tooLong, flooding(ok([json, chunked]), '1\r\n \r\n'.repeat(10_000))],
  // Every request is told to go on (100), again and again.
  'continue-for-ever': interim('100 Continue'),
  // Interim answers (103) come without end, and the answer never.
  'early-hints-for-ever': interim('103 Early Hints'),
  // Who is to be served is, and nobody else is ever answered.
  'hangs-for-every-refusal': unanswered(() => {}, impatient),
  // Who is to be served is, and the connection of everybody else is reset.
  'resets-for-every-refusal': unanswered((socket) => void socket.resetAndDestroy()),
  // Misleading status lines and fields.

  // Every request is redirected to where it was sent.
  'redirect-to-itself': another(redirect('/api/customizations/list')),
  // Every request is redirected to a file of the machine that the suite runs on.
  'redirect-to-a-file': another(redirect('file:///etc/passwd')),
  // Every request is redirected to a script.
  'redirect-to-a-script': another(redirect('javascript:alert(1)')),
  // Every answer has the status 099.
  'status-099': ['status 99, which does not exist in HTTP', alike(inJson('099 Nothing', '{}'))],
  // Every answer has the status 1000.
  'status-1000': ['is not HTTP', alike(inJson('1000 Too Many Digits', '{}'))],
  // Every answer has the status 999.
  'status-999': violating(alike(inJson('999 Request Denied', '{}'), few), listSucceeds),
  // The reason in every status line has 1 MiB, and everybody is served.
  'reason-of-a-mebibyte': violating(alike(inJson(`200 ${'A'.repeat(2 ** 20)}`, '{}'), few), keyMissing),
  // Every request is answered with 101, which nobody asked for.
  'upgrades-to-websocket': [
    'answered with 101, which the request did not ask for',
    alike('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'),
  ],
  // Every answer has two lengths that contradict each other.
  'contradictory-lengths': ['content-length', alike(ok(['Content-Length: 2', 'Content-Length: 200'], '{}'))],
  // Every answer is both chunked and of a length.
  'length-and-chunks': ['content-length', alike(ok(['Content-Length: 200', chunked], inChunks))],
  // Answers that do not correspond one to one to requests.

  // A success is sent to whoever connects, before any request, and the connection closed after the first
  // one.
  'answers-before-it-is-asked': violating(
    () => onBytes((socket) => socket.end(), { env: few, onConnection: (socket) => socket.write(success) }),
    keyMissing,
    noBypass,
  ),
  // Behind each answer stands another one, a success, that nobody asked for.
  'two-answers-at-once': violating(alike(Buffer.concat([success, success]), few), keyMissing, noBypass),
  // Whoever was refused is given a success with the next request on the connection, before its own answer.
  'second-answer-for-the-next-request': [
    'is violated: ',
    intervening(givenAfterRefusal),
    [noBypass, ...mixedUp],
  ],
  // Every answer sends more than it announces: behind it stands the beginning of another.
  'length-too-short': violating(alike(sendingMore, few), keyMissing, listSucceeds),
  // Texts that attack the tools which show or store them.

  // Escape sequences and scripts stand in the reason, in every header field, in the code and in the message.
  'poison-in-every-field': violating(
    alike(inJson(`500 ${script}`, poisonInBody, ...poisonedFields), few),
    listSucceeds,
    'errors/documented-pairs',
  ),
  // What is said to be JSON is escape sequences and scripts as they are.
  'poison-unescaped': violating(refusing(poison, '401 No'), notJson, keyMissing),
  // Everybody gets JSON with __proto__, constructor and keys that stand twice.
  'prototypes-and-duplicate-keys': violating(alike(inJson('200 OK', polluting), few), keyMissing, noBypass),
  // Refusals hold the documented error object in __proto__ alone.
  'error-in-the-prototype': violating(refusing(`{"__proto__":${missing}}`), 'errors/body-shape', keyMissing),
  // Refusals are JSON but for bytes that are not UTF-8.
  'invalid-utf-8': violating(refusing(notUtf8), notJson),
  // Refusals are full of NUL bytes.
  'nul-bytes': violating(refusing('\0{"error_code":"1001\0","error_message":"\0"}\0'), notJson),
  // Refusals hold a code of lone surrogates, which no UTF-8 can hold.
  'lone-surrogates': violating(refusing(surrogates), 'errors/documented-pairs'),
  // Bodies that are not what their label says.

  // Bodies are labelled gzip and are not.
  'says-gzip-and-sends-json': ['labelled gzip and is not gzip', labelledGzip, [notJson]],
})
