/** Node's symbol for custom printing. It does not need Node's types, so the library can be used without them. */
const inspected: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/**
 * A credential, or a value derived from one, that cannot be printed, because its text is only its name. `name` is `TARGET_API_KEY` or, for
 * example, `TARGET_API_KEY with its last character dropped`.
 */
export class Secret {
  readonly #value: string
  readonly name: string

  constructor(name: string, value: string) {
    this.#value = value
    this.name = name
    Object.freeze(this)
  }

  /** Its environment variable (`TARGET_API_KEY`); null for a value derived from a credential. */
  get variable(): string | null {
    return /^[A-Z][A-Z\d_]*$/.test(this.name) ? this.name : null
  }

  /** Returns the value, for sending it, deriving facts about the request, and finding echoes; never for output. */
  reveal(): string {
    return this.#value
  }

  /** A value made from it and just as secret. `how` continues its name: `with its last character dropped`. */
  derived(how: string, value: string): Secret {
    return new Secret(`${this.name} ${how}`, value)
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

/** The field that carries a credential. */
export type CredentialField = 'x-api-key' | 'x-secret-key'

/** The credential that belongs in a field. */
export function credentialOf({ apiKey, secretKey }: Credentials, field: CredentialField): Secret {
  return field === 'x-api-key' ? apiKey : secretKey
}
