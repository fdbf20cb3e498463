import { responseFields, type Exchange } from '../http/exchange.ts'
import { success, type Answer, type Refusal } from '../spec/answers.ts'
import { answeredBy, isSuccess, isSuccessStatus, isTransportRefusal, type Answered } from './answered.ts'
import { explain } from './explain.ts'
import { leadsToKnownPlace, refusesField, type KnownPlaces } from './observed.ts'

/** A breach as data. `answered` is null where no answer came at all. */
export interface Breach {
  readonly allowed: readonly Answer[]
  readonly answered: Answered | null
  /** The kind of difference: stable text without values, part of the fingerprint. */
  readonly difference: string
  /** One sentence: what was answered where what is documented. */
  readonly summary: string
  /** Whether it is a warning, whatever the level of its rule. */
  readonly warning?: true
  /** Whether it follows from HTTP or JSON only, though its rule is documented: a warning, and a violation where those count. */
  readonly implied?: true
  /** Whose expectation is at fault, where it is never the service. */
  readonly blames?: 'endpoints-file' | 'suite'
  /**
   * What it was held against, beside the specification: `order`, that the service finds flaws in an order; `outcome`, the answer to
   * another request. It says nothing of a service that keeps to neither.
   */
  readonly against?: 'order' | 'outcome'
}

/** What judging an answer comes to. `unclear`: the answer does not let the rule be judged. */
export type Judgement =
  | { readonly kind: 'holds' }
  | { readonly kind: 'violates'; readonly breach: Breach }
  | { readonly kind: 'unclear'; readonly because: string }

/** What is demanded of an answer. `judge` is pure. */
export interface Check {
  /** What is documented for the request. */
  readonly allowed: readonly Answer[]
  readonly judge: (exchange: Exchange) => Judgement
}

/** The rule holds. */
export const holds: Judgement = { kind: 'holds' }

/** Demands the whole documented answer: status, `error_code`, and the form of the error object. */
export function answers(refusal: Refusal): Check {
  return answersOneOf([refusal])
}

/** Demands success: a 2xx with JSON that is not a documented error. */
export function succeeds(): Check {
  return answersOneOf([success])
}

/** Demands one of these answers, as the oracle gives them. */
export function answersOneOf(allowed: readonly Answer[]): Check {
  const judge = (exchange: Exchange): Judgement => {
    const answered = answeredBy(exchange.response)
    return allowed.some((answer) => fits(answered, answer)) ? holds : violates(allowed, answered)
  }
  return { allowed, judge }
}

/**
 * Forbids a success: a 2xx with JSON that is not a documented error; for HEAD, which has no body, a 2xx labelled as JSON.
 * `allowed` is what is documented for the request.
 */
export function neverSucceeds(allowed: readonly Answer[]): Check {
  const judge = (exchange: Exchange): Judgement => {
    const answered = answeredBy(exchange.response)
    return isJsonSuccess(exchange, answered) ? violates(allowed, answered) : holds
  }
  return { allowed, judge }
}

/** A check that holds, too, where the transport, a gateway or a firewall refused by itself. */
export function orRefusedByTransport({ allowed, judge }: Check): Check {
  return {
    allowed,
    judge: (exchange) => (isTransportRefusal(exchange.response) ? holds : judge(exchange)),
  }
}

/** A check that holds, too, where a malformed field of the request was refused. */
export function orFieldRefused({ allowed, judge }: Check): Check {
  return { allowed, judge: (exchange) => (refusesField(exchange) ? holds : judge(exchange)) }
}

/** A check that holds, too, where a near miss of a known path is redirected to a known path on the same host. */
export function orRedirected({ allowed, judge }: Check, known: KnownPlaces): Check {
  return { allowed, judge: (exchange) => (leadsToKnownPlace(exchange, known) ? holds : judge(exchange)) }
}

/** A breach with another explanation: that the settings are wrong. The fingerprint stays the same. */
export function withHint(breach: Breach, orElse: string): Breach {
  return { ...breach, summary: `${breach.summary}, or ${orElse}` }
}

/** A breach of what is allowed by what was answered. */
export function violates(allowed: readonly Answer[], answered: Answered): Judgement {
  const { difference, summary } = explain(allowed, answered)
  return { kind: 'violates', breach: { allowed, answered, difference, summary } }
}

function fits(answered: Answered, answer: Answer): boolean {
  if (answer.errorCode === null) return isSuccess(answered)
  return (
    answered.status === answer.status && answered.errorCode === answer.errorCode && answered.flaw === null
  )
}

function isJsonSuccess({ request, response }: Exchange, answered: Answered): boolean {
  if (request.method !== 'HEAD') return isSuccess(answered)
  const isLabelled = responseFields(response, 'content-type').some((type) => /\bjson\b/i.test(type))
  return isSuccessStatus(answered.status) && isLabelled
}
