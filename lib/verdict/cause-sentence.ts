import {
  flawText,
  isSuccessStatus,
  errorObjectFlaw,
  type AnswerFlaw,
  describeAllowed,
  isOfAnswer,
  isOfEndpointsFile,
} from '../judge/answered.ts'
import { isIntermittent, type Finding, type ShownExchange, isSteady } from '../judge/record.ts'
import {
  documentedPairs,
  type Answer,
  isDocumentedPair,
  isErrorCode,
  pairOf,
} from '../specification/answers.ts'
import { requiredFields } from '../specification/endpoints.ts'
import { flawNamed } from '../specification/flaws.ts'
import type { Level, RuleId } from '../specification/rules.ts'
import { jsonValue } from '../text/json.ts'
import { groupBy } from '../text/members.ts'

/** A finding with its rule and the known flaws in its request, by their names in `verdict.json`. */
export type Met = Readonly<{
  rule: RuleId
  level: Level | null
  /** The sentence of a rule supplied by the user, or null. */
  ownSays: string | null
  fails: boolean
  finding: Finding
  flaws: readonly string[]
}>

/**
 * The request in the simplest finding for a cause, followed by the actual and the documented answer: `A request without
 * x-version: 200, documented 400 / 1003`.
 */
export function sentenceOf(simplest: Met, met: readonly Met[]) {
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
    return `${alteredValue(met) ?? `${told}${trigger === null ? '' : ','}`} was accepted${often}`
  const { answered } = finding
  const allowed = documentedFor(simplest, met)
  const isOfDocumentedStatus = answered !== null && allowed.some((one) => hasStatus(one, answered.status))
  if (allowed.length === 0 || (isOfDocumentedStatus && !isOfAnswer(finding)))
    return `${told}: ${summary}${often}`
  const documented = allowed.length === 1 ? withCodeNames(describeAllowed(allowed)) : describeAllowed(allowed)
  return `${told}: ${gotOf(finding)}, documented ${documented}${often}`
}

/** `The valid API key followed by the byte a0`, if all these requests sent the same value derived from a valid key; otherwise null. */
function alteredValue(met: readonly Met[]) {
  const sent = new Set(met.map(({ finding }) => finding.summary.split('; sent: ')[1]))
  const [, which, how] = /^TARGET_(API|SECRET)_KEY (.+)$/.exec([...sent].join('\n')) ?? []
  return how === undefined ? null : `The valid ${which === 'API' ? 'API' : 'secret'} key ${how}`
}

/** Whether a finding shows a successful answer. */
export function isServed(finding: Finding) {
  const { answered } = finding
  return isOfAnswer(finding) && answered !== null && answered.status < 300 && answered.errorCode === null
}

/** Whether a finding specifies the documented answers, that is, at least one pair but not all of them. */
export function saysDocumented({ allowed }: Finding) {
  return allowed.length > 0 && allowed.length < documentedPairs.length
}

/** `401 / 1006`, `404`, `no answer`. */
export function answerOf({ answered }: Finding) {
  if (answered === null) return 'no answer'
  return answered.errorCode === null ? `${answered.status}` : `${answered.status} / ${answered.errorCode}`
}

/** The documented answers to a request, which another finding about such a request and answer may say; empty if none does. */
function documentedFor(simplest: Met, met: readonly Met[]) {
  const kindOf = ({ finding, flaws }: Met) =>
    JSON.stringify([flaws, finding.sent?.client, finding.sent?.conditions ?? [], answerOf(finding)])
  const kind = kindOf(simplest)
  const documenting = [simplest, ...met].find((one) => saysDocumented(one.finding) && kindOf(one) === kind)
  return documenting?.finding.allowed ?? []
}

/** Whether an answer with this status code has the status of a documented answer. */
export function hasStatus({ status }: Answer, code: number) {
  return status === '2xx' ? isSuccessStatus(code) : status === code
}

