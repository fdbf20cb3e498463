import type { Certificates } from '../../lib/http/testing/certificates.ts'

/** What a gateway is put in front of. */
export interface Behind {
  /** Host and port at which the service speaks HTTP. */
  readonly upstream: string
  readonly certificates: Certificates
  /** Text of the gateway's own language that a test adds where {@link Gateway} says. */
  readonly more?: string
}

/** A gateway that runs. */
export interface RunningGateway {
  /** `https://127.0.0.1:…`, without a trailing slash. */
  readonly baseUrl: string
  /** What it wrote down about requests and errors, so far. */
  readonly log: () => Promise<string>
  /** Ends its process and removes its folder. */
  readonly close: () => Promise<void>
}

/** A program that terminates TLS, offers HTTP/2, compresses, and keeps its connections to the service alive. */
export interface Gateway {
  readonly name: string
  /** The program's name on the path. */
  readonly program: string
  /** How operators commonly harden it; text for {@link Behind.more}. */
  readonly hardened: string
  readonly start: (behind: Behind) => Promise<RunningGateway>
}
