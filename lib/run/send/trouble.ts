import { responseFields, type Exchange } from '../../http/exchange.ts'
import { TransportError, closesConnection, failureNames } from '../../http/transport-error.ts'
import type { Transport } from '../../http/transport.ts'
import { answeredBy } from '../../judge/answered.ts'
import { isErrorCode } from '../../specification/answers.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { trouble, type Notes } from '../plan/cases.ts'
import type { TestRequest } from '../plan/suite-context.ts'
import { Sums } from '../record/answers.ts'
import { retryDelaysMs, type RateLimiter, type RunLifecycle, type Send, type SendOptions } from './pace.ts'

/** The longest wait accepted from a gateway, in milliseconds. */
const longestGatewayWaitMs = 10_000
/** A CDN that cannot reach the service sends 520 to 527 and 530. */
const gatewayStatus = new Set([502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530])
const neverTheRequestsFault: ReadonlySet<TransportError['kind']> = new Set([
  'connection-refused',
  'host-not-found',
  'connect-timeout',
  'unreachable',
  'tls',
  'proxy',
  // This program has no decoder for it.
  'undecodable',
])
const perConnection: ReadonlySet<TransportError['kind']> = new Set([
  'connection-closed',
  'connection-refused',
  'connect-timeout',
])

/** A gateway's answer in place of the service's. */
class GatewayError extends TransportError {
  readonly exchange: Exchange

  constructor(exchange: Exchange) {
    super('gateway', `a gateway answered ${exchange.response.status} in place of the service`)
    this.exchange = exchange
  }
}

/** The failure behind a gateway's 502, 503, 504 or 52x, or a 408 for an idle connection (RFC 9110, 15.5.9); null for a documented error or any other answer. */
export function gatewayFailure(exchange: Exchange) {
  const { status, flaw, errorCode } = answeredBy(exchange.response)
  if (status === 408 && exchange.reused && flaw !== null) {
    const says =
      'an idle connection was closed with 408 (Request Timeout), without the documented error object'
    return new TransportError('connection-closed', says)
  }
  const isGateway = gatewayStatus.has(status) && (flaw !== null || !isErrorCode(errorCode))
  return isGateway ? new GatewayError(exchange) : null
}

/** Whether a failure may mean a refused rate: nginx refuses a rate with a 503 that looks like overload. */
export function mayMeanRate(error: TransportError | null): error is GatewayError {
  return error instanceof GatewayError && error.exchange.response.status === 503
}

/** Whether a request may cause this kind of failure; other kinds concern the connection only. */
export function mayBeTheRequestsFault(kind: TransportError['kind']) {
  return !neverTheRequestsFault.has(kind)
}

/** Whether an answer came that this program cannot read. A retry would get the same, and the service works. */
export function isUnreadable(kind: TransportError['kind']) {
  return kind === 'undecodable'
}

/** Whether a transport, gateway or firewall may have rejected this request by closing the connection, or by answering or dropping the request. */
export function isRejection({ traits }: TestRequest, kind: TransportError['kind']) {
  return traits.transportMayRefuse && (closesConnection(kind) || kind === 'gateway' || kind === 'timeout')
}

/** The wait that a gateway asks for, in milliseconds. */
function waitAskedFor(error: TransportError) {
  if (!(error instanceof GatewayError)) return 0
  return retryAfterMs(error.exchange, longestGatewayWaitMs) ?? 0
}

/** Whether the rate is refused, that is, a 429 without a documented code. With a code, it is an answer, perhaps with a wrong status. */
export function isRateRefusal({ response }: Exchange) {
  return response.status === 429 && !isErrorCode(answeredBy(response).errorCode)
}

/** `Retry-After` (seconds or a date) in milliseconds, up to a maximum; null if absent. Source: RFC 9110, 10.2.3. */
export function retryAfterMs({ response }: Exchange, longest: number): number | null {
  const value = responseFields(response, 'retry-after')[0]?.trim()
  if (value === undefined || value === '') return null

  const wait = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now()
  return Number.isNaN(wait) ? null : Math.min(Math.max(wait, 0), longest)
}

/** The maximum chance that all attempts to send a request fail by coincidence. */
const coincidence = 1e-6
/** The maximum number of attempts to prove a missing response. If more are needed, it is the service that is in trouble, not the request. */
const mostAttempts = 12
/**
 * The number of failures among the last attempts that starts a trial with plain requests, and the number of separate series in which they
 * must occur, because in an outage all attempts fail in one series.
 */
const suspicious = { failures: 4, of: 12, times: 3 } as const
/** The maximum number of trials in a run. There may be several, because a trial can miss failures by chance. */
const mostTrials = 3

/**
 * Counts unanswered attempts that no request explains. Failures that are proven to be caused by one request do not count as trouble of
 * the service.
 */
