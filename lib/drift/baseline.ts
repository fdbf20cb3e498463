import { isErrorCode } from '../specification/answers.ts'
import { jsonTypes, mergeRecords, mergeShapes, shapeOf, type Seen, type Shape } from './shape.ts'

/** The format name in the document. */
export const baselineFormat = 'card-switch-conformance/baseline/1'

/** The number of answers and the shape of their JSON bodies, by status and code: `200/` or `400/1001`, with `401/other` for an undocumented code. */
export type AnswersSeen = Readonly<Record<string, Readonly<{ seen: number; shape: Shape }>>>

/** Answers from a target by request name, that is, an endpoint and the request's only flaw, if any. Plain JSON without values or addresses. */
export type Baseline = Readonly<{
  format: typeof baselineFormat
  stimuli: Readonly<Record<string, AnswersSeen>>
}>

/** The part of an answer that a baseline records. */
export type ObservedAnswer = Readonly<{
  /** The name for requests that must get the same answer: `GET /api/customizations/list | none`. */
  requestName: string
  status: number
  /** The `error_code` in the body if it is a string, or null. */
  errorCode: string | null
  /** The whole body as returned by `JSON.parse`; null if it is not JSON. */
  body: { readonly value: unknown } | null
}>

/** A baseline without any answers. */
export const emptyBaseline: Baseline = { format: baselineFormat, stimuli: {} }

/** The name of a request, made up of an endpoint's label and the request's only certain flaw, which may be null. */
export function requestNameOf(endpoint: string, flaw: string | null) {
  return `${endpoint} | ${flaw ?? 'none'}`
}

/** Adds an answer to a baseline. */
export function observe(
  baseline: Baseline,
  { requestName, status, errorCode, body }: ObservedAnswer,
): Baseline {
  const answer = { seen: 1, shape: body === null ? {} : shapeOf(body.value) }
  const stimuli = { [requestName]: { [answerOf(status, errorCode)]: answer } }
  return mergeBaselines(baseline, { format: baselineFormat, stimuli })
}

/** All undocumented codes count as the same, because they are values. */
function answerOf(status: number, errorCode: string | null) {
  if (errorCode === null) return `${status}/`
  return `${status}/${isErrorCode(errorCode) ? errorCode : 'other'}`
}

/** Merges two baselines. The order makes no difference. */
export function mergeBaselines(one: Baseline, other: Baseline): Baseline {
  const mergeAnswers = (answers: AnswersSeen, more: AnswersSeen): AnswersSeen =>
    mergeRecords(answers, more, (before, now) => ({
      seen: before.seen + now.seen,
      shape: mergeShapes(before.shape, now.shape),
    }))
  return { format: baselineFormat, stimuli: mergeRecords(one.stimuli, other.stimuli, mergeAnswers) }
}

/** The text of a baseline file, sorted and with one line per path, so that diffs are readable. */
export function baselineText({ format, stimuli }: Baseline) {
  const text = block(stimuli, (answers) =>
    block(answers, ({ seen, shape }) => lines([`"seen": ${seen}`, `"shape": ${block(shape, seenText)}`])),
  )
  return `${lines([`"format": ${JSON.stringify(format)}`, `"stimuli": ${text}`])}\n`
}

function seenText(seen: Seen) {
  const counts = jsonTypes.flatMap((type) => (seen[type] === undefined ? [] : [`"${type}": ${seen[type]}`]))
  return `{ ${[...counts, ...(seen.cut === true ? ['"cut": true'] : [])].join(', ')} }`
}

function block<One>(record: Readonly<Record<string, One>>, written: (one: One) => string) {
  return lines(sortedEntries(record).map(([name, one]) => `${JSON.stringify(name)}: ${written(one)}`))
}

/** The members of a record, sorted by name. */
export function sortedEntries<One>(
  record: Readonly<Record<string, One>>,
): readonly (readonly [string, One])[] {
  return Object.entries(record).toSorted(([one], [other]) => (one < other ? -1 : 1))
}

/** An object with one line per member. Line breaks occur only between members, because JSON escapes all others. */
function lines(members: readonly string[]) {
  return members.length === 0 ? '{}' : `{\n  ${members.join(',\n').replaceAll('\n', '\n  ')}\n}`
}
