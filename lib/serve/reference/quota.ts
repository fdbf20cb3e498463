import { clientNames, type ClientName } from './clients.ts'

/** How many requests a day each client may send; a client that is not named has its default. */
export type Quotas = Readonly<Partial<Record<ClientName, number>>>

/** The quota of the disposable client unless another is set. */
export const disposableQuota = 6

const defaults: Quotas = { exhausted: 100, disposable: disposableQuota }
const dayLength = 86_400_000

/** The count of requests by client and day. */
export interface QuotaStore {
  /** Counts a request of a client; false where its quota was used up before. */
  take(name: ClientName): boolean
}

/**
 * A quota store. Every request that passes authentication counts. The exhausted client has used up its quota of the day
 * on which the service starts; at 00:00 UTC of `now` (milliseconds) every count, its own too, begins anew.
 */
export function quotaStore(quotas: Quotas, now: () => number): QuotaStore {
  const limits: Quotas = { ...defaults, ...quotas }
  const used = new Map<ClientName, number>([['exhausted', limits.exhausted ?? 0]])
  // Only clients with a quota look at the clock.
  const limited = new Set(clientNames.filter((name) => limits[name] !== undefined))
  let day = dayOf(now())

  return {
    take(name) {
      if (!limited.has(name)) return true
      const today = dayOf(now())
      if (today !== day) used.clear()
      day = today
      const before = used.get(name) ?? 0
      if (before >= (limits[name] ?? Infinity)) return false
      used.set(name, before + 1)
      return true
    },
  }
}

function dayOf(milliseconds: number): number {
  return Math.floor(milliseconds / dayLength)
}
