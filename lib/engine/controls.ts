import type { Exchange } from '../http/exchange.ts'
import {
  answeredBy,
  isQuotaRefusal,
  isSuccess,
  isSuccessStatus,
  type Answered,
  type AnswerFlaw,
} from '../judge/answered.ts'
import { AttemptsFailed } from './deliver.ts'
import { pause } from './pause.ts'
import { BudgetSpent, ClientLockedOut, RunEnded, Inconclusive } from './inconclusive.ts'

/**
 * Sends one plain valid request of the target client; judged like any other, but for what this module decides. `alone`: with
 * nothing else in flight and on a new connection, so that nobody else's answer can be meant.
 */
export type SendControl = (how: { readonly alone: boolean }) => Promise<Exchange>

/** What the controls need. */
export interface ControlsOptions {
  readonly send: SendControl
  /** Sends the same without credentials, which this service refuses with a code whatever else is wrong with it. */
  readonly sendStranger: () => Promise<Exchange>
  /** Ends the run: nothing more is sent. */
  readonly end: (over: RunEnded) => void
  /** Sends nothing for that long, in milliseconds. */
  readonly hold: (waitMs: number) => void
  /** How long a client that was locked out, or banned, is left alone, once in a run; in milliseconds. */
  readonly leaveAloneMs: number
  /** Told when a client that was locked out, or banned, is served again. */
  readonly recovered: () => void
  /** Judges a control that answered anything else. */
  readonly judge: (exchange: Exchange) => Promise<void>
  /** Whether a query was given that the endpoint needs. */
  readonly hasQuery: boolean
  readonly signal: AbortSignal
}

/** So many controls in trouble in a row end the run. */
const patience = 3
const waitsMs = [1_000, 2_000] as const
/** Refusals between two health checks, at most; half of it after the client was locked out once. */
const refusalsBetween = 25
/** The codes that say that the settings' client, not the service, is what is wrong. */
const refusedCredentials = new Set(['1006', '1007', '1011', '1012', '1013'])

const foreign: ReadonlySet<AnswerFlaw> = new Set([
  'empty body',
  'body is not JSON',
  'body is not an object',
  'error_code is missing',
])

type Outcome =
  | { readonly kind: 'answered'; readonly exchange: Exchange; readonly answered: Answered }
  | { readonly kind: 'trouble'; readonly because: string; readonly quota: boolean }

/** Plain valid requests that tell whether the service still serves. Callers at the same time share one control. */
export class Controls {
  readonly #options: ControlsOptions
  #shared: Promise<boolean> | null = null
  /** The one that follows the one in flight. */
  #following: Promise<boolean> | null = null
  #opened: Promise<void> | null = null
  #refusals = 0
  #refusalsBetween = refusalsBetween
  #lockout: Promise<boolean> | null = null
  #hasWaited = false
  #hasRecovered = false
  /** Who was never served cannot have been locked out. */
  #everServed = false

  constructor(options: ControlsOptions) {
    this.#options = options
  }

  /** The first request of a run, once; ends the run when it meets trouble, a used-up quota or refused credentials. */
  open(): Promise<void> {
    this.#opened ??= this.#open()
    return this.#opened
  }

