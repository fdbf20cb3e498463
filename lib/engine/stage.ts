import type { Baseline } from '../drift/baseline.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Connection } from '../http/transport.ts'
import { answeredBy, isSuccess } from '../judge/answered.ts'
import { describeAnswered } from '../judge/explain.ts'
import { succeeds, type Check } from '../judge/judge.ts'
import type { JudgedExchange } from './cases.ts'
import type { TestClient } from './client.ts'
import { Inconclusive, TransportRejected } from './errors.ts'
import type { Observations } from './observations.ts'
import type { Context, TestRequest } from './test-request.ts'

/** What a scenario sends with. All sending methods throw what {@link TestClient.send} throws. */
export class Stage {
  readonly #client: TestClient
  readonly #context: Context
  readonly #connections: Connection[] = []

  constructor(client: TestClient, context: Context) {
    this.#client = client
    this.#context = { ...context, atOnce: true }
  }

  /** Case requests that the scenario's rule can still send. */
  get affordable(): number {
    return this.#client.budget.allottedTo(this.#context.rule)
  }

  get observations(): Observations {
    return this.#client.observations
  }

  send(request: TestRequest, connection?: Connection): Promise<Exchange> {
    return this.#client.send(
      request,
      connection === undefined ? this.#context : { ...this.#context, connection },
    )
  }

  /** Sends; null if the transport rejected the request, and may. */
  async attempt(request: TestRequest): Promise<Exchange | null> {
    try {
      return await this.send(request)
    } catch (error) {
      if (error instanceof TransportRejected) return null
      throw error
    }
  }

  async judge(request: TestRequest, check: Check, connection?: Connection): Promise<JudgedExchange> {
    const exchange = await this.send(request, connection)
    await this.#client.checks.tolerate({ request, exchange, context: this.#context }, check.judge)
    return { request, exchange, judgement: check.judge(exchange) }
  }

  /** Sends a request that must succeed for the rest to mean anything; throws `Inconclusive` otherwise. */
  async served(request: TestRequest, connection?: Connection): Promise<JudgedExchange> {
    const judged = await this.judge(request, succeeds(), connection)
    const answered = answeredBy(judged.exchange.response)
    if (isSuccess(answered)) return judged
    throw new Inconclusive(
      `a plain valid request was answered ${describeAnswered(answered)} (see endpoints/list-succeeds)`,
    )
  }

  connection(): Connection {
    const connection = this.#client.connection()
    this.#connections.push(connection)
    return connection
  }

  /** Records what departs from a baseline in the answers of the run so far. */
  compareWith(baseline: Baseline): Promise<void> {
    return this.#client.checks.compareWith(baseline, this.#context)
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }
}
