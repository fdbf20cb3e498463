import { setMaxListeners } from 'node:events'
import { type Exchange, nextOf } from '../../http/exchange.ts'
import type { TransportError } from '../../http/transport-error.ts'
import type { Signal } from '../../http/transport.ts'
import { answeredBy } from '../../judge/answered.ts'
import type { RunSettings } from '../../settings/settings.ts'
import { NoAnswer } from '../plan/cases.ts'
import type { Context, Purpose, TestRequest } from '../plan/suite-context.ts'

/** How a request is sent. */
export type SendOptions = Pick<Context, 'rule' | 'connection' | 'atOnce'> &
  Readonly<{
    purpose: Purpose
    /** The name of its case, for the trace; without a name, no trace is sent. */
    case?: string | undefined
    /** Whether nothing else may be in flight. */
    exclusive?: boolean
    /** Part of a crowd: only the rate limits it, and if the rate is refused, that is its answer. */
    isCrowd?: boolean
    /** Sends a single attempt; the caller handles a failure. */
    once?: boolean
    /** Failed attempts to continue from. Waits first, unless `once` is set. */
    after?: Unanswered
    /** A failure is expected and does not indicate an outage. */
    expectsFailure?: boolean
    /** Why the request must not be sent after all, asked when it leaves the queue; it then rejects with this error. */
    refusal?: () => Error | null
    /** Higher priorities are sent first. */
    priority?: number
  }>

/** Makes one attempt to send a request. */
export type Attempt = (request: TestRequest, options: SendOptions) => Promise<Exchange | TransportError>

/** The result if no attempt to send a request got a response. */
export interface Unanswered {
  /** The error of the last attempt. */
  readonly error: TransportError
  /** The error of each attempt. */
  readonly attempts: readonly TransportError[]
}

/** Sends a request. Throws `NoAnswer` if the service keeps refusing the rate, or if no requests are left. */
export type Send = (request: TestRequest, options: SendOptions) => Promise<Exchange | Unanswered>

/** Whether no response came. */
export function isUnanswered(sent: Exchange | Unanswered): sent is Unanswered {
  return 'attempts' in sent
}

/** The waits before each new attempt, in milliseconds: in total longer than a gateway needs to find a restarted service. */
export const retryDelaysMs = [250, 750, 1_500] as const

export type RunLifecycle = ReturnType<typeof openLifecycle>

/** The end of a run. The first end is final. `cancelled` aborts when the run is cancelled, which also aborts requests in flight. */
export function openLifecycle(cancelled: Signal) {
  const ending = new AbortController()
  const signal: Signal = ending.signal
  // Every request in flight listens.
  setMaxListeners(0, cancelled, signal)
  const cancel = () => ending.abort(cancelled.reason)
  cancelled.addEventListener('abort', cancel, { once: true })
  if (cancelled.aborted) cancel()

  return {
    cancelled,
    /** Aborts when the run ends, with the reason: nothing more is sent, but requests in flight finish. */
    signal,

    /** Why nothing more is sent; null while the run goes on or if it was cancelled. */
    ended: () => (signal.reason instanceof NoAnswer ? signal.reason : null),

    /** Ends the run unless it has already ended; returns the reason for the first end. */
    end(says: string, none: 'ended' | 'locked' = 'ended') {
      ending.abort(new NoAnswer(none, says))
      return signal.reason
    },

    /** Waits for this many milliseconds; rejects with the reason if the run ends. */
    async sleep(waitMs: number) {
      signal.throwIfAborted()
      if (waitMs <= 0) return
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        const timer = setTimeout(wake, waitMs)
        signal.addEventListener('abort', wake)
      })
      signal.throwIfAborted()
    },
  }
}

/** The first limit for an unlimited run that has to slow down, in requests per second. */
const firstLimit = 10
/** The minimum rate, in requests per second. */
const slowest = 1
/** The additive increase per accepted response, in requests per second. */
const increase = 0.1
/** The rate at which a run without a limit becomes unlimited again, in requests per second. */
const recovered = 100
/** How late a timer may fire without slowing down the rate, in milliseconds. */
const timerDelayMs = 2

