import { alike, answer, few, harmfulRefusals } from './serving.ts'
import { targetsOf, type ProofTarget } from './target.ts'

const json = 'Content-Type: application/json'
const ok = 'HTTP/1.1 200 OK'

/**
 * Clears the screen, sets the window title, makes a link and hides text; also a script that first closes tags
 * and sections.
 */
const escapes = '\u001b[2J\u001b]0;owned\u0007\u001b]8;;http://evil.invalid\u0007\u009b31m\u202e'
const script = ']]></system-out>"><script>alert(1)</script><!--'
const poison = `${escapes}${script}`
/** The same without the characters that a header field cannot contain. */
const poisonInFields = `\u009b31m\t${script}`

/** A target whose refusals are this body, said to be JSON. */
function refusing(body: string | Buffer, statusLine = 'HTTP/1.1 400 Bad Request'): ProofTarget['start'] {
  return harmfulRefusals((socket) => socket.write(answer(statusLine, [json], body)), few)
}

/** Texts that attack the tools which show or store them. */
export const hostileText: readonly ProofTarget[] = targetsOf('hostile', {
  'poison-in-every-field': [
    'Escape sequences and scripts stand in the reason, in every header field, in the code and in the message.',
    ['endpoints/list-succeeds is violated: '],
    alike(
      answer(
        `HTTP/1.1 500 ${script}`,
        [json, `X-Poison: ${poisonInFields}`, `Server: ${poisonInFields}`, `Location: ${poisonInFields}`],
        JSON.stringify({ error_code: poison, error_message: poison, [poison]: poison }),
      ),
      few,
    ),
    ['endpoints/list-succeeds', 'errors/documented-pairs'],
  ],
  'poison-unescaped': [
    'What is said to be JSON is escape sequences and scripts as they are.',
    ['conventions/json-response is violated: '],
    refusing(poison, 'HTTP/1.1 401 No'),
    ['authentication/api-key-missing', 'conventions/json-response'],
  ],
  'prototypes-and-duplicate-keys': [
    'Everybody gets JSON with __proto__, constructor and keys that stand twice.',
    ['authentication/api-key-missing is violated: '],
    alike(
      answer(
        ok,
        [json],
        '{"__proto__":{"error_code":"1001","polluted":true},"constructor":{"prototype":{"polluted":true}},"a":1,"a":2,"toString":null,"hasOwnProperty":1}',
      ),
      few,
    ),
    ['authentication/api-key-missing', 'authentication/no-bypass'],
  ],
  'error-in-the-prototype': [
    'Refusals hold the documented error object in __proto__ alone.',
    ['errors/body-shape is violated: '],
    refusing('{"__proto__":{"error_code":"1001","error_message":"api key header is missing"}}'),
    ['errors/body-shape', 'authentication/api-key-missing'],
  ],
  'invalid-utf-8': [
    'Refusals are JSON but for bytes that are not UTF-8.',
    ['conventions/json-response is violated: '],
    refusing(Buffer.from('{"error_code":"1001","error_message":"\xff\xfe\xc3"}', 'latin1')),
    ['conventions/json-response'],
  ],
  'nul-bytes': [
    'Refusals are full of NUL bytes.',
    ['conventions/json-response is violated: '],
    refusing('\0{"error_code":"1001\0","error_message":"\0"}\0'),
    ['conventions/json-response'],
  ],
  'lone-surrogates': [
    'Refusals hold a code of lone surrogates, which no UTF-8 can hold.',
    ['errors/documented-pairs is violated: '],
    refusing(String.raw`{"error_code":"\ud800\udfff\udc00","error_message":"\ud800"}`),
    ['errors/documented-pairs'],
  ],
})
