import { alike, answer, few } from './serving.ts'
import { targetsOf, type ProofTarget } from './target.ts'

const json = 'Content-Type: application/json'
const anotherProduct = ['another service answers', 'Check TARGET_BASE_URL']
const redirect = 'HTTP/1.1 302 Found'

/** Misleading status lines and fields. */
export const oddHeads: readonly ProofTarget[] = targetsOf('hostile', {
  'redirect-to-itself': [
    'Every request is redirected to where it was sent.',
    anotherProduct,
    alike(answer(redirect, ['Location: /api/customizations/list'])),
  ],
  'redirect-to-a-file': [
    'Every request is redirected to a file of the machine that the suite runs on.',
    anotherProduct,
    alike(answer(redirect, ['Location: file:///etc/passwd'])),
  ],
  'redirect-to-a-script': [
    'Every request is redirected to a script.',
    anotherProduct,
    alike(answer(redirect, ['Location: javascript:alert(1)'])),
  ],
  'status-099': [
    'Every answer has the status 099.',
    ['status 99, which does not exist in HTTP'],
    alike(answer('HTTP/1.1 099 Nothing', [json], '{}')),
  ],
  'status-1000': [
    'Every answer has the status 1000.',
    ['is not HTTP'],
    alike(answer('HTTP/1.1 1000 Too Many Digits', [json], '{}')),
  ],
  'status-999': [
    'Every answer has the status 999.',
    ['endpoints/list-succeeds is violated: '],
    alike(answer('HTTP/1.1 999 Request Denied', [json], '{}'), few),
    ['endpoints/list-succeeds'],
  ],
  'reason-of-a-mebibyte': [
    'The reason in every status line has 1 MiB, and everybody is served.',
    ['authentication/api-key-missing is violated: '],
    alike(answer(`HTTP/1.1 200 ${'A'.repeat(2 ** 20)}`, [json], '{}'), few),
    ['authentication/api-key-missing'],
  ],
  'upgrades-to-websocket': [
    'Every request is answered with 101, which nobody asked for.',
    ['answered with 101, which the request did not ask for'],
    alike('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n'),
  ],
  'contradictory-lengths': [
    'Every answer has two lengths that contradict each other.',
    ['content-length'],
    alike('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 200\r\n\r\n{}'),
  ],
  'length-and-chunks': [
    'Every answer is both chunked and of a length.',
    ['content-length'],
    alike('HTTP/1.1 200 OK\r\nContent-Length: 200\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
  ],
})
