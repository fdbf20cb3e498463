/** Node's name for what a value prints; its types are not asked for, so that the library can be used without them. */
const inspected: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/**
 * A credential, or a value made from one, that cannot be printed: as text it gives only its name. `name` is like `TARGET_API_KEY`,
 * or `TARGET_API_KEY with its last character dropped`.
 */
export class Secret {
  readonly #value: string
  readonly name: string

  constructor(name: string, value: string) {
    this.#value = value
    this.name = name
    Object.freeze(this)
  }

  /** Environment variable that holds it (`TARGET_API_KEY`); null for a value made from a credential. */
  get variable(): string | null {
    return /^[A-Z][A-Z\d_]*$/.test(this.name) ? this.name : null
  }

  /** The value, for sending, for facts about what arrives, and for finding echoes; never for text. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return `<${this.name}>`
  }

  toJSON(): string {
    return this.toString()
  }

  [inspected](): string {
    return this.toString()
  }
}

/** A client's credentials. */
export interface Credentials {
  readonly apiKey: Secret
  readonly secretKey: Secret
}
