import certificates from './certificates.json' with { type: 'json' }

/**
 * A private authority (`ca`) and certificates as PEM for 127.0.0.1 and localhost: valid (`local`), `expired`,
 * and signed only by itself (`selfSigned`). `other` is for another host.
 */
export type Certificates = typeof certificates

/** Test certificates, made once and valid until 2120. Their keys protect nothing. */
export function makeCertificates(): Certificates {
  return certificates
}