export function openAvailability(note: Notes['note']) {
  let answers = 0
  let failures = 0
  /** Failed attempts and refused rates by name; nobody is blamed for them. */
  const byKind = new Sums()
  /** Whether each of the last attempts was answered, whatever the cause. */
  let recent: readonly boolean[] = []
  let trials = 0
  let isRate = false

  /** Notes that an answer in place of the service's was not JSON. */
  const noteIfNotJson = (what: string, { response }: Exchange) => {
    const { kind } = response.body
    if (kind === 'json') return
    const [label = 'without content-type'] = responseFields(response, 'content-type')
    const body = kind === 'empty' ? 'an empty body' : `a body that is not JSON (${label.slice(0, 80)})`
    note('not-json', what, `${body}, although every body is documented as JSON`)
  }

  /** Counts failed attempts that the request does not explain. */
  const failed = (all: readonly TransportError[]) => {
    failures += all.length
    for (const failure of all) {
      const name =
        failure instanceof GatewayError ? `${failure.exchange.response.status}` : failureNames[failure.kind]
      byKind.add(isRate && mayMeanRate(failure) ? '503 (rate limit)' : name)
    }
  }

  return {
    byKind,
    failed,

    /** Counts a response and the failed attempts before it. */
    answered(before: readonly TransportError[]) {
      answers += 1
      failed(before)
    },

    /** Notes that this service uses a 503 to refuse the rate, so it is not trouble, but still counts against blaming a request. */
    rateRefused() {
      const known = byKind.of('503')
      isRate = true
      recent = []
      byKind.delete('503')
      if (known > 0) byKind.add('503 (rate limit)', known)
    },

    /** Counts a refused rate, which is not trouble. */
    rateWasRefused(by: Exchange) {
      byKind.add('429')
      noteIfNotJson('429 without 1020', by)
    },

    /** Notes a gateway's answer before the first real answer. */
    intercepted({ exchange }: GatewayError) {
      if (answers === 0) noteIfNotJson(`${exchange.response.status} before the first answer`, exchange)
    },

    /** Records the outcome of an attempt. */
    attempted(isAnswered: boolean) {
      recent = [...recent.slice(1 - suspicious.of), isAnswered]
    },

    /** Forgets the outcomes of the last attempts, because the reason for them is known. */
    explained() {
      recent = []
    },

    /** Whether many of the last attempts failed, with answers in between; forgets them if so. True at most three times per run. */
    isSuspicious() {
      const places = [...recent.keys()].filter((place) => recent[place] === false)
      const times = places.filter((place) => recent[place - 1] !== false)
      const isIt = places.length >= suspicious.failures && times.length >= suspicious.times
      if (!isIt || trials >= mostTrials) return false
      trials += 1
      recent = []
      return true
    },

    /** How many unanswered attempts prove that the request is the reason; 0 while no other request has met trouble, null if no number proves it. */
    attemptsOfProof() {
      if (failures === 0) return 0
      const chance = (failures + 1) / (answers + failures + 2)
      const needed = Math.ceil(Math.log(coincidence) / Math.log(chance))
      return needed > mostAttempts ? null : needed
    },
  }
}

export type Availability = ReturnType<typeof openAvailability>

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
/** The number of consecutive failures that count as an outage. */
const outage = 3
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

/**
 * Consecutive attempts without an answer. In an outage, all requests wait for `waitMs` from `since` on, and then one at a time probes
 * whether it is over. Times are those of `performance.now()`.
 */
const noFailures = { count: 0, since: 0, waitMs: 0 }

export type Failures = Readonly<typeof noFailures>

/** The state after another failure. The failure of a request sent before the outage changes nothing. */
export function afterFailure(known: Failures, sentAt: number, now: number, askedMs: number) {
  if (sentAt < known.since) return known
  const count = known.count + 1
  if (count < outage) return { ...known, count }
  const delayMs = retryDelaysMs[count - outage] ?? Math.max(...retryDelaysMs)
  return { count, since: now, waitMs: Math.max(askedMs, delayMs) }
}

/** Sends a request once. Throws a {@link TransportError} if there is no response. */
export type Spend = (request: TestRequest, options: SendOptions) => Promise<Exchange>

/**
 * Retries failures, slows down after a bare 429, and in an outage holds all requests back while one at a time probes the service, so that
 * cases do not waste their attempts.
 */
