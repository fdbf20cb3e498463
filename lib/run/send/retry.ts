import type { Exchange } from '../../http/exchange.ts'
import { TransportError } from '../../http/transport-error.ts'
import type { Transport } from '../../http/transport.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { NoAnswer } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'
import type { Layer, RateLimiter, Send, SendOptions } from './pace.ts'
import { retryDelaysMs, type RunLifecycle } from './run-state.ts'
import {
  GatewayError,
  gatewayFailure,
  isUnreadable,
  isRateRefusal,
  isRejection,
  mayBeTheRequestsFault,
  mayMeanTooManyConnections,
  retryAfterMs,
  waitAskedFor,
  type Availability,
} from './trouble.ts'

interface SharedState {
  readonly run: RunLifecycle
  readonly limiter: RateLimiter
  readonly availability: Availability
}

/** Retries after a timeout, which has already cost a long wait. */
const retriesAfterTimeout = 1
/** Retries after a bare 429. */
const rateRetries = 5
/** Retries after a bare 429 that may be the answer to a rule about the quota. */
const quotaRetries = 2
const quotaClients: ReadonlySet<ClientName> = new Set(['exhausted', 'disposable'])
/** Limits on the wait after a bare 429, in milliseconds. */
const rateWaitMs = { least: 1_000, most: 60_000 } as const
/** A health check is sent before waiting retries, because it shows whether they are needed. */
const healthCheckPriority = retryDelaysMs.length + 1

/** Retries failures, and slows down after a bare 429. */
export function withRetries(next: Layer, { run, limiter, availability }: SharedState): Send {
  /** Clients whose 429 still had no 1020 after all waits, so the bare 429 is their answer. */
  const bareFor = new Set<ClientName>()

  const isAnswer = (request: TestRequest, times: number): boolean => {
    if (!asksForQuota(request)) return false
    // The answer to HEAD cannot contain a code.
    if (request.request.method === 'HEAD') return true
    if (times > quotaRetries) bareFor.add(request.traits.client)
    return bareFor.has(request.traits.client)
  }
  const slowDown = (request: TestRequest, exchange: Exchange, times: number): void => {
    const waitMs = Math.max(rateWaitMs.least, retryAfterMs(exchange, rateWaitMs.most) ?? 0)
    // After a pause and with nothing else in flight, the rate cannot be the cause.
    if (asksForQuota(request)) return limiter.pause(waitMs)
    if (times > rateRetries)
      throw new NoAnswer(
        'trouble',
        `the service refused the rate of requests, ${times} of ${times} times (429)`,
      )
    limiter.slowDown(waitMs, performance.now() - exchange.durationMs)
  }
  const wait = async (error: TransportError, attempts: number): Promise<void> => {
    const waitMs = Math.max(retryDelaysMs[attempts - 1] ?? 0, waitAskedFor(error))
    // During a longer outage, the limiter makes the request wait.
    if (run.state.kind !== 'probing' || run.state.waitMs < waitMs) await run.sleep(waitMs)
  }

  return async (request, options) => {
    const attempts = [...(options.after?.attempts ?? [])]
    let error = options.once === true ? undefined : attempts.at(-1)
    let { purpose, exclusive = false } = options
    for (let rateLimited = 0; ;) {
      if (error !== undefined) await wait(error, attempts.length)
      const priority = options.purpose === 'health-check' ? healthCheckPriority : attempts.length
      const isFirst = priority === 0 && purpose === options.purpose
      const how = isFirst ? options : { ...options, purpose, exclusive, priority }
      const outcome = await next(request, how).catch(asTransportError)
      purpose = 'retry'
      error = outcome instanceof TransportError ? outcome : undefined
      if (outcome instanceof TransportError) {
        attempts.push(outcome)
        if (outcome instanceof GatewayError) availability.intercepted(outcome)
        if (attempts.length > retriesAfter(outcome, request, options))
          return { kind: 'no response', error: outcome, attempts }
      } else if (isRateRefusal(outcome) && options.isCrowd !== true) {
        rateLimited += 1
        availability.intercepted(outcome)
        if (isAnswer(request, rateLimited)) return outcome
        exclusive ||= asksForQuota(request)
        slowDown(request, outcome, rateLimited)
      } else {
        limiter.onSuccess()
        availability.answered(attempts)
        return outcome
      }
    }
  }
}

