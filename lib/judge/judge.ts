import { wholeValue, responseFields, type Exchange, valueOf, type Request } from '../http/exchange.ts'
import { success, type Answer, type Refusal } from '../specification/answers.ts'
import { memberNames } from '../text/members.ts'
import { urlOf } from '../text/url.ts'
import {
  answeredBy,
  isSuccess,
  isSuccessStatus,
  type Answered,
  answerDifferences,
  describeAllowed,
  describeAnswered,
  isTransportRefusal,
} from './answered.ts'

/** A breach as data. `answered` is null if no answer came. */
export type Breach = Readonly<{
  allowed: readonly Answer[]
  answered: Answered | null
  /** The kind of difference: stable text without values that is part of the fingerprint. */
  difference: string
  /** One sentence that compares the actual answer with the documented one. */
  summary: string
  /** Whether this is a warning, whatever the level of its rule. */
  warning?: true
  /** Whether it follows only from HTTP or JSON although its rule is documented. It is then a warning, or a violation in a strict run. */
  implied?: true
  /** The source of a wrong expectation, if the service is never at fault. */
  blames?: 'endpoints-file' | 'suite'
  /** What a contradiction beyond the specification concerns: an `order` of checks, or the `outcome` of a different request. Void if the service varies. */
  against?: 'order' | 'outcome'
}>

/** The result of judging an answer. `unclear`: the answer does not allow the rule to be judged. */
export type Judgement =
  | { readonly kind: 'holds' }
  | Readonly<{ kind: 'violates'; breach: Breach }>
  | Readonly<{ kind: 'unclear'; because: string }>

/** A requirement that an answer must meet. `judge` is pure. */
export type Check = Readonly<{
  /** The documented answers to the request. */
  allowed: readonly Answer[]
  judge: (exchange: Exchange) => Judgement
}>

/** The same judgement. Throws {@link InvalidRule} for anything else that a check without types returned, which would pass for `holds`. */
export function validJudgement(judgement: Judgement): Judgement {
  if (!['holds', 'violates', 'unclear'].includes(Object(judgement).kind))
    throw new InvalidRule('from the judge of a check, a judgement', judgement)
  return judgement
}

/** Thrown if a rule's author returned a value of the wrong kind. The message says what was expected and what was returned. */
export class InvalidRule extends Error {
  // Identified by its name, because the rule's module may have found another copy of this package.
  override readonly name = 'InvalidRule'

  constructor(expected: string, given: unknown) {
    super(`${expected}, instead of ${kindOf(given)}`)
  }
}

/** The kind of a value, in words. Quotes nothing, because the value may contain a credential. */
function kindOf(value: unknown) {
  if (typeof value === 'string') return value.trim() === '' ? 'an empty text' : 'a text'
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'symbol') return 'a symbol'
  if (typeof value !== 'object' || value === null) return String(value)
  if ('then' in value) return 'a promise'
  return Array.isArray(value) ? 'a list' : 'an object'
}

/** The result if an answer does not violate the rule. */
export const holds: Judgement = { kind: 'holds' }

/** Requires the complete documented answer: status, `error_code`, and the form of the error object. */
export function answers(refusal: Refusal): Check {
  return answersOneOf([refusal])
}

/** Requires success: a 2xx with JSON that is not a documented error. */
export function succeeds(): Check {
  return answersOneOf([success])
}

/** Requires success and checks its JSON body. `wrongIn` returns the problem without quoting the body, or null. */
export function succeedsWith(wrongIn: (body: unknown) => string | null): Check {
  const { allowed, judge } = succeeds()
  return {
    allowed,
    judge: (exchange) => {
      const { response } = exchange
      const judgement = judge(exchange)
      if (judgement.kind !== 'holds' || response.body.kind !== 'json') return judgement
      const wrong = textOrNull(wrongIn(wholeValue(response)))
      if (wrong === null) return judgement
      const answered = answeredBy(response)
      const summary = `answered ${describeAnswered(answered)}, but ${wrong}`
      return {
        kind: 'violates',
        breach: {
          allowed,
          answered,
          difference: wrong,
          summary,
        },
      }
    },
  }
}

