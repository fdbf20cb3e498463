import { jsonValue } from '../text/json-value.ts'
import { isDocumentedPair, isErrorCode, pairOf } from '../specification/answers.ts'
import { commonTo, groupBy } from '../text/counts.ts'
import { flawNamed } from '../specification/flaws.ts'
import { errorCodeIn, errorObjectFlaw, type AnswerFlaw } from '../judge/answered.ts'
import { isOfAnswer, isOfEndpointsFile } from '../judge/differences.ts'
import { foreignAnswers, type Evidence } from './foreign-answers.ts'
import { isIntermittent, isSteady, type Finding, type ShownExchange } from '../judge/record.ts'

/** Groups of findings that one mistake of a service explains, and what they share in a sentence; null if the simplest finding says it. */
export interface Mistake<Group> {
  readonly groups: readonly Group[]
  readonly sentence: string | null
}

/** Merges groups, each told by its simplest finding, whose answers have one form in common; in order of appearance. */
export function byMistake<Group extends { readonly finding: Finding }>(
  groups: readonly Group[],
  evidence: Evidence,
): readonly Mistake<Group>[] {
  const foreign = foreignAnswers(evidence)
  const told = groups.map((group) => ({
    group,
    form: foreignForm(foreign(group.finding)) ?? formOf(group.finding),
  }))
  const areCrossed = told.filter(({ form }) => form?.key === atTimes).length >= fewestCrossed
  const formed = told.map(({ group, form: own }, place) => {
    const form = areCrossed && mayBeCrossed(own, group.finding) ? crossed : own
    return { group, form, key: form === null ? `${place}` : form.key }
  })
  return [...groupBy(formed, ({ key }) => key).values()].map((alike) => {
    const form = alike[0]?.form ?? null
    const own = alike.map(({ group }) => group)
    const findings = own.map(({ finding }) => finding)
    return {
      groups: own,
      sentence: own.length < 2 || form === null ? null : sentenceOf(form, findings, evidence),
    }
  })
}

/** What is wrong with an answer, whatever the request. */
interface Form {
  readonly key: string
  /** Behind a subject in the singular: `has status 200`; null if the simplest finding is to be told. */
  readonly says: string | null
  readonly of: 'error' | 'success' | null
  /** Whether it concerns the content-type alone. */
  readonly isLabel?: boolean
  /** Whether the answer is whole, and documented for other requests. */
  readonly isOfAnother?: true
}

/** Key of an answer that is documented for another request, and came only sometimes. */
const atTimes = 'another at times'
/** Minimum causes of such answers that are told as answers of other requests. */
const fewestCrossed = 3
const crossed: Form = {
  key: atTimes,
  says: 'requests get an answer that is documented for another request',
  of: null,
}

/** Whether an answer that is documented for another request came only sometimes, or was not sent again. */
function mayBeCrossed(form: Form | null, finding: Finding): boolean {
  return form?.isOfAnother === true && !isSteady(finding)
}

function foreignForm(says: string | null): Form | null {
  return says === null ? null : { key: says, says, of: null }
}

function formOf(finding: Finding): Form | null {
  const { answered, difference = '', exchange } = finding
  if (finding.difference === undefined || isOfEndpointsFile(finding)) return null
  // A change of a shape is of its own place.
  if (finding.shapes !== undefined && !isOfAnswer(finding)) return null
  if (difference.startsWith('secret in ')) return { key: 'secret', says: null, of: null }
  if (answered === null) return { key: 'no answer', says: null, of: null }
  if (answered.status >= 500) return { key: `${answered.status}`, says: null, of: null }
  // A redirect, or that nothing is new, is no error.
  if (answered.status >= 300 && answered.status < 400 && answered.errorCode === null)
    return { key: `status ${answered.status}`, says: null, of: null }
  // Behind HEAD no body can come.
  if (exchange.request.method === 'HEAD' && isRefusalOf(finding))
    return { key: `status ${answered.status}`, says: `has status ${answered.status}`, of: 'error' }
  const flaw = bodyFlaw(difference, exchange.response)
  const of = isServed(answered) ? 'success' : 'error'
  if (flaw !== null) return { key: `${of} ${flaw}`, says: isBodyFlaw(flaw) ? flawSays[flaw] : null, of }
  if (!isOfAnswer(finding) && difference !== 'documented error under success')
    return { key: `${of} ${difference}`, says: labelSays[difference] ?? null, of, isLabel: true }
  // Whose request was served is not known, if its flaws are not.
  if (of === 'success' && (finding.sent?.flaws ?? null) === null) return null
  if (of === 'success') {
    const key = isIntermittent(finding) ? atTimes : `served ${scopeOf(finding)}`
    return { key, says: null, of: null, isOfAnother: true }
  }
  return codeForm(finding, answered)
}

/** Whether nothing but refusals is documented. */
function isRefusalOf({ allowed }: Finding): boolean {
  return allowed.length > 0 && allowed.every(({ errorCode }) => errorCode !== null)
}

function isOfValidRequest({ allowed }: Finding): boolean {
  return allowed.length > 0 && allowed.every(({ errorCode }) => errorCode === null)
}

type Status = NonNullable<Finding['answered']>

function isServed({ status, errorCode }: Status): boolean {
  return status < 300 && errorCode === null
}

