import type { Socket } from 'node:net'
import type { Started } from '../judge/service.ts'
import { aPart, drip, flood, harmfulRefusals, impatient, onBytes } from './serving.ts'
import { targetsOf, type ProofTarget } from './target.ts'

const neverBegins = 'no answer came within 500 ms (RUN_TIMEOUT_MS)'
const neverEnds = 'the answer started but did not end within 500 ms (RUN_TIMEOUT_MS)'
const json = 'Content-Type: application/json'

function waitingFor(answer: (socket: Socket) => void): () => Promise<Started> {
  return () => onBytes(answer, { env: impatient })
}

/** Answers that keep the run waiting. */
export const slow: readonly ProofTarget[] = targetsOf('hostile', {
  'drips-fields': [
    'A byte of the header fields comes now and then.',
    [neverBegins],
    waitingFor((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
      drip(socket, 'a')
    }),
  ],
  'drips-body': [
    'A byte of the body comes now and then.',
    [neverEnds],
    waitingFor((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${json}\r\nContent-Length: 100000\r\n\r\n{`)
      drip(socket, ' ')
    }),
  ],
  'length-too-long': [
    'Every answer announces more than it sends, and the connection stays open.',
    [neverEnds],
    waitingFor((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${json}\r\nContent-Length: 5000\r\n\r\n{"items":[]}`),
    ),
  ],
  'tiny-chunks-without-end': [
    'A chunked body of one byte a chunk, without end.',
    ['the answer from 127.0.0.1:', 'longer than the limit of this suite (4 MiB)'],
    () =>
      onBytes((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n`)
        flood(socket, Buffer.from('1\r\n \r\n'.repeat(10_000)))
      }),
  ],
  'continue-for-ever': [
    'Every request is told to go on (100), again and again.',
    [neverBegins],
    waitingFor((socket) => flood(socket, Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)))),
  ],
  'early-hints-for-ever': [
    'Interim answers (103) come without end, and the answer never.',
    [neverBegins],
    waitingFor((socket) => flood(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)))),
  ],
  'hangs-for-every-refusal': [
    'Who is to be served is, and nobody else is ever answered.',
    ['no answer'],
    harmfulRefusals(() => {}, { ...impatient, ...aPart }),
    ['authentication/api-key-missing'],
  ],
  'resets-for-every-refusal': [
    'Who is to be served is, and the connection of everybody else is reset.',
    ['no answer'],
    harmfulRefusals((socket) => void socket.resetAndDestroy(), aPart),
    ['authentication/api-key-missing'],
  ],
})
