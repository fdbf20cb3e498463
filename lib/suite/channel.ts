import { BroadcastChannel } from 'node:worker_threads'
import type { Finding, RunRecord } from '../judge/record.ts'
import type { Session } from '../session/session.ts'
import { ruleIds, type RuleId } from '../spec/rules.ts'

/** What the worker tells the main process while it runs; plain data. */
export interface RunNews {
  readonly record: RunRecord
  /** How many cases of each rule have ended, also of rules whose test has not. */
  readonly cases: Readonly<Record<string, number>>
  /** Findings of rules that have any, also of rules whose test has not ended. */
  readonly findings: readonly (readonly [rule: RuleId, findings: readonly Finding[]])[]
}

/** At most one message in so many milliseconds, so that news never cost more than requests. */
const intervalMs = 50

/** What the main process may say to the worker, besides nothing. */
export const cancelWord = 'cancel'

/** What the channel is opened for. */
export interface ChannelOptions {
  readonly session: () => Session
  /** Called when the main process ends the run. */
  readonly cancel: () => void
}

/**
 * Carries the run's record out of the worker, for progress and for a run that is cut short, and the word that ends it in. (Of
 * several tests that run at once, vitest forgets some, and aborts none of these.)
 */
export function openChannel(
  name: string | null,
  { session, cancel }: ChannelOptions,
): { readonly changed: () => void } {
  if (name === null) return { changed: () => {} }

  const channel = new BroadcastChannel(name)
  channel.unref()
  channel.addEventListener('message', (event: Event & { readonly data?: unknown }) => {
    if (event.data === cancelWord) cancel()
  })
  let due: NodeJS.Timeout | null = null
  const post = (): void => {
    due = null
    channel.postMessage(newsOf(session()))
  }
  return {
    changed: () => {
      due ??= setTimeout(post, intervalMs).unref()
    },
  }
}

/** Everything that is known of a run right now. */
export function newsOf(session: Session): RunNews {
  const findings = ruleIds.flatMap((rule) => {
    const found = session.log.findings(rule)
    return found.length === 0 ? [] : [[rule, found] as const]
  })
  return { record: session.record(), cases: session.log.casesEnded(), findings }
}
