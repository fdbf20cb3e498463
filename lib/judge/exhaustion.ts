import type { Exchange } from '../http/exchange.ts'
import { isServed } from './answered.ts'
import { answers, holds, type Judgement } from './judge.ts'

/** The observation that a client with a declared quota was served more often than that, until it was refused. */
export const quotaOverrun = 'quota-overrun'

const usedUp = answers({ status: 429, errorCode: '1020' })

/**
 * Judges the answers that a client got whose quota is meant to be used up, in the order in which they were asked for. A quota
 * resets at a time that is not shown: only successes, or success for good after some refusals, say nothing. Refusals with a
 * success between them, and any third answer, are a breach. Source: Limits.
 */
export function judgeExhaustion(
  exchanges: readonly Exchange[],
  whose: string,
): { readonly judgement: Judgement; readonly about: Exchange } {
  const [first] = exchanges
  if (first === undefined) throw new RangeError('no answers to judge')

  const odd = exchanges.find((exchange) => !isRefused(exchange) && !isServed(exchange))
  if (odd !== undefined) return { judgement: usedUp.judge(odd), about: odd }

  const fromFirstToLastRefusal = exchanges.slice(
    exchanges.findIndex(isRefused),
    exchanges.findLastIndex(isRefused),
  )
  const between = fromFirstToLastRefusal.find(isServed)
  if (between !== undefined) return { judgement: usedUp.judge(between), about: between }

  const last = exchanges.at(-1) ?? first
  if (isRefused(last)) return { judgement: holds, about: last }
  return { judgement: { kind: 'unclear', because: `${whose} is not exhausted today` }, about: last }
}

/** Whether an answer is the documented one for a quota that is used up. */
export function isRefused(exchange: Exchange): boolean {
  return usedUp.judge(exchange).kind === 'holds'
}
