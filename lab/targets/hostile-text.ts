import type { ProofTarget } from './target.ts'
import { alike, answer, few, harmfulRefusals } from './serving.ts'

const hostile = { kind: 'hostile', exit: 1 } as const
const json = 'Content-Type: application/json'
const ok = 'HTTP/1.1 200 OK'
const everybodyServed = {
  rules: ['authentication/api-key-missing', 'authentication/no-bypass'],
  says: ['authentication/api-key-missing is violated: '],
} as const

/** Clears a screen, sets a window's title, makes a link and hides text; and a script that ends tags and sections before. */
const escapes = '\u001b[2J\u001b]0;owned\u0007\u001b]8;;http://evil.invalid\u0007\u009b31m\u202e'
const script = ']]></system-out>"><script>alert(1)</script><!--'
const poison = `${escapes}${script}`
/** The same without what may stand in no header field. */
const poisonInFields = `\u009b31m\t${script}`

/** Texts that mean harm to whoever shows or keeps them. */
export const hostileText: readonly ProofTarget[] = [
  {
    ...hostile,
    name: 'poison-in-every-field',
    about:
      'Escape sequences and scripts stand in the reason, in every header field, in the code and in the message.',
    rules: ['endpoints/list-succeeds', 'errors/documented-pairs'],
    says: ['endpoints/list-succeeds is violated: '],
    start: alike(
      answer(
        `HTTP/1.1 500 ${script}`,
        [json, `X-Poison: ${poisonInFields}`, `Server: ${poisonInFields}`, `Location: ${poisonInFields}`],
        JSON.stringify({ error_code: poison, error_message: poison, [poison]: poison }),
      ),
      few,
    ),
  },
  {
    ...hostile,
    name: 'poison-unescaped',
    about: 'What is said to be JSON is escape sequences and scripts as they are.',
    rules: ['authentication/api-key-missing', 'conventions/json-response'],
    says: ['conventions/json-response is violated: '],
    start: harmfulRefusals((socket) => socket.write(answer('HTTP/1.1 401 No', [json], poison)), few),
  },
  {
    ...hostile,
    ...everybodyServed,
    name: 'prototypes-and-duplicate-keys',
    about: 'Everybody gets JSON with __proto__, constructor and keys that stand twice.',
    start: alike(
      answer(
        ok,
        [json],
        '{"__proto__":{"error_code":"1001","polluted":true},"constructor":{"prototype":{"polluted":true}},"a":1,"a":2,"toString":null,"hasOwnProperty":1}',
      ),
      few,
    ),
  },
  {
    ...hostile,
    name: 'error-in-the-prototype',
    about: 'Refusals hold the documented error object in __proto__ alone.',
    rules: ['errors/body-shape', 'authentication/api-key-missing'],
    says: ['errors/body-shape is violated: '],
    start: harmfulRefusals(
      (socket) =>
        socket.write(
          answer(
            'HTTP/1.1 400 Bad Request',
            [json],
            '{"__proto__":{"error_code":"1001","error_message":"api key header is missing"}}',
          ),
        ),
      few,
    ),
  },
  {
    ...hostile,
    name: 'invalid-utf-8',
    about: 'Refusals are JSON but for bytes that are not UTF-8.',
    rules: ['conventions/json-response'],
    says: ['conventions/json-response is violated: '],
    start: harmfulRefusals(
      (socket) =>
        socket.write(
          answer(
            'HTTP/1.1 400 Bad Request',
            [json],
            Buffer.from('{"error_code":"1001","error_message":"\xff\xfe\xc3"}', 'latin1'),
          ),
        ),
      few,
    ),
  },
  {
    ...hostile,
    name: 'nul-bytes',
    about: 'Refusals are full of NUL bytes.',
    rules: ['conventions/json-response'],
    says: ['conventions/json-response is violated: '],
    start: harmfulRefusals(
      (socket) =>
        socket.write(
          answer('HTTP/1.1 400 Bad Request', [json], '\0{"error_code":"1001\0","error_message":"\0"}\0'),
        ),
      few,
    ),
  },
  {
    ...hostile,
    name: 'lone-surrogates',
    about: 'Refusals hold a code of lone surrogates, which no UTF-8 can hold.',
    rules: ['errors/documented-pairs'],
    says: ['errors/documented-pairs is violated: '],
    start: harmfulRefusals(
      (socket) =>
        socket.write(
          answer(
            'HTTP/1.1 400 Bad Request',
            [json],
            String.raw`{"error_code":"\ud800\udfff\udc00","error_message":"\ud800"}`,
          ),
        ),
      few,
    ),
  },
]
