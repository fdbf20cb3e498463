import type { Secret } from '../http/secret.ts'
import { transformed } from './derived.ts'

/** What becomes of one character of a credential. */
export interface Turn {
  readonly at: number
  /** Continues the credential's name. Must not say which character stands there. */
  readonly how: string
  /** What stands there afterwards, a byte a character. */
  readonly turned: string
  /** A command that turns the one character into the other, and any other one as well: it must not say which it is. */
  readonly filter: string
}

/** A credential of which one character is turned into one that depends on it, so that neither name nor spelling tells it. */
export function characterTurned(secret: Secret, { at, how, turned, filter }: Turn): Secret {
  const text = secret.reveal()
  const value = text.slice(0, at) + turned + text.slice(at + 1)
  return transformed(
    secret,
    how,
    value,
    (name) => `\${${name}:0:${at}}$(printf %s "\${${name}:${at}:1}" | ${filter})\${${name}:${at + 1}}`,
  )
}
