import type { ProofTarget } from './target.ts'
import { alike, onBytes } from './serving.ts'

const common = { kind: 'cannot be judged', exit: 3, rules: [] } as const

/** What answers is not HTTP, or only half of it. */
export const notHttp: readonly ProofTarget[] = [
  {
    ...common,
    name: 'smtp-banner',
    about: 'A mail server greets and closes the connection.',
    says: ['is not HTTP: are scheme and port of TARGET_BASE_URL right?'],
    start: () => onBytes(() => {}, { greeting: '220 mail.example ESMTP\r\n' }),
  },
  {
    ...common,
    name: 'ssh-banner',
    about: 'An SSH server greets and waits.',
    says: ['is not HTTP: are scheme and port of TARGET_BASE_URL right?'],
    start: () => onBytes(() => {}, { onConnection: (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n') }),
  },
  {
    ...common,
    name: 'http-0.9',
    about: 'A page without status line and fields, after which the connection is closed.',
    says: ['is not HTTP'],
    start: () => onBytes((socket) => socket.end('<html><body>It works!</body></html>\n')),
  },
  {
    ...common,
    name: 'binary-garbage',
    about: 'Bytes that no protocol knows.',
    says: ['is not HTTP'],
    start: () => onBytes((socket) => socket.end(Buffer.from('00ff1b5b324a0d0a0d0a7f45', 'hex'))),
  },
  {
    ...common,
    name: 'half-an-answer',
    about: 'The connection is closed in the middle of every body.',
    says: ['closed the connection before its answer was complete'],
    start: () =>
      onBytes((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"items":[]}')),
  },
  {
    ...common,
    name: 'half-a-head',
    about: 'The connection is closed in the middle of the header fields.',
    says: ['closed the connection before its answer was complete'],
    start: () => onBytes((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty')),
  },
  {
    ...common,
    kind: 'hostile',
    exit: 1,
    rules: ['conventions/json-response'],
    name: 'says-gzip-and-sends-json',
    about: 'Bodies are labelled gzip and are not.',
    says: ['labelled gzip and is not gzip'],
    start: alike('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\n{"items":[]}'),
  },
  {
    ...common,
    name: 'unknown-coding',
    about: 'Bodies come in a content coding that nobody knows.',
    says: ['content-encoding is none of gzip, deflate, br', 'so the answer cannot be judged'],
    start: alike('HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 12\r\n\r\n{"items":[]}'),
  },
]
