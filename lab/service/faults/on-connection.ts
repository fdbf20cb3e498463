import type { Call } from '../../../lib/serve/reference/call.ts'

/**
 * Counts the requests of each connection. Returns the number of a request on its connection, from 1. Call it
 * once per request.
 */
export function placeOnConnection(): (call: Call) => number {
  const counts = new WeakMap<object, number>()
  return ({ connection }) => {
    const place = (counts.get(connection) ?? 0) + 1
    counts.set(connection, place)
    return place
  }
}
