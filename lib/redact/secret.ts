import { inspect } from 'node:util'

/**
 * A credential, or a value made from one, that cannot be printed: every way of turning it into text gives its name.
 * `name` says what it is (`TARGET_API_KEY`, or `TARGET_API_KEY with its last character dropped`).
 */
export class Secret {
  readonly #value: string
  readonly name: string

  constructor(name: string, value: string) {
    this.#value = value
    this.name = name
  }

  /** The variable that holds it, named as the setting is (`TARGET_API_KEY`); null for a value made from a credential. */
  get variable(): string | null {
    return /^[A-Z][A-Z\d_]*$/.test(this.name) ? this.name : null
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
