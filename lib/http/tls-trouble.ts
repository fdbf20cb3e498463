/** Every name that Node gives to a result of OpenSSL's verification of certificates (src/crypto/crypto_common.cc). */
const certificateCodes: ReadonlySet<string> = new Set([
  'CA_KEY_TOO_SMALL',
  'CA_MD_TOO_WEAK',
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'CRL_HAS_EXPIRED',
  'CRL_NOT_YET_VALID',
  'CRL_SIGNATURE_FAILURE',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'EE_KEY_TOO_SMALL',
  'ERROR_IN_CERT_NOT_AFTER_FIELD',
  'ERROR_IN_CERT_NOT_BEFORE_FIELD',
  'ERROR_IN_CRL_LAST_UPDATE_FIELD',
  'ERROR_IN_CRL_NEXT_UPDATE_FIELD',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY',
  'UNABLE_TO_DECRYPT_CERT_SIGNATURE',
  'UNABLE_TO_DECRYPT_CRL_SIGNATURE',
  'UNABLE_TO_GET_CRL',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNSPECIFIED',
])

/** Whether an error's code says that a certificate was refused. */
export function isCertificateCode(code: string): boolean {
  return certificateCodes.has(code)
}

/** What went wrong between us and `at` (host and port) for a code of TLS, and what to check. */
export function tlsSentence(code: string, at: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `the certificate of ${at} has expired (or this machine's clock is wrong)`
    case 'CERT_NOT_YET_VALID':
      return `the certificate of ${at} is not valid yet (or this machine's clock is wrong)`
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `the certificate of ${at} is signed by itself: when it is to be trusted, give it with RUN_CA_FILE`
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_GET_ISSUER_CERT':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'CERT_UNTRUSTED':
      return `the certificate of ${at} is signed by an authority that is not trusted: give it with RUN_CA_FILE`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'HOSTNAME_MISMATCH':
      return `the certificate of ${at} is for another host: is TARGET_BASE_URL right?`
    case 'EPROTO':
    case 'ERR_SSL_WRONG_VERSION_NUMBER':
    case 'ERR_SSL_PACKET_LENGTH_TOO_LONG':
      return `${at} does not speak TLS as expected (${code}): should TARGET_BASE_URL begin with http://, is its port right?`
    case 'ECONNRESET':
      return `${at} closed the connection during the TLS handshake: does it ask for a client certificate, is its port right?`
    case 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL':
      return `${at} does not speak HTTP/1.1, which is all that this suite speaks: does it offer HTTP/2 only (ALPN)?`
    default:
      return isCertificateCode(code)
        ? `the certificate of ${at} was not accepted (${code})`
        : `no encrypted connection to ${at} (${code})`
  }
}
