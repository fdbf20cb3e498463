import type { Field, Request } from '../http/request.ts'
import { Secret, type Credentials } from '../redact/secret.ts'
import type { ClientName } from '../spec/clients.ts'
import type { RequiredField } from '../spec/endpoints.ts'

/** How the answer to a stimulus counts beyond its own rule. */
export interface StimulusTraits {
  /** Whose quota it counts against, as far as the suite knows. */
  readonly client: ClientName
  /** How cases and fingerprints call the endpoint: never a random path, never an address. */
  readonly endpoint: string
  /** A valid request as the specification shows it: anything but success violates `endpoints/list-succeeds`. */
  readonly plain: boolean
  /** Run-wide rules say nothing of an observed exchange, but for a 5xx and an echoed secret. */
  readonly observed: boolean
  /** The transport, a gateway or a firewall may refuse it by itself: a 4xx without the documented error object, a closed connection. */
  readonly transportMayRefuse: boolean
  /** A redirect to the known path on the same host is no failure: near misses of a known path. */
  readonly mayRedirect: boolean
  /** A 304 or any 4xx is as good an answer as its own: a field of the request is malformed. */
  readonly fieldMayBeRefused?: boolean
  /** 429 / 1020 is what the rule asks about, so it is judged like any other answer. */
  readonly asksForQuota: boolean
}

/** A request to be sent, made from a plain valid one by changes that read like prose. Immutable. */
export class Stimulus {
  readonly request: Request
  readonly traits: StimulusTraits

  constructor(request: Request, traits: StimulusTraits) {
    this.request = request
    this.traits = traits
  }

  /** Without any field of this name. */
  without(...names: readonly string[]): Stimulus {
    const dropped = new Set(names.map((name) => name.toLowerCase()))
    return this.#fields(this.request.fields.filter(({ name }) => !dropped.has(name.toLowerCase())))
  }

  /** With this value in the place of the field's own, or at the end where there is none. */
  with(name: string, value: string | Secret): Stimulus {
    const wanted = name.toLowerCase()
    const there = this.request.fields.some((field) => field.name.toLowerCase() === wanted)
    if (!there) return this.#fields([...this.request.fields, { name, value }])
    return this.#fields(
      this.request.fields.map((field) =>
        field.name.toLowerCase() === wanted ? { name: field.name, value } : field,
      ),
    )
  }

  /** With another client's key and secret: still plain, but another's quota. */
  as(client: ClientName, { apiKey, secretKey }: Credentials): Stimulus {
    const changed = this.with('x-api-key', apiKey).with('x-secret-key', secretKey)
    return new Stimulus(changed.request, {
      ...this.traits,
      client,
      plain: this.traits.plain && client === 'second',
    })
  }

  /** With every field name written anew. */
  named(rename: (name: string) => string): Stimulus {
    return this.#fields(this.request.fields.map(({ name, value }) => ({ name: rename(name), value })))
  }

  /** With the three required fields in this order, before all others. */
  ordered(order: readonly RequiredField[]): Stimulus {
    const ranked = (name: string): number => {
      const rank = order.findIndex((wanted) => wanted === name.toLowerCase())
      return rank === -1 ? order.length : rank
    }
    return this.#fields(this.request.fields.toSorted((a, b) => ranked(a.name) - ranked(b.name)))
  }

  /** To another path; the endpoint's name stays what reports call it, unless given. */
  to(target: string, endpoint: string = this.traits.endpoint): Stimulus {
    return new Stimulus({ ...this.request, target }, { ...this.traits, endpoint, plain: false })
  }

  /** With this query besides the one that the endpoint needs. */
  withQuery(query: string): Stimulus {
    const { target } = this.request
    return this.to(`${target}${target.includes('?') ? '&' : '?'}${query}`)
  }

  /** With another method. */
  method(method: string): Stimulus {
    return new Stimulus({ ...this.request, method }, { ...this.traits, plain: false })
  }

  /** Written by ourselves, byte for byte. */
  inRawLane(): Stimulus {
    return new Stimulus({ ...this.request, lane: 'raw' }, { ...this.traits, plain: false })
  }

  /** With other traits. */
  trait(traits: Partial<StimulusTraits>): Stimulus {
    return new Stimulus(this.request, { ...this.traits, ...traits })
  }

  #fields(fields: readonly Field[]): Stimulus {
    return new Stimulus({ ...this.request, fields }, { ...this.traits, plain: false })
  }
}
