import type { IncomingMessage } from 'node:http'
import { redactorFor, type Redactor } from '../../redact/redact.ts'
import { Secret } from '../../redact/secret.ts'

/** Fields of requests that hold no credential; every other may. */
const harmless =
  /^(?:accept(?:-.*)?|cache-control|connection|content-.*|date|dnt|expect|host|if-.*|keep-alive|max-forwards|origin|pragma|priority|range|referer|sec-.*|te|trace(?:parent|state)|trailer|transfer-encoding|upgrade(?:-.*)?|user-agent|via|x-version)$/

/** Minimum length of a part of a field, and of a query's value, that counts as a credential, in characters; a shorter one occurs by chance. */
const fewest = { field: 4, query: 8 } as const

/** Maximum number of credentials that are remembered, the latest ones. */
const mostKept = 200

/** Hides the credentials of the settings, and those of all requests so far, since a service may repeat them later. */
export class CredentialsSeen {
  readonly #known: readonly Secret[]
  readonly #seen = new Map<string, Secret>()
  #redactor: Redactor | null = null

  constructor(known: readonly Secret[]) {
    this.#known = known
  }

  /** Remembers what may be a credential in a request. */
  note({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): void {
    for (const [name, value] of Object.entries(headers)) {
      if (!harmless.test(name)) for (const part of partsOf([value ?? ''].flat())) this.#keep(name, part)
    }
    for (const [name, value] of new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])) {
      if (value.length >= fewest.query) this.#keep(`query ${name}`, value)
    }
  }

  /** A text without any of them. */
  redact(text: string): string {
    this.#redactor ??= redactorFor([...this.#known, ...this.#seen.values()])
    return this.#redactor.redact(text)
  }

  #keep(name: string, value: string): void {
    if (this.#seen.has(value)) return
    const [oldest] = this.#seen.size < mostKept ? [] : this.#seen.keys()
    if (oldest !== undefined) this.#seen.delete(oldest)
    this.#seen.set(value, new Secret(name, value))
    this.#redactor = null
  }
}

/** Words of `Bearer …` and of cookies, and what Basic credentials decode to. */
function partsOf(values: readonly string[]): readonly string[] {
  return values
    .flatMap((value) => [...value.split(/[\s;,]+/), ...value.split(/[\s;,=]+/)])
    .flatMap((part) => [part, ...Buffer.from(part, 'base64').toString('latin1').split(':')])
    .filter((part) => part.length >= fewest.field && /^[\x21-\x7e]+$/.test(part))
    .filter((part) => !/^(?:basic|bearer|digest|negotiate)$/i.test(part))
}
