import type { Exchange } from '../../http/exchange.ts'
import { isRefusedForQuota } from '../../judge/answered.ts'
import { answersOneOf, type Breach } from '../../judge/judge.ts'
import { success } from '../../specification/answers.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { Inconclusive, RunEnded } from '../plan/errors.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'
import type { RunLifecycle } from '../send/run-state.ts'
import type { Accuser } from './accuser.ts'
import { exchangeOf, quotaSentence, type Ask } from './ask.ts'
import type { Lockouts } from './lockouts.ts'

interface QuotaParts {
  readonly run: RunLifecycle
  readonly ask: Pick<Ask, 'send' | 'alone'>
  /** The plain valid request of each client that is configured. */
  readonly plains: ReadonlyMap<ClientName, TestRequest>
  readonly accuser: Pick<Accuser, 'accuse'>
  readonly lockouts: Pick<Lockouts, 'isQuotaBack'>
}

const context: Context = { rule: 'quota/per-client', case: 'served-before', replayable: false }
const options = { rule: context.rule, purpose: 'health-check' } as const

/** The clients whose plain requests must be served. */
const servedClients = ['target', 'second'] as const satisfies readonly ClientName[]

/** Whether a client that was refused for its quota still is; `back`: it was for a while. */
type QuotaState = 'left' | 'back' | 'exhausted'

/** Knows whose daily quota is used up. An unasked 1020 counts only if a plain valid request of that client gets it, too. */
export class QuotaMonitor {
  readonly #parts: QuotaParts
  readonly #checks = new Map<ClientName, Promise<QuotaState>>()
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

  /**
   * Reads a response; null if nothing has to wait, true if it means nothing, since the quota was suspended for a while. Throws
   * {@link RunEnded} if the target's quota is used up, {@link Inconclusive} for another client's.
   */
  note({ traits: { client, asksForQuota } }: TestRequest, exchange: Exchange): Promise<boolean> | null {
    if (!isRefusedForQuota(exchange)) return null
    return asksForQuota ? this.#ranOut(client).then(() => false) : this.#believe(client)
  }

  async #believe(client: ClientName): Promise<boolean> {
    const state = await this.#stateOf(client)
    if (state !== 'exhausted') return state === 'back'
    const says = quotaSentence(client)
    throw client === 'target' ? this.#parts.run.end(new RunEnded(says)) : new Inconclusive(says)
  }

  async #stateOf(client: ClientName): Promise<QuotaState> {
    const { run } = this.#parts
    await Promise.all(this.#others.values())
    if (run.client(client).kind === 'exhausted') return 'exhausted'

    const check = this.#checks.get(client) ?? this.#check(client).finally(() => this.#checks.delete(client))
    this.#checks.set(client, check)
    return check
  }

  async #check(client: ClientName): Promise<QuotaState> {
    const { plains, ask, run, lockouts } = this.#parts
    const request = plains.get(client)
    if (request === undefined) return 'left'
    // Of a service that refuses one request of seven so, two in a row are no rarity.
    for (const send of [ask.send, ask.alone, ask.alone])
      if (!isRefusedForQuota(exchangeOf(await send(request, options)))) return 'left'
    if (client === 'target' && (await lockouts.isQuotaBack())) return 'back'
    run.changeClient(client, 'exhausted')
    return 'exhausted'
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
    const { plains, ask, accuser, run } = this.#parts
    const request = plains.get(client)
    if (request === undefined) return
    const exchange = exchangeOf(await ask.send(request, options))
    const judgement = answersOneOf([success]).judge(exchange)
    if (!isRefusedForQuota(exchange) || judgement.kind !== 'violates') return

    const lasts = isRefusedForQuota(exchangeOf(await ask.alone(request, options)))
    const breach: Breach = {
      ...judgement.breach,
      difference: 'refused for the quota of another client',
      summary: `${judgement.breach.summary}: this client was served just before, until another client's quota ran out, or its own ran out just then`,
    }
    await accuser.accuse(
      { request, exchange, context, breach },
      { kind: 'request', violates: isRefusedForQuota },
    )
    if (client !== 'target' || !lasts) return
    run.end(
      new RunEnded(
        "the target client is refused since another client's quota ran out (see quota/per-client)",
      ),
    )
  }
}
