import { errors } from 'undici'
import { expect, test } from 'vitest'
import { classifyError, TransportError, type TransportErrorKind } from './transport-error.ts'

const withCode = (code: string, message = 'm'): Error => Object.assign(new Error(message), { code })
const connecting = (code: string): Error => Object.assign(withCode(code), { syscall: 'connect' })

const inHandshake = 'Client network socket disconnected before secure TLS connection was established'

const several = new AggregateError([connecting('ECONNREFUSED'), connecting('ENETUNREACH')])
const again = new Error('again', { cause: withCode('ENOTFOUND') })
const caused = new TypeError('fetch failed', { cause: again })

const cases: readonly (readonly [TransportErrorKind, RegExp, ...errors: readonly (Error | string)[]])[] = [
  ['connection-refused', /nothing is listening on h:1/, connecting('ECONNREFUSED'), several],
  ['host-not-found', /does not resolve/, 'ENOTFOUND', 'EAI_AGAIN', caused],
  ['unreachable', /no route/, connecting('EHOSTUNREACH'), connecting('ENETUNREACH')],
  ['connect-timeout', /no connection/, connecting('ETIMEDOUT'), new errors.ConnectTimeoutError()],
  ['timeout', /did not answer/, 'ETIMEDOUT'],
  ['timeout', /RUN_TIMEOUT_MS/, new errors.HeadersTimeoutError(), new errors.BodyTimeoutError()],
  ['timeout', /RUN_TIMEOUT_MS/, new DOMException('m', 'TimeoutError')],
  ['connection-closed', /closed/, new errors.SocketError('other side closed'), 'ECONNRESET', 'EPIPE'],
  ['not-http', /h:1 answered with 101/, new errors.SocketError('bad upgrade')],
  ['connection-closed', /content-length/, new errors.ResponseContentLengthMismatchError()],
  ['answer-too-large', /4 MiB/, new errors.ResponseExceededMaxSizeError()],
  ['answer-too-large', /header fields .*64 KiB/, new errors.HeadersOverflowError()],
  ['not-http', /not HTTP/, new errors.HTTPParserError('m'), 'ERR_ASSERTION'],
  ['tls', /has expired/, 'CERT_HAS_EXPIRED'],
  ['tls', /not valid yet/, 'CERT_NOT_YET_VALID'],
  ['tls', /self-signed.*RUN_CA_FILE/, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['tls', /untrusted.*RUN_CA_FILE/, 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ['tls', /untrusted.*RUN_CA_FILE/, 'UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
  ['tls', /not accepted \(CERT_REVOKED\)/, 'CERT_REVOKED'],
  ['tls', /another host/, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['tls', /http:\/\//, 'ERR_SSL_WRONG_VERSION_NUMBER', 'EPROTO'],
  ['tls', /client certificate.*RUN_CERT_FILE/, 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'],
  ['tls', /client certificate/, 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'],
  ['tls', /client certificate/, 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE'],
  ['tls', /client certificate/, 'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE'],
  ['tls', /client certificate/, 'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE'],
  ['tls', /handshake/, withCode('ECONNRESET', inHandshake)],
]

test.for(cases)('an error gets the kind %s and a message like %s: %#', ([kind, says, ...all]) => {
  for (const error of all.map((one) => (typeof one === 'string' ? withCode(one) : one)))
    expect(classifyError(error, 'h:1')).toMatchObject({ kind, message: expect.stringMatching(says) })
})

test('classification keeps a transport error, and leaves any other error unclassified, because it is a bug in the suite', () => {
  const trouble = new TransportError('proxy', 'm')
  const ring = new Error('ring')
  ring.cause = ring

  expect(classifyError(trouble, 'h:1')).toBe(trouble)
  for (const error of [new TypeError('m'), new errors.InvalidArgumentError('m'), ring, 'text', null]) {
    expect(classifyError(error, 'h:1')).toBeNull()
  }
})
