import { memberNames } from '../text/members.ts'

/** Maximum size of an answer, in bytes, before and after decoding; documented answers are far smaller. */
export const MAX_ANSWER_BYTES = 4 * 1024 * 1024

/** Maximum size of an answer's names and values, in bytes; some legitimate heads exceed undici's 16 KiB. */
export const MAX_HEAD_BYTES = 64 * 1024

/** Reasons why there is no usable answer, with their names in reports. */
export const failureNames = {
  'connection-refused': 'refused connection',
  'host-not-found': 'unresolved name',
  'connect-timeout': 'timeout of a connection',
  unreachable: 'missing route',
  tls: 'failed TLS handshake',
  proxy: 'failure of the proxy',
  timeout: 'timeout',
  'connection-closed': 'closed connection',
  'not-http': 'answer that is not HTTP',
  'answer-too-large': 'answer that is too large',
  undecodable: 'answer in an unknown coding',
  gateway: 'failure of a gateway',
} as const

/** The reason why there is no usable answer. */
export type TransportErrorKind = keyof typeof failureNames

/** Thrown if there is no usable answer. An answer, even a refusal, is returned as a value. */
export class TransportError extends Error {
  override readonly name = 'TransportError'
  readonly kind: TransportErrorKind

  constructor(kind: TransportErrorKind, message: string) {
    super(message)
    this.kind = kind
  }
}

/** Message for an unrequested switch to another protocol (101). */
export function unaskedSwitch(at: string) {
  return `${at} answered with 101, which the request did not ask for`
}

/** Whether the target accepted the connection and closed it before its answer was complete. */
export function closesConnection(kind: TransportErrorKind) {
  return kind === 'connection-closed'
}

/** Meanings of error codes by kind, with advice; `{at}` is host and port, `{code}` the code. Errors without a code are listed by name. */
const meanings = {
  'connection-refused': {
    ECONNREFUSED:
      'nothing is listening on {at} (connection refused): check that the service is running, and TARGET_BASE_URL',
  },
  'host-not-found': {
    'ENOTFOUND, EAI_AGAIN, ENODATA':
      'the host name of {at} does not resolve: check TARGET_BASE_URL and the name server',
  },
  unreachable: {
    'EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENETDOWN, EADDRNOTAVAIL':
      'there is no route to {at}: check the network, and whether it needs a VPN or a proxy (HTTPS_PROXY)',
  },
  'connect-timeout': {
    'UND_ERR_CONNECT_TIMEOUT, ETIMEDOUT connect':
      'no connection to {at} in time: check TARGET_BASE_URL and the firewall',
  },
  timeout: {
    'UND_ERR_HEADERS_TIMEOUT, UND_ERR_BODY_TIMEOUT, TimeoutError, ETIMEDOUT':
      '{at} did not answer in time (RUN_TIMEOUT_MS)',
  },
  'connection-closed': {
    'UND_ERR_SOCKET, ECONNRESET, ECONNABORTED, EPIPE, cut off':
      '{at} closed the connection before its answer was complete',
    'closed before any answer':
      '{at} closed the encrypted connection before any answer: it may require a client certificate, or reject the given certificate (RUN_CERT_FILE, RUN_KEY_FILE)',
    UND_ERR_RES_CONTENT_LENGTH_MISMATCH: '{at} sent an answer whose length differs from its content-length',
  },
  'not-http': {
    // undici asserts that a status is at least 100.
    'HTTPParserError, ERR_ASSERTION':
      'the answer from {at} is not HTTP: check the scheme and the port of TARGET_BASE_URL',
    'bad upgrade': unaskedSwitch('{at}'),
  },
  'answer-too-large': {
    UND_ERR_RES_EXCEEDED_MAX_SIZE: `the answer from {at} is longer than the limit of this suite (${MAX_ANSWER_BYTES / 1024 / 1024} MiB)`,
    UND_ERR_HEADERS_OVERFLOW: `the header fields of the answer from {at} are longer than the limit of this suite (${MAX_HEAD_BYTES / 1024} KiB)`,
  },
  tls: {
    CERT_HAS_EXPIRED: "the certificate of {at} has expired (or this machine's clock is wrong)",
    CERT_NOT_YET_VALID: "the certificate of {at} is not valid yet (or this machine's clock is wrong)",
    DEPTH_ZERO_SELF_SIGNED_CERT:
      'the certificate of {at} is self-signed: to trust it, set RUN_CA_FILE to its file',
    'SELF_SIGNED_CERT_IN_CHAIN, UNABLE_TO_GET_ISSUER_CERT, UNABLE_TO_GET_ISSUER_CERT_LOCALLY, UNABLE_TO_VERIFY_LEAF_SIGNATURE, CERT_UNTRUSTED':
      'the certificate of {at} is signed by an untrusted authority: to trust it, set RUN_CA_FILE to its file',
    'ERR_TLS_CERT_ALTNAME_INVALID, HOSTNAME_MISMATCH':
      'the certificate of {at} is for another host: check TARGET_BASE_URL',
    'EPROTO, ERR_SSL_WRONG_VERSION_NUMBER, ERR_SSL_PACKET_LENGTH_TOO_LONG':
      '{at} does not speak TLS as expected ({code}): check the port of TARGET_BASE_URL, and whether it should begin with http://',
    'closed in handshake':
      '{at} closed the connection during the TLS handshake: it may require a client certificate (RUN_CERT_FILE, RUN_KEY_FILE), or the port may be wrong',
    'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED, ERR_SSL_TLSV1_ALERT_UNKNOWN_CA, ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE':
      '{at} ended the TLS handshake: it may require a client certificate, or reject the given certificate (RUN_CERT_FILE, RUN_KEY_FILE)',
    ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE:
      'no encrypted connection to {at}: it may require a client certificate (RUN_CERT_FILE, RUN_KEY_FILE), or have no cipher in common with this suite',
    ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL:
      '{at} does not speak HTTP/1.1, the only version that this suite speaks: it may offer only HTTP/2 (ALPN)',
  },
} as const satisfies Readonly<Partial<Record<TransportErrorKind, Readonly<Record<string, string>>>>>

