import type { Exchange, Response } from '../../http/exchange.ts'
import type { Request } from '../../http/request.ts'
import type { Connection, Transport } from '../../http/transport.ts'

/** A request as a service in memory gets it. */
export interface Received {
  readonly request: Request
  /** How many came before it. */
  readonly index: number
  /** 0 for the pool. */
  readonly connection: number
}

/** A transport to a service in memory, and what was sent over it. */
export class FakeTransport implements Transport {
  readonly rawSocketUnavailable = null
  readonly sent: Received[] = []
  readonly #answer: (received: Received) => Response | Promise<Response>
  #connections = 0

  constructor(answer: (received: Received) => Response | Promise<Response>) {
    this.#answer = answer
  }

  send(request: Request): Promise<Exchange> {
    return this.#receive(request, 0)
  }

  connection(): Connection {
    const own = (this.#connections += 1)
    return { send: (request) => this.#receive(request, own), close: () => Promise.resolve() }
  }

  useAtMost(): void {}

  close(): Promise<void> {
    return Promise.resolve()
  }

  async #receive(request: Request, connection: number): Promise<Exchange> {
    const received = { request, index: this.sent.length, connection }
    this.sent.push(received)
    return { request, response: await this.#answer(received), durationMs: 1, reused: false }
  }
}
