import type { Credentials } from '../redact/secret.ts'
import type { ClientName } from '../specification/client-rows.ts'
import type { DescribedInput, Endpoint } from '../specification/endpoints.ts'

/** A client in the settings. */
export type KnownClient = Readonly<{ name: ClientName; credentials: Credentials }>

/** A known endpoint with its queries. */
export type KnownEndpoint = Endpoint &
  Readonly<{
    /** Its name in reports and cases, such as `GET /api/customizations/list`. */
    label: string
    /** The query of a plain request, without `?`, or null. */
    query: string | null
    /** The JSON text that a plain request sends as its body, or null. */
    body: string | null
    /** A query that must be refused, or null. */
    invalidQuery: string | null
    /** Whether requests to it must be refused as inactive. */
    inactive: boolean
    /** The JSON Schema for its success in the endpoints file, or null. */
    success: object | null
    /** Its input in the endpoints file, or null. */
    described: DescribedInput | null
    /** Whether the suite may send to it: its method has no side effects, or the endpoints file permits it. */
    mayBeSent: boolean
  }>

/** Everything that the suite knows about the target before it sends a request. */
export type TargetModel = Readonly<{
  clients: readonly KnownClient[]
  endpoints: readonly KnownEndpoint[]
  unsupportedVersion: string
}>
