import { rateRefusals } from '../judge/record.ts'
import type { Verdict } from './verdict.ts'

/** The number of requests in a verdict, and the reasons for its retries. */
type Requests = Pick<Verdict['requests'], 'sent' | 'retriedFor'>

/** Shares of requests: retried requests for a sentence in headlines, and failed requests for an incomplete run. */
const shares = { told: 0.01, incomplete: 0.2 } as const

/** Whether too many requests were in trouble for a verdict. Requests refused because of their rate do not count. */
export function isTooMuchTrouble({ sent, retriedFor = {} }: Requests): boolean {
  return (countIn(retriedFor) - ratesIn(retriedFor)) / sent >= shares.incomplete
}

/** `87 of 400 requests (21 %) had to be sent again: 84 × 503, 3 × closed connection`; null if fewer than one in a hundred were affected. */
export function troubleSentence(requests: Requests): string | null {
  const { sent, retriedFor = {} } = requests
  const all = countIn(retriedFor)
  // Nothing was sent, or too little was retried to mention.
  if (!(all / sent >= shares.told)) return null
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