type Waiting = Readonly<{
  /** The number of requests that are sent together. */
  count: number
  options: SendOptions
  go: () => void
  reject: (reason: unknown) => void
}>

/** Allowance for clocks that round to milliseconds or run fast, in milliseconds. */
const marginMs = 5

/**
 * Limits concurrency and rate (additive increase, multiplicative decrease). Requests are sent by priority, then in order.
 *
 * At most `maxRps` requests are sent in any second, as counted by the receiver, whatever happens in transit. A request arrives between
 * its start and its end, which is its answer or its timeout. So request n starts a second after n − maxRps requests have ended: fewer
 * than maxRps of the earlier requests are still in flight or ended within that second. With only starts and ends, nothing faster is safe:
 * at a latency of L seconds, maxRps / (1 + L) requests are sent per second. The rate is rounded down to a whole number; below 1, one
 * request is sent every 1 / maxRps seconds.
 */
export function openRateLimiter(settings: Pick<RunSettings, 'concurrency' | 'maxRps'>, run: RunLifecycle) {
  let { concurrency } = settings
  let lowest = concurrency
  const adaptive = openAdaptiveConcurrency(concurrency)
  let maxRps = settings.maxRps ?? Infinity
  /** Requests per second; infinite while the rate is unlimited. */
  let rate = maxRps
  /** Maximum number of requests in any span. */
  const places = Math.max(1, Math.floor(maxRps))
  const spanMs = 1_000 / Math.min(1, maxRps) + marginMs
  /** The number of requests that started, and when each of them ended, in order. */
  let started = 0
  const ends: number[] = []
  let active = 0
  let isExclusive = false
  let isOneAtATime = false
  let nextStart = 0
  let pausedUntil = 0
  let slowedAt = Number.NEGATIVE_INFINITY
  let isWaking = false
  const queue: Waiting[] = []
  run.signal.addEventListener('abort', () => {
    for (const { reject } of queue.splice(0)) reject(run.signal.reason)
  })

  const hasRoom = ({ exclusive, atOnce, isCrowd }: SendOptions, count: number) => {
    if (isExclusive || started - ends.length + count > Math.max(places, count)) return false
    if (isOneAtATime || exclusive) return active === 0
    if (isCrowd) return true
    return active < Math.min(concurrency, atOnce ? Infinity : adaptive.limit())
  }

  /** How long to wait for the end of a pause and the next slot allowed by the rate, in milliseconds. */
  const waitFor = (count: number) => {
    const last = ends[Math.min(started + count - places, ends.length) - 1]
    const opensAt = last === undefined ? 0 : last + spanMs
    return Math.max(pausedUntil, nextStart, opensAt) - performance.now()
  }

  const admit = () => {
    for (let next = queue[0]; next; next = queue[0]) {
      // The next request to finish will try again.
      if (!hasRoom(next.options, next.count)) return
      const waitMs = waitFor(next.count)
      if (waitMs > 0) return wakeIn(waitMs)
      queue.shift()
      next.go()
    }
  }

  const wakeIn = (waitMs: number) => {
    if (isWaking) return
    isWaking = true
    const wake = () => {
      isWaking = false
      admit()
    }
    run.sleep(Math.ceil(waitMs)).then(wake, wake)
  }

  /** Waits in the queue; returns how many requests are then in flight. */
  const turn = async (options: SendOptions, count: number): Promise<number> => {
    run.signal.throwIfAborted()
    const { priority = 0, exclusive = false, refusal } = options
    return new Promise((resolve, reject) => {
      const go = () => {
        const refused = refusal?.() ?? null
        if (refused !== null) return reject(refused)
        active += 1
        isExclusive = exclusive
        started += count
        nextStart = Math.max(nextStart, performance.now() - timerDelayMs) + (count * 1_000) / rate
        resolve(active)
      }
      const after = queue.findLastIndex((other) => (other.options.priority ?? 0) >= priority)
      queue.splice(after + 1, 0, { count, options, go, reject })
      admit()
    })
  }

  /** Sends nothing for this many milliseconds. */
  const pause = (waitMs: number) => {
    pausedUntil = Math.max(pausedUntil, performance.now() + waitMs)
  }

  return {
    pause,

    /** Requests in flight. */
    get active() {
      return active
    },

    /** The lowest concurrency so far. */
    get concurrency() {
      return lowest
    },

    /** Sends as soon as concurrency and rate allow it. */
    limit:
      (next: Attempt): Attempt =>
      async (request, options) => {
        const count = 1 + nextOf(request.request).length
        const inFlight = await turn(options, count)
        try {
          const sent = await next(request, options)
          if (!options.isCrowd && 'response' in sent)
            adaptive.answered(request.traits.endpoint, sent, inFlight)
          return sent
        } finally {
          active -= 1
          if (options.exclusive) isExclusive = false
          for (let left = count; left > 0; left -= 1) ends.push(performance.now())
          admit()
        }
      },

    /** Pauses and halves the rate, once for all requests sent before the last halving. */
    slowDown(waitMs: number, sentAt: number) {
      pause(waitMs)
      if (sentAt < slowedAt) return
      rate = Math.min(rate === Infinity ? firstLimit : Math.max(slowest, rate / 2), maxRps)
      slowedAt = performance.now()
    },

    /** Limits the rate from now on; returns a function that lifts the limit, or null if the rate is already lower. */
    limitRate(rps: number): (() => void) | null {
      if (maxRps <= rps) return null
      const mostBefore = maxRps
      const before = rate
      const limited = Math.min(rps, rate)
      maxRps = rps
      rate = limited
      return () => {
        maxRps = mostBefore
        if (rate === limited) rate = before
      }
    },

    /** Counts a response that does not complain about the rate. */
    onSuccess() {
      const faster = rate + increase
      rate = maxRps === Infinity && faster >= recovered ? Infinity : Math.min(faster, maxRps)
    },

    /** Sends one request at a time, or lifts that restriction. */
    oneAtATime(isOn: boolean) {
      isOneAtATime = isOn
      admit()
    },

    limitConcurrency(most: number) {
      concurrency = most
      lowest = Math.min(lowest, most)
      admit()
    },
  }
}

