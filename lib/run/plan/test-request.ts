import { hash } from 'node:crypto'
import { setting, without, withQuery, type RequestChange } from '../../fuzz/request-changes.ts'
import { fieldsOf, nextOf, valueOf, type MessageForm, type Request } from '../../http/request.ts'
import type { Connection } from '../../http/transport.ts'
import type { Exemptions } from '../../judge/excuses.ts'
import type { KnownClient, KnownEndpoint } from '../../judge/target-model.ts'
import { Secret, type Credentials } from '../../redact/secret.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import type { RequiredField } from '../../specification/endpoints.ts'
import type { RuleId } from '../../specification/rules.ts'

/** Why a request is sent. */
export type Purpose = 'case' | 'health-check' | 'retry' | 'confirming' | 'shrinking'

/** The case that sends a request, and how. */
export interface Context {
  readonly rule: RuleId
  readonly case: string
  /** Requests that the case sends when it is replayed; by default one. */
  readonly requestsAlone?: number
  /** Whether the rule draws so many cases that random differences are likely. */
  readonly isOneOfMany?: boolean
  /** Whether the case can be replayed by name; false if it belongs to one run. */
  readonly replayable?: boolean
  /** The connection to send on; by default any of the pool. */
  readonly connection?: Connection | undefined
  /** Whether the full concurrency of the settings applies, even if it slows the service. */
  readonly atOnce?: boolean
  /** Set if the request confirms a breach or tries a simpler case. */
  readonly purpose?: 'confirming' | 'shrinking'
}

/** How run-wide rules and records treat the answer. */
export interface RequestTraits extends Exemptions {
  /** The client whose quota it uses. */
  readonly client: ClientName
  /** The endpoint's name in cases and fingerprints: never a random path, never an address. */
  readonly endpoint: string
  /** A valid request as the specification shows it: anything but success violates `endpoints/list-succeeds`. */
  readonly plain: boolean
  /** The names of its conditions; absent if it is not a row of factors. */
  readonly conditions?: readonly string[]
  /** Whether the conditions allow additional answers. */
  readonly excused?: boolean
  /** Why a breach that is not a wrong success is only a warning. */
  readonly weakness?: 'implied' | 'warning'
  /** The request has a value from the endpoints file: a success must match the file, too. */
  readonly described?: boolean
  /** The rule tests the quota: 429 / 1020 is judged like any other answer. */
  readonly asksForQuota?: boolean
}

/** A request made from a plain valid request by chained changes. Immutable. */
export class TestRequest {
  readonly request: Request
  readonly traits: RequestTraits
  #hash: string | null = null
  #key: string | null = null

  constructor(request: Request, traits: RequestTraits) {
    this.request = request
    this.traits = traits
  }

  /** A digest of the bytes that reveals no credential. */
  get hash(): string {
    this.#hash ??= hash('sha256', JSON.stringify(bytesOf(this.request)), 'hex')
    return this.#hash
  }

  /** A digest of the bytes and of the traits that run-wide rules use. */
  get key(): string {
    if (this.#key !== null) return this.#key
    const { client, endpoint, plain, ...excuses } = this.traits
    const { observed, transportMayRefuse, mayRedirect, asksForQuota, fieldMayBeRefused } = excuses
    const each = [observed, transportMayRefuse, mayRedirect, asksForQuota, fieldMayBeRefused]
    const all = [bytesOf(this.request), client, endpoint, plain, each.map((one) => one === true)]
    this.#key = hash('sha256', JSON.stringify(all), 'base64')
    return this.#key
  }

  /** Removes all fields with these names, in any letter case. */
  without(...names: readonly string[]): TestRequest {
    return this.apply(without(...names))
  }

  /** Replaces the value of the field with this name, in any letter case, or appends the field. */
  with(name: string, value: string | Secret): TestRequest {
    return this.apply(setting(name, value))
  }

  /** To another path; reports keep the endpoint's name by default. */
  to(target: string, endpoint: string = this.traits.endpoint): TestRequest {
    return this.#changed({ target }, { endpoint })
  }

  /** Appends to the query that the endpoint needs. */
  withQuery(query: string): TestRequest {
    return this.apply(withQuery(query))
  }

  /** With a generator's change. */
  apply(change: RequestChange): TestRequest {
    return this.#changed(change(this.request))
  }

  method(method: string): TestRequest {
    return this.#changed({ method })
  }

  /** Sent byte for byte over a raw socket. */
  onRawSocket(form?: MessageForm): TestRequest {
    return this.#changed({ route: 'raw', ...(form === undefined ? {} : { form }) })
  }

  /** Whether it contains these credentials, each exactly once. */
  carries({ apiKey, secretKey }: Credentials): boolean {
    const isSentOnce = (name: RequiredField, value: Secret): boolean => {
      const [sent, ...more] = fieldsOf(this.request, name)
      return more.length === 0 && sent === value.reveal()
    }
    return isSentOnce('x-api-key', apiKey) && isSentOnce('x-secret-key', secretKey)
  }

  trait(traits: Partial<RequestTraits>): TestRequest {
    return new TestRequest(this.request, { ...this.traits, ...traits })
  }

  #changed(request: Partial<Request>, traits: Partial<RequestTraits> = {}): TestRequest {
    return new TestRequest({ ...this.request, ...request }, { ...this.traits, plain: false, ...traits })
  }
}

/** Everything that determines the bytes of a request. */
function bytesOf(request: Request): readonly unknown[] {
  const { method, target, fields, body, form } = request
  const lines = fields.map((field) => [field.name, valueOf(field)])
  const written = body === undefined ? [method, target, lines] : [method, target, lines, body]
  if (form === undefined) return written
  const { followedBy, ...how } = form
  return [
    ...written,
    how,
    typeof followedBy === 'object' ? followedBy.isInSameSegment : followedBy,
    ...nextOf(request).map(bytesOf),
  ]
}

/** The `user-agent` of the suite. */
export function userAgent(version: string): string {
  return `card-switch-conformance/${version}`
}

/** A plain valid request for an endpoint, as specified. Source: Endpoints, Authentication. */
export function plainRequest(
  { method, path, query, version, label, inactive, body }: KnownEndpoint,
  { name: client, credentials: { apiKey, secretKey } }: KnownClient,
  agent: string,
): TestRequest {
  const request: Request = {
    method,
    target: query === null ? path : `${path}?${query}`,
    fields: [
      { name: 'x-api-key', value: apiKey },
      { name: 'x-secret-key', value: secretKey },
      { name: 'x-version', value: version },
      { name: 'accept', value: 'application/json' },
      { name: 'user-agent', value: agent },
      ...(body === null ? [] : [{ name: 'content-type', value: 'application/json' }]),
    ],
    ...(body === null ? {} : { body }),
  }
  return new TestRequest(request, {
    client,
    endpoint: label,
    plain: !inactive && (client === 'target' || client === 'second'),
    transportMayRefuse: false,
  })
}

/** A plain valid request for an endpoint with each client's credentials. */
export function plainRequests(
  clients: readonly KnownClient[],
  endpoint: KnownEndpoint,
  agent: string,
): ReadonlyMap<ClientName, TestRequest> {
  return new Map(clients.map((client) => [client.name, plainRequest(endpoint, client, agent)]))
}
