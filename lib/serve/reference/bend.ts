import type { Socket } from 'node:net'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import type { Client } from './clients.ts'
import type { CheckName } from './reading.ts'

/**
 * Hooks with which a fault changes the service; all are optional. They act in this order: `around`, `instead`, `see`, the three hooks of
 * the checks, `answer`.
 */
export interface Bend {
  /** Watches each new connection before anything is read from it. */
  readonly connected?: (socket: Socket) => void
  /** Wraps everything else, for faults that wait or connect requests, such as races and caches. */
  readonly around?: (call: Call, serve: (call: Call) => Promise<Answer>) => Promise<Answer>
  /** Answers in place of all checks; null leaves the request to the checks. */
  readonly instead?: (call: Call) => Answer | null
  /** Changes the request as the service sees it. */
  readonly see?: (call: Call) => Call
  /** Whether a different key counts as this client's; never called for a blank key. */
  readonly keyMatches?: (sent: string, client: Client) => boolean
  /** Whether a different secret counts as this client's. */
  readonly secretMatches?: (sent: string, client: Client) => boolean
  /** Whether to skip a check; the client is the owner of the sent key, if any. */
  readonly skips?: (check: CheckName, call: Call, client: Client | null) => boolean
  /** Replaces an answer. */
  readonly answer?: (answer: Answer, call: Call) => Answer
}

/** Combines bends: each may match, skip or answer; `see` and `answer` run from first to last. */
export function combine(bends: readonly Bend[]): Bend {
  const [first, ...others] = bends
  if (first === undefined || others.length === 0) return first ?? {}
  return {
    connected: (socket) => bends.forEach(({ connected }) => connected?.(socket)),
    around: (call, serve) =>
      bends.reduceRight<(call: Call) => Promise<Answer>>(
        (inner, { around }) => (around === undefined ? inner : (outer) => around(outer, inner)),
        serve,
      )(call),
    instead: (call) =>
      bends.reduce<Answer | null>((found, bend) => found ?? bend.instead?.(call) ?? null, null),
    see: (call) => bends.reduce((seen, bend) => bend.see?.(seen) ?? seen, call),
    keyMatches: (sent, client) => bends.some((bend) => bend.keyMatches?.(sent, client) === true),
    secretMatches: (sent, client) => bends.some((bend) => bend.secretMatches?.(sent, client) === true),
    skips: (check, call, client) => bends.some((bend) => bend.skips?.(check, call, client) === true),
    answer: (answer, call) => bends.reduce((given, bend) => bend.answer?.(given, call) ?? given, answer),
  }
}
