import { errorCodeIn, errorObjectFlaw, flawText, type AnswerFlaw } from '../judge/answered.ts'
import { isOfAnswer, isOfEndpointsFile } from '../judge/differences.ts'
import { isIntermittent, isSteady, type Finding, type ShownExchange } from '../judge/record.ts'
import { isDocumentedPair, isErrorCode, pairOf } from '../specification/answers.ts'
import { flawNamed } from '../specification/flaws.ts'
import { commonTo, groupBy } from '../text/counts.ts'
import { jsonValue } from '../text/json-value.ts'
import { fieldsNamed, foreignAnswers, type Evidence } from './foreign-answers.ts'

/** Groups of findings that are explained by a single mistake in the service, with a common sentence; null if the simplest finding says it all. */
export interface Mistake<Group> {
  readonly groups: readonly Group[]
  readonly sentence: string | null
}

/** Merges groups whose answers have the same form, in order of appearance. Each group is represented by its simplest finding. */
export function byMistake<Group extends { readonly finding: Finding }>(
  groups: readonly Group[],
  evidence: Evidence,
): readonly Mistake<Group>[] {
  const foreign = foreignAnswers(evidence)
  const told = groups.map((group): { readonly group: Group; readonly form: Form | null } => {
    const says = foreign(group.finding)
    return { group, form: says === null ? formOf(group.finding) : { key: says, says, of: null } }
  })
  const areCrossed = told.filter(({ form }) => form?.key === atTimes).length >= fewestCrossed
  const formed = told.map(({ group, form: own }, place) => {
    // An answer to a different request was intermittent, or its request was not sent again.
    const isCrossed = areCrossed && own?.isOfAnother === true && !isSteady(group.finding)
    const form = isCrossed ? crossed : own
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

/** A problem with an answer that does not depend on the request. */
interface Form {
  readonly key: string
  /** Follows a singular subject, as in `has status 200`; null if the simplest finding says it all. */
  readonly says: string | null
  readonly of: 'error' | 'success' | null
  /** Whether it concerns only the content-type. */
  readonly isLabel?: boolean
  /** Set if the answer is well-formed and documented for other requests. */
  readonly isOfAnother?: true
}

/** Key for an intermittent answer that is documented for a different request. */
const atTimes = 'another at times'
/** Minimum number of causes with such answers for reporting them as answers to other requests. */
const fewestCrossed = 3
const crossed: Form = {
  key: atTimes,
  says: 'requests get the documented answer to a different request',
  of: null,
}

function untold(key: string): Form {
  return { key, says: null, of: null }
}

function ofAnother(finding: Finding, key: string): Form {
  return { ...untold(isIntermittent(finding) ? atTimes : key), isOfAnother: true }
}

function formOf(finding: Finding): Form | null {
  const { answered, difference = '', exchange } = finding
  if (finding.difference === undefined || isOfEndpointsFile(finding)) return null
  // A change in a shape belongs only to its own path.
  if (finding.shapes !== undefined && !isOfAnswer(finding)) return null
  if (difference.startsWith('secret in ')) return untold('secret')
  if (answered === null) return untold('no answer')
  const { status, errorCode } = answered
  if (status >= 500) return untold(`${status}`)
  // A redirect or a "not modified" response is not an error.
  if (status >= 300 && status < 400 && errorCode === null) return untold(`status ${status}`)
  const ofStatus = { key: `status ${status}`, says: `has status ${status}`, of: 'error' } as const
  // An answer to HEAD cannot have a body.
  if (exchange.request.method === 'HEAD' && allows(finding, (code) => code !== null)) return ofStatus
  const flaw = bodyFlaw(difference, exchange.response)
  const of = status < 300 && errorCode === null ? 'success' : 'error'
  if (flaw !== null) return { key: `${of} ${flaw}`, says: isBodyFlaw(flaw) ? flawSays(flaw) : null, of }
  if (!isOfAnswer(finding) && difference !== 'documented error under success')
    return { key: `${of} ${difference}`, says: labelSays[difference] ?? null, of, isLabel: true }
  if (of === 'success') {
    // If the flaws are unknown, it is unclear what kind of request was served.
    if ((finding.sent?.flaws ?? null) === null) return null
    return ofAnother(finding, `served ${scopeOf(finding)}`)
  }
  if (isDocumentedPair(status, errorCode)) return ofAnother(finding, `${status}/${errorCode}`)
  return errorCode === null || isErrorCode(errorCode) ? ofStatus : codeForm(errorCode)
}

/** Whether all documented answers have a code of this kind. */
function allows({ allowed }: Finding, isSuch: (code: string | null) => boolean): boolean {
  return allowed.length > 0 && allowed.every(({ errorCode }) => isSuch(errorCode))
}

/** What only some requests have in common: their conditions, or else the parts that are flawed. */
function scopeOf(finding: Finding): string {
  const { conditions = [] } = finding.sent ?? {}
  return conditions.length > 0 ? conditions.join() : flawedParts(finding).join()
}

/** The form of an undocumented code, which may contain a documented one. */
function codeForm(errorCode: string): Form {
  const meant = /\d{4}/.exec(errorCode)?.[0]
  if (meant === undefined || pairOf(meant) === null)
    return { key: `code ${errorCode}`, says: null, of: 'error' }
  return {
    key: `code ${errorCode.replace(meant, '#')}`,
    says: `has error_code ${JSON.stringify(errorCode)} instead of "${meant}", or similar`,
    of: 'error',
  }
}

const labelSays: Readonly<Record<string, string>> = {
  'another content-type': 'has a content-type other than JSON',
  'no content-type': 'has no content-type',
  'several content-types': 'has several content-types',
  'byte order mark': 'begins with a byte order mark',
}

type BodyFlaw = Exclude<AnswerFlaw, 'documented error under success'>

/** `has an empty body`, `lacks error_code`, `is JSON that is not an object`. */
function flawSays(flaw: BodyFlaw): string {
  const text = flawText[flaw]
  return flaw === 'body is not an object'
    ? text.replace('with', 'is')
    : text.replace('without', 'lacks').replace('with', 'has')
}

function isBodyFlaw(difference: string): difference is BodyFlaw {
  return Object.hasOwn(flawText, difference) && difference !== 'documented error under success'
}

/** The flaw in a body, taken from the finding or else determined from the body's text, if known. */
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
  // A flawed part that all the requests share says more than the form of the answers. For example, a path that is nearly right is also an unknown path.
  if (under === '' && commonTo(findings, flawedParts).length > 0) return null
  const subject =
    form.of === 'success'
      ? 'success'
      : findings.some((one) => allows(one, (code) => code === null))
        ? 'answer'
        : 'error answer'
  const isEvery = under !== '' || !evidence.samples.some((sample) => isSound(sample, form))
  if (isEvery) return `Every ${subject}${under} ${form.says}${often}`
  return `Several kinds of ${subject}: each ${form.says}${often}`
}

function flawedParts({ sent }: Finding): readonly string[] {
  return (sent?.flaws ?? []).map((id) => flawNamed(id)?.part ?? id)
}

/** A property that all failing requests share and that a passing request lacks, as a phrase. */
function conditionOf(form: Form, findings: readonly Finding[], { samples }: Evidence): string {
  const shared = commonTo(findings, ({ sent }) => sent?.conditions ?? [])
  if (shared.length > 0) return ` with ${shared.join(' and ')}`
  const isWithout = findings.every(({ exchange }) => !asksForJson(exchange))
  return isWithout && samples.some((one) => asksForJson(one) && isSound(one, form)) ? ' without accept' : ''
}

function asksForJson({ request }: ShownExchange): boolean {
  return fieldsNamed(request, 'accept').some((value) => value.includes('application/json'))
}

/** Whether an answer of the same kind is documented and has the correct form. */
function isSound({ response }: ShownExchange, { of, isLabel = false }: Form): boolean {
  if (response === null || response.bodyCut > 0) return false
  // Parsers that reject bytes before a request reaches the service close the connection.
  if (fieldsNamed(response, 'connection').some((value) => /^close$/i.test(value))) return false
  if ((of === 'success') !== response.status < 300) return false
  if (isLabel && !fieldsNamed(response, 'content-type').some((value) => /json/i.test(value))) return false
  const value = jsonValue(response.body)
  if (value === undefined || of === 'success') return value !== undefined
  return errorObjectFlaw(value) === null && isDocumentedPair(response.status, errorCodeIn(value))
}
