import { createHash } from 'node:crypto'
import { valueOf, type Field, type Request } from '../http/request.ts'
import type { Connection } from '../http/transport.ts'
import type { KnownEndpoint } from '../judge/target-model.ts'
import { Secret, type Credentials } from '../redact/secret.ts'
import type { ClientName } from '../spec/clients.ts'
import type { RequiredField } from '../spec/endpoints.ts'
import type { RuleId } from '../spec/rules.ts'

/** What a request is sent for, and how. */
export interface Context {
  readonly rule: RuleId
  /** The case's name within the rule. */
  readonly case: string
  /** Whether the case can be sent again by its name; false if it only belongs to the run. */
  readonly replayable?: boolean
  /** The connection to send on; without it, any one of the pool. */
  readonly connection?: Connection
  /** Whether it confirms a breach or looks for a simpler case of it. */
  readonly purpose?: 'confirming' | 'shrinking'
}

/** How the answer to a request counts beyond its own rule. */
export interface RequestTraits {
  /** The client whose quota it uses, as far as the suite knows. */
  readonly client: ClientName
  /** The endpoint's name in cases and fingerprints: never a random path, never an address. */
  readonly endpoint: string
  /** A valid request as the specification shows it: anything but success violates `endpoints/list-succeeds`. */
  readonly plain: boolean
  /** Run-wide rules ignore an observed exchange, except for a 5xx and an echoed secret. */
  readonly observed: boolean
  /** The transport, a gateway or a firewall may refuse it: a 4xx without the documented error object, or a closed connection. */
  readonly transportMayRefuse: boolean
  /** A redirect to the known path on the same host is no failure: near misses of a known path. */
  readonly mayRedirect: boolean
  /** A field of the request is malformed: a 304 or any 4xx is as good an answer as its own. */
  readonly fieldMayBeRefused?: boolean
  /** 429 / 1020 is what the rule asks about, and is judged like any other answer. */
  readonly asksForQuota: boolean
}

/** A request to send, made from a plain valid one by changes that read like prose. Immutable. */
export class TestRequest {
  readonly request: Request
  readonly traits: RequestTraits

  constructor(request: Request, traits: RequestTraits) {
    this.request = request
    this.traits = traits
  }

  /** Same for the same bytes only; nothing of a credential can be told from it. */
  get hash(): string {
    const { method, target, fields } = this.request
    const lines = fields.map((field) => [field.name, valueOf(field)])
    return createHash('sha256')
      .update(JSON.stringify([method, target, lines]))
      .digest('hex')
  }

  /** Without any field of this name. */
  without(...names: readonly string[]): TestRequest {
    const dropped = new Set(names.map((name) => name.toLowerCase()))
    return this.#fields(this.request.fields.filter(({ name }) => !dropped.has(name.toLowerCase())))
  }

  /** With this value instead of the field's own, or as the last field if there is none. */
  with(name: string, value: string | Secret): TestRequest {
    const { fields } = this.request
    const isWanted = (field: Field): boolean => field.name.toLowerCase() === name.toLowerCase()
    if (!fields.some(isWanted)) return this.#fields([...fields, { name, value }])
    return this.#fields(fields.map((field) => (isWanted(field) ? { name: field.name, value } : field)))
  }

  /** With another client's key and secret: still plain, but another's quota. */
  as(client: ClientName, { apiKey, secretKey }: Credentials): TestRequest {
    const changed = this.with('x-api-key', apiKey).with('x-secret-key', secretKey)
    return new TestRequest(changed.request, {
      ...this.traits,
      client,
      plain: this.traits.plain && client === 'second',
    })
  }

  /** With other field names. */
  named(rename: (name: string) => string): TestRequest {
    return this.#fields(this.request.fields.map(({ name, value }) => ({ name: rename(name), value })))
  }

  /** With the three required fields in this order, before all others. */
  ordered(order: readonly RequiredField[]): TestRequest {
    const ranked = (name: string): number => {
      const rank = order.findIndex((wanted) => wanted === name.toLowerCase())
      return rank === -1 ? order.length : rank
    }
    return this.#fields(this.request.fields.toSorted((a, b) => ranked(a.name) - ranked(b.name)))
  }

  /** To another path; the endpoint keeps its name in reports, unless given. */
  to(target: string, endpoint: string = this.traits.endpoint): TestRequest {
    return this.#changed({ target }, { endpoint })
  }

  /** With this query after the one that the endpoint needs. */
  withQuery(query: string): TestRequest {
    const { target } = this.request
    return this.to(`${target}${target.includes('?') ? '&' : '?'}${query}`)
  }

  /** With another method. */
  method(method: string): TestRequest {
    return this.#changed({ method })
  }

  /** Written by ourselves, byte for byte. */
  onRawSocket(): TestRequest {
    return this.#changed({ route: 'raw' })
  }

  /** With other traits. */
  trait(traits: Partial<RequestTraits>): TestRequest {
    return new TestRequest(this.request, { ...this.traits, ...traits })
  }

  #fields(fields: readonly Field[]): TestRequest {
    return this.#changed({ fields })
  }

  #changed(request: Partial<Request>, traits: Partial<RequestTraits> = {}): TestRequest {
    return new TestRequest({ ...this.request, ...request }, { ...this.traits, plain: false, ...traits })
  }
}

/** How the suite names itself to services; the version is the package's. */
export function userAgent(version: string): string {
  return `card-switch-conformance/${version}`
}

/** A plain valid request for an endpoint, as the specification shows it. Source: Endpoints, Authentication. */
export function plainRequest(
  { method, path, query, version, label, inactive }: KnownEndpoint,
  { apiKey, secretKey }: Credentials,
  { client, agent }: { readonly client: ClientName; readonly agent: string },
): TestRequest {
  const request = {
    method,
    target: query === null ? path : `${path}?${query}`,
    fields: [
      { name: 'x-api-key', value: apiKey },
      { name: 'x-secret-key', value: secretKey },
      { name: 'x-version', value: version },
      { name: 'accept', value: 'application/json' },
      { name: 'user-agent', value: agent },
    ],
  }
  return new TestRequest(request, {
    client,
    endpoint: label,
    plain: !inactive && (client === 'target' || client === 'second'),
    observed: false,
    transportMayRefuse: false,
    mayRedirect: false,
    asksForQuota: false,
  })
}
