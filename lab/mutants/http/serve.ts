import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { startReference } from '../../../lib/serve/reference/service.ts'
import { captured, kindOf, write, type PlainAnswer } from './answer.ts'
import type { HttpMutant } from './http-mutants.ts'
import type { Waiting } from './operator.ts'

/** The delay of each answer, in milliseconds, so that requests overlap. */
const latencyMs = 1

/**
 * Starts the plain reference service and passes its answers of one kind through an operator. `applied` returns the
 * number of changed answers.
 */
export async function serveHttpMutant({ kind, operator, condition }: HttpMutant) {
  const onConnection = new WeakMap<object, number>()
  let takers: ((other: Waiting) => void)[] = []
  let [inFlight, ofKind, applied] = [0, 0, 0]
  let last: PlainAnswer | null = null

  const next = async (withinMs: number): Promise<Waiting | null> => {
    const taken = new Promise<Waiting>((resolve) => takers.push(resolve))
    const taker = takers.at(-1)
    const other = await Promise.race([taken, sleep(withinMs, null)])
    if (other === null) takers = takers.filter((one) => one !== taker)
    return other
  }

  const intervene = (request: IncomingMessage, response: ServerResponse): boolean => {
    const nthOnConnection = (onConnection.get(request.socket) ?? 0) + 1
    onConnection.set(request.socket, nthOnConnection)
    inFlight += 1
    response.once('close', () => (inFlight -= 1))
    captured(response, (answer) => {
      const previous = last
      last = answer
      const taker = takers.shift()
      if (taker !== undefined) return taker({ answer, write: (other) => write(response, other) })
      if (kindOf(answer) !== kind) return write(response, answer)
      ofKind += 1
      const occasion = { request, response, kind, nth: ofKind, nthOnConnection, inFlight, previous }
      if (!condition.holds(occasion)) return write(response, answer)
      applied += 1
      operator.send(answer, occasion, next)
    })
    return false
  }

  return { service: await startReference({ intervene, latencyMs }), applied: () => applied }
}