/** An untyped check may return anything, so only null means that nothing is wrong. */
function textOrNull(wrong: unknown) {
  if (wrong === null || (typeof wrong === 'string' && wrong.trim() !== '')) return wrong
  throw new InvalidRule(
    'from the function of succeedsWith(), a text that describes the mistake, or null',
    wrong,
  )
}

/** Requires one of these answers. */
export function answersOneOf(allowed: readonly Answer[]): Check {
  const judge = (exchange: Exchange): Judgement => {
    const answered = answeredBy(exchange.response)
    return allowed.some((answer) => fits(answered, answer)) ? holds : violates(allowed, answered)
  }
  return { allowed, judge }
}

/** Forbids a success: a 2xx with JSON other than a documented error or, for HEAD, a 2xx labelled as JSON. `allowed` lists the documented answers. */
export function neverSucceeds(allowed: readonly Answer[]): Check {
  const judge = (exchange: Exchange): Judgement => {
    const answered = answeredBy(exchange.response)
    return isJsonSuccess(exchange, answered) ? violates(allowed, answered) : holds
  }
  return { allowed, judge }
}

/** The breach, weakened by the conditions of its request so that it is a violation only in a strict run, or never. */
export function weakened(breach: Breach, weakness: 'implied' | 'warning' | undefined): Breach {
  if (weakness === undefined) return breach
  return { ...breach, [weakness]: true }
}

/** A breach with a hint that the settings may be wrong. The fingerprint stays the same. */
export function withHint(breach: Breach, hint: string): Breach {
  return { ...breach, summary: `${breach.summary}, or ${hint}` }
}

/** The breach shown by an answer that is not allowed. */
export function violates(allowed: readonly Answer[], answered: Answered): Judgement {
  const difference = answered.flaw ?? answerDifferences.documented
  const summary = `answered ${describeAnswered(answered)} where ${describeAllowed(allowed)} is documented`
  return {
    kind: 'violates',
    breach: {
      allowed,
      answered,
      difference,
      summary,
    },
  }
}

function fits(answered: Answered, answer: Answer) {
  if (answer.errorCode === null) return isSuccess(answered)
  return (
    answered.status === answer.status && answered.errorCode === answer.errorCode && answered.flaw === null
  )
}

function isJsonSuccess({ request, response }: Exchange, answered: Answered) {
  if (request.method !== 'HEAD') return isSuccess(answered)
  const isLabelled = responseFields(response, 'content-type').some((type) => /\bjson\b/i.test(type))
  return isSuccessStatus(answered.status) && isLabelled
}

/** Requires that two answers are the same to a client: either both are successes, or they have the same status and code in the same form. */
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
      summary: `answered ${describeAnswered(answered)} where the same request apart from ${differencesOf(expected.request, given.request)} is answered ${describeAnswered(wanted)}`,
    },
  }
}

/** The names of the differences between two requests. Values are left out because they may be credentials. */
function differencesOf(one: Request, other: Request) {
  const linesOf = ({ fields }: Request, wanted: string) =>
    JSON.stringify(fields.flatMap((field) => (field.name.toLowerCase() === wanted ? [valueOf(field)] : [])))
  const names = new Set([...one.fields, ...other.fields].map(({ name }) => name.toLowerCase()))
  const differing = [...names].filter((name) => linesOf(one, name) !== linesOf(other, name))
  const parts = [
    ...(one.method === other.method ? [] : ['its method']),
    ...(one.target === other.target ? [] : ['its path or query']),
    ...(differing.length === 0 ? [] : [`its ${listed(differing)}`]),
    ...(one.body === other.body ? [] : ['its content']),
  ]
  return parts.length === 0 ? 'the writing of its lines' : parts.join(' and ')
}

/** Maximum number of field names in a sentence. */
const mostNamed = 4

function listed(names: readonly string[]) {
  const more = names.length - mostNamed
  const shown = names.slice(0, mostNamed).map((name) => name.slice(0, 60))
  return more > 0 ? `${shown.join(', ')} and ${more} more fields` : shown.join(', ')
}