/** The kind and the sentence for each code. */
const meaningOf = new Map(
  memberNames(meanings).flatMap((kind) =>
    Object.entries<string>(meanings[kind]).flatMap(([codes, says]) =>
      codes.split(', ').map((code) => [code, { kind, says }] as const),
    ),
  ),
)

/** Node's names for the results of OpenSSL's certificate verification (src/crypto/crypto_common.cc). */
const certificateCode =
  /^(?:CA|CERT|CRL|EE|ERROR_IN|SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|PATH_LENGTH)_|^(?:HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|UNSPECIFIED)$/

/**
 * Finds the transport error in an error from undici, a socket or TLS, including in its `cause` or in an AggregateError; null means a fault
 * in this suite. `at` is the host and port. `beforeAnswers` means that a TLS target has not answered yet. With TLS 1.3, a missing client
 * certificate becomes apparent only after the handshake, often only as a closed connection.
 */
export function classifyError(error: unknown, at: string, beforeAnswers = false) {
  for (const cause of unwrap(error)) {
    if (cause instanceof TransportError) return cause

    const told = codeOf(cause)
    const code = beforeAnswers && closing.has(told) ? 'closed before any answer' : told
    const meaning = meaningOf.get(code) ?? meaningOf.get(cause.name)
    if (meaning !== undefined)
      return new TransportError(meaning.kind, meaning.says.replace('{at}', () => at).replace('{code}', code))
    if (certificateCode.test(code))
      return new TransportError('tls', `the certificate of ${at} was not accepted (${code})`)
    if (/^ERR_(?:SSL|TLS)_/.test(code))
      return new TransportError('tls', `no encrypted connection to ${at} (${code})`)
  }
  return null
}

const closing: ReadonlySet<string> = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'ECONNABORTED', 'EPIPE'])

/** The code of an error, or our own phrase if the code has several meanings. */
function codeOf(error: Error) {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const { message } = error
  if (code === 'ETIMEDOUT' && 'syscall' in error && error.syscall === 'connect') return 'ETIMEDOUT connect'
  if (code === 'ECONNRESET' && message.includes('before secure TLS connection')) return 'closed in handshake'
  // undici's code for a 101 (Switching Protocols) with an upgrade field.
  if (code === 'UND_ERR_SOCKET' && message === 'bad upgrade') return message
  // A chunked answer was cut off.
  if (error.name === 'HTTPParserError' && message.includes('Invalid EOF state')) return 'cut off'
  // OpenSSL 3.5, as in Node 22.20 and newer, has another name for the same alerts.
  return code.replace('_SSL/TLS_ALERT_', '_SSLV3_ALERT_')
}

/** The error and its causes, at most ten, because a chain of causes may be circular. */
function unwrap(error: unknown) {
  const found: Error[] = []
  const waiting: unknown[] = [error]
  while (waiting.length > 0 && found.length < 10) {
    const next = waiting.shift()
    if (!(next instanceof Error)) continue
    found.push(next)
    if (next instanceof AggregateError) waiting.push(...next.errors)
    waiting.push(next.cause)
  }
  return found
}
