import type { Baseline } from '../../drift/baseline.ts'
import type { Signal } from '../../http/abort-signal.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { Connection } from '../../http/transport.ts'
import { answeredBy, isServed, isSuccess } from '../../judge/answered.ts'
import { describeAnswered } from '../../judge/explain.ts'
import { succeeds, type Check } from '../../judge/judge.ts'
import type { JudgedExchange, Played, Scene, Step } from '../plan/cases.ts'
import type { TestClient } from './client.ts'
import { Inconclusive, notServed, TransportRejected } from '../plan/errors.ts'
import type { Observations } from '../record/observations.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'

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

  /** Aborted when the run is cancelled: a play that waits for anything but answers must heed it. */
  get cancelled(): Signal {
    return this.#client.cancelled
  }

  get observations(): Observations {
    return this.#client.observations
  }

  async send(request: TestRequest, connection?: Connection): Promise<Exchange> {
    const context = connection === undefined ? this.#context : { ...this.#context, connection }
    const exchange = await this.#client.send(request, context)
    if (!this.#isAgain) this.#client.shared.provide(request, exchange)
    return exchange
  }

  /** The exchange of a request that another case sent before, where the scenario says that it wants it; else sends it. */
  known(request: TestRequest): Promise<Exchange> {
    return this.#isAgain ? this.send(request) : this.#client.sendOnce(request, this.#context)
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
    return this.#judged(request, await this.send(request, connection), check)
  }

  /** Judges a request that the scenario wants from other cases; sends it if what they got does not hold. */
  async judgeKnown(request: TestRequest, check: Check): Promise<JudgedExchange> {
    if (this.#isAgain) return this.judge(request, check)
    const holds = (exchange: Exchange): boolean => check.judge(exchange).kind === 'holds'
    return this.#judged(request, await this.#client.sendShared(request, this.#context, holds), check)
  }

  /** Plays a scene, once in a run for all rules that judge it. */
  enact(scene: Scene): Promise<Played> {
    return this.#isAgain ? this.#play(scene) : this.#client.shared.played(scene, () => this.#play(scene))
  }

  /** Sends a request that must succeed for the rest to mean anything; throws `Inconclusive` otherwise. */
  async served(request: TestRequest, connection?: Connection): Promise<JudgedExchange> {
    return this.#orInconclusive(await this.judge(request, succeeds(), connection))
  }

  /** As `served`, with the answer that another case got before. */
  async servedKnown(request: TestRequest): Promise<JudgedExchange> {
    return this.#orInconclusive(await this.judgeKnown(request, succeeds()))
  }

  #orInconclusive(judged: JudgedExchange): JudgedExchange {
    const answered = answeredBy(judged.exchange.response)
    if (isSuccess(answered)) return judged
    throw new Inconclusive(
      `a plain valid request was answered ${describeAnswered(answered)} (see endpoints/list-succeeds)`,
      notServed(judged),
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

  get #isAgain(): boolean {
    return this.#context.purpose !== undefined
  }

  async #judged(request: TestRequest, exchange: Exchange, check: Check): Promise<JudgedExchange> {
    await this.#client.checks.tolerate({ request, exchange, context: this.#context }, check.judge)
    return { request, exchange, judgement: check.judge(exchange) }
  }

  async #play(scene: Scene): Promise<Played> {
    const connections = new Map<string, Connection>()
    const connectionOf = (name: string): Connection => {
      const connection = connections.get(name) ?? this.connection()
      connections.set(name, connection)
      return connection
    }
    const enact = async (step: Step): Promise<readonly [Step, JudgedExchange]> => {
      const { request, check, orElse } = step
      const connection = step.connection === undefined ? undefined : connectionOf(step.connection)
      const judged = await this.judge(request, check, connection)
      if (orElse === undefined || isServed(judged.exchange)) return [step, judged]
      return [step, await this.served(orElse, connection)]
    }
    const played: (readonly [Step, JudgedExchange])[] = []
    for (const group of scene) played.push(...(await Promise.all(group.map(enact))))
    return new Map(played)
  }

  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()))
  }
}
