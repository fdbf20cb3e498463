import { flawText, isSuccessStatus } from '../judge/answered.ts'
import { describeAllowed, isOfAnswer, isOfEndpointsFile } from '../judge/differences.ts'
import { isIntermittent, type Finding, type ShownExchange } from '../judge/record.ts'
import { documentedPairs, type Answer } from '../specification/answers.ts'
import { requiredFields } from '../specification/endpoints.ts'
import { flawNamed } from '../specification/flaws.ts'
import type { Level, RuleId } from '../specification/rules.ts'
import { bodyFlaw, commonTo } from './mistakes.ts'

/** A finding with its rule and the known flaws in its request, by their names in `verdict.json`. */
export interface Met {
  readonly rule: RuleId
  readonly level: Level | null
  /** The sentence of a rule supplied by the user, or null. */
  readonly ownSays: string | null
  readonly fails: boolean
  readonly finding: Finding
  readonly flaws: readonly string[]
}

/**
 * The request in the simplest finding for a cause, followed by the actual and the documented answer: `A request without
 * x-version: 200, documented 400 / 1003`.
 */
export function sentenceOf(simplest: Met, met: readonly Met[]): string {
  const { finding, flaws, ownSays } = simplest
  const often = isIntermittent(finding) ? ' (only sometimes)' : ''
  const { sent, summary } = finding
  if (ownSays !== null) return `The rule "${ownSays}" is broken: ${summary}${often}`
  const isOfShape = finding.shapes !== undefined && !isOfAnswer(finding)
  if (isOfShape || sent === undefined || sent.flaws === null || isOfEndpointsFile(finding))
    return `${summary}${often}`
  const { conditions = [] } = sent
  const under = conditions.length === 0 ? '' : ` with ${conditions.join(' and ')}`
  const what =
    flaws.length > 0
      ? `A request ${flaws.map((id) => flawNamed(id)?.phrase ?? id).join(', ')}${under}`
      : under === ''
        ? unflawed(finding, sent.plain)
        : `A valid request${under}`
  const who = sent.client === 'target' || flaws.length > 0 ? '' : ` from the client ${sent.client}`
  const trigger = triggerOf(met.map((one) => one.finding))
  const told = `${what}${who}${trigger === null ? '' : `, ${trigger}`}`
  if (isServed(finding) && flaws.length > 0)
    return `${told}${trigger === null ? '' : ','} was accepted${often}`
  const { allowed } = finding
  if (!saysDocumented(finding) || !(isOfAnswer(finding) || hasOtherStatus(finding)))
    return `${told}: ${summary}${often}`
  const documented = allowed.length === 1 ? withCodeNames(describeAllowed(allowed)) : describeAllowed(allowed)
  return `${told}: ${gotOf(finding)}, documented ${documented}${often}`
}

/** Whether a finding shows a successful answer. */
export function isServed(finding: Finding): boolean {
  const { answered } = finding
  return isOfAnswer(finding) && answered !== null && answered.status < 300 && answered.errorCode === null
}

/** Whether a finding specifies the documented answers, that is, at least one pair but not all of them. */
export function saysDocumented({ allowed }: Finding): boolean {
  return allowed.length > 0 && allowed.length < documentedPairs.length
}

/** `401 / 1006`, `404`, `no answer`. */
export function answerOf({ answered }: Finding): string {
  if (answered === null) return 'no answer'
  return answered.errorCode === null ? `${answered.status}` : `${answered.status} / ${answered.errorCode}`
}

function hasOtherStatus({ answered, allowed }: Finding) {
  return answered === null || !allowed.some((one) => hasStatus(one, answered.status))
}

/** Whether an answer with this status code has the status of a documented answer. */
export function hasStatus({ status }: Answer, code: number): boolean {
  return status === '2xx' ? isSuccessStatus(code) : status === code
}

/** `404 with HTML`, `500 with an empty body`, `401 / 1006`, `304`. */
export function gotOf(finding: Finding): string {
  const { answered, difference = '', exchange } = finding
  const got = answerOf(finding)
  const { request, response } = exchange
  const isRedirect = answered !== null && answered.status >= 300 && answered.status < 400
  if (answered === null || isRedirect || request.method === 'HEAD') return got
  const flaw = answered.errorCode === null ? bodyFlaw(difference, response) : null
  if (flaw === null) return got
  const format = flaw === 'body is not JSON' ? formatOf(response) : null
  return `${got} ${format === null ? flawText[flaw] : `with ${format}`}`
}

const formats: readonly (readonly [RegExp, string])[] = [
  [/html/i, 'HTML'],
  [/xml/i, 'XML'],
  [/^text\/plain/i, 'plain text'],
]

function formatOf(response: ShownExchange['response']) {
  const [, label = ''] = response?.headers.find(([name]) => name.toLowerCase() === 'content-type') ?? []
  return formats.find(([pattern]) => pattern.test(label))?.[1] ?? null
}

/** Describes a request without flaws. It may still differ from the plain request, and its rule says how. */
function unflawed({ case: name }: Finding, plain: boolean) {
  return plain ? 'A plain valid request' : `A valid request (${name.split(':')[0] ?? name})`
}

type Request = ShownExchange['request']

/** Fields that any request may have. A special value in one of them is a separate flaw. */
const usual: readonly string[] = [
  ...requiredFields,
  'accept',
  'user-agent',
  'host',
  'connection',
  'traceparent',
]
const longestField = 60

/** A field that all these requests have in addition, and that may therefore cause the failure: `with version: 1`; null if there is none. */
function triggerOf(findings: readonly Finding[]) {
  const conditions = new Set(findings.flatMap(({ sent }) => sent?.conditions ?? []).map(nameOf))
  const shared = commonTo(findings, ({ exchange }) => extraFields(exchange.request))
  const fields = shared.filter((field) => !conditions.has(nameOf(field)))
  return fields.length === 0 || fields.length > 2 ? null : `with ${fields.join(' and ')}`
}

function nameOf(field: string) {
  return field.split(':')[0]?.toLowerCase() ?? ''
}

function extraFields({ headers }: Request) {
  return headers
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name, value]) => !usual.includes(name) && name.length + value.length <= longestField)
    .map(([name, value]) => (value === '' ? `an empty ${name}` : `${name}: ${value}`))
}

const names = documentedPairs.map(({ status, errorCode, errorMessage }) => ({
  pair: new RegExp(String.raw`\b${status}(?: / | and )${errorCode}\b(?! \()`),
  errorMessage,
}))

/** Adds the name from the specification after the first mention of each documented pair in a text: `400 / 1001 (api key header is missing)`. */
export function withCodeNames(text: string): string {
  return names.reduce(
    (named, { pair, errorMessage }) => named.replace(pair, (shown) => `${shown} (${errorMessage})`),
    text,
  )
}
