import type { Exchange } from '../../http/exchange.ts'
import { answeredBy, isSuccessStatus, type Answered } from '../../judge/answered.ts'
import { factsIfKnown } from '../../judge/facts.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { clientSetting } from '../../settings/client-settings.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import { Inconclusive } from '../plan/errors.ts'
import type { TestRequest } from '../plan/test-request.ts'
import { askPlain, type Ask } from './ask.ts'
import type { Guesses } from './guesses.ts'
import { mostLockouts, type Lockouts } from './lockouts.ts'

interface OtherLockoutParts {
  readonly ask: Pick<Ask, 'alone'>
  readonly lockouts: Pick<Lockouts, 'isServedAfterPauses'>
  readonly guesses: Pick<Guesses, 'wereSentFor'>
  readonly model: TargetModel
  /** The plain request of each client that is configured. */
  readonly plains: ReadonlyMap<ClientName, TestRequest>
}

/** Wrong secrets may lock the key of any client, not the target's alone: its valid pair is then called wrong for a while, which says nothing. */
export class OtherLockouts {
  readonly #parts: OtherLockoutParts
  /** Clients whose valid pair was told from a wrong one. Of others only a wait shows that they are locked out, once. */
  readonly #known = new Set<ClientName>()
  readonly #waiting = new Map<ClientName, Promise<boolean>>()
  readonly #waits = new Map<ClientName, number>()

  constructor(parts: OtherLockoutParts) {
    this.#parts = parts
  }

  /**
   * Whether the client of a request was locked out and is no more, so that the answer means nothing; false where nothing has to wait.
   * Rejects with {@link Inconclusive} if a client that was known before stays locked out.
   */
  recovers({ traits: { client }, request }: TestRequest, exchange: Exchange): Promise<boolean> | false {
    if (client === 'target') return false
    const facts = factsIfKnown(request, this.#parts.model)
    if (facts?.apiKey !== 'valid' || facts.secretKey !== 'valid') return false
    const plain = this.#parts.plains.get(client)
    if (!callsPairWrong(answeredBy(exchange.response))) this.#known.add(client)
    else if (plain !== undefined && this.#parts.guesses.wereSentFor(client))
      return this.#waited(client, plain)
    return false
  }

  #waited(client: ClientName, plain: TestRequest): Promise<boolean> {
    const waiting =
      this.#waiting.get(client) ?? this.#wait(client, plain).finally(() => this.#waiting.delete(client))
    this.#waiting.set(client, waiting)
    return waiting
  }

  async #wait(client: ClientName, plain: TestRequest): Promise<boolean> {
    if (!(await this.#isLocked(plain))) return false
    const waits = this.#waits.get(client) ?? 0
    const isKnown = this.#known.has(client)
    if (!isKnown && waits > 0) return false
    this.#waits.set(client, waits + 1)
    const isUnlocked = async (): Promise<boolean> => !(await this.#isLocked(plain))
    if (waits < mostLockouts && (await this.#parts.lockouts.isServedAfterPauses(isUnlocked))) return true
    if (!isKnown) return false
    throw new Inconclusive(
      `after wrong secrets for its key the client of ${clientSetting(client)} is refused as if its own were wrong, which it was not before: it may have been locked out`,
    )
  }

  /** Whether the plain request of a client is refused, alone and on a new connection, as if its credentials were wrong. */
  async #isLocked(plain: TestRequest): Promise<boolean> {
    const outcome = await askPlain(this.#parts.ask.alone, plain)
    return outcome.kind === 'answered' && callsPairWrong(outcome.answered)
  }
}

/** Codes of a key or a secret that is wrong, which no valid pair gets. */
const wrongPairCodes: readonly (string | null)[] = ['1006', '1007']
const statusesOfLocks: readonly number[] = [401, 403, 423]

function callsPairWrong({ status, errorCode }: Answered): boolean {
  if (isSuccessStatus(status)) return false
  return errorCode === null ? statusesOfLocks.includes(status) : wrongPairCodes.includes(errorCode)
}
