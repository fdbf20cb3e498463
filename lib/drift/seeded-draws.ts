import { createHash } from 'node:crypto'

/** Draws a whole number that is at least 0 and less than `bound`. */
export type Draw = (bound: number) => number

/** A 32-bit starting value derived from a seed and a name, which is the same on every machine. */
export function startOf(seed: number, name: string): number {
  return createHash('sha256').update(`${seed}:${name}`).digest().readUInt32BE(0)
}

/** A separate starting value for each text, computed by FNV-1a over its code units. */
export function startFor(start: number, text: string): number {
  let hash = start ^ 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** Draws numbers with mulberry32, which takes nanoseconds, whereas a hash takes microseconds. */
export function drawsFrom(start: number): Draw {
  let state = start
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }
}

/** Draws one of several values. */
export function drawn<One>(draw: Draw, several: readonly [One, ...One[]]): One {
  return several[draw(several.length)] ?? several[0]
}

/** Draws a string of `length` characters from an alphabet. */
export function drawnText(draw: Draw, alphabet: readonly string[], length: number): string {
  let text = ''
  for (let drawnSoFar = 0; drawnSoFar < length; drawnSoFar += 1) text += alphabet[draw(alphabet.length)] ?? ''
  return text
}
