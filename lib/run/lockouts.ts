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

export type Lockouts = ReturnType<typeof openLockouts>

/** Waits until a client is served again after wrong credentials locked it out or a firewall banned its sender. Judges no answers. */
export function openLockouts(core: Core) {
  const { lifecycle, sender, record, plain, plains, model, wrongCredentials } = core
  let [seen, recoveries] = [0, 0]
  /** Other clients whose valid pair the service distinguished from a wrong one. Only a wait, made once, shows that any other client is locked out. */
  const known = new Set<ClientName>()
  /** How many times the run has waited for each other client. */
  const waited = new Map<ClientName, number>()

  /** Sends nothing for a while, or longer if that is not enough, then returns whether the client is served. */
  const isServedAfterWaits = async (isServed = () => isServedAlone(core)): Promise<boolean> => {
    for (const waitMs of core.mayTakeLong ? waitsMs.long : waitsMs.short) {
      sender.limiter.pause(waitMs)
      await lifecycle.sleep(waitMs)
      if (await isServed()) return true
    }
    return false
  }

  /** Sends nothing for a while, then returns whether the target client, which was served before, is served again. */
  const isServedLater = sharing(async (): Promise<boolean> => {
    if (seen >= mostLockouts || lifecycle.client('target').kind === 'unknown') return false
    seen += 1
    lifecycle.changeClient('target', 'locked-out')
    wrongCredentials.lockedOut()
    if (!(await isServedAfterWaits())) return false
    recoveries += 1
    record.findings.clientIs('recovered')
    return true
  })

  /** Whether the target client was locked out and is served again. Ends the run if a lockout lasts, or if there has been one too many. */
  const hasEnded = sharing(async (): Promise<boolean> => {
    if (lifecycle.client('target').kind === 'unknown') return false
    const alone = await sendPlain(sender.alone, plain)
    if (alone.kind !== 'answered' || !looksLockedOut(alone.answered)) return false
    if (await isServedLater()) return true

    const { status, errorCode } = alone.answered
    record.findings.clientIs('locked-out')
    throw lifecycle.end(
      `after several refusals a plain valid request is answered ${status} / ${errorCode ?? 'no code'}: the client may have been locked out`,
      'locked',
    )
  })

  /** Whether another client's plain request, sent alone and on a new connection, is refused as if its credentials were wrong. */
  const isLocked = async (request: TestRequest): Promise<boolean> => {
    const outcome = await sendPlain(sender.alone, request)
    return outcome.kind === 'answered' && callsPairWrong(outcome.answered)
  }

  const hasEndedForOther = sharing(async (client: ClientName): Promise<boolean> => {
    const request = plains.get(client)
    if (request === undefined || !(await isLocked(request))) return false
    const times = waited.get(client) ?? 0
    const isKnown = known.has(client)
    if (!isKnown && times > 0) return false
    waited.set(client, times + 1)
    const isUnlocked = async (): Promise<boolean> => !(await isLocked(request))
    if (times < mostLockouts && (await isServedAfterWaits(isUnlocked))) return true
    if (!isKnown) return false
    throw new NoAnswer(
      'trouble',
      `after wrong secrets for its key, ${clientSetting(client)} is refused as if its own secret were wrong, although it was accepted before: it may have been locked out`,
    )
  })

  return {
    /** The number of lockouts of the target client that are over. */
    recoveries: () => recoveries,
    isServedAfterWaits,
    isServedLater,
    hasEnded,

    /** Whether a quota that seemed used up was only suspended because of wrong credentials, and no longer is. */
    isQuotaBack: async () => wrongCredentials.maySuspend() && isServedLater(),

    /**
     * Whether the client of a request, other than the target, was locked out and no longer is, so that the answer means nothing.
     * Throws `trouble` if a client that was served before stays locked out.
     */
    async hasEndedFor({ traits: { client }, request }: TestRequest, exchange: Exchange): Promise<boolean> {
      if (client === 'target') return false
      const facts = factsIfKnown(request, model)
      if (facts?.apiKey !== 'valid' || facts.secretKey !== 'valid') return false
      const isWrong = callsPairWrong(answeredBy(exchange.response))
      if (!isWrong) known.add(client)
      return isWrong && wrongCredentials.wereSentFor(client) && hasEndedForOther(client)
    },
  }
}

/** Whether a plain valid request was refused in a way that is typical of a lockout. */
export function looksLockedOut({ status, errorCode }: Answered): boolean {
  if (isSuccessStatus(status)) return false
  return statusesOfLocks.includes(status) || blamesClient(errorCode)
}

/** Codes for a wrong key or secret, which no valid pair gets. */
const wrongPairCodes: readonly (string | null)[] = ['1006', '1007']
const statusesOfLocks: readonly number[] = [401, 403, 423]

function callsPairWrong({ status, errorCode }: Answered): boolean {
  if (isSuccessStatus(status)) return false
  return errorCode === null ? statusesOfLocks.includes(status) : wrongPairCodes.includes(errorCode)
}
