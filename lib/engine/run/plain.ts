import type { Exchange } from '../../http/exchange.ts'
import { answeredBy, isQuotaRefusal, type Answered } from '../../judge/answered.ts'
import { BudgetSpent, Inconclusive, RunEnded } from '../plan/errors.ts'
import { quotaSentence } from './quota.ts'
import { AttemptsFailed, type Send, type SendOptions } from '../send/retry.ts'
import type { Context, TestRequest } from '../plan/test-request.ts'

/** What plain valid requests are sent and judged for. */
export const plainContext: Context = { rule: 'endpoints/list-succeeds', case: 'plain' }

/** Codes that show that the settings' client is wrong, not the service. */
export const refusedCredentials: ReadonlySet<string> = new Set(['1006', '1007', '1011', '1012', '1013'])

/** Judges the answer to a plain valid request; null if nothing has to wait. */
export type PlainJudge = (plain: TestRequest, exchange: Exchange) => Promise<void> | null

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
    const exchange = await send(request, { rule: plainContext.rule, purpose: 'health-check', ...how })
    const answered = answeredBy(exchange.response)
    return isQuotaRefusal(answered)
      ? { kind: 'exhausted', because: quotaSentence('target') }
      : { kind: 'answered', exchange, answered }
  } catch (error) {
    if (error instanceof AttemptsFailed) return { kind: 'failed', because: error.error.message }
    if (!(error instanceof Inconclusive) || error instanceof BudgetSpent || error instanceof RunEnded)
      throw error
    return { kind: 'failed', because: error.message }
  }
}
