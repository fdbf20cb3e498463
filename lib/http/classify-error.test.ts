import { errors } from 'undici'
import { describe, expect, test } from 'vitest'
import { classifyError } from './classify-error.ts'
import { TransportError } from './transport-error.ts'
import type { TransportErrorKind } from './transport-error.ts'

const withCode = (code: string, message = 'm'): Error => Object.assign(new Error(message), { code })
const connecting = (code: string): Error => Object.assign(withCode(code), { syscall: 'connect' })

const cases: readonly (readonly [Error, TransportErrorKind, RegExp])[] = [
  [connecting('ECONNREFUSED'), 'connection-refused', /nothing is listening on h:1/],
  [withCode('ENOTFOUND'), 'host-not-found', /does not resolve/],
  [withCode('EAI_AGAIN'), 'host-not-found', /does not resolve/],
  [connecting('EHOSTUNREACH'), 'unreachable', /no route/],
  [connecting('ENETUNREACH'), 'unreachable', /no route/],
  [connecting('ETIMEDOUT'), 'connect-timeout', /no connection/],
  [withCode('ETIMEDOUT'), 'timeout', /did not answer/],
  [new errors.ConnectTimeoutError(), 'connect-timeout', /no connection/],
  [new errors.HeadersTimeoutError(), 'timeout', /RUN_TIMEOUT_MS/],
  [new errors.BodyTimeoutError(), 'timeout', /RUN_TIMEOUT_MS/],
  [new DOMException('m', 'TimeoutError'), 'timeout', /RUN_TIMEOUT_MS/],
  [new errors.SocketError('other side closed'), 'connection-closed', /closed/],
  [new errors.SocketError('bad upgrade'), 'not-http', /h:1 answered with 101/],
  [withCode('ECONNRESET'), 'connection-closed', /closed/],
  [withCode('EPIPE'), 'connection-closed', /closed/],
  [new errors.ResponseContentLengthMismatchError(), 'connection-closed', /content-length/],
  [new errors.ResponseExceededMaxSizeError(), 'answer-too-large', /4 MiB/],
  [new errors.HeadersOverflowError(), 'answer-too-large', /header fields .*64 KiB/],
  [new errors.HTTPParserError('m'), 'not-http', /not HTTP/],
  [withCode('ERR_ASSERTION'), 'not-http', /not HTTP/],
  [withCode('CERT_HAS_EXPIRED'), 'tls', /has expired/],
  [withCode('CERT_NOT_YET_VALID'), 'tls', /not valid yet/],
  [withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls', /self-signed.*RUN_CA_FILE/],
  [withCode('SELF_SIGNED_CERT_IN_CHAIN'), 'tls', /untrusted.*RUN_CA_FILE/],
  [withCode('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'tls', /untrusted.*RUN_CA_FILE/],
  [withCode('UNABLE_TO_GET_ISSUER_CERT'), 'tls', /untrusted.*RUN_CA_FILE/],
  [withCode('UNABLE_TO_GET_ISSUER_CERT_LOCALLY'), 'tls', /untrusted.*RUN_CA_FILE/],
  [withCode('CERT_REVOKED'), 'tls', /not accepted \(CERT_REVOKED\)/],
  [withCode('ERR_TLS_CERT_ALTNAME_INVALID'), 'tls', /another host/],
  [withCode('ERR_SSL_WRONG_VERSION_NUMBER'), 'tls', /http:\/\//],
  [withCode('EPROTO'), 'tls', /http:\/\//],
  [withCode('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'), 'tls', /client certificate.*RUN_CERT_FILE/],
  [withCode('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE'), 'tls', /no encrypted connection/],
  [
    withCode('ECONNRESET', 'Client network socket disconnected before secure TLS connection was established'),
    'tls',
    /handshake/,
  ],
]

describe('error classification', () => {
  test.for(cases)('maps %s to %s', ([error, kind, says]) => {
    expect(classifyError(error, 'h:1')).toMatchObject({ kind, message: expect.stringMatching(says) })
  })

  test('looks inside attempts and causes', () => {
    const several = new AggregateError([connecting('ECONNREFUSED'), connecting('ENETUNREACH')])
    const caused = new TypeError('fetch failed', {
      cause: new Error('again', { cause: withCode('ENOTFOUND') }),
    })

    expect(classifyError(several, 'h:1')?.kind).toBe('connection-refused')
    expect(classifyError(caused, 'h:1')?.kind).toBe('host-not-found')
  })

  test('keeps a transport error unchanged', () => {
    const trouble = new TransportError('proxy', 'm')

    expect(classifyError(trouble, 'h:1')).toBe(trouble)
  })

  test('gives no kind to any other error, which is a bug in the suite', () => {
    const ring = new Error('ring')
    ring.cause = ring

    for (const error of [new TypeError('m'), new errors.InvalidArgumentError('m'), ring, 'text', null]) {
      expect(classifyError(error, 'h:1')).toBeNull()
    }
  })
})
