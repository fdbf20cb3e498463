import type { MutatedRequest } from '../generate/case-class.ts'
import type { Exchange } from '../http/exchange.ts'
import type { Request } from '../http/request.ts'
import { answeredBy, type Answered } from '../judge/answered.ts'
import { describeAnswered } from '../judge/explain.ts'
import {
  answersOneOf,
  holds,
  neverSucceeds,
  orFieldRefused,
  orRedirected,
  orRefusedByTransport,
  type Check,
  sameOutcome,
} from '../judge/judge.ts'
import { allowed } from '../judge/allowed.ts'
import { factsOf } from '../judge/facts.ts'
import { readingsOf } from '../judge/readings.ts'
import type { Answer } from '../spec/answers.ts'
import type { SuiteContext } from '../engine/suite-context.ts'

/** What the check of a generated case is made from. */
export interface Generated {
  readonly mutated: MutatedRequest
  readonly request: Request
  /** The answer to what was sent before it; null where nothing was, or where it was answered with a closed connection. */
  readonly before: Exchange | null
}

/** What is demanded of the answer to a generated request. */
export function checkOf(
  { mutated, request, before }: Generated,
  { knowledge, places }: Pick<SuiteContext, 'knowledge' | 'places'>,
): Check {
  if (mutated.treatment === 'observed') return { allowed: [], judge: () => holds }
  if (mutated.pairedRequest?.relation === 'same-outcome' && before !== null) {
    return { allowed: [], judge: (exchange) => sameOutcome(before, exchange) }
  }
  const byFacts = mutated.allowed ?? answersTo(request, knowledge)
  const answers = mutated.transportMayRefuse ? withInvalidInput(byFacts) : byFacts
  if (mutated.treatment === 'refused') return neverSucceeds(answers)

  const refusal = earlierRefusal(before, answers)
  const check = refusal === null ? answersOneOf(answers) : notPast(refusal, answers)
  const redirected = mutated.mayRedirect === true ? orRedirected(check, places) : check
  const excused = mutated.fieldMayBeRefused === true ? orFieldRefused(redirected) : redirected
  const demanded = mutated.implied === true ? byHttpAlone(excused) : excused
  return mutated.transportMayRefuse ? orRefusedByTransport(demanded) : demanded
}

/** A demand that follows from HTTP, whatever the level of the rule. */
function byHttpAlone(check: Check): Check {
  return {
    allowed: check.allowed,
    judge: (exchange) => {
      const judgement = check.judge(exchange)
      if (judgement.kind !== 'violates') return judgement
      return { kind: 'violates', breach: { ...judgement.breach, implied: true } }
    },
  }
}

/** What is allowed for a request, however it may rightly be read. */
function answersTo(request: Request, knowledge: SuiteContext['knowledge']): readonly Answer[] {
  const [first = [], ...others] = readingsOf(request).map((reading) => allowed(factsOf(reading, knowledge)))
  return others.reduce(
    (all, more) => [...all, ...more.filter((answer) => !all.some((one) => isSame(one, answer)))],
    first,
  )
}

/** Who refuses what is hardly HTTP any more, and still answers with a documented error, calls it invalid input. */
function withInvalidInput(answers: readonly Answer[]): readonly Answer[] {
  return answers.some((one) => isSame(one, invalidInput)) ? answers : [...answers, invalidInput]
}

const invalidInput = { status: 400, errorCode: '1030' } as const
const unknownEndpoint = { status: 400, errorCode: '1010' } as const

/** How the paired request was refused for what is wrong with it, before the service looked for the endpoint; else null. */
function earlierRefusal(paired: Exchange | null, answers: readonly Answer[]): Answered | null {
  if (paired === null) return null
  const answered = answeredBy(paired.response)
  const isEarlier = answers.some((one) => isSame(one, answered)) && !isSame(unknownEndpoint, answered)
  return isEarlier && answered.flaw === null ? answered : null
}

/** One of these answers, except the one that shows that a request got past the check that refused the paired one. */
function notPast(refusal: Answered, answers: readonly Answer[]): Check {
  const check = answersOneOf(answers.filter((one) => !isSame(one, unknownEndpoint)))
  return {
    ...check,
    judge: (exchange) => {
      const judgement = check.judge(exchange)
      if (judgement.kind !== 'violates') return judgement
      const { breach } = judgement
      if (breach.answered === null || !isSame(unknownEndpoint, breach.answered)) return judgement
      const summary = `${breach.summary}; the same with an invented credential is answered ${describeAnswered(refusal)}`
      return { kind: 'violates', breach: { ...breach, summary, against: 'order' } }
    },
  }
}

function isSame(
  one: Answer,
  other: { readonly status: number | '2xx'; readonly errorCode: string | null },
): boolean {
  return one.status === other.status && one.errorCode === other.errorCode
}
