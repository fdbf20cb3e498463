import type { Exchange } from '../../http/exchange.ts'
import { answeredBy } from '../../judge/answered.ts'

/** Answers that come as fast as this show no load, in milliseconds. */
const fastMs = 50
/** How many times as long as alone an answer may take among others. */
const tolerated = 2
/** How fast the latency alone follows lower and higher ones. */
const weight = { lower: 1 / 2, higher: 1 / 8 } as const
/** Comparable answers that decide, and all answers that decide without them, per request in flight. */
const decisive = { comparable: 2, all: 16 } as const

/**
 * How many requests in flight a service answers without making them wait for each other: the bound, unless even the faster ones of
 * recent answers took more than twice as long as such an answer (same endpoint, status and code) does when nothing else is in
 * flight. Slow endpoints, noise and a pause of the service change nothing.
 */
export class AdaptiveConcurrency {
  readonly #bound: number
  #limit: number
  /** The latency of each kind of answer with nothing else in flight, in milliseconds. */
  readonly #alone = new Map<string, number>()
  #ratios: number[] = []
  #answers = 0

  constructor(bound: number) {
    this.#bound = bound
    this.#limit = bound
  }

  get limit(): number {
    return this.#limit
  }

  /** Learns from an answer; `inFlight` is how many requests were in flight when its request left, including that one. */
  answered(endpoint: string, { response, durationMs }: Exchange, inFlight: number): void {
    const kind = (): string => `${endpoint} ${response.status} ${answeredBy(response).errorCode}`
    if (inFlight === 1) this.#learn(kind(), durationMs)
    if (inFlight < this.#limit || this.#bound === 1) return

    const alone = durationMs <= fastMs ? durationMs : this.#alone.get(kind())
    if (alone !== undefined) this.#ratios.push(durationMs / Math.max(alone, fastMs / tolerated))
    this.#answers += 1
    const isDecided = this.#ratios.length >= decisive.comparable * this.#limit
    if (!isDecided && this.#answers < decisive.all * this.#limit) return
    const ratio = isDecided ? lowerQuartile(this.#ratios) : 1
    this.#limit = Math.min(this.#bound, Math.max(1, Math.round((this.#limit * tolerated) / ratio)))
    this.#ratios = []
    this.#answers = 0
  }

  #learn(kind: string, latencyMs: number): void {
    const known = this.#alone.get(kind) ?? latencyMs
    this.#alone.set(kind, known + (latencyMs - known) * (latencyMs < known ? weight.lower : weight.higher))
  }
}

function lowerQuartile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 4)] ?? 1
}
