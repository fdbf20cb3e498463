import { clientNames, type ClientName } from './clients.ts'

/** Requests per day for each client; omitted clients have their default. */
export type Quotas = Readonly<Partial<Record<ClientName, number>>>

/** Default quota of the disposable client. */
export const disposableQuota = 6

const defaults: Quotas = { exhausted: 100, disposable: disposableQuota }
const dayLength = 86_400_000

/** Request counts by client and day. */
export interface QuotaStore {
  /** Counts a request of a client; false if its quota was already used up. */
  take(name: ClientName): boolean
}

/**
 * A quota store. Every authenticated request counts. The exhausted client has no quota left on the day of the start. All counts restart at
 * 00:00 UTC of `now` (milliseconds).
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
