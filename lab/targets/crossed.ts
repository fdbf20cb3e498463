import type { Socket } from 'node:net'
import { clients } from '../../lib/serve/reference/clients.ts'
import { answer, few, onBytes, onReference } from './serving.ts'
import { targetsOf, type ProofTarget } from './target.ts'

const json = 'Content-Type: application/json'
const success = answer('HTTP/1.1 200 OK', [json], '{"items":[]}')
const refusal = answer('HTTP/1.1 400 Bad Request', [json], '{"error_code":"1001","error_message":"no"}')

/** Answers that do not correspond one to one to requests. */
export const crossed: readonly ProofTarget[] = targetsOf('hostile', {
  'answers-before-it-is-asked': [
    'A success is sent to whoever connects, before any request, and the connection closed after the first one.',
    ['is violated: '],
    () => onBytes((socket) => socket.end(), { env: few, onConnection: (socket) => socket.write(success) }),
    ['authentication/api-key-missing', 'authentication/no-bypass'],
  ],
  'two-answers-at-once': [
    'Behind each answer stands another one, a success, that nobody asked for.',
    ['is violated: '],
    () => onBytes((socket) => socket.write(Buffer.concat([success, success])), { env: few }),
    ['authentication/api-key-missing', 'authentication/no-bypass'],
  ],
  'second-answer-for-the-next-request': [
    'Whoever was refused is given a success with the next request on the connection, before its own answer.',
    ['is violated: '],
    () => {
      const refused = new WeakSet<Socket>()
      return onReference({
        intervene: ({ headers, socket }, response) => {
          if (refused.delete(socket)) socket.write(success)
          response.once('finish', () => {
            if (response.statusCode >= 400 && headers['x-api-key'] === clients.permitted.apiKey)
              refused.add(socket)
          })
          return false
        },
      })
    },
    [
      'authentication/isolated-under-concurrency',
      'authentication/not-cached',
      'authentication/no-bypass',
      'authentication/secret-key-invalid',
      'authentication/customer-not-found',
    ],
  ],
  'length-too-short': [
    'Every answer sends more than it announces: behind it stands the beginning of another.',
    ['is violated: '],
    () => onBytes((socket) => socket.write(Buffer.concat([success, refusal.subarray(0, 40)])), { env: few }),
    ['authentication/api-key-missing', 'endpoints/list-succeeds'],
  ],
})
