import type { Exchange, Response } from '../../http/exchange.ts'
import type { Request } from '../../http/request.ts'
import type { Connection, Transport } from '../../http/transport.ts'
import type { TransportError } from '../../http/transport-error.ts'

/** What comes of one sending. */
export type Outcome = Response | TransportError

/** What comes of a request, by its number on its connection, and by the place of that. */
type Answer = (request: Request, index: number, place: number) => Outcome | Promise<Outcome>

/** A connection that answers as it is told, and writes down what was sent and when. */
export class FakeConnection implements Connection {
  readonly sent: { readonly request: Request; readonly at: number }[] = []
  closed = false
  readonly #reused: boolean
  readonly #place: number
  readonly #answer: Answer

  /** `outcomes`: one for each sending, the last for all further ones; or a function. `place`: 0 for a pool. */
  constructor(outcomes: readonly Outcome[] | Answer, reused = false, place = 0) {
    this.#reused = reused
    this.#place = place
    this.#answer =
      typeof outcomes === 'function'
        ? outcomes
        : (_, index) => {
            const outcome = outcomes[Math.min(index, outcomes.length - 1)]
            if (outcome === undefined) throw new Error('no outcome was given')
            return outcome
          }
  }

  async send(request: Request, signal?: AbortSignal): Promise<Exchange> {
    signal?.throwIfAborted()
    const index = this.sent.length
    this.sent.push({ request, at: performance.now() })
    const outcome = await this.#answer(request, index, this.#place)
    if (outcome instanceof Error) throw outcome
    return { request, response: outcome, durationMs: 1, reused: this.#reused }
  }

  close(): Promise<void> {
    this.closed = true
    return Promise.resolve()
  }

  /** Milliseconds between one sending and the next. */
  get gaps(): readonly number[] {
    return this.sent.slice(1).map(({ at }, index) => Math.round(at - (this.sent[index]?.at ?? 0)))
  }
}

/** A pool that is one {@link FakeConnection}, with further ones of its own that answer alike. */
export class FakeTransport extends FakeConnection implements Transport {
  rawSocketUnavailable: string | null = null
  /** The further connections, in the order in which they were opened. */
  readonly opened: FakeConnection[] = []
  readonly #open: () => FakeConnection

  constructor(outcomes: ConstructorParameters<typeof FakeConnection>[0]) {
    super(outcomes)
    this.#open = () => new FakeConnection(outcomes, false, this.opened.length + 1)
  }

  connection(): FakeConnection {
    const connection = this.#open()
    this.opened.push(connection)
    return connection
  }

  useAtMost(): void {}
}
