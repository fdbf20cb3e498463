import type { Exchange } from '../http/exchange.ts'
import { answeredBy, isSuccessStatus, type Answered } from '../judge/answered.ts'
import { factsIfKnown } from '../judge/facts.ts'
import { clientSetting } from '../settings/client-settings.ts'
import { blamesClient } from '../specification/answers.ts'
import type { ClientName } from '../specification/client-rows.ts'
import { isServedAlone, sendPlain, sharing, type Core } from './core.ts'
import { NoAnswer } from './plan/errors.ts'
import type { TestRequest } from './plan/test-request.ts'

/** Maximum number of times that a run waits for a client. */
const mostLockouts = 4
/** How long to wait for a client that was locked out or banned, in milliseconds. Many lockouts end within a minute. */
const waitsMs = { short: [15_000], long: [15_000, 46_000] } as const

/** Waits until a client is served again after wrong credentials locked it out or a firewall banned its sender. Judges no answers. */
export class Lockouts {
  readonly #core: Core
  readonly #waitsMs: readonly number[]
  #seen = 0
  #recoveries = 0
  /** Other clients whose valid pair the service distinguished from a wrong one. Only a wait, made once, shows that any other client is locked out. */
  readonly #known = new Set<ClientName>()
  /** How many times the run has waited for each other client. */
  readonly #waited = new Map<ClientName, number>()
  readonly #ofTarget = sharing(() => this.#endsForTarget())
  readonly #later = sharing(() => this.#leaveAlone())
  readonly #ofOther = sharing((client: ClientName) => this.#endsForOther(client))

  constructor(core: Core) {
    this.#core = core
    this.#waitsMs = core.mayTakeLong ? waitsMs.long : waitsMs.short
  }

  /** The number of lockouts of the target client that are over. */
  get recoveries(): number {
    return this.#recoveries
  }

  /** Whether the target client was locked out and is served again. Ends the run if a lockout lasts, or if there has been one too many. */
  hasEnded(): Promise<boolean> {
    return this.#ofTarget(null)
  }

  /** Sends nothing for a while, then returns whether the target client, which was served before, is served again. */
  isServedLater(): Promise<boolean> {
    return this.#later(null)
  }

  /** Whether a quota that seemed used up was only suspended because of wrong credentials, and no longer is. */
  async isQuotaBack(): Promise<boolean> {
    return this.#core.wrongCredentials.maySuspend && this.isServedLater()
  }

  /**
   * Whether the client of a request was locked out and no longer is, so that the answer means nothing; false if nothing has to wait.
   * Throws `trouble` if a client that was served before stays locked out.
   */
  hasEndedFor({ traits: { client }, request }: TestRequest, exchange: Exchange): Promise<boolean> | false {
    const { model, plains, wrongCredentials } = this.#core
    if (client === 'target') return false
    const facts = factsIfKnown(request, model)
    if (facts?.apiKey !== 'valid' || facts.secretKey !== 'valid') return false
    if (!callsPairWrong(answeredBy(exchange.response))) this.#known.add(client)
    else if (plains.has(client) && wrongCredentials.wereSentFor(client)) return this.#ofOther(client)
    return false
  }

  /** Sends nothing for a while, or longer if that is not enough, then returns whether the client is served. */
  async isServedAfterWaits(isServed = () => isServedAlone(this.#core)): Promise<boolean> {
    const { lifecycle, sender } = this.#core
    for (const waitMs of this.#waitsMs) {
      sender.limiter.pause(waitMs)
      await lifecycle.sleep(waitMs)
      if (await isServed()) return true
    }
    return false
  }

  async #leaveAlone(): Promise<boolean> {
    const { lifecycle, record, wrongCredentials } = this.#core
    if (this.#seen >= mostLockouts || lifecycle.client('target').kind === 'unknown') return false
    this.#seen += 1
    lifecycle.changeClient('target', 'locked-out')
    wrongCredentials.lockedOut()
    if (!(await this.isServedAfterWaits())) return false
    this.#recoveries += 1
    record.findings.clientIs('recovered')
    return true
  }

  async #endsForTarget(): Promise<boolean> {
    const { lifecycle, record, sender, plain } = this.#core
    if (lifecycle.client('target').kind === 'unknown') return false
    const alone = await sendPlain(sender.alone, plain)
    if (alone.kind !== 'answered' || !looksLockedOut(alone.answered)) return false
    if (await this.isServedLater()) return true

    const { status, errorCode } = alone.answered
    record.findings.clientIs('locked-out')
    throw lifecycle.end(
      `after several refusals a plain valid request is answered ${status} / ${errorCode ?? 'no code'}: the client may have been locked out`,
      'locked',
    )
  }

  async #endsForOther(client: ClientName): Promise<boolean> {
    if (!(await this.#isLocked(client))) return false
    const waited = this.#waited.get(client) ?? 0
    const isKnown = this.#known.has(client)
    if (!isKnown && waited > 0) return false
    this.#waited.set(client, waited + 1)
    const isUnlocked = async (): Promise<boolean> => !(await this.#isLocked(client))
    if (waited < mostLockouts && (await this.isServedAfterWaits(isUnlocked))) return true
    if (!isKnown) return false
    throw new NoAnswer(
      'trouble',
      `after wrong secrets for its key, ${clientSetting(client)} is refused as if its own secret were wrong, although it was accepted before: it may have been locked out`,
    )
  }

  /** Whether a client's plain request, sent alone and on a new connection, is refused as if its credentials were wrong. */
  async #isLocked(client: ClientName): Promise<boolean> {
    const plain = this.#core.plains.get(client)
    if (plain === undefined) return false
    const outcome = await sendPlain(this.#core.sender.alone, plain)
    return outcome.kind === 'answered' && callsPairWrong(outcome.answered)
  }
}

/** Whether a plain valid request was refused in a way that is typical of a lockout. */
export function looksLockedOut({ status, errorCode }: Answered): boolean {
  if (isSuccessStatus(status)) return false
  return status === 401 || status === 403 || status === 423 || blamesClient(errorCode)
}

/** Codes for a wrong key or secret, which no valid pair gets. */
const wrongPairCodes: readonly (string | null)[] = ['1006', '1007']
const statusesOfLocks: readonly number[] = [401, 403, 423]

function callsPairWrong({ status, errorCode }: Answered): boolean {
  if (isSuccessStatus(status)) return false
  return errorCode === null ? statusesOfLocks.includes(status) : wrongPairCodes.includes(errorCode)
}
