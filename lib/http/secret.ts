import { inspect } from 'node:util'

import { inDoubleQuotes } from './shell.ts'
import type { ShellPart } from './shell.ts'

/** How a shell writes a value: made only when it is asked for; null where a shell cannot say it. */
export type Spelling = () => readonly ShellPart[] | null

/**
 * A credential, or a value made from one, that cannot be printed: every way of turning it into text gives its name.
 * `name` says what it is (`TARGET_API_KEY`, or `TARGET_API_KEY with its last character dropped`).
 */
export class Secret {
  readonly #value: string
  readonly #spelling: Spelling
  readonly name: string

  constructor(name: string, value: string, spelling: Spelling = () => [{ expansion: `$${name}` }]) {
    this.#value = value
    this.#spelling = spelling
    this.name = name
  }

  /** How a shell user writes it, or null where a shell cannot say it. */
  parts(): readonly ShellPart[] | null {
    return this.#spelling()
  }

  /** The same between two double quotes (`$TARGET_API_KEY`); null also where it holds anything but printable ASCII. */
  get shell(): string | null {
    const parts = this.parts()
    return parts === null ? null : inDoubleQuotes(parts)
  }

  /** The value itself: for the wire, for facts about what arrives, and for finding echoes of it. Never for text. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return `<${this.name}>`
  }

  toJSON(): string {
    return this.toString()
  }

  [inspect.custom](): string {
    return this.toString()
  }
}

/** A client's credentials. */
export interface Credentials {
  readonly apiKey: Secret
  readonly secretKey: Secret
}
