import { createHash } from 'node:crypto'

/** Draws a whole number from 0 to below `bound`. */
export type Draw = (bound: number) => number

/** A 32-bit start derived from a seed and a name, the same on every machine. */
export function startOf(seed: number, name: string): number {
  return createHash('sha256').update(`${seed}:${name}`).digest().readUInt32BE(0)
}

/** A start for each text: FNV-1a over its code units. */
export function startFor(start: number, text: string): number {
  let hash = start ^ 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** Draws by mulberry32, in nanoseconds; a hash takes microseconds. */
export function drawsFrom(start: number): Draw {
  let state = start
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }
}

/** Draws one of several. */
export function drawn<One>(draw: Draw, several: readonly [One, ...One[]]): One {
  return several[draw(several.length)] ?? several[0]
}

/** Draws a text of `length` characters of an alphabet. */
export function drawnText(draw: Draw, alphabet: readonly string[], length: number): string {
  let text = ''
  for (let drawnSoFar = 0; drawnSoFar < length; drawnSoFar += 1) text += alphabet[draw(alphabet.length)] ?? ''
  return text
}
