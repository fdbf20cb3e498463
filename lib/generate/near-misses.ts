import { Secret } from '../http/secret.ts'
import { isHexadecimal } from './seeded.ts'

/** A value that nearly equals a credential, and what was done to it. */
export interface NearMiss {
  /** Stable: part of the public name of a case. */
  readonly name: string
  readonly value: Secret
  /** Whether it differs in letter case only, where a UUID or hexadecimal text may rightly be taken for the same. */
  readonly mayEqual: boolean
}

/** A part of a near miss: characters of the credential from one position up to another, or text of its own. */
type Piece = readonly [from: number, to: number] | string

/**
 * The near misses of a credential: one character off (first, middle and last; every position when `everyPosition`), two
 * neighbours exchanged, truncated, extended, in another letter case. None equals the credential; none is empty.
 */
export function nearMisses(secret: Secret, everyPosition: boolean): readonly NearMiss[] {
  const text = secret.reveal()
  const length = text.length
  const made = [
    ...positions(length, everyPosition).map(({ name, at }) =>
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

function positions(
  length: number,
  every: boolean,
): readonly { readonly name: string; readonly at: number }[] {
  const named = [
    { name: 'first', at: 0 },
    { name: 'middle', at: Math.floor(length / 2) },
    { name: 'last', at: length - 1 },
  ]
  if (!every) return named
  const rest = Array.from({ length }, (_, at) => ({ name: `character-${at + 1}`, at }))
  return [...named, ...rest.filter(({ at }) => !named.some((one) => one.at === at))]
}

/** The first two neighbours from the middle on that differ, exchanged. */
function exchanged(secret: Secret): readonly NearMiss[] {
  const text = secret.reveal()
  const middle = Math.floor(text.length / 2)
  const order = [...text].map((_, index) => (middle + index) % text.length)
  const at = order.find((index) => index + 1 < text.length && text[index] !== text[index + 1])
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

/** No piece of shell says this, and none is needed: the value is the credential in all but letter case. */
function inAnotherCase(secret: Secret): readonly NearMiss[] {
  const text = secret.reveal()
  const swapped = [...text]
    .map((one) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase()))
    .join('')
  if (swapped === text || swapped.length !== text.length) return []

  const name = `${secret.name} with the case of every letter changed`
  const shell = secret.shell === null ? null : secret.shell.replace(/^\$(\w+)$/, '$${$1~~}')
  return [
    {
      name: 'letter-case',
      value: new Secret(name, swapped, shell),
      mayEqual: differsInCaseOnly(swapped, text),
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
  const text = secret.reveal()
  const value = pieces.map((piece) => (typeof piece === 'string' ? piece : text.slice(...piece))).join('')
  const variable = secret.shell?.replace(/^\$/, '') ?? null
  const shell = pieces
    .filter((piece) => typeof piece === 'string' || piece[1] > piece[0])
    .map((piece) =>
      typeof piece === 'string' ? piece : `\${${variable}:${piece[0]}:${piece[1] - piece[0]}}`,
    )
    .join('')

  return {
    name,
    value: new Secret(`${secret.name} ${how}`, value, variable === null ? null : shell),
    mayEqual: differsInCaseOnly(value, text),
  }
}

/** As UUIDs and hexadecimal texts are mostly compared without regard to letter case. */
function differsInCaseOnly(value: string, text: string): boolean {
  return isHexadecimal(text) && value.toLowerCase() === text.toLowerCase()
}
