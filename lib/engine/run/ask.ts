import type { Exchange } from '../../http/exchange.ts'
import { isServed } from '../../judge/answered.ts'
import type { Credentials } from '../../redact/secret.ts'
import { Inconclusive } from '../plan/errors.ts'
import type { Observations } from '../record/observations.ts'
import { isAnswered } from '../send/failures.ts'
import { isUnanswered, type Send, type SendOptions, type Unanswered } from '../send/send.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import type { Sender } from '../send/sender.ts'
import type { OnEvent } from './events.ts'
import type { TestRequest } from '../plan/test-request.ts'

interface AskParts {
  readonly sender: Pick<Sender, 'send' | 'connection' | 'budget' | 'availability'>
  readonly run: RunLifecycle
  readonly observations: Observations
  readonly target: Credentials
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
    const { sender, run, observations, target, onEvent } = this.#parts
    try {
      const sent = await sender.send(request, options)
      if (isUnanswered(sent)) return sent
      observations.took(options.rule, sent.durationMs)
      onEvent({ kind: 'answered', request, exchange: sent })
      const { plain, client } = request.traits
      if (isServed(sent) && (plain || request.carries(target))) run.changeClient('target', 'checked')
      if (isServed(sent) && plain) run.changeClient(client, 'served')
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