  /** Whether the service serves a plain valid request now; ends the run after three controls in trouble in a row. */
  serves(): Promise<boolean> {
    this.#shared ??= this.#serves().finally(() => {
      this.#shared = null
    })
    return this.#shared
  }

  /** The same, by a control that is sent after the call rather than by one that may have been answered before. */
  servesFromNow(): Promise<boolean> {
    if (this.#shared === null) return this.serves()
    this.#following ??= this.#shared
      .catch(() => false)
      .then(() => {
        this.#following = null
        return this.serves()
      })
    return this.#following
  }

  /** Whether a plain valid request is served now with nothing else in flight, on a new connection. Judges nothing. */
  async servesAlone(): Promise<boolean> {
    const outcome = await this.#control({ alone: true })
    return outcome.kind === 'answered' && isSuccess(outcome.answered)
  }

  /** Whether the client was locked out once, and was served again. */
  get hasRecovered(): boolean {
    return this.#hasRecovered
  }

  /** Counts a refusal; `inFlight` may be refusals, too. True when a control is due: at least every 25 refusals. */
  refused(inFlight: number): boolean {
    this.#refusals += 1
    return this.#refusals + inFlight >= this.#refusalsBetween
  }

  /** A plain valid request was served. */
  served(): void {
    this.#refusals = 0
    this.#everServed = true
  }

  async #open(): Promise<void> {
    const outcome = await this.#control()
    if (outcome.kind === 'trouble') {
      const again = outcome.quota ? await this.#control() : outcome
      if (again.kind === 'trouble') return this.#end(again.because)
      return this.#settle(again)
    }
    const refusal = refusalSentence(outcome.answered, this.#options.hasQuery)
    if (refusal !== null) return this.#end(refusal)
    if (isForeign(outcome.answered)) await this.#checkAddress(outcome.answered)
    return this.#settle(outcome)
  }

  /** Ends the run where something else answers than this service: another product, a login, a portal. */
  async #checkAddress({ status }: Answered): Promise<void> {
    const stranger = await this.#outcomeOf(() => this.#options.sendStranger())
    if (stranger.kind !== 'answered' || !isForeign(stranger.answered)) return

    this.#end(
      `what answers is not this service: a plain valid request was answered ${status} and one without credentials ${stranger.answered.status}, both without anything that is documented: is TARGET_BASE_URL right (host, port, path prefix), is a login, a proxy or a portal in between?`,
    )
  }

  async #serves(): Promise<boolean> {
    this.#refusals = 0
    for (let tries = 1; ; tries += 1) {
      const outcome = await this.#control()
      if (outcome.kind === 'answered') return this.#answers(outcome)

      if (tries === patience) {
        // A firewall may ban a sender of many refusals for some seconds.
        const mayBeBanned = this.#everServed && !this.#hasWaited && !outcome.quota
        if (mayBeBanned && (await this.#isServedLater())) return true
        this.#end(
          outcome.quota
            ? outcome.because
            : `the service stopped answering plain valid requests: ${outcome.because}`,
        )
      }
      await pause(waitsMs[tries - 1] ?? 0, this.#options.signal)
    }
  }

  /**
   * Finds out whether a client that was served before is refused like wrong credentials, also alone. The first time it is left alone for
   * a while; true where it is served then, so that what was seen meanwhile is nobody's fault. The second time, and where waiting does
   * not help, the run ends. Judges nothing.
   */
  checkLockout(): Promise<boolean> {
    this.#lockout ??= this.#checkLockout().finally(() => {
      this.#lockout = null
    })
    return this.#lockout
  }

  async #checkLockout(): Promise<boolean> {
    if (!this.#everServed) return false
    const alone = await this.#control({ alone: true })
    if (alone.kind !== 'answered' || !looksLockedOut(alone.answered)) return false
    if (!this.#hasWaited && (await this.#isServedLater())) return true

    const { status, errorCode } = alone.answered
    const over = new ClientLockedOut(
      `after several refusals a plain valid request is answered ${status} / ${errorCode ?? 'no code'}: the client may have been locked out`,
    )
    this.#options.end(over)
    throw over
  }

  async #isServedLater(): Promise<boolean> {
    this.#hasWaited = true
    const { leaveAloneMs, hold, signal } = this.#options
    hold(leaveAloneMs)
    await pause(leaveAloneMs, signal)
    const later = await this.#control({ alone: true })
    this.#refusals = 0
    this.#refusalsBetween = Math.floor(refusalsBetween / 2)
    this.#hasRecovered = later.kind === 'answered' && isSuccess(later.answered)
    if (this.#hasRecovered) this.#options.recovered()
    return this.#hasRecovered
  }

  async #answers(outcome: Outcome & { readonly kind: 'answered' }): Promise<boolean> {
    if (isSuccess(outcome.answered)) return true
    if (looksLockedOut(outcome.answered) && (await this.checkLockout())) return true
    await this.#settle(outcome)
    return false
  }

  async #settle({ exchange }: Outcome & { readonly kind: 'answered' }): Promise<void> {
    await this.#options.judge(exchange)
  }

  #control(how = { alone: false }): Promise<Outcome> {
    return this.#outcomeOf(() => this.#options.send(how))
  }

  async #outcomeOf(send: () => Promise<Exchange>): Promise<Outcome> {
    try {
      const exchange = await send()
      const answered = answeredBy(exchange.response)
      if (!isQuotaRefusal(answered)) return { kind: 'answered', exchange, answered }
      return { kind: 'trouble', because: quotaSentence('the client of TARGET_API_KEY'), quota: true }
    } catch (error) {
      if (error instanceof BudgetSpent) throw error
      if (error instanceof AttemptsFailed)
        return { kind: 'trouble', because: error.trouble.message, quota: false }
      if (error instanceof Inconclusive && !(error instanceof RunEnded)) {
        return { kind: 'trouble', because: error.message, quota: false }
      }
      throw error
    }
  }

  #end(because: string): never {
    const over = new RunEnded(because)
    this.#options.end(over)
    throw over
  }
}

/** How reports say that a quota ran out. */
export function quotaSentence(client: string): string {
  return `the daily quota of ${client} is used up (429 / 1020, also for a plain valid request): run again after it was reset, or with another client`
}

/** Whether a plain valid request was refused as locked out clients mostly are. */
export function looksLockedOut({ status, errorCode }: Answered): boolean {
  if (isSuccessStatus(status)) return false
  return status === 401 || status === 403 || status === 423 || refusedCredentials.has(errorCode ?? '')
}

/**
 * Whether an answer holds nothing that is documented: neither JSON under success nor an error_code. A 5xx may be this service's
 * own failure, but for 511, by which networks answer in the place of whatever was asked for. Source: RFC 6585, 6.
 */
function isForeign({ status, flaw }: Answered): boolean {
  if (status >= 500 && status !== 511) return false
  return flaw !== null && foreign.has(flaw)
}

/** What the first answer says about the settings, or null where it is the service that must be judged. */
function refusalSentence({ status, errorCode, flaw }: Answered, hasQuery: boolean): string | null {
  if (flaw !== null) return null
  if (status === 401 && errorCode !== null && refusedCredentials.has(errorCode)) {
    return `the very first valid request was refused with 401 / ${errorCode}: check TARGET_API_KEY and TARGET_SECRET_KEY, and that this client may use the endpoint`
  }
  if (status === 400 && errorCode === '1030') {
    return hasQuery
      ? 'the very first valid request was refused with 400 / 1030 (invalid input parameters): TARGET_QUERY is not what the list endpoint needs'
      : 'the very first valid request was refused with 400 / 1030 (invalid input parameters): the list endpoint may need a query, give it as TARGET_QUERY (for example page=1)'
  }
  return null
}
