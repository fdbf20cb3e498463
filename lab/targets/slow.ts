import type { Socket } from 'node:net'
import type { Started } from '../judge/service.ts'
import type { ProofTarget } from './target.ts'
import { aPart, drip, flood, harmfulRefusals, impatient, onBytes } from './serving.ts'

const common = { kind: 'hostile', exit: 3, rules: [] } as const
const neverBegins = 'no answer came within 500 ms (RUN_TIMEOUT_MS)'
const neverEnds = 'the answer began and did not end within 500 ms (RUN_TIMEOUT_MS)'
const json = 'Content-Type: application/json'

function waitingFor(answer: (socket: Socket) => void): () => Promise<Started> {
  return () => onBytes(answer, { env: impatient })
}

/** Answers that keep the run waiting. */
export const slow: readonly ProofTarget[] = [
  {
    ...common,
    name: 'drips-fields',
    about: 'A byte of the header fields comes now and then.',
    says: [neverBegins],
    start: waitingFor((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ')
      drip(socket, 'a')
    }),
  },
  {
    ...common,
    name: 'drips-body',
    about: 'A byte of the body comes now and then.',
    says: [neverEnds],
    start: waitingFor((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${json}\r\nContent-Length: 100000\r\n\r\n{`)
      drip(socket, ' ')
    }),
  },
  {
    ...common,
    name: 'length-too-long',
    about: 'Every answer announces more than it sends, and the connection stays open.',
    says: [neverEnds],
    start: waitingFor((socket) =>
      socket.write(`HTTP/1.1 200 OK\r\n${json}\r\nContent-Length: 5000\r\n\r\n{"items":[]}`),
    ),
  },
  {
    ...common,
    name: 'tiny-chunks-without-end',
    about: 'A chunked body of one byte a chunk, without end.',
    says: ['the answer of 127.0.0.1:', 'longer than this suite reads (4 MiB)'],
    start: () =>
      onBytes((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\n${json}\r\nTransfer-Encoding: chunked\r\n\r\n`)
        flood(socket, Buffer.from('1\r\n \r\n'.repeat(10_000)))
      }),
  },
  {
    ...common,
    name: 'continue-for-ever',
    about: 'Every request is told to go on (100), again and again.',
    says: [neverBegins],
    start: waitingFor((socket) => flood(socket, Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100)))),
  },
  {
    ...common,
    name: 'early-hints-for-ever',
    about: 'Interim answers (103) come without end, and the answer never.',
    says: [neverBegins],
    start: waitingFor((socket) => flood(socket, Buffer.from('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)))),
  },
  {
    kind: 'hostile',
    exit: 1,
    rules: ['authentication/api-key-missing'],
    name: 'hangs-for-every-refusal',
    about: 'Who is to be served is, and nobody else is ever answered.',
    says: ['no answer'],
    start: harmfulRefusals(() => {}, { ...impatient, ...aPart }),
  },
  {
    kind: 'hostile',
    exit: 1,
    rules: ['authentication/api-key-missing'],
    name: 'resets-for-every-refusal',
    about: 'Who is to be served is, and the connection of everybody else is reset.',
    says: ['no answer'],
    start: harmfulRefusals((socket) => void socket.resetAndDestroy(), aPart),
  },
]
