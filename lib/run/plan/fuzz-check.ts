import type { MutatedRequest } from '../../fuzz/case-class.ts'
import type { Exchange } from '../../http/exchange.ts'
import type { Request } from '../../http/request.ts'
import { answeredBy, isSuccess, type Answered } from '../../judge/answered.ts'
import { describeAllowed, describeAnswered, endpointsFileDifferences } from '../../judge/differences.ts'
import { orExcused } from '../../judge/excuses.ts'
import { allowed, factsOf } from '../../judge/facts.ts'
import {
  answersOneOf,
  holds,
  neverSucceeds,
  sameOutcome,
  weakened,
  type Breach,
  type Check,
} from '../../judge/judge.ts'
import { readingsOf } from '../../judge/readings.ts'
import type { Answer } from '../../specification/answers.ts'
import type { SuiteContext } from './suite-context.ts'

/** The input for the check of a generated case. */
export interface Generated {
  readonly mutated: MutatedRequest
  readonly request: Request
  /** The answer to the paired request; null if there is none or its connection was closed. */
  readonly before: Exchange | null
}

/** The check for a generated request. */
export function checkOf(
  { mutated, request, before }: Generated,
  { model, places }: Pick<SuiteContext, 'model' | 'places'>,
): Check {
  const { treatment, transportMayRefuse } = mutated
  if (treatment === 'observed') return { allowed: [], judge: () => holds }
  if (mutated.pairedRequest?.relation === 'same-outcome' && before !== null)
    return { allowed: [], judge: (exchange) => sameOutcome(before, exchange) }

  // A service whose answers are barely valid HTTP reports invalid input.
  const byFacts =
    mutated.allowed ?? readingsOf(request).flatMap((reading) => allowed(factsOf(reading, model)))
  const further = [...(mutated.also ?? []), ...(transportMayRefuse ? [invalidInput] : [])]
  const documented = distinct([...byFacts, ...further])
  if (treatment === 'refused') return neverSucceeds(documented)

  const refusal = earlierRefusal(before, documented)
  const check = refusal === null ? answersOneOf(documented) : notPast(refusal, documented)
  const demanded = withBreach(check, (breach) => {
    const told = toldOfFile(breach, mutated.described)
    if (!isAccepted(breach)) return weakened(told, mutated.weakness)
    return mutated.mayBeStripped === true ? weakened(told, 'warning') : told
  })
  return orExcused(demanded, mutated, places)
}

const invalidInput = { status: 400, errorCode: '1030' } as const
const unknownEndpoint = { status: 400, errorCode: '1010' } as const

const ofCredentials: ReadonlySet<string | null> = new Set(['1001', '1002', '1006', '1007'])

/** Whether a flawed request was accepted: either a complete success, or a 304 without the right credentials. */
function isAccepted({ allowed: documented, answered }: Breach): boolean {
  if (answered === null || documented.some(({ errorCode }) => errorCode === null)) return false
  if (answered.status === 304) return documented.some(({ errorCode }) => ofCredentials.has(errorCode))
  return answered.status !== 206 && isSuccess(answered)
}

/** Changes the summary of a success or 1030 that contradicts a schema in the endpoints file, so that it names the file, which may be wrong. */
function toldOfFile(breach: Breach, described: MutatedRequest['described']): Breach {
  const { answered, allowed: demanded } = breach
  if (described === undefined || answered === null || answered.flaw !== null) return breach
  const isRefused = isSame(invalidInput, answered)
  if (!isRefused && !isSuccess(answered)) return breach
  const { file, number, says } = described
  const told = isRefused ? 'which it allows' : `which it forbids (${describeAllowed(demanded)} is documented)`
  return {
    ...breach,
    difference: `${endpointsFileDifferences.input}: ${isRefused ? 'allowed and refused' : 'forbidden and served'}`,
    summary: `answered ${describeAnswered(answered)} to input of ${file} (entry ${number}: ${says}), ${told}, or the file is wrong`,
  }
}

/** The paired request's refusal for a flaw that is checked before the endpoint is looked up; otherwise null. */
function earlierRefusal(paired: Exchange | null, documented: readonly Answer[]): Answered | null {
  if (paired === null) return null
  const answered = answeredBy(paired.response)
  const isEarlier = documented.some((one) => isSame(one, answered)) && !isSame(unknownEndpoint, answered)
  return isEarlier && answered.flaw === null ? answered : null
}

/** Allows these answers, except one that shows that the request passed the check that refused the paired request. */
function notPast(refusal: Answered, documented: readonly Answer[]): Check {
  const check = answersOneOf(documented.filter((one) => !isSame(one, unknownEndpoint)))
  return withBreach(check, (breach) => {
    if (breach.answered === null || !isSame(unknownEndpoint, breach.answered)) return breach
    const summary = `${breach.summary}; the same with an invented credential is answered ${describeAnswered(refusal)}`
    return { ...breach, summary, against: 'order' }
  })
}

function withBreach({ allowed: documented, judge }: Check, change: (breach: Breach) => Breach): Check {
  return {
    allowed: documented,
    judge: (exchange) => {
      const judgement = judge(exchange)
      return judgement.kind === 'violates' ? { ...judgement, breach: change(judgement.breach) } : judgement
    },
  }
}

function distinct(answers: readonly Answer[]): readonly Answer[] {
  return answers.filter((answer, at) => answers.findIndex((one) => isSame(one, answer)) === at)
}

function isSame(
  one: Answer,
  other: { readonly status: number | '2xx'; readonly errorCode: string | null },
): boolean {
  return one.status === other.status && one.errorCode === other.errorCode
}
