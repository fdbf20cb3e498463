import type { Exchange } from '../../http/exchange.ts'
import { isRefusedForQuota } from '../../judge/answered.ts'
import { answersOneOf, type Breach } from '../../judge/judge.ts'
import { clientTable } from '../../settings/clients.ts'
import { success } from '../../specification/answers.ts'
import type { ClientName } from '../../specification/clients.ts'
import { Inconclusive, RunEnded } from '../plan/errors.ts'
import type { Send } from '../send/retry.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import type { TestRequest } from '../plan/test-request.ts'

interface QuotaParts {
  readonly run: RunLifecycle
  readonly send: Send
  /** Sends with nothing else in flight, on a new connection. */
  readonly sendAlone: Send
  /** A plain valid request of a client; null if the client is not configured. */
  readonly plain: (client: ClientName) => TestRequest | null
  /** Records a breach of `quota/per-client`. */
  readonly accuse: (request: TestRequest, exchange: Exchange, breach: Breach) => Promise<void>
}

const options = { rule: 'quota/per-client', purpose: 'health-check' } as const

/** The clients whose plain requests must be served. */
const servedClients = ['target', 'second'] as const satisfies readonly ClientName[]

/** Knows whose daily quota is used up. An unasked 1020 counts only if a plain valid request of that client gets it, too. */
export class QuotaMonitor {
  readonly #parts: QuotaParts
  readonly #checks = new Map<ClientName, Promise<boolean>>()
  readonly #others = new Map<ClientName, Promise<void>>()

  constructor(parts: QuotaParts) {
    this.#parts = parts
  }

  /** Throws {@link Inconclusive} if the request's client is known to have no quota left; null if nothing has to wait. */
  refuseExhausted({ traits: { client, asksForQuota } }: TestRequest): Promise<void> | null {
    if (asksForQuota) return null
    const refuse = (): void => {
      if (this.#parts.run.client(client).kind === 'exhausted') throw new Inconclusive(quotaSentence(client))
    }
    const check = this.#checks.get(client)
    if (check !== undefined) return check.then(refuse, refuse)
    refuse()
    return null
  }

  /** Reads a response. Throws {@link RunEnded} if the target's quota is used up, {@link Inconclusive} for another client's; null if nothing has to wait. */
  note({ traits: { client, asksForQuota } }: TestRequest, exchange: Exchange): Promise<void> | null {
    if (!isRefusedForQuota(exchange)) return null
    return asksForQuota ? this.#ranOut(client) : this.#believe(client)
  }

  async #believe(client: ClientName): Promise<void> {
    if (!(await this.#isExhausted(client))) return
    const says = quotaSentence(client)
    throw client === 'target' ? this.#parts.run.end(new RunEnded(says)) : new Inconclusive(says)
  }

  async #isExhausted(client: ClientName): Promise<boolean> {
    const { run } = this.#parts
    await Promise.all(this.#others.values())
    if (run.client(client).kind === 'exhausted') return true

    const check = this.#checks.get(client) ?? this.#check(client).finally(() => this.#checks.delete(client))
    this.#checks.set(client, check)
    return check
  }

  async #check(client: ClientName): Promise<boolean> {
    const { plain, send, sendAlone, run } = this.#parts
    const request = plain(client)
    if (request === null) return false
    for (const ask of [send, sendAlone]) if (!isRefusedForQuota(await ask(request, options))) return false
    run.changeClient(client, 'exhausted')
    return true
  }

  /** After a client's first requested 1020: clients that were served before must still be served. */
  #ranOut(exhausted: ClientName): Promise<void> {
    const known = this.#others.get(exhausted) ?? this.#checkOthers(exhausted)
    this.#others.set(exhausted, known)
    return known
  }

  async #checkOthers(exhausted: ClientName): Promise<void> {
    const { run } = this.#parts
    const others = servedClients.filter(
      (client) => client !== exhausted && run.client(client).kind === 'serving' && !this.#checks.has(client),
    )
    await Promise.all(others.map((client) => this.#checkStillServed(client)))
  }

  async #checkStillServed(client: ClientName): Promise<void> {
    const { plain, send, sendAlone, accuse, run } = this.#parts
    const request = plain(client)
    if (request === null) return
    const exchange = await send(request, options)
    const judgement = answersOneOf([success]).judge(exchange)
    if (!isRefusedForQuota(exchange) || judgement.kind !== 'violates') return

    const lasts = isRefusedForQuota(await sendAlone(request, options))
    await accuse(request, exchange, {
      ...judgement.breach,
      difference: 'refused for the quota of another client',
      summary: `${judgement.breach.summary}: this client was served just before, until another client's quota ran out, or its own ran out just then`,
    })
    if (client !== 'target' || !lasts) return
    run.end(
      new RunEnded(
        "the target client is refused since another client's quota ran out (see quota/per-client)",
      ),
    )
  }
}

/** The name of a client in sentences: the setting of its key. */
export function clientSetting(client: ClientName): string {
  const setting = clientTable.find(({ name }) => name === client)?.apiKey ?? client
  return `the client of ${setting}`
}

/** The sentence of reports for a used-up quota. */
export function quotaSentence(client: ClientName): string {
  return `the daily quota of ${clientSetting(client)} is used up (429 / 1020, also for a plain valid request): run again after it was reset, or with another client`
}
