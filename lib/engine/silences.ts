import { createHash } from 'node:crypto'
import { valueOf, type Request } from '../http/request.ts'
import type { Flaws } from './observations.ts'
import type { TestRequest } from './test-request.ts'

/**
 * How a request is like one that is never answered: the same bytes; certainly the same flaws; all that is, or may be, wrong with that
 * one and perhaps more; or a flaw at all, where several kinds of flaws are never answered.
 */
export type Likeness = 'the same' | 'the same flaws' | 'more flaws' | 'some flaw'

/** Kinds of certain flaws of which requests are never answered, until no flawed request is expected to be. */
const kindsOfRefusal = 3

interface Silence {
  readonly endpoint: string
  /** Certain ones. */
  readonly flaws: string
  readonly all: readonly string[]
}

/** The requests that were never answered while others were. */
export class Silences {
  readonly #hashes = new Set<string>()
  /** By what tells them apart. */
  readonly #kinds = new Map<string, Silence>()

  get isEmpty(): boolean {
    return this.#hashes.size === 0
  }

  /** Remembers a request; `flaws` is what is wrong with it, where that is known. */
  add({ request, traits }: TestRequest, flaws: Flaws | null): void {
    this.#hashes.add(wireHash(request))
    if (flaws === null || flaws.all.length === 0) return
    const silence: Silence = {
      endpoint: traits.endpoint,
      flaws: flaws.certain.join(', '),
      all: flaws.all,
    }
    this.#kinds.set(`${silence.endpoint} ${flaws.all.join(', ')}`, silence)
  }

  /** How a request is like one of them, as closely as it is; null for one that is like none. */
  likeness({ request, traits }: TestRequest, flaws: Flaws | null): Likeness | null {
    if (this.#hashes.has(wireHash(request))) return 'the same'
    if (flaws === null) return null

    const kinds = [...this.#kinds.values()].filter(({ endpoint }) => endpoint === traits.endpoint)
    const certain = flaws.certain.join(', ')
    if (certain !== '' && kinds.some((one) => one.flaws === certain)) return 'the same flaws'
    const isMore = kinds.some(({ all }) => all.every((flaw) => flaws.all.includes(flaw)))
    if (isMore) return 'more flaws'
    const refusals = new Set([...this.#kinds.values()].map((one) => one.flaws).filter((one) => one !== ''))
    return certain !== '' && refusals.size >= kindsOfRefusal ? 'some flaw' : null
  }
}

/** What requests of one kind have in common: the endpoint and what is wrong with them, else every byte. */
export function keyOf({ request, traits }: TestRequest, flaws: Flaws | null): string {
  const [certain = '', all = ''] = [flaws?.certain.join(', '), flaws?.all.join(', ')]
  return `${traits.endpoint} ${certain || all || wireHash(request)}`
}

/** Two requests with the same hash are the same bytes; nothing of a credential can be told from it. */
export function wireHash({ method, target, fields }: Request): string {
  const lines = fields.map((field) => [field.name, valueOf(field)])
  return createHash('sha256')
    .update(JSON.stringify([method, target, lines]))
    .digest('hex')
}
