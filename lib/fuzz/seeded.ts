import { hash } from 'node:crypto'

/** Text of this length, up to 32, from this alphabet, derived from a seed and a name, so it is the same on every run and machine. */
function seededText(seed: number, name: string, length: number, alphabet: string) {
  const bytes = hash('sha256', `${seed}:${name}:0`, 'buffer').subarray(0, length)
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('')
}

/** A number from 0 up to, but not including, `bound`, derived from a seed and a name. */
export function seededNumber(seed: number, name: string, bound: number) {
  return hash('sha256', `${seed}:${name}`, 'buffer').readUIntBE(0, 6) % bound
}

const letters = 'abcdefghijklmnopqrstuvwxyz'

/** A path segment that no service has, in the form known to the oracle (`unknownSegment`). */
export function randomSegment(seed: number, name: string) {
  return `zz${seededText(seed, name, 14, letters)}`
}

/** A version that no service has: from 10⁸ to 2³¹−1. */
export function randomVersion(seed: number, name: string) {
  return String(100_000_000 + seededNumber(seed, name, 2 ** 31 - 1 - 100_000_000))
}

/** A different text of the same shape, with digits for digits and letters for letters of the same case. If it has neither, zeros, one character longer. */
export function sameShape(text: string, seed: number, name: string, again = 0): string {
  if (!/[0-9a-z]/i.test(text)) return '0'.repeat(text.length + 1)

  const lower = isHex(text) ? 'abcdef' : letters
  const of = again === 0 ? name : `${name}:${again}`
  const from = (alphabet: string) => (_: string, at: number) => seededText(seed, `${of}:${at}`, 1, alphabet)
  const made = text
    .replaceAll(/[0-9]/g, from('0123456789'))
    .replaceAll(/[a-z]/g, from(lower))
    .replaceAll(/[A-Z]/g, from(lower.toUpperCase()))
  return made.toLowerCase() === text.toLowerCase() ? sameShape(text, seed, name, again + 1) : made
}

/** Whether a text is a UUID or hexadecimal, so that services may rightly ignore its letter case. */
export function isHex(text: string) {
  return /^[0-9a-f-]+$/i.test(text) && text.replaceAll('-', '').length >= 8
}
