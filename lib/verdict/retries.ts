import { rateRefusals } from '../judge/record.ts'
import type { Verdict } from './verdict.ts'

/** The number of requests in a verdict, and the reasons for its retries. */
type Requests = Pick<Verdict['requests'], 'sent' | 'retriedFor'>

/** Shares of retried requests at which headlines first mention retries, then warn, and finally the run is incomplete. */
const shares = { told: 0.01, warned: 0.05, incomplete: 0.2 } as const

/** How serious the trouble with a run's requests is, by the share of requests affected. */
type TroubleGrade = 'none' | 'told' | 'warned' | 'incomplete'

/** Grades the trouble with requests. Requests refused because of their rate are mentioned but never graded higher. */
export function troubleGrade({ sent, retriedFor = {} }: Requests): TroubleGrade {
  const all = countIn(retriedFor)
  const share = (count: number): number => count / sent
  const trouble = share(all - ratesIn(retriedFor))
  if (trouble >= shares.incomplete) return 'incomplete'
  if (trouble >= shares.warned) return 'warned'
  return share(all) >= shares.told ? 'told' : 'none'
}

/** `87 of 400 requests (21 %) had to be sent again: 84 × 503, 3 × closed connection`; null if fewer than one in a hundred were affected. */
export function troubleSentence(requests: Requests): string | null {
  if (troubleGrade(requests) === 'none') return null
  const { sent, retriedFor = {} } = requests
  const all = countIn(retriedFor)
  const kinds = Object.entries(retriedFor)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${count} × ${name}`)
  const percent = Math.floor((all / sent) * 100)
  const told = `${all} of ${sent} requests (${percent} %) had to be sent again: ${kinds.join(', ')}`
  if (ratesIn(retriedFor) > 0)
    return `${told} (the service refused the rate of requests, so the run slowed down: set --max-rps)`
  return retriedFor['503'] === undefined ? told : `${told} (a 503 may be a rate limit: try --max-rps)`
}

function ratesIn(retriedFor: Readonly<Record<string, number>>): number {
  return rateRefusals.reduce((sum, name) => sum + (retriedFor[name] ?? 0), 0)
}

function countIn(retriedFor: Readonly<Record<string, number>>): number {
  return Object.values(retriedFor).reduce((sum, count) => sum + count, 0)
}
