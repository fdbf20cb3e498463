import type { Secret } from '../redact/secret.ts'
import { derived, transformed, type Piece } from './derived.ts'
import { isHexadecimal } from './seeded.ts'

/** A value that nearly equals a credential, and what was done to it. */
export interface NearMiss {
  /** Stable: part of the public name of a case. */
  readonly name: string
  readonly value: Secret
  /** Whether a service may rightly take it for the same: letter case and zeros of a UUID, padding of base64. */
  readonly mayEqual: boolean
}

/**
 * The near misses of a credential: one character off (first, middle and last; every position when `everyPosition`), two
 * neighbours exchanged, truncated, extended, in another letter case. None equals the credential; none is empty.
 */
export function nearMisses(secret: Secret, everyPosition: boolean): readonly NearMiss[] {
  const text = secret.reveal()
  const length = text.length
  const made = [
    ...positions(text, everyPosition).map(({ name, at }) =>
      nearMiss(secret, `${name}-changed`, `with its character ${at + 1} changed`, [
        [0, at],
        replacement(text, at),
        [at + 1, length],
      ]),
    ),
    ...exchanged(secret),
    nearMiss(secret, 'last-dropped', 'without its last character', [[0, length - 1]]),
    nearMiss(secret, 'first-dropped', 'without its first character', [[1, length]]),
    nearMiss(secret, 'half', 'cut in half', [[0, Math.ceil(length / 2)]]),
    nearMiss(secret, 'extended', 'with a character added at its end', [[0, length], '0']),
    nearMiss(secret, 'preceded', 'with a character added before it', ['0', [0, length]]),
    ...inAnotherCase(secret),
  ]
  const seen = new Set([text, ''])
  return made.filter(({ value }) => {
    const isNew = !seen.has(value.reveal().trim())
    seen.add(value.reveal().trim())
    return isNew
  })
}

function positions(text: string, every: boolean): readonly { readonly name: string; readonly at: number }[] {
  const telling = tellingPositions(text)
  const named = [
    { name: 'first', at: telling.at(0) ?? 0 },
    { name: 'middle', at: telling.find((at) => at >= Math.floor(text.length / 2)) ?? telling.at(-1) ?? 0 },
    { name: 'last', at: telling.at(-1) ?? 0 },
  ]
  if (!every) return named
  const rest = meaningfulPositions(text).map((at) => ({ name: `character-${at + 1}`, at }))
  return [...named, ...rest.filter(({ at }) => !named.some((one) => one.at === at))]
}

/** All but what a service may rightly pass over: the hyphens of a UUID, the padding of base64. */
function meaningfulPositions(text: string): readonly number[] {
  const end = text.replace(/=+$/, '').length
  const all = Array.from(text, (_, at) => at).filter((at) => at < end || end === 0)
  return isHexadecimal(text) ? all.filter((at) => text[at] !== '-') : all
}

/** Where letters and digits stand: what is wrong elsewhere is refused by any check of the form. All places where there are none. */
function tellingPositions(text: string): readonly number[] {
  const all = Array.from(text, (_, at) => at)
  const telling = all.filter((at) => /[0-9a-z]/i.test(text[at] ?? ''))
  return telling.length > 0 ? telling : all
}

/** The first two neighbours from the middle on, letters or digits, that differ, exchanged. */
function exchanged(secret: Secret): readonly NearMiss[] {
  const text = secret.reveal()
  const telling = tellingPositions(text)
  const middle = Math.floor(text.length / 2)
  const order = [...telling.filter((at) => at >= middle), ...telling.filter((at) => at < middle)]
  const at = order.find((index) => telling.includes(index + 1) && text[index] !== text[index + 1])
  if (at === undefined) return []
  return [
    nearMiss(secret, 'neighbours-exchanged', `with its characters ${at + 1} and ${at + 2} exchanged`, [
      [0, at],
      [at + 1, at + 2],
      [at, at + 1],
      [at + 2, text.length],
    ]),
  ]
}

/** The value is the credential in all but letter case. */
function inAnotherCase(secret: Secret): readonly NearMiss[] {
  const text = secret.reveal()
  const swapped = [...text]
    .map((one) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase()))
    .join('')
  if (swapped === text || swapped.length !== text.length) return []

  const how = 'with the case of every letter changed'
  return [
    {
      name: 'letter-case',
      value: transformed(secret, how, swapped),
      mayEqual: meansTheSame(swapped, text),
    },
  ]
}

/** A character that differs from the one there in more than its letter case, of the credential's alphabet. */
function replacement(text: string, at: number): string {
  const there = text[at] ?? ''
  const [usual, other] = /[0-9]/.test(there) ? ['7', '2'] : isHexadecimal(text) ? ['b', 'e'] : ['x', 'k']
  const chosen = there.toLowerCase() === usual ? other : usual
  return (/[A-Z]/.test(there) ? chosen?.toUpperCase() : chosen) ?? ''
}

function nearMiss(secret: Secret, name: string, how: string, pieces: readonly Piece[]): NearMiss {
  const value = derived(secret, how, pieces)
  return { name, value, mayEqual: meansTheSame(value.reveal(), secret.reveal()) }
}

/** Whether a service that reads UUIDs, hexadecimal texts or base64 by value rather than by letters may rightly take a value for the credential. */
export function meansTheSame(value: string, text: string): boolean {
  if (isHexadecimal(text) && asNumber(value) === asNumber(text)) return true
  if (!text.endsWith('=')) return false
  // Decoders mostly stop at the padding, do without it, and pass over the bits of the last character that mean nothing.
  if (value.split('=')[0] === text.split('=')[0]) return true
  return /^[\w+/-]+=*$/.test(value) && Buffer.from(value, 'base64').equals(Buffer.from(text, 'base64'))
}

/** Without letter case, separators, and zeros in front of a group. */
function asNumber(text: string): string {
  return text
    .toLowerCase()
    .split('-')
    .map((group) => group.replace(/^0+/, ''))
    .join('')
}