export function withRetries(
  spend: Spend,
  run: RunLifecycle,
  limiter: RateLimiter,
  availability: Availability,
  transport: Pick<Transport, 'useAtMost'>,
): Send {
  /** Clients whose 429 still had no 1020 after all waits, so the bare 429 is their answer. */
  const bareFor = new Set<ClientName>()
  let failures: Failures = noFailures
  let gatewayFailures = 0
  const most = limiter.concurrency
  let connections = most
  let closed = 0
  let toClose = closedConnections
  let quiet = 0
  let untilMore = quietResponses

  const use = (count: number) => {
    connections = count
    quiet = 0
    limiter.limitConcurrency(count)
    transport.useAtMost(count)
  }
  const countClosed = () => {
    closed += 1
    quiet = 0
    if (closed < toClose || connections <= fewConnections) return
    if (toClose === 1) untilMore *= 2
    toClose = 1
    use(fewConnections)
  }
  const responded = () => {
    closed = Math.max(0, closed - forgottenPerResponse)
    quiet += 1
    if (connections < most && quiet >= untilMore) use(connections + 1)
    failures = noFailures
    limiter.oneAtATime(false)
  }
  const failed = (error: TransportError, sentAt: number) => {
    // Some gateways answer 503 on a new connection if too many are open.
    const isRefused = mayMeanRate(error) && !error.exchange.reused
    if (isRefused || perConnection.has(error.kind)) countClosed()
    const now = performance.now()
    failures = afterFailure(failures, sentAt, now, waitAskedFor(error))
    if (failures.count >= outage) {
      limiter.oneAtATime(true)
      if (failures.since === now) limiter.pause(failures.waitMs)
    } else if (error.kind === 'gateway') {
      gatewayFailures += 1
      if (gatewayFailures % gatewayFailuresPerSlowdown === 0) limiter.slowDown(0, sentAt)
    }
  }

  const attempt = limiter.limit(async (request, options) => {
    const sentAt = performance.now()
    const sent = await spend(request, options).catch(failureOf)
    const outcome = sent instanceof TransportError ? sent : (gatewayFailure(sent) ?? sent)
    const isFailure = outcome instanceof TransportError
    if (isFailure && (isUnreadable(outcome.kind) || isRejection(request, outcome.kind))) return outcome
    availability.attempted(!isFailure)
    if (!isFailure) responded()
    // Unless the request explains the failure, it may mean an outage.
    else if (!options.expectsFailure || !mayBeTheRequestsFault(outcome.kind)) failed(outcome, sentAt)
    return outcome
  })

  const isAnswer = (request: TestRequest, times: number) => {
    if (!asksForQuota(request)) return false
    // The answer to HEAD cannot contain a code.
    if (request.request.method === 'HEAD') return true
    if (times > quotaRetries) bareFor.add(request.traits.client)
    return bareFor.has(request.traits.client)
  }
  const slowDown = (request: TestRequest, exchange: Exchange, times: number) => {
    const waitMs = Math.max(rateWaitMs.least, retryAfterMs(exchange, rateWaitMs.most) ?? 0)
    // After a pause and with nothing else in flight, the rate cannot be the cause.
    if (asksForQuota(request)) return limiter.pause(waitMs)
    if (times > rateRetries)
      throw trouble(`the service refused the rate of requests, ${times} of ${times} times (429)`)
    limiter.slowDown(waitMs, performance.now() - exchange.durationMs)
  }
  const wait = async (error: TransportError, attempts: number) => {
    const waitMs = Math.max(retryDelaysMs[attempts - 1] ?? 0, waitAskedFor(error))
    // During a longer outage, the limiter makes the request wait.
    if (failures.waitMs < waitMs) await run.sleep(waitMs)
  }

  return async (request, options) => {
    const attempts = [...(options.after?.attempts ?? [])]
    let error = options.once ? undefined : attempts.at(-1)
    let { purpose, exclusive = false } = options
    for (let rateLimited = 0; ;) {
      if (error) await wait(error, attempts.length)
      const priority = options.purpose === 'health-check' ? healthCheckPriority : attempts.length
      // Most requests need no copy, which V8 would keep until it collects the whole heap.
      const isFirst = priority === 0 && purpose === options.purpose
      const how = isFirst ? options : { ...options, purpose, exclusive, priority }
      const outcome = await attempt(request, how)
      purpose = 'retry'
      error = outcome instanceof TransportError ? outcome : undefined
      if (outcome instanceof TransportError) {
        attempts.push(outcome)
        if (outcome instanceof GatewayError) availability.intercepted(outcome)
        if (attempts.length > retriesAfter(outcome, request, options.once))
          return { error: outcome, attempts }
      } else if (isRateRefusal(outcome) && !options.isCrowd) {
        rateLimited += 1
        availability.rateWasRefused(outcome)
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

/** The failure to send a request; rethrows any other error. */
function failureOf(error: unknown) {
  if (error instanceof TransportError) return error
  throw error
}

/** Whether a rule asks about this client's used-up quota. */
function asksForQuota({ traits }: TestRequest) {
  return traits.asksForQuota === true && quotaClients.has(traits.client)
}

function retriesAfter({ kind }: TransportError, request: TestRequest, once: boolean | undefined) {
  const isSafe = ['GET', 'HEAD', 'OPTIONS'].includes(request.request.method)
  if (once || !isSafe || isUnreadable(kind) || isRejection(request, kind)) return 0
  return kind === 'timeout' ? retriesAfterTimeout : retryDelaysMs.length
}
