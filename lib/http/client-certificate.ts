import type { Secret } from '../redact/secret.ts'

/** A certificate that the client shows to the target, as PEM text, with those of its authorities behind it. */
export interface ClientCertificate {
  readonly cert: string
  /** The private key, as PEM text. */
  readonly key: Secret
}