/** What only some requests share: their conditions, else the flawed parts. */
function scopeOf(finding: Finding): string {
  const { conditions = [] } = finding.sent ?? {}
  return conditions.length > 0 ? conditions.join() : flawedParts(finding).join()
}

function codeForm(finding: Finding, { status, errorCode }: Status): Form {
  if (errorCode === null) return { key: `status ${status}`, says: `has status ${status}`, of: 'error' }
  if (isDocumentedPair(status, errorCode)) {
    const key = isIntermittent(finding) ? atTimes : `${status}/${errorCode}`
    return { key, says: null, of: null, isOfAnother: true }
  }
  if (isErrorCode(errorCode)) {
    return { key: `status ${status}`, says: `has status ${status}`, of: 'error' }
  }
  const meant = /\d{4}/.exec(errorCode)?.[0]
  const isSpelled = meant !== undefined && pairOf(meant) !== null
  const key = isSpelled ? errorCode.replace(meant, '#') : errorCode
  const says = isSpelled
    ? `has error_code ${JSON.stringify(errorCode)} in the place of "${meant}", or alike`
    : null
  return { key: `code ${key}`, says, of: 'error' }
}

const labelSays: Readonly<Record<string, string>> = {
  'another content-type': 'has a content-type that is not that of JSON',
  'no content-type': 'has no content-type',
  'several content-types': 'has several content-types',
  'byte order mark': 'begins with a byte order mark',
}

type BodyFlaw = Exclude<AnswerFlaw, 'documented error under success'>

const flawSays: Readonly<Record<BodyFlaw, string>> = {
  'empty body': 'has an empty body',
  'body is not JSON': 'has a body that is not JSON',
  'body is not in its content coding': 'has a body that is not in its content coding',
  'body is not an object': 'is JSON that is not an object',
  'error_code is missing': 'lacks error_code',
  'error_code is not a string': 'has an error_code that is not a string',
  'error_message is missing': 'lacks error_message',
  'error_message is not a string': 'has an error_message that is not a string',
}

function isBodyFlaw(difference: string): difference is BodyFlaw {
  return Object.hasOwn(flawSays, difference)
}

/** The flaw of a body: as the finding says, else as its text shows, as far as that is known. */
export function bodyFlaw(difference: string, response: ShownExchange['response']): AnswerFlaw | null {
  if (isBodyFlaw(difference)) return difference
  if (response === null || response.bodyCut > 0) return null
  if (response.body === '') return 'empty body'
  const value = jsonValue(response.body.replace(/^\uFEFF/, ''))
  if (value === undefined) return 'body is not JSON'
  return response.status < 300 ? null : errorObjectFlaw(value)
}

function sentenceOf(form: Form, findings: readonly Finding[], evidence: Evidence): string | null {
  if (form.says === null) return null
  const isRare = form === crossed || findings.every(isIntermittent)
  const often = isRare ? ' (only sometimes)' : ''
  if (form.of === null) return `${form.says.charAt(0).toUpperCase()}${form.says.slice(1)}${often}`
  const under = conditionOf(form, findings, evidence)
  // The part of the request that is flawed in all of them says more than their form: a near miss of a path is an unknown one, too.
  if (under === '' && commonTo(findings, flawedParts).length > 0) return null
  const subject =
    form.of === 'success' ? 'success' : findings.some(isOfValidRequest) ? 'answer' : 'error answer'
  const isEvery = under !== '' || !evidence.samples.some((sample) => isSound(sample, form))
  if (isEvery) return `Every ${subject}${under} ${form.says}${often}`
  return `Several kinds of ${subject}: each ${form.says}${often}`
}

function flawedParts({ sent }: Finding): readonly string[] {
  return (sent?.flaws ?? []).map((id) => flawNamed(id)?.part ?? id)
}

/** What all faulty requests have in common and a sound one has not. */
function conditionOf(form: Form, findings: readonly Finding[], { samples }: Evidence): string {
  const shared = commonTo(findings, ({ sent }) => sent?.conditions ?? [])
  if (shared.length > 0) return ` with ${shared.join(' and ')}`
  const isWithout = findings.every(({ exchange }) => !asksForJson(exchange))
  return isWithout && samples.some((one) => asksForJson(one) && isSound(one, form)) ? ' without accept' : ''
}

/** Whether an answer ends its connection, as those of parsers that refuse bytes before the service sees a request. */
function closes({ headers }: NonNullable<ShownExchange['response']>): boolean {
  return headers.some(([name, value]) => name.toLowerCase() === 'connection' && /^close$/i.test(value))
}

function asksForJson({ request }: ShownExchange): boolean {
  return request.headers.some(
    ([name, value]) => name.toLowerCase() === 'accept' && value.includes('application/json'),
  )
}

/** Whether an answer of the same kind is documented, and in its form. */
function isSound({ response }: ShownExchange, { of, isLabel = false }: Form): boolean {
  if (response === null || response.bodyCut > 0 || closes(response)) return false
  if ((of === 'success') !== response.status < 300) return false
  const isLabelled = response.headers.some(
    ([name, value]) => name.toLowerCase() === 'content-type' && /json/i.test(value),
  )
  if (isLabel && !isLabelled) return false
  const value = jsonValue(response.body)
  if (value === undefined || of === 'success') return value !== undefined
  return errorObjectFlaw(value) === null && isDocumentedPair(response.status, errorCodeIn(value))
}
