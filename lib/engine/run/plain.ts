import type { Exchange } from '../../http/exchange.ts'
import { answeredBy, isQuotaRefusal, type Answered } from '../../judge/answered.ts'
import { clientSetting } from '../../settings/client-settings.ts'
import type { ClientName } from '../../specification/clients.ts'
import { BudgetSpent, Inconclusive, RunEnded } from '../plan/errors.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'
import { isUnanswered, type Send, type SendOptions } from '../send/send.ts'

/** What plain valid requests are sent and judged for. */
export const plainContext: Context = { rule: 'endpoints/list-succeeds', case: 'plain' }

/** What came of a plain valid request. */
export type PlainOutcome =
  | { readonly kind: 'answered'; readonly exchange: Exchange; readonly answered: Answered }
  | { readonly kind: 'failed' | 'exhausted'; readonly because: string }

/** Sends a plain valid request. Throws what ends a run, and a spent budget. */
export async function askPlain(
  send: Send,
  request: TestRequest,
  how: Partial<SendOptions> = {},
): Promise<PlainOutcome> {
  try {
    const sent = await send(request, { rule: plainContext.rule, purpose: 'health-check', ...how })
    if (isUnanswered(sent)) return { kind: 'failed', because: sent.error.message }
    const answered = answeredBy(sent.response)
    return isQuotaRefusal(answered)
      ? { kind: 'exhausted', because: quotaSentence('target') }
      : { kind: 'answered', exchange: sent, answered }
  } catch (error) {
    if (!(error instanceof Inconclusive) || error instanceof BudgetSpent || error instanceof RunEnded)
      throw error
    return { kind: 'failed', because: error.message }
  }
}

/** The sentence of reports for a used-up quota. */
export function quotaSentence(client: ClientName): string {
  return `the daily quota of ${clientSetting(client)} is used up (429 / 1020, also for a plain valid request): run again after it was reset, or with another client`
}
