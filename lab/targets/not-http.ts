import { alike, onBytes } from './serving.ts'
import { targetsOf, type ProofTarget } from './target.ts'

/** Answers that are not HTTP, or only half of it. */
export const notHttp: readonly ProofTarget[] = [
  ...targetsOf('cannot be judged', {
    'smtp-banner': [
      'A mail server greets and closes the connection.',
      ['is not HTTP: are scheme and port of TARGET_BASE_URL right?'],
      () => onBytes(() => {}, { greeting: '220 mail.example ESMTP\r\n' }),
    ],
    'ssh-banner': [
      'An SSH server greets and waits.',
      ['is not HTTP: are scheme and port of TARGET_BASE_URL right?'],
      () => onBytes(() => {}, { onConnection: (socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n') }),
    ],
    'http-0.9': [
      'A page without status line and fields, after which the connection is closed.',
      ['is not HTTP'],
      () => onBytes((socket) => socket.end('<html><body>It works!</body></html>\n')),
    ],
    'binary-garbage': [
      'Bytes that no protocol knows.',
      ['is not HTTP'],
      () => onBytes((socket) => socket.end(Buffer.from('00ff1b5b324a0d0a0d0a7f45', 'hex'))),
    ],
    'half-an-answer': [
      'The connection is closed in the middle of every body.',
      ['closed the connection before its answer was complete'],
      () => onBytes((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{"items":[]}')),
    ],
    'half-a-head': [
      'The connection is closed in the middle of the header fields.',
      ['closed the connection before its answer was complete'],
      () => onBytes((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Ty')),
    ],
    'unknown-coding': [
      'Bodies come in a content coding that nobody knows.',
      ['content-encoding is not one of gzip, deflate, br', 'so the answer cannot be judged'],
      alike('HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\nContent-Length: 12\r\n\r\n{"items":[]}'),
    ],
  }),
  ...targetsOf('hostile', {
    'says-gzip-and-sends-json': [
      'Bodies are labelled gzip and are not.',
      ['labelled gzip and is not gzip'],
      alike('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 12\r\n\r\n{"items":[]}'),
      ['conventions/json-response'],
    ],
  }),
]
