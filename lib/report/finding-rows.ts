import { describeAllowed } from '../judge/explain.ts'
import type { Finding, ShownExchange } from '../judge/record.ts'
import { isIntermittent } from '../judge/reproduced.ts'
import { documentedPairs, type Answer } from '../spec/answers.ts'
import { beginning } from '../settings/printable.ts'
import { legendOf, visible } from './visible.ts'

/** One labelled fact about a finding. The value is as it was met: whoever shows it makes it safe. */
export interface FindingRow {
  readonly label: string
  readonly value: string
  /** To be copied, hence never to be wrapped. */
  readonly whole?: true
}

/** How much of what was sent and answered is shown, in characters. */
export interface Extent {
  readonly body: number
  readonly field: number
  /** Whether headers get a row each, and further examples are listed. */
  readonly detail: 'full' | 'short'
}

/** A finding as labelled facts, in the order of reading: documented, answered, sent, how often, which case, how to repeat it. */
export function findingRows(finding: Finding, extent: Extent): readonly FindingRow[] {
  return [
    { label: 'documented', value: documented(finding.allowed) },
    { label: 'answered', value: answered(finding, extent) },
    ...sent(finding.exchange, extent),
    { label: 'reproduced', value: howOften(finding) },
    { label: 'case', value: finding.case },
    ...(extent.detail === 'full' ? examples(finding, extent) : []),
    ...(finding.waived === undefined ? [] : [{ label: 'waived', value: finding.waived }]),
    ...(finding.replay === null ? [] : [{ label: 'again', value: finding.replay, whole: true } as const]),
  ]
}

/** The status and code of an answer, as `401 / 1006`; `no answer` where none came. */
export function answerOf({ answered: seen, exchange }: Finding): string {
  const status = seen?.status ?? exchange.response?.status
  if (status === undefined) return 'no answer'

  const code = seen?.errorCode ?? null
  return code === null ? `${status}` : `${status} / ${beginning(code, longestCode)}`
}

const longestCode = 40

function documented(allowed: readonly Answer[]): string {
  if (allowed.length === 0) return 'what the rule says'
  if (!documentedPairs.every((pair) => allowed.some((answer) => answer.errorCode === pair.errorCode))) {
    return describeAllowed(allowed)
  }
  const orSuccess = allowed.some((answer) => answer.errorCode === null) ? ', or success' : ''
  return `one of the eleven documented pairs of status and error_code${orSuccess}`
}

function answered(finding: Finding, { body }: Extent): string {
  const { response } = finding.exchange
  if (response === null) return answerOf(finding)
  if (response.body === '' && response.bodyCut === 0) return `${answerOf(finding)}, with an empty body`
  return `${answerOf(finding)}: ${beginning(response.body, body, response.bodyCut)}`
}

function sent({ request }: ShownExchange, { field, detail }: Extent): readonly FindingRow[] {
  const line = `${request.method} ${beginning(visible(request.url), field)}`
  const headers = request.headers.map(
    ([name, value]) => `${beginning(visible(name), field)}: ${beginning(visible(value), field)}`,
  )
  const legend = legendOf([[request.method, request.url], ...request.headers])
  const explained = legend === null ? [] : [{ label: 'legend', value: legend }]

  if (detail === 'short') return [{ label: 'sent', value: [line, ...headers].join('; ') }, ...explained]
  return [{ label: 'sent', value: line }, ...headers.map((value) => ({ label: '', value })), ...explained]
}

/** How often a breach came again, and how often it was met: `2 of 3, intermittent; met 4 times`. */
export function howOften(finding: Finding): string {
  const { reproduced, count } = finding
  const intermittent = isIntermittent(finding) ? ', intermittent' : ''
  return `${reproduced}${intermittent}; met ${count === 1 ? 'once' : `${count} times`}`
}

function examples({ examples: more }: Finding, { field }: Extent): readonly FindingRow[] {
  return more.slice(0, mostExamples).map(({ case: name, summary }) => ({
    label: 'also',
    value: `${name}: ${beginning(visible(summary), field)}`,
  }))
}

const mostExamples = 3