function outcome(answered: Answered) {
  if (isSuccess(answered)) return 'success'
  return `${answered.status}/${answered.errorCode ?? ''}/${answered.flaw ?? ''}`
}

const usedUp = answers({ status: 429, errorCode: '1020' })

/** Whether an answer is the documented one for a used-up quota. */
export function isRefused(exchange: Exchange) {
  return usedUp.judge(exchange).kind === 'holds'
}

/** Reasons for accepting an answer in place of the documented one. */
type Excuses = Readonly<{
  /** The transport, a gateway or a firewall may reject the request, with a 4xx without the documented error object or by closing the connection. */
  transportMayRefuse?: boolean
  /** The path is a near miss of a known path, so a redirect to that path on the same host is acceptable. */
  mayRedirect?: boolean
  /** A field is malformed, so any 4xx is acceptable, and so is a 304, which treats the field as a fulfilled condition. */
  fieldMayBeRefused?: boolean
  /** A partial or an empty success is acceptable (206, 304, 416). */
  mayBePartial?: boolean
}>

/** Reasons to exempt an exchange from the run-wide rules. */
export type Exemptions = Excuses &
  Readonly<{
    /** Run-wide rules check an observed exchange only for a 5xx and an echoed secret. */
    observed?: boolean
    transportMayRefuse: boolean
  }>

/** Permitted redirect targets for near misses of known paths. */
export type KnownPlaces = Readonly<{
  baseUrl: string
  /** Paths under the base URL. */
  paths: readonly string[]
}>

type IsExcused = (exchange: Exchange, known: KnownPlaces) => boolean

const excuses: { readonly [Name in keyof Excuses]-?: IsExcused } = {
  transportMayRefuse: isTransportRefusal,
  mayRedirect: leadsToKnownPlace,
  fieldMayBeRefused: ({ response: { status } }) => status === 304 || (status >= 400 && status <= 499),
  mayBePartial: ({ response: { status } }) => [206, 304, 416].includes(status),
}

/** The names of all excuses. */
export const excuseNames = memberNames(excuses)

function isExcused(exchange: Exchange, given: Excuses, known: KnownPlaces) {
  return excuseNames.some((name) => given[name] === true && excuses[name](exchange, known))
}

/** Whether run-wide rules ignore an exchange because it is only observed, its method allows no response body, or it is excused. */
export function isExempt(exchange: Exchange, exemptions: Exemptions, known: KnownPlaces) {
  const isObserved = exemptions.observed === true || exchange.request.method === 'HEAD'
  return isObserved || isExcused(exchange, exemptions, known)
}

/** A check that also passes for an excused answer. */
export function orExcused({ allowed, judge }: Check, given: Excuses, known: KnownPlaces): Check {
  return { allowed, judge: (exchange) => (isExcused(exchange, given, known) ? holds : judge(exchange)) }
}

/** A check that also passes if the transport, a gateway or a firewall refused the request. */
export function orRefusedByTransport({ allowed, judge }: Check): Check {
  return { allowed, judge: (exchange) => (isTransportRefusal(exchange) ? holds : judge(exchange)) }
}

/** Whether an answer is a redirect to a known path on the same host. */
function leadsToKnownPlace({ request, response }: Exchange, known: KnownPlaces) {
  if (![301, 302, 303, 307, 308].includes(response.status)) return false

  const [location, ...more] = responseFields(response, 'location')
  return location !== undefined && more.length === 0 && isKnownPlace(location, request.target, known)
}

/** Ignores the scheme and port, because a gateway may use different ones from the client. */
function isKnownPlace(location: string, target: string, { baseUrl, paths }: KnownPlaces) {
  const base = new URL(baseUrl)
  const prefix = base.pathname.replace(/\/$/, '')
  const sentTo = new URL(`${base.origin}${prefix}${target}`)
  const place = urlOf(location, sentTo.href)
  return (
    place !== null &&
    place.hostname === base.hostname &&
    paths.some((path) => `${prefix}${path}` === place.pathname)
  )
}
