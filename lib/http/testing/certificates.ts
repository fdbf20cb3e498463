import certificates from './certificates.json' with { type: 'json' }

/** A private authority and the certificates that it has signed, as PEM. */
export interface Certificates {
  readonly ca: string
  /** For 127.0.0.1 and localhost. */
  readonly local: { readonly key: string; readonly cert: string }
  /** For another host. */
  readonly other: { readonly key: string; readonly cert: string }
  /** For 127.0.0.1 and localhost, expired. */
  readonly expired: { readonly key: string; readonly cert: string }
  /** For 127.0.0.1 and localhost, signed only by itself. */
  readonly selfSigned: { readonly key: string; readonly cert: string }
}

/** Test certificates, made once and valid until 2120. Their keys protect nothing. */
export function makeCertificates(): Certificates {
  return certificates
}
