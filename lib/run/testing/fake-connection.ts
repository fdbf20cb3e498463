import type { Exchange, Response } from '../../http/exchange.ts'
import type { Request } from '../../http/request.ts'
import type { TransportError } from '../../http/transport-error.ts'
import type { Connection, Transport } from '../../http/transport.ts'

/** The outcome of sending a request once. */
export type Outcome = Response | TransportError

/** The outcome of a request, by the place of its connection. */
type Answer = (request: Request, place: number) => Outcome | Promise<Outcome>

/** A connection with scripted answers. */
export class FakeConnection implements Connection {
  closed = false
  readonly #place: number
  readonly #answer: Answer

  /** `place`: 0 for a pool. */
  constructor(answer: Answer, place = 0) {
    this.#answer = answer
    this.#place = place
  }

  async send(request: Request, signal?: AbortSignal): Promise<Exchange> {
    signal?.throwIfAborted()
    const outcome = await this.#answer(request, this.#place)
    if (outcome instanceof Error) throw outcome
    return { request, response: outcome, durationMs: 1, reused: false }
  }

  close(): Promise<void> {
    this.closed = true
    return Promise.resolve()
  }
}

/** A pool of one {@link FakeConnection}, with further connections that answer alike. */
export class FakeTransport extends FakeConnection implements Transport {
  rawSocketUnavailable: string | null = null
  /** The further connections, in the order of opening. */
  readonly opened: FakeConnection[] = []
  /** The requested limits on connections. */
  readonly atMost: number[] = []
  readonly #open: () => FakeConnection

  constructor(answer: Answer) {
    super(answer)
    this.#open = () => new FakeConnection(answer, this.opened.length + 1)
  }

  connection(): FakeConnection {
    const connection = this.#open()
    this.opened.push(connection)
    return connection
  }

  useAtMost(connections: number): void {
    this.atMost.push(connections)
  }
}
