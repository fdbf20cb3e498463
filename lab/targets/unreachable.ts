import type { ProofTarget } from './target.ts'
import { client, impatient, onBytes, onReference } from './serving.ts'

const common = { kind: 'cannot be judged', exit: 3, rules: [] } as const

/** Where no connection stands, or none that is answered. */
export const unreachable: readonly ProofTarget[] = [
  {
    ...common,
    name: 'nobody-listens',
    about: 'Nobody listens on the port.',
    says: ['nobody listens at 127.0.0.1:', 'is TARGET_BASE_URL right?'],
    start: async () => {
      const target = await onReference({})
      await target.close()
      return { ...target, close: async () => {} }
    },
  },
  {
    ...common,
    name: 'name-does-not-resolve',
    about: 'The name of the host does not resolve.',
    says: ['nobody.invalid:443', 'is TARGET_BASE_URL right'],
    start: async () => ({
      env: { TARGET_BASE_URL: 'https://nobody.invalid', ...client, ...impatient },
      close: async () => {},
    }),
  },
  {
    ...common,
    name: 'never-answers',
    about: 'Connections are accepted and requests never answered.',
    says: ['no answer came within 500 ms (RUN_TIMEOUT_MS)'],
    start: () => onBytes(() => {}, { env: impatient }),
  },
  {
    ...common,
    name: 'resets-at-once',
    about: 'Every connection is reset as soon as it stands.',
    says: ['closed the connection before its answer was complete'],
    start: () => onBytes(() => {}, { onConnection: (socket) => socket.resetAndDestroy() }),
  },
  {
    ...common,
    name: 'resets-every-request',
    about: 'Every connection is reset when a request came.',
    says: ['closed the connection before its answer was complete'],
    start: () => onBytes((socket) => socket.resetAndDestroy()),
  },
]