/** `404 with HTML`, `500 with an empty body`, `401 / 1006`, `304`. */
export function gotOf(finding: Finding) {
  const { answered, difference = '', exchange } = finding
  const got = answerOf(finding)
  const { request, response } = exchange
  const isRedirect = answered !== null && answered.status >= 300 && answered.status < 400
  if (answered === null || isRedirect || request.method === 'HEAD') return got
  const flaw = answered.errorCode === null ? bodyFlaw(difference, response) : null
  const format = flaw === 'body is not JSON' ? formatOf(response) : null
  // The shown body of a success may differ from what was received, because parts of it are hidden.
  if (flaw === null || (answered.status < 300 && format === null && !isBodyFlaw(difference))) return got
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

function extraFields({ headers }: ShownExchange['request']) {
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
export function withCodeNames(text: string) {
  return names.reduce(
    (named, { pair, errorMessage }) => named.replace(pair, (shown) => `${shown} (${errorMessage})`),
    text,
  )
}

/** Findings that have the same explanation, and the best example. */
type Explained = Readonly<{ met: readonly Met[]; simplest: Met }>

/**
 * Merges groups whose answers have the same form, which a single mistake in the service explains, in order of appearance. Each group
 * is represented by its simplest finding. The sentence is null if that finding says it all.
 */
export function byMistake(all: readonly Explained[]) {
  const forms = all.map(({ simplest }, place) => formOf(simplest.finding) ?? untold(`group ${place}`))
  const areCrossed = forms.filter(({ key }) => key === atTimes).length >= fewestCrossed
  const formed = all.map((group, place) => {
    const { isOfAnother = false, ...own } = forms[place] ?? crossed
    // An answer to a different request was intermittent, or its request was not sent again.
    const form = areCrossed && isOfAnother && !isSteady(group.simplest.finding) ? crossed : own
    return { ...group, form }
  })
  const merged = groupBy(formed, ({ form }) => form.key)
  return [...merged.values()].map((groups) => ({ groups, sentence: sayingOf(groups) }))
}

/** A problem with an answer that does not depend on the request. */
type Form = Readonly<{
  key: string
  /** Follows a noun, as in `with status 200`; null if the simplest finding says it all. */
  says: string | null
  of: 'error' | 'success' | null
  /** Set if the answer is well-formed and documented for other requests. */
  isOfAnother?: true
}>

/** Key for an intermittent answer that is documented for a different request. */
const atTimes = 'another at times'
/** Minimum number of causes with such answers for reporting them as answers to other requests. */
const fewestCrossed = 3
const crossed: Form = {
  ...untold(atTimes),
  says: 'requests get the documented answer to a different request',
}

function untold(key: string): Form {
  return { key, says: null, of: null }
}

function ofAnother(finding: Finding, key: string): Form {
  return { ...untold(isIntermittent(finding) ? atTimes : key), isOfAnother: true }
}

/** Gateways, each with a pattern in its own error pages. */
const gateways: Readonly<Record<string, RegExp>> = {
  nginx: /<hr><center>(?:nginx|openresty)\b/,
  HAProxy: /^<html><body><h1>\d{3} [^<]+<\/h1>\n[^<]+\n<\/body><\/html>/,
  Apache: /^<!DOCTYPE HTML PUBLIC "-\/\/IETF\/\/DTD HTML 2\.0\/\/EN">/,
  Cloudflare: /\/cdn-cgi\/styles\/|\| Cloudflare<\/title>|<center>cloudflare<\/center>/,
  CloudFront: /Generated by cloudfront \(CloudFront\)/,
  Envoy:
    /^(?:upstream connect error or disconnect\/reset before headers|no healthy upstream|upstream request timeout)/,
  Varnish: /<h3>Guru Meditation:<\/h3>/,
  'Azure Application Gateway': /<center>Microsoft-Azure-Application-Gateway\b/,
  'AWS ELB': /<center>awselb\b/,
}

function formOf(finding: Finding): Form | null {
  const { answered, difference = '', exchange } = finding
  const [gateway] =
    Object.entries(gateways).find(([, page]) => page.test(exchange.response?.body ?? '')) ?? []
  if (gateway !== undefined) {
    const says = `answers that look like those of ${gateway}, not of the service`
    return { key: says, says, of: null }
  }
  if (finding.difference === undefined || isOfEndpointsFile(finding)) return null
  // A change in a shape belongs only to its own path.
  if (finding.shapes !== undefined && !isOfAnswer(finding)) return null
  if (difference.startsWith('secret in ')) return untold('secret')
  if (answered === null) return untold('no answer')
  const { status, errorCode } = answered
  if (status >= 500) return untold(`${status}`)
  // A redirect or a "not modified" response is not an error.
  if (status >= 300 && status < 400 && errorCode === null) return untold(`status ${status}`)
  const ofStatus = { key: `status ${status}`, says: `with status ${status}`, of: 'error' } as const
  // An answer to HEAD cannot have a body.
  if (exchange.request.method === 'HEAD' && allows(finding, (code) => code !== null)) return ofStatus
  const flaw = bodyFlaw(difference, exchange.response)
  const of = status < 300 && errorCode === null ? 'success' : 'error'
  if (flaw !== null) return { key: `${of} ${flaw}`, says: flawText[flaw], of }
  if (!isOfAnswer(finding) && difference !== 'documented error under success')
    return { key: `${of} ${difference}`, says: labelSays[difference] ?? null, of }
  if (of === 'success') {
    // If the flaws are unknown, it is unclear what kind of request was served.
    if ((finding.sent?.flaws ?? null) === null) return null
    return ofAnother(finding, `served ${scopeOf(finding)}`)
  }
  if (isDocumentedPair(status, errorCode)) return ofAnother(finding, `${status}/${errorCode}`)
  return errorCode === null || isErrorCode(errorCode) ? ofStatus : codeForm(errorCode)
}

/** Whether all documented answers have a code of this kind. */
function allows({ allowed }: Finding, isSuch: (code: string | null) => boolean) {
  return allowed.length > 0 && allowed.every(({ errorCode }) => isSuch(errorCode))
}

/** What only some requests have in common: their conditions, or else the parts that are flawed. */
function scopeOf(finding: Finding) {
  const { conditions = [] } = finding.sent ?? {}
  return conditions.length > 0 ? conditions.join() : flawedParts(finding).join()
}

/** The form of an undocumented code, which may contain a documented one. */
function codeForm(errorCode: string): Form {
  const meant = /\d{4}/.exec(errorCode)?.[0]
  if (meant === undefined || pairOf(meant) === null) return untold(`code ${errorCode}`)
  return {
    key: `code ${errorCode.replace(meant, '#')}`,
    says: `with error_code ${JSON.stringify(errorCode)} instead of "${meant}", or similar`,
    of: 'error',
  }
}

const labelSays: Readonly<Record<string, string>> = {
  'another content-type': 'with a content-type other than JSON',
  'no content-type': 'without content-type',
  'several content-types': 'with several content-types',
  'byte order mark': 'with a byte order mark',
}

function isBodyFlaw(difference: string): difference is AnswerFlaw {
  return Object.hasOwn(flawText, difference) && difference !== 'documented error under success'
}

/** The flaw in a body, taken from the finding or else determined from the body's text, if known. */
function bodyFlaw(difference: string, response: ShownExchange['response']): AnswerFlaw | null {
  if (isBodyFlaw(difference)) return difference
  if (response === null || response.bodyCut > 0) return null
  if (response.body === '') return 'empty body'
  const value = jsonValue(response.body.replace(/^\uFEFF/, ''))
  if (value === undefined) return 'body is not JSON'
  return response.status < 300 ? null : errorObjectFlaw(value)
}

function sayingOf(groups: readonly Readonly<{ form: Form; simplest: Met }>[]) {
  const [form] = groups.map((group) => group.form)
  const findings = groups.map(({ simplest }) => simplest.finding)
  if (form === undefined || form.says === null || groups.length < 2) return null
  const isRare = form === crossed || findings.every(isIntermittent)
  const often = isRare ? ' (only sometimes)' : ''
  if (form.of === null) return `${form.says.charAt(0).toUpperCase()}${form.says.slice(1)}${often}`
  const conditions = commonTo(findings, ({ sent }) => sent?.conditions ?? [])
  const under = conditions.length === 0 ? '' : `, to requests with ${conditions.join(' and ')}`
  // A flawed part that all the requests share says more than the form of the answers. For example, a path that is nearly right is also an unknown path.
  if (under === '' && commonTo(findings, flawedParts).length > 0) return null
  const isOfAll = findings.some((one) => allows(one, (code) => code === null))
  const subject = form.of === 'success' ? 'success' : isOfAll ? 'answer' : 'error answer'
  return `Several kinds of ${subject} ${form.says}${under}${often}`
}

function flawedParts({ sent }: Finding) {
  return (sent?.flaws ?? []).map((id) => flawNamed(id)?.part ?? id)
}

/** The traits shared by all items, without duplicates, in the order of the first item. */
function commonTo<T>(
  [first, ...others]: readonly T[],
  traitsOf: (item: T) => readonly string[],
): readonly string[] {
  const inOthers = others.map((item) => new Set(traitsOf(item)))
  const traits = first === undefined ? [] : traitsOf(first)
  return [...new Set(traits)].filter((trait) => inOthers.every((other) => other.has(trait)))
}
