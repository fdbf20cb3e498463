import { Secret } from '../redact/secret.ts'

/** A part of a derived value: characters of the credential from one position up to another, or text of its own (a byte a character). */
export type Piece = readonly [from: number, to: number] | string

/** A value made of parts of a credential; `how` continues its name: `with its last character dropped`. */
export function derived(secret: Secret, how: string, pieces: readonly Piece[]): Secret {
  const text = secret.reveal()
  const parts = pieces.map((piece) => (typeof piece === 'string' ? piece : text.slice(...piece)))
  return transformed(secret, how, parts.join(''))
}

/** A credential as a whole turned into another value; `how` continues its name. */
export function transformed(secret: Secret, how: string, value: string): Secret {
  return new Secret(`${secret.name} ${how}`, value)
}
