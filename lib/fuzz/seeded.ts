import { hash } from 'node:crypto'

/** Text of this length, up to 32, from this alphabet, derived from a seed and a name, so it is the same on every run and machine. */
function seededText(seed: number, name: string, length: number, alphabet: string): string {
  const bytes = hash('sha256', `${seed}:${name}:0`, 'buffer').subarray(0, length)
  return Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('')
}

/** A number from 0 up to, but not including, `bound`, derived from a seed and a name. */
export function seededNumber(seed: number, name: string, bound: number): number {
  return hash('sha256', `${seed}:${name}`, 'buffer').readUIntBE(0, 6) % bound
}

const letters = 'abcdefghijklmnopqrstuvwxyz'

/** A path segment that no service has, in the form known to the oracle (`unknownSegment`). */
export function randomSegment(seed: number, name: string): string {
  return `zz${seededText(seed, name, 14, letters)}`
}

/** A version that no service has: from 10⁸ to 2³¹−1. */
export function randomVersion(seed: number, name: string): string {
  return String(100_000_000 + seededNumber(seed, name, 2 ** 31 - 1 - 100_000_000))
}

/** A different text of the same shape, with digits for digits and letters for letters of the same case. If it has neither, zeros, one character longer. */
export function sameShape(text: string, seed: number, name: string): string {
  if (!/[0-9a-z]/i.test(text)) return '0'.repeat(text.length + 1)

  for (let again = 0; ; again += 1) {
    const made = shaped(text, seed, again === 0 ? name : `${name}:${again}`)
    if (made.toLowerCase() !== text.toLowerCase()) return made
  }
}

function shaped(text: string, seed: number, name: string): string {
  const hexadecimal = isHexadecimal(text)
  return [...text]
    .map((character, index) => {
      const alphabet = alphabetOf(character, hexadecimal)
      return alphabet === null ? character : seededText(seed, `${name}:${index}`, 1, alphabet)
    })
    .join('')
}

/** Whether a text is a UUID or hexadecimal, so that services may rightly ignore its letter case. */
export function isHexadecimal(text: string): boolean {
  return /^[0-9a-f-]+$/i.test(text) && text.replaceAll('-', '').length >= 8
}

function alphabetOf(character: string, hexadecimal: boolean): string | null {
  if (/[0-9]/.test(character)) return '0123456789'
  if (/[a-z]/.test(character)) return hexadecimal ? 'abcdef' : letters
  if (/[A-Z]/.test(character)) return hexadecimal ? 'ABCDEF' : letters.toUpperCase()
  return null
}
