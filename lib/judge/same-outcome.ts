import type { Exchange } from '../http/exchange.ts'
import { answeredBy, isSuccess, type Answered } from './answered.ts'
import { answerDifferences, describeAnswered } from './explain.ts'
import { holds, type Judgement } from './judge.ts'

/** Demands of two answers that they are the same to a client: both successes, or the same status and code in the same form. */
export function sameOutcome(expected: Exchange, given: Exchange): Judgement {
  const wanted = answeredBy(expected.response)
  const answered = answeredBy(given.response)
  if (outcome(wanted) === outcome(answered)) return holds

  return {
    kind: 'violates',
    breach: {
      allowed: [],
      answered,
      against: 'outcome',
      difference: `${answerDifferences.outcome}${outcome(wanted)}`,
      summary: `answered ${describeAnswered(answered)} where the same request, but for what must not matter, is answered ${describeAnswered(wanted)}`,
    },
  }
}

function outcome(answered: Answered): string {
  if (isSuccess(answered)) return 'success'
  return `${answered.status}/${answered.errorCode ?? ''}/${answered.flaw ?? ''}`
}
