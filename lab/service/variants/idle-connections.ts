import type { Answer } from '../../../lib/serve/reference/answer.ts'
import type { Call } from '../../../lib/serve/reference/call.ts'
import { bare, page } from '../../../lib/serve/reference/gateway.ts'
import type { Variant } from '../../../lib/serve/reference/variant.ts'

/** Servers that close an idle connection with 408 just as the next request arrives (RFC 9110, 15.5.9). */
export const idleConnectionVariants: readonly Variant[] = [
  idle(
    'idle-connections-given-up-with-408',
    'One request in 50 on a connection that was used before meets a page with 408, and the connection is closed.',
    () => page(408, 'Request Time-out', { connection: 'close' }),
  ),
  idle(
    'idle-connections-given-up-with-bare-408',
    'One request in 50 on a connection that was used before meets a bare 408, and the connection is closed.',
    () => ({ ...bare(408), headers: { connection: 'close' } }),
  ),
]

function idle(name: string, about: string, refusal: () => Answer): Variant {
  return {
    name,
    about,
    manner: () => {
      const used = new WeakSet<object>()
      let requests = 0
      const answers = ({ connection }: Call): Answer | null => {
        if (!used.has(connection)) {
          used.add(connection)
          return null
        }
        requests += 1
        return requests % 50 === 0 ? refusal() : null
      }
      return { gateway: { answers } }
    },
  }
}
