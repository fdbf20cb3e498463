import type { ProofTarget } from '../target.ts'
import { drip, flood, onBytes } from './serving.ts'

const common = { kind: 'hostile', exit: 3, rules: [] } as const
const neverEnds = 'the answer began and did not end within 500 ms (RUN_TIMEOUT_MS)'

/** Answers that keep the run waiting. */
export const slow: readonly ProofTarget[] = [
  {
    ...common,
    name: 'drips-fields',
    about: 'A byte of the header fields comes now and then.',
    says: ['no answer came within 500 ms (RUN_TIMEOUT_MS)'],
    start: () =>
      onBytes((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
        drip(socket, 'a')
      }),
  },
  {
    ...common,
    name: 'drips-body',
    about: 'A byte of the body comes now and then.',
    says: [neverEnds],
    start: () =>
      onBytes((socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n{')
        drip(socket, ' ')
      }),
  },
  {
    ...common,
    name: 'tiny-chunks-without-end',
    about: 'A chunked body of one byte a chunk, without end.',
    says: ['127.0.0.1'],
    start: () =>
      onBytes((socket) => {
        socket.write(
          'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
        )
        flood(socket, Buffer.from('1\r\n \r\n'.repeat(1_000)))
      }),
  },
  {
    ...common,
    name: 'continue-for-ever',
    about: 'Every request is told to go on (100), again and again.',
    says: ['answered with 100 or 101, which the request did not ask for'],
    start: () => onBytes((socket) => flood(socket, Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'))),
  },
  {
    ...common,
    name: 'early-hints-for-ever',
    about: 'Interim answers (103) come without end, and the answer never.',
    says: ['no answer came within 500 ms (RUN_TIMEOUT_MS)'],
    start: () =>
      onBytes((socket) => flood(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)))),
  },
]
