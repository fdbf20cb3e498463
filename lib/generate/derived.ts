import { Secret } from '../http/secret.ts'
import type { ShellPart } from '../http/shell.ts'

/** A part of a derived value: characters of the credential from one position up to another, or text of its own (a byte a character). */
export type Piece = readonly [from: number, to: number] | string

/** A value made of parts of a credential; `how` continues its name: `with its last character dropped`. */
export function derived(secret: Secret, how: string, pieces: readonly Piece[]): Secret {
  const text = secret.reveal()
  const value = pieces.map((piece) => (typeof piece === 'string' ? piece : text.slice(...piece))).join('')
  return new Secret(`${secret.name} ${how}`, value, () => {
    const variable = variableOf(secret)
    return variable === null ? null : pieces.flatMap((piece) => spelled(piece, variable, text.length))
  })
}

/** A credential as a whole turned into another value; `expansion` is how bash makes it from the variable. */
export function transformed(
  secret: Secret,
  how: string,
  value: string,
  expansion: (variable: string) => string,
): Secret {
  return new Secret(`${secret.name} ${how}`, value, () => {
    const variable = variableOf(secret)
    return variable === null ? null : [{ expansion: expansion(variable) }]
  })
}

function spelled(piece: Piece, variable: string, length: number): readonly ShellPart[] {
  if (typeof piece === 'string') return piece === '' ? [] : [{ text: piece }]
  const [from, to] = piece
  if (to <= from) return []
  return [
    { expansion: from === 0 && to >= length ? `\${${variable}}` : `\${${variable}:${from}:${to - from}}` },
  ]
}

/** The variable of a credential that stands in the settings as it is; null for a value that was made from one. */
function variableOf(secret: Secret): string | null {
  return /^\$(\w+)$/.exec(secret.shell ?? '')?.[1] ?? null
}
