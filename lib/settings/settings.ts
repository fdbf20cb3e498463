import type { ClientCertificate, ConnectorOptions } from '../http/connector-options.ts'
import type { Credentials } from '../redact/secret.ts'
import type { ClientName } from '../specification/client-rows.ts'
import type { EndpointEntry } from './endpoints-file.ts'
import type { ProfileName } from './profiles.ts'
import type { Waiver } from './waivers.ts'

/** Settings that determine who receives credentials and who can read them in transit. */
export const connectionSettings = ['TARGET_BASE_URL', 'HTTPS_PROXY', 'RUN_CA_FILE'] as const

/** One of {@link connectionSettings}. */
export type ConnectionSetting = (typeof connectionSettings)[number]

/** Settings that describe the target. */
export interface TargetSettings {
  /**
   * Absolute http(s) URL without a trailing slash, query, fragment or user info; may have a path prefix. Null for `embedded` until it
   * listens.
   */
  readonly baseUrl: string | null
  readonly embedded: boolean
  /** An integer, as text. */
  readonly version: string
  /** A query that the list endpoint needs, without `?`. */
  readonly query: string | null
  readonly label: string | null
  /** Any text; `sha256:…` becomes the subject of the evidence. */
  readonly build: string | null
  /** Null for `embedded` until it listens. */
  readonly client: Credentials | null
  /** Additional endpoints, from TARGET_ENDPOINTS. */
  readonly endpoints: readonly EndpointEntry[]
  /** Settings that came only from a `.env` that the user did not name; absent if there are none. */
  readonly fromEnvFile?: readonly ConnectionSetting[]
}

/** Credentials of each client, null if not configured. */
export type Clients = Readonly<Record<ClientName, Credentials | null>>

/** Clients and inputs with known behaviour. */
export interface Fixtures extends Omit<Clients, 'target'> {
  /** A version that does not exist; an integer from 0 to 2147483647, as text. */
  readonly unsupportedVersion: string
  /** A query, without `?`, that the list endpoint must refuse with 1030. */
  readonly invalidQuery: string | null
  readonly disposableQuota: number | null
  readonly inactiveEndpoint: { readonly method: string; readonly path: string } | null
}

/** Settings of the run itself. */
export interface RunSettings extends Pick<ConnectorOptions, 'httpsProxy' | 'noProxy'> {
  readonly profile: ProfileName
  /** Whether a breach of an implied rule is a violation. */
  readonly strict: boolean
  readonly seed: number
  readonly fuzzCases: number
  /** The ids and globs of the rules to judge, or null for all. */
  readonly only: readonly string[] | null
  /** Limits each rule to one case. */
  readonly essential: boolean
  /** Judges only rules that failed or were inconclusive in the last run. */
  readonly failed: boolean
  /** Whether every request names the suite. */
  readonly identify: boolean
  readonly maxRequests: number
  readonly maxExhaust: number
  /** Null means unlimited. */
  readonly maxRps: number | null
  readonly concurrency: number
  readonly timeoutMs: number
  /** Maximum duration of the run, in minutes; may be a fraction. */
  readonly maxMinutes: number
  /** Absolute. */
  readonly reportsDir: string
  /** File for the run's history line; absolute. */
  readonly history: string
  readonly waivers: readonly Waiver[]
  /** Baseline file (absolute, as shown in reports, and as shown in replay lines) and how the run uses it; null if there is no baseline. */
  readonly baseline: {
    readonly file: string
    readonly shown: string
    readonly again: string
    readonly mode: 'compare' | 'widen' | 'replace'
  } | null
  /** File of the private key that signs the reports at the end of the run, absolute; null if unsigned. */
  readonly signingKeyFile: string | null
  /** Days for which the verdict is valid; null if unlimited. */
  readonly validDays: number | null
  readonly format: 'text' | 'json'
  readonly quiet: boolean
  /** Whether each case sends a traceparent. */
  readonly trace: boolean
  /** PEM text, and its file as shown in reports. */
  readonly ca: { readonly file: string; readonly pem: string } | null
  /** The client certificate and its file as shown in reports, or null. */
  readonly clientCertificate: (ClientCertificate & { readonly file: string }) | null
  /** Arguments that a replay line adds to send the same requests. */
  readonly replayFlags: readonly string[]
}

/** All checked settings of a run. */
export interface Settings {
  readonly target: TargetSettings
  readonly fixtures: Fixtures
  readonly run: RunSettings
}
