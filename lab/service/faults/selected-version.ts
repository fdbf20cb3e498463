import { setTimeout as sleep } from 'node:timers/promises'
import { becomes, isAbsent } from '../../../lib/serve/reference/bending.ts'
import { field, withField, type Call } from '../../../lib/serve/reference/call.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { breaking } from './breaking.ts'

const selectedPerRequest = breaking('versioning/selected-per-request')

/** Versions that carry over from one request to another. */
export const selectedVersionFaults: readonly Fault[] = [
  selectedPerRequest(
    'version-sticks-to-connection',
    'The version of the first request on a connection counts for all that follow.',
    () => {
      const versions = new WeakMap<object, string>()
      return {
        see(call) {
          const first = versions.get(call.connection) ?? field(call, 'x-version')
          if (first === undefined) return call
          versions.set(call.connection, first)
          return isAbsent(call, 'x-version') ? call : withField(call, 'x-version', first)
        },
      }
    },
  ),
  selectedPerRequest(
    'unsupported-version-sticks-to-connection',
    'After an unsupported version the next request on the connection is answered 400 and 1010.',
    () => {
      const poisoned = new WeakSet<object>()
      return {
        answer(answer, call) {
          const follows = poisoned.delete(call.connection)
          if (isUnsupported(call)) poisoned.add(call.connection)
          return follows && answer.refusal === null ? { ...answer, ...becomes('1010') } : answer
        },
      }
    },
  ),
  selectedPerRequest(
    'version-one-opens-connection-to-all',
    'Once a connection was served under version 1, other versions are served on it too.',
    () => {
      const open = new WeakSet<object>()
      return {
        see: (call) =>
          open.has(call.connection) && isUnsupported(call) ? withField(call, 'x-version', '1') : call,
        answer(answer, { connection }) {
          if (answer.refusal === null) open.add(connection)
          return answer
        },
      }
    },
  ),
  breaking('versioning/selected-per-request', 'versioning/version-missing')(
    'missing-version-taken-from-connection',
    'Without a version, that of the request before on the same connection is taken.',
    () => {
      const versions = new WeakMap<object, string>()
      return {
        see(call) {
          const sent = field(call, 'x-version')
          if (sent !== undefined) versions.set(call.connection, sent)
          return sent === undefined ? withField(call, 'x-version', versions.get(call.connection)) : call
        },
      }
    },
  ),
  breaking('versioning/selected-per-request', 'authentication/isolated-under-concurrency')(
    'version-of-latest-request',
    'The version is that of the latest request in flight.',
    () => {
      let latest: string | undefined
      return {
        async around(call, serve) {
          latest = field(call, 'x-version')
          await sleep(3, undefined, { ref: false })
          return serve(withField(call, 'x-version', latest))
        },
      }
    },
  ),
]

function isUnsupported(call: Call): boolean {
  return /^\d+$/.test(field(call, 'x-version') ?? '') && field(call, 'x-version') !== '1'
}
