import { MAX_HEAD_BYTES } from './answer.ts'
import { isCertificateCode, tlsSentence } from './tls-trouble.ts'
import { TransportError, unaskedSwitch } from './transport-error.ts'
import type { TransportErrorKind } from './transport-error.ts'

interface Explanation {
  readonly kind: TransportErrorKind
  /** What happened and what to check; `at` is the host and port. */
  readonly sentence: (at: string) => string
}

const refused: Explanation = {
  kind: 'connection-refused',
  sentence: (at) =>
    `nobody listens at ${at} (connection refused): is the service running, is TARGET_BASE_URL right?`,
}
const notFound: Explanation = {
  kind: 'host-not-found',
  sentence: (at) =>
    `the name of ${at} does not resolve: is TARGET_BASE_URL right, does the name server answer?`,
}
const unreachable: Explanation = {
  kind: 'unreachable',
  sentence: (at) =>
    `there is no route to ${at}: is the network up, is a VPN or a proxy (HTTPS_PROXY) needed?`,
}
const connectTimeout: Explanation = {
  kind: 'connect-timeout',
  sentence: (at) =>
    `no connection to ${at} in time: is TARGET_BASE_URL right, does a firewall drop the packets?`,
}
const timeout: Explanation = {
  kind: 'timeout',
  sentence: (at) => `${at} did not answer in time (RUN_TIMEOUT_MS)`,
}
const closed: Explanation = {
  kind: 'connection-closed',
  sentence: (at) => `${at} closed the connection before its answer was complete`,
}
const otherLength: Explanation = {
  kind: 'connection-closed',
  sentence: (at) => `${at} sent an answer of another length than its content-length announced`,
}
const notHttp: Explanation = {
  kind: 'not-http',
  sentence: (at) => `what ${at} answered is not HTTP: are scheme and port of TARGET_BASE_URL right?`,
}
const tooLarge: Explanation = {
  kind: 'answer-too-large',
  sentence: (at) => `the answer of ${at} is longer than this suite reads (4 MiB)`,
}
const headersTooLarge: Explanation = {
  kind: 'answer-too-large',
  sentence: (at) =>
    `the header fields of the answer of ${at} are longer than this suite reads (${MAX_HEAD_BYTES / 1024} KiB)`,
}

/** By `code`, or by `name` where an error has none. */
const explanations: ReadonlyMap<string, Explanation> = new Map([
  ['ECONNREFUSED', refused],
  ['ENOTFOUND', notFound],
  ['EAI_AGAIN', notFound],
  ['ENODATA', notFound],
  ['EHOSTUNREACH', unreachable],
  ['ENETUNREACH', unreachable],
  ['EHOSTDOWN', unreachable],
  ['ENETDOWN', unreachable],
  ['EADDRNOTAVAIL', unreachable],
  ['UND_ERR_CONNECT_TIMEOUT', connectTimeout],
  ['UND_ERR_HEADERS_TIMEOUT', timeout],
  ['UND_ERR_BODY_TIMEOUT', timeout],
  ['TimeoutError', timeout],
  ['UND_ERR_SOCKET', closed],
  ['ECONNRESET', closed],
  ['ECONNABORTED', closed],
  ['EPIPE', closed],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', otherLength],
  ['UND_ERR_RES_EXCEEDED_MAX_SIZE', tooLarge],
  ['UND_ERR_HEADERS_OVERFLOW', headersTooLarge],
  ['HTTPParserError', notHttp],
  // undici asserts that a status is at least 100.
  ['ERR_ASSERTION', notHttp],
])

/**
 * The trouble that an error of undici, of a socket or of TLS stands for, also deep in `cause` or in an AggregateError
 * (several addresses tried); null for anything else, which is a fault of this suite's. `at` is the host and port.
 */
export function classifyError(error: unknown, at: string): TransportError | null {
  for (const one of unwrap(error)) {
    if (one instanceof TransportError) return one

    const trouble = tlsTrouble(one, at) ?? explained(one, at)
    if (trouble !== null) return trouble
  }
  return null
}

function explained(error: Error, at: string): TransportError | null {
  const special = specialCase(error)
  const found = special ?? explanations.get(codeOf(error)) ?? explanations.get(error.name)

  return found === undefined ? null : new TransportError(found.kind, found.sentence(at))
}

function specialCase(error: Error): Explanation | undefined {
  const code = codeOf(error)
  if (code === 'ETIMEDOUT')
    return 'syscall' in error && error.syscall === 'connect' ? connectTimeout : timeout
  // A chunked answer was cut off; the error has no code.
  if (error.name === 'HTTPParserError' && error.message.includes('Invalid EOF state')) return closed
  // undici says so of a 101 (Switching Protocols) that has an upgrade field.
  if (code === 'UND_ERR_SOCKET' && error.message === 'bad upgrade')
    return { kind: 'not-http', sentence: unaskedSwitch }
  return undefined
}

function tlsTrouble(error: Error, at: string): TransportError | null {
  const code = codeOf(error)
  const isTls =
    isCertificateCode(code) ||
    /^(ERR_SSL_|ERR_TLS_)/.test(code) ||
    code === 'EPROTO' ||
    (code === 'ECONNRESET' && error.message.includes('before secure TLS connection'))

  return isTls ? new TransportError('tls', tlsSentence(code, at)) : null
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : ''
}

/** An error, then what it was made of: at most ten, for a chain of causes may be a ring. */
function unwrap(error: unknown): readonly Error[] {
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