/** Whether a rule asks about this client's used-up quota. */
function asksForQuota({ traits }: TestRequest): boolean {
  return traits.asksForQuota && quotaClients.has(traits.client)
}

function asTransportError(error: unknown): TransportError {
  if (error instanceof TransportError) return error
  throw error
}

function retriesAfter({ kind }: TransportError, request: TestRequest, { once }: SendOptions): number {
  const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(request.request.method)
  if (once === true || !isSafe || isUnreadable(kind) || isRejection(request, kind)) return 0
  return kind === 'timeout' ? retriesAfterTimeout : retryDelaysMs.length
}

/** Gateway failures, with answers in between, that may mean a refused rate. */
const gatewayFailuresPerSlowdown = 5
/** Refused or closed connections after which fewer are used, because some gateways accept only four. Later, one is enough. */
const closedConnections = 3
/** How much each answer reduces that count, so that rare failures never add up. */
const forgottenPerResponse = 1 / 25
/** The number of connections used after that; a scenario may open two more. */
const fewConnections = 2
/** The number of answers without a closed connection after which one more connection is used; doubled each time that proved too many. */
const quietResponses = 100

/** In an outage, holds all requests back while one at a time probes the service, so that cases do not waste their attempts. */
export function withCircuitBreaker(
  next: Layer,
  { run, limiter, availability }: SharedState,
  transport: Pick<Transport, 'useAtMost'>,
): Layer {
  let gatewayFailures = 0
  const most = limiter.concurrency
  let connections = most
  let [closed, toClose, quiet, untilMore] = [0, closedConnections, 0, quietResponses]

  const use = (count: number): void => {
    connections = count
    quiet = 0
    limiter.limitConcurrency(count)
    transport.useAtMost(count)
  }
  const countClosed = (): void => {
    closed += 1
    quiet = 0
    if (closed < toClose || connections <= fewConnections) return
    if (toClose === 1) untilMore *= 2
    toClose = 1
    use(fewConnections)
  }
  const countResponse = (): void => {
    closed = Math.max(0, closed - forgottenPerResponse)
    quiet += 1
    if (connections < most && quiet >= untilMore) use(connections + 1)
  }
  const countGatewayFailure = (sentAt: number): void => {
    gatewayFailures += 1
    if (gatewayFailures % gatewayFailuresPerSlowdown === 0) limiter.slowDown(0, sentAt)
  }
  const failed = (error: TransportError, sentAt: number): void => {
    if (mayMeanTooManyConnections(error)) countClosed()
    const now = performance.now()
    const state = run.change({ kind: 'failed', sentAt, now, waitMs: waitAskedFor(error) })
    if (state.kind === 'running' && error.kind === 'gateway') countGatewayFailure(sentAt)
    if (state.kind !== 'probing') return
    limiter.oneAtATime(true)
    if (state.since === now) limiter.pause(state.waitMs)
  }

  return async (request, options) => {
    const sentAt = performance.now()
    try {
      const exchange = await next(request, options)
      const failure = gatewayFailure(exchange)
      if (failure !== null) throw failure
      countResponse()
      availability.attempted(true)
      run.change({ kind: 'responded' })
      limiter.oneAtATime(false)
      return exchange
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
      if (!isUnreadable(error.kind) && !isRejection(request, error.kind)) availability.attempted(false)
      if (mayMeanOutage(error, request, options)) failed(error, sentAt)
      throw error
    }
  }
}

/** Whether a failure may mean an outage. It does not if an answer came, the transport may reject the request, or the request explains the failure. */
function mayMeanOutage(
  { kind }: TransportError,
  request: TestRequest,
  { expectsFailure }: SendOptions,
): boolean {
  if (isUnreadable(kind)) return false
  return !isRejection(request, kind) && (expectsFailure !== true || !mayBeTheRequestsFault(kind))
}
