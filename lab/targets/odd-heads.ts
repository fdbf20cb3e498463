import type { ProofTarget } from './target.ts'
import { alike, answer, few } from './serving.ts'

const json = 'Content-Type: application/json'
const redirect = 'HTTP/1.1 302 Found'
const anotherProduct = {
  kind: 'hostile',
  exit: 3,
  rules: [],
  says: ['is not this service', 'is TARGET_BASE_URL right'],
} as const
const notHttp = { kind: 'hostile', exit: 3, rules: [] } as const
const violated = {
  kind: 'hostile',
  exit: 1,
  rules: ['endpoints/list-succeeds'],
  says: ['endpoints/list-succeeds is violated: '],
} as const

/** Status lines and fields that lead astray. */
export const oddHeads: readonly ProofTarget[] = [
  {
    ...anotherProduct,
    name: 'redirect-to-itself',
    about: 'Every request is redirected to where it was sent.',
    start: alike(answer(redirect, ['Location: /api/customizations/list'])),
  },
  {
    ...anotherProduct,
    name: 'redirect-to-a-file',
    about: 'Every request is redirected to a file of the machine that the suite runs on.',
    start: alike(answer(redirect, ['Location: file:///etc/passwd'])),
  },
  {
    ...anotherProduct,
    name: 'redirect-to-a-script',
    about: 'Every request is redirected to a script.',
    start: alike(answer(redirect, ['Location: javascript:alert(1)'])),
  },
  {
    ...notHttp,
    name: 'status-099',
    about: 'Every answer has the status 099.',
    says: ['status 99, which HTTP does not know'],
    start: alike(answer('HTTP/1.1 099 Nothing', [json], '{}')),
  },
  {
    ...notHttp,
    name: 'status-1000',
    about: 'Every answer has the status 1000.',
    says: ['is not HTTP'],
    start: alike(answer('HTTP/1.1 1000 Too Many Digits', [json], '{}')),
  },
  {
    ...violated,
    name: 'status-999',
    about: 'Every answer has the status 999.',
    start: alike(answer('HTTP/1.1 999 Request Denied', [json], '{}'), few),
  },
  {
    kind: 'hostile',
    exit: 1,
    rules: ['authentication/api-key-missing'],
    name: 'reason-of-a-mebibyte',
    about: 'The reason in every status line has 1 MiB, and everybody is served.',
    says: ['authentication/api-key-missing is violated: '],
    start: alike(answer(`HTTP/1.1 200 ${'A'.repeat(2 ** 20)}`, [json], '{}'), few),
  },
  {
    ...notHttp,
    name: 'upgrades-to-websocket',
    about: 'Every request is answered with 101, which nobody asked for.',
    says: ['answered with 101, which the request did not ask for'],
    start: alike('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'),
  },
  {
    ...notHttp,
    name: 'contradictory-lengths',
    about: 'Every answer has two lengths that contradict each other.',
    says: ['content-length'],
    start: alike('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 200\r\n\r\n{}'),
  },
  {
    ...notHttp,
    name: 'length-and-chunks',
    about: 'Every answer is both chunked and of a length.',
    says: ['content-length'],
    start: alike(
      'HTTP/1.1 200 OK\r\nContent-Length: 200\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    ),
  },
]
