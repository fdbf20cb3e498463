import type { Arbitrary } from 'fast-check'
import type { Credentials, Secret } from '../redact/secret.ts'
import type { Request } from '../http/request.ts'
import type { Answer } from '../spec/answers.ts'

/**
 * How the answer to a generated request is judged. `oracle`: by what arrives of it; `observed`: not at all, but for a 5xx;
 * `refused`: not at all, but that it must not be a success (a request without valid credentials, whatever else is with it).
 */
export type Treatment = 'oracle' | 'observed' | 'refused'

/** What is wrong with the request before anything is generated: nothing, or exactly one certain flaw. */
export type Base = (typeof bases)[number] | (typeof furtherBases)[number]

/** A request with nothing wrong, and those with one certain flaw that every setting allows to be sent. */
export const bases = [
  'valid',
  'api-key-absent',
  'secret-key-absent',
  'version-absent',
  'api-key-wrong',
  'secret-key-wrong',
  'version-unsupported',
] as const

/** Requests with one certain flaw that only some settings allow to be sent. */
export const furtherBases = [
  'endpoint-unknown',
  'input-invalid',
  'client-no-customer',
  'client-inactive',
  'client-unauthorized',
] as const

/** A generated change of a request, and what was done in words. */
export interface Fuzzed {
  /** What was done, so that a finding can say it: `TARGET_API_KEY with U+200B (e2 80 8b) after character 7`. */
  readonly says: string
  /** Makes the request from a plain valid one, or from one with the flaw of `base`. Pure. */
  readonly apply: (request: Request) => Request
  readonly treatment: Treatment
  /** Whether it follows from HTTP alone, so that a breach is a warning unless the run is strict. */
  readonly implied?: true
  /** Whether a 304 or any 4xx is as good: a field of the request is malformed, and a service may say so. */
  readonly fieldMayBeRefused?: true
  /** Whether the transport, a gateway or a firewall may refuse it by itself (T): a 4xx without the error object, a closed connection. */
  readonly transportMayRefuse: boolean
  /** What it is made from; a plain valid request without it. */
  readonly base?: Base
  /** Whether it goes to a path that no service has, on a connection of its own, so that no cache can keep an error for a real one. */
  readonly toUnknownPath?: boolean
  /** Whether a redirect to the known path on the same host is fine. */
  readonly mayRedirect?: boolean
  /** What is allowed, where facts cannot say it: two wrong keys. */
  readonly allowed?: readonly Answer[]
  /** A request that must have the same outcome; sent before it. */
  readonly sameAs?: (request: Request) => Request
  /**
   * The same with a credential that nobody was issued in the place of the valid one; sent before it. Where no service can show
   * a success, a request that gets past the check by which its twin is refused was let in.
   */
  readonly twin?: (request: Request) => Request
  /** What it belongs to in the observations of the run, and what the answer says there: `duplicates`, `valid key first`. */
  readonly observe?: { readonly id: string; readonly as: string }
}

/** One kind of what fuzzing sends: a class of the catalogue, or a part of one. */
export interface Kind {
  /** Stable: with a number it names a case (`doubled-character.3`). Lower case, digits and hyphens. */
  readonly name: string
  /** How often it is sent, relative to the other kinds of its rule; 0 for what is sent once in every run. */
  readonly weight: number
  /** Whether a gate sends it, too. */
  readonly gate: boolean
  /**
   * How many of its cases a gate sends in any case, before those that weights decide; all other profiles send all that it lists. For
   * what must be seen in every run, whatever the number of cases.
   */
  readonly always?: number
  /** How many requests each of its cases sends: two where `sameAs` or `twin` is given. */
  readonly requests?: 2
  /** How many different cases there are, where they are listed rather than drawn; the nth case beyond begins anew. */
  readonly count?: number
  /** How its nth case (from 0) is drawn. Listed kinds give each case its place; the first ones are sent most. */
  readonly nth: (nth: number) => Arbitrary<Fuzzed>
}

/** What generators make requests from. */
export interface Material {
  readonly target: Credentials
  /** Another permitted client, or null. */
  readonly second: Credentials | null
  /** A key and a secret of the shape of the valid ones that nobody was issued. */
  readonly wrongKey: string
  readonly wrongSecret: string
  readonly servedVersion: string
  readonly unsupportedVersion: string
  /** The path of the endpoint, below the base URL. */
  readonly path: string
  /** The query that the endpoint needs, without `?`, or null. */
  readonly query: string | null
  /** The further requests with one certain flaw that can be sent. */
  readonly furtherBases: readonly (typeof furtherBases)[number][]
}

/** Which credential of a client is meant. */
export type CredentialField = 'x-api-key' | 'x-secret-key'

/** The credential that belongs into a field. */
export function credentialOf({ apiKey, secretKey }: Credentials, field: CredentialField): Secret {
  return field === 'x-api-key' ? apiKey : secretKey
}
