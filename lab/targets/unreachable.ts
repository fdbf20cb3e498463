import { client, impatient, onBytes, onReference } from './serving.ts'
import { targetsOf, type ProofTarget } from './target.ts'

/** Addresses where no connection can be made, or none is answered. */
export const unreachable: readonly ProofTarget[] = targetsOf('cannot be judged', {
  'nobody-listens': [
    'Nobody listens on the port.',
    ['nothing is listening on 127.0.0.1:', 'is TARGET_BASE_URL right?'],
    async () => {
      const target = await onReference({})
      await target.close()
      return { ...target, close: async () => {} }
    },
  ],
  'name-does-not-resolve': [
    'The name of the host does not resolve.',
    ['nobody.invalid:443', 'is TARGET_BASE_URL right'],
    async () => ({
      env: { TARGET_BASE_URL: 'https://nobody.invalid', ...client, ...impatient },
      close: async () => {},
    }),
  ],
  'never-answers': [
    'Connections are accepted and requests never answered.',
    ['no answer came within 500 ms (RUN_TIMEOUT_MS)'],
    () => onBytes(() => {}, { env: impatient }),
  ],
  'resets-at-once': [
    'Every connection is reset as soon as it stands.',
    ['closed the connection before its answer was complete'],
    () => onBytes(() => {}, { onConnection: (socket) => socket.resetAndDestroy() }),
  ],
  'resets-every-request': [
    'Every connection is reset when a request came.',
    ['closed the connection before its answer was complete'],
    () => onBytes((socket) => socket.resetAndDestroy()),
  ],
})
