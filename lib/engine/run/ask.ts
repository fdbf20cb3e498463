import type { Exchange } from '../../http/exchange.ts'
import type { TransportError } from '../../http/transport-error.ts'
import { answeredBy, isQuotaRefusal, isServed, type Answered } from '../../judge/answered.ts'
import type { Credentials } from '../../redact/secret.ts'
import { clientSetting } from '../../settings/client-settings.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { BudgetSpent, Inconclusive, RunEnded } from '../plan/errors.ts'
import type { Observations } from '../record/observations.ts'
import { isAnswered } from '../send/failures.ts'
import { isUnanswered, type Send, type SendOptions, type Unanswered } from '../send/send.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import type { Sender } from '../send/sender.ts'
import type { OnEvent } from './events.ts'
import { TurnOver, type Guesses } from './guesses.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'

interface AskParts {
  readonly sender: Pick<Sender, 'send' | 'connection' | 'budget' | 'availability'>
  readonly run: RunLifecycle
  readonly observations: Observations
  readonly target: Credentials
  readonly guesses: Pick<Guesses, 'admit' | 'served'>
  readonly onEvent: OnEvent
}

/** What a run asks with: notes latencies and served clients, and tells each request. */
export class Ask {
  readonly #parts: AskParts

  constructor(parts: AskParts) {
    this.#parts = parts
  }

  /** For a caller that decides whose fault a missing response is. */
  async first(request: TestRequest, options: SendOptions): Promise<Exchange | Unanswered> {
    const admitted = this.#parts.guesses.admit(request)
    if (admitted === null) return this.#sent(request, options)
    const turn = admitted instanceof Promise ? await admitted : admitted
    let wasSent = true
    try {
      return await this.#sent(request, { ...options, until: turn.until })
    } catch (error) {
      wasSent = !(error instanceof TurnOver)
      if (wasSent) throw error
    } finally {
      turn.end(wasSent)
    }
    return this.first(request, options)
  }

  async #sent(request: TestRequest, options: SendOptions): Promise<Exchange | Unanswered> {
    const { sender, run, observations, target, guesses, onEvent } = this.#parts
    try {
      const sent = await sender.send(request, options)
      if (isUnanswered(sent)) return sent
      observations.took(options.rule, sent.durationMs)
      onEvent({ kind: 'answered', request, exchange: sent })
      const { plain, client } = request.traits
      if (isServed(sent) && (plain || request.carries(target))) run.changeClient('target', 'checked')
      if (isServed(sent) && plain) run.changeClient(client, 'served')
      if (isServed(sent) && plain && client === 'target') guesses.served()
      return sent
    } finally {
      onEvent({ kind: 'request-done', sent: sender.budget.sent })
    }
  }

  /** For a caller that never blames the request: a missing response counts as trouble. */
  readonly send: Send = async (request, options) => {
    const sent = await this.first(request, options)
    if (isUnanswered(sent)) this.#parts.sender.availability.failed(sent.attempts)
    return sent
  }

  /** As `send`, with nothing else in flight, on a new connection. */
  readonly alone: Send = async (request, options) => {
    const connection = this.#parts.sender.connection()
    try {
      return await this.send(request, { ...options, connection, exclusive: true })
    } finally {
      await connection.close()
    }
  }
}

/** No attempt to send a request got a response, and nobody is blamed for it. */
export class AttemptsFailed extends Inconclusive {
  override readonly name = 'AttemptsFailed'
  readonly sent: Unanswered

  constructor(sent: Unanswered) {
    const { error, attempts } = sent
    const what = isAnswered(error.kind) ? 'no answer could be read' : 'no answer came'
    super(`${what}, ${attempts.length} of ${attempts.length} times: ${error.message}`)
    this.sent = sent
  }
}

/** The exchange; throws {@link AttemptsFailed} without one. */
export function exchangeOf(sent: Exchange | Unanswered): Exchange {
  if (isUnanswered(sent)) throw new AttemptsFailed(sent)
  return sent
}

/** What plain valid requests are sent and judged for. */
export const plainContext: Context = { rule: 'endpoints/list-succeeds', case: 'plain' }

/** What came of a plain valid request. */
export type PlainOutcome =
  | { readonly kind: 'answered'; readonly exchange: Exchange; readonly answered: Answered }
  | { readonly kind: 'failed' | 'exhausted'; readonly because: string; readonly error?: TransportError }

/** Sends a plain valid request. Throws what ends a run, and a spent budget. */
export async function askPlain(
  send: Send,
  request: TestRequest,
  how: Partial<SendOptions> = {},
): Promise<PlainOutcome> {
  try {
    const sent = await send(request, { rule: plainContext.rule, purpose: 'health-check', ...how })
    if (isUnanswered(sent)) return { kind: 'failed', because: sent.error.message, error: sent.error }
    const answered = answeredBy(sent.response)
    return isQuotaRefusal(answered)
      ? { kind: 'exhausted', because: quotaSentence('target') }
      : { kind: 'answered', exchange: sent, answered }
  } catch (error) {
    if (!(error instanceof Inconclusive) || error instanceof BudgetSpent || error instanceof RunEnded)
      throw error
    return { kind: 'failed', because: error.message }
  }
}

/** The sentence of reports for a used-up quota. */
export function quotaSentence(client: ClientName): string {
  return `the daily quota of ${clientSetting(client)} is used up (429 / 1020, also for a plain valid request): run again after it was reset, or with another client`
}
