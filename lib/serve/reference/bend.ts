import type { Socket } from 'node:net'
import type { Answer } from './answer.ts'
import type { Call } from './call.ts'
import type { Client } from './clients.ts'

/** The name of a check, in the order in which they are made. */
export type CheckName =
  | 'host'
  | 'api-key-present'
  | 'secret-key-present'
  | 'version-present'
  | 'endpoint-in-version'
  | 'api-key-valid'
  | 'secret-key-valid'
  | 'customer'
  | 'endpoint-active'
  | 'permitted'
  | 'quota'
  | 'input'

/**
 * Where a fault bends the service; every hook may be left out. In the order in which they act: `around`, `instead`,
 * `see`, the three that the checks ask, `answer`.
 */
export interface Bend {
  /** Watches each new connection, before anything is read of it. */
  readonly connected?: (socket: Socket) => void
  /** Stands around everything else, for what must wait: races, caches, whatever passes from one request to another. */
  readonly around?: (call: Call, serve: (call: Call) => Promise<Answer>) => Promise<Answer>
  /** Answers in place of all checks; null leaves the request to them. */
  readonly instead?: (call: Call) => Answer | null
  /** What the service takes the request for. */
  readonly see?: (call: Call) => Call
  /** Whether a key that is not exactly a client's counts as this client's; never asked for a blank one. */
  readonly keyMatches?: (sent: string, client: Client) => boolean
  /** Whether a secret that is not exactly a client's counts as this client's. */
  readonly secretMatches?: (sent: string, client: Client) => boolean
  /** Whether a check is left out; the client is the owner of the key that was sent, if it has one. */
  readonly skips?: (check: CheckName, call: Call, client: Client | null) => boolean
  /** What is answered in place of an answer. */
  readonly answer?: (answer: Answer, call: Call) => Answer
}

/** One bend out of several: each may match, skip or answer; `see` and `answer` go from the first to the last. */
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
