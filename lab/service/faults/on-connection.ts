import type { Call } from '../../../lib/serve/reference/call.ts'

/** Counts the requests of each connection: how many-th on its own one a request is, from 1. Ask once per request. */
export function placeOnConnection(): (call: Call) => number {
  const counts = new WeakMap<object, number>()
  return ({ connection }) => {
    const place = (counts.get(connection) ?? 0) + 1
    counts.set(connection, place)
    return place
  }
}
