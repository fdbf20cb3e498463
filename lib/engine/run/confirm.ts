import type { Exchange } from '../../http/exchange.ts'
import { answeredBy, isSuccess } from '../../judge/answered.ts'
import type { Reproduced } from '../../judge/record.ts'
import {
  ClientLockedOut,
  GuessLeftOut,
  Inconclusive,
  NoResponse,
  notServed,
  type PreconditionBreach,
} from '../plan/errors.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'
import { isUnanswered, type SendOptions } from '../send/send.ts'
import { exchangeOf, type Ask } from './ask.ts'
import { looksLockedOut, type Lockouts } from './lockouts.ts'

/** What confirming a request needs. */
interface ConfirmParts {
  readonly ask: Pick<Ask, 'send'>
  /** The plain valid request of the target client. */
  readonly plain: TestRequest
  readonly lockouts: Pick<Lockouts, 'check'>
  /** Confirms nothing: a replayed case is itself sent again. */
  readonly isOff: boolean
}

/** Outcome of the health check between two confirmations. */
export interface HealthBetween {
  readonly kind: 'served' | 'not served' | 'locked out'
  /** The breach of a plain valid request that was answered and not served; else none. */
  readonly breach: readonly PreconditionBreach[]
}

/** The client is served, so nothing follows. */
export const served: HealthBetween = { kind: 'served', breach: [] }

interface Repeats {
  readonly exchanges: readonly Exchange[]
  readonly health: HealthBetween
}

/** Sends a request twice more, alone, with a health check between; once per request, whatever the number of rules. */
export class Confirm {
  readonly #parts: ConfirmParts
  readonly #repeats = new WeakMap<TestRequest, Promise<Repeats>>()

  constructor(parts: ConfirmParts) {
    this.#parts = parts
  }

  /** Counts how often the breach is seen, including the first time; `health` is the result of the health check between. */
  async request(
    request: TestRequest,
    { rule, case: name }: Context,
    violates: (exchange: Exchange) => boolean,
  ): Promise<Reproduced & { readonly health: HealthBetween }> {
    if (this.#parts.isOff) return { seen: 1, of: 1, health: served }
    const options = { rule, purpose: 'confirming', case: name } as const
    const repeats = this.#repeats.get(request) ?? this.#repeat(request, options)
    this.#repeats.set(request, repeats)

    const { exchanges, health } = await repeats
    return {
      seen: 1 + exchanges.filter(violates).length,
      of: 1 + exchanges.length,
      health,
    }
  }

  /** Drops the responses to a request, which may be large. */
  forget(request: TestRequest): void {
    this.#repeats.delete(request)
  }

  async #repeat(request: TestRequest, options: SendOptions): Promise<Repeats> {
    const again = async (): Promise<Exchange> =>
      exchangeOf(await this.#parts.ask.send(request, { ...options, exclusive: true }))
    let exchanges: readonly Exchange[] = []
    let health = served
    try {
      do {
        exchanges = [await again()]
        health = await this.#healthBetween(options)
        // What was seen during a lockout says nothing.
        if (health.kind === 'locked out') exchanges = []
      } while (health.kind === 'locked out')
      exchanges = [...exchanges, await again()]
    } catch (error) {
      // A breach that could not be repeated was still seen: "1 of 1".
      if (!(error instanceof Inconclusive) || isAboutLockout(error)) throw error
    }
    return { exchanges, health }
  }

  /** A failed health check is not served; one that the budget does not allow throws. */
  async #healthBetween({ rule, purpose }: SendOptions): Promise<HealthBetween> {
    const { ask, plain, lockouts } = this.#parts
    const sent = await ask.send(plain, { rule, purpose })
    if (isUnanswered(sent)) return { kind: 'not served', breach: [] }
    const answered = answeredBy(sent.response)
    if (looksLockedOut(answered) && (await lockouts.check())) return { kind: 'locked out', breach: [] }
    if (isSuccess(answered)) return served
    return { kind: 'not served', breach: notServed({ request: plain, exchange: sent }) }
  }
}

/** Plays a scenario twice more and counts how often it ends in the same breach, including the first time. */
export async function confirmScenario(breaksAgain: () => Promise<boolean>): Promise<Reproduced> {
  let [seen, of] = [1, 1]
  try {
    while (of < 3) {
      if (await breaksAgain()) seen += 1
      of += 1
    }
  } catch (error) {
    if (!(error instanceof Inconclusive) && !(error instanceof NoResponse)) throw error
    if (isAboutLockout(error)) throw error
  }
  return { seen, of }
}

/** Whether a breach may come from a lockout, so that it must not count unless it was seen again. */
export function isAboutLockout(error: unknown): boolean {
  return error instanceof ClientLockedOut || error instanceof GuessLeftOut
}

/** Repetitions of a pair: two releases behind one address differ each time by chance in one of a thousand cases, which many cases would meet. */
const timesOfPair = { order: 4, outcome: 5, 'one of many': 8 } as const

/** Whether the responses to two requests differ in the same way each time both are sent again, every second time the other one first: a service may answer by turns. */
export async function confirmPair(
  about: keyof typeof timesOfPair,
  differsAgain: (isReversed: boolean) => Promise<boolean>,
): Promise<boolean> {
  for (let time = 0; time < timesOfPair[about]; time += 1) {
    if (!(await differsAgain(time % 2 === 1))) return false
  }
  return true
}
