import { failureNames, type TransportError } from '../../http/transport-error.ts'
import type { Exchange } from '../../http/exchange.ts'
import { GatewayError, insteadOfJson, mayMeanRate } from './failures.ts'

/** The name of a failure in reports: `503`, `closed connection`. */
function failureName(error: TransportError): string {
  return error instanceof GatewayError ? `${error.status}` : failureNames[error.kind]
}

/** Maximum chance that a request goes unanswered by coincidence only, over all its attempts. */
const coincidence = 1e-6
/** Maximum attempts that prove a missing response; where more are needed, the service is in trouble, not the request. */
const mostAttempts = 12
/**
 * Failures among the last attempts after which plain requests must show whether the service is in trouble, and how often they must
 * have begun anew: in an outage, all attempts fail one after the other until it is over.
 */
const suspicious = { failures: 4, of: 12, times: 3 } as const
/** Maximum trials of plain requests in a run: one may find too few failures by chance. */
const mostTrials = 3

/**
 * How often attempts of the run got no response for reasons of their own. Failures that one request alone causes, as its proof
 * shows, are no trouble of the service.
 */
export class Availability {
  #answers = 0
  #failures = 0
  readonly #byKind = new Map<string, number>()
  /** What was no answer of the service and not JSON, by what it was. */
  readonly #notJson = new Map<string, string>()
  /** Outcomes of the last attempts, whatever their reason. */
  #recent: readonly boolean[] = []
  #trials = 0
  #isRate = false

  /** Counts a response, and the failed attempts before it. */
  answered(failures: readonly TransportError[]): void {
    this.#answers += 1
    if (failures.length > 0) this.failed(failures)
  }

  /** Counts failed attempts of a request that is not known to be their reason. */
  failed(failures: readonly TransportError[]): void {
    this.#failures += failures.length
    for (const failure of failures)
      this.#count(this.#isRate && mayMeanRate(failure) ? '503 (rate limit)' : failureName(failure))
  }

  /** A 503 refuses the rate here, and always did: it is no trouble, though it still counts against blaming a request. */
  rateRefused(): void {
    const known = this.#byKind.get('503') ?? 0
    this.#isRate = true
    this.#recent = []
    this.#byKind.delete('503')
    if (known > 0) this.#count('503 (rate limit)', known)
  }

  /** Counts a refused rate, which is no trouble: rates are not shown. Notes what is not JSON in it, and in what a gateway says before the first answer. */
  intercepted(by: Exchange | GatewayError): void {
    if (!(by instanceof GatewayError)) {
      this.#count('429')
      this.#noteIfNotJson('429 without 1020', insteadOfJson(by))
    } else if (this.#answers === 0) {
      this.#noteIfNotJson(`${by.status} before the first answer`, by.insteadOfJson)
    }
  }

  /** Remembers the outcome of an attempt. */
  attempted(isAnswered: boolean): void {
    this.#recent = [...this.#recent.slice(1 - suspicious.of), isAnswered]
  }

  /** Forgets the outcomes of the last attempts, whose reason is known. */
  explained(): void {
    this.#recent = []
  }

  /** Whether many of the last attempts failed, with answers between. Each time that it is so, those attempts are forgotten; at most three times. */
  isSuspicious(): boolean {
    const failures = this.#recent.filter((isAnswered) => !isAnswered).length
    const times = this.#recent.filter((isAnswered, place) => !isAnswered && this.#recent[place - 1] !== false)
    const isIt = failures >= suspicious.failures && times.length >= suspicious.times
    if (!isIt || this.#trials >= mostTrials) return false
    this.#trials += 1
    this.#recent = []
    return true
  }

  /** Attempts without a response that prove that the request is the reason; 0 while no other request met trouble, null if no number does. */
  get attemptsOfProof(): number | null {
    if (this.#failures === 0) return 0
    const chance = (this.#failures + 1) / (this.#answers + this.#failures + 2)
    const needed = Math.ceil(Math.log(coincidence) / Math.log(chance))
    return needed > mostAttempts ? null : needed
  }

  /** Failed attempts and refused rates by name, and what was no answer of the service and not JSON: nobody is blamed for either. */
  get summary(): {
    readonly byKind: Readonly<Record<string, number>>
    readonly notJson: ReadonlyMap<string, string>
  } {
    return { byKind: Object.fromEntries(this.#byKind), notJson: this.#notJson }
  }

  #noteIfNotJson(what: string, body: string | null): void {
    if (body !== null) this.#notJson.set(what, `${body}, where every body is documented to be JSON`)
  }

  #count(name: string, more = 1): void {
    this.#byKind.set(name, (this.#byKind.get(name) ?? 0) + more)
  }
}