export type RateLimiter = ReturnType<typeof openRateLimiter>

/** Answers as fast as this show no load, in milliseconds. */
const fastMs = 50
/** Maximum latency under load, as a multiple of the latency without load. */
const tolerated = 2
/** How fast the latency without load follows lower and higher values. */
const weight = { lower: 1 / 2, higher: 1 / 8 } as const
/** How many comparable answers are needed for a decision, and how many answers of any kind decide without them, per request in flight. */
const decisive = { comparable: 2, all: 16 } as const

/**
 * The concurrency that a service can handle without queuing: the upper bound, unless even the faster recent answers took more than
 * twice as long as the same kind of answer (endpoint, status and code) without load. Slow endpoints, noise and pauses make no difference.
 */
function openAdaptiveConcurrency(bound: number) {
  let limit = bound
  /** The latency of each kind of answer with nothing else in flight, in milliseconds. */
  const latencies = new Map<string, number>()
  let ratios: number[] = []
  let answers = 0

  return {
    limit: () => limit,

    /** Learns from an answer; `inFlight` is the number of requests in flight when its request was sent, including it. */
    answered(endpoint: string, { response, durationMs }: Exchange, inFlight: number) {
      const kind = () => `${endpoint} ${response.status} ${answeredBy(response).errorCode}`
      if (inFlight === 1) {
        const known = latencies.get(kind()) ?? durationMs
        const share = durationMs < known ? weight.lower : weight.higher
        latencies.set(kind(), known + (durationMs - known) * share)
      }
      if (inFlight < limit || bound === 1) return

      const alone = durationMs <= fastMs ? durationMs : latencies.get(kind())
      if (alone !== undefined) ratios.push(durationMs / Math.max(alone, fastMs / tolerated))
      answers += 1
      const isDecided = ratios.length >= decisive.comparable * limit
      if (!isDecided && answers < decisive.all * limit) return
      const ratio = isDecided ? lowerQuartile(ratios) : 1
      limit = Math.min(bound, Math.max(1, Math.round((limit * tolerated) / ratio)))
      ratios = []
      answers = 0
    },
  }
}

function lowerQuartile(values: readonly number[]) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? 1
}
