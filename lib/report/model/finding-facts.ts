import { describeAllowed } from '../../judge/differences.ts'
import { type Finding, type ShownExchange, isIntermittent } from '../../judge/record.ts'
import { beginning } from '../../text/printable.ts'
import { groupBy } from '../../text/counts.ts'
import { withCodeNames } from './codes.ts'
import type { Fact } from './document.ts'
import { legendOf, visible } from '../../text/visible.ts'

/** The label of each kind of fact of a finding. */
const labels = {
  documented: 'documented',
  answered: 'answered',
  before: 'before',
  after: 'now',
  sent: 'sent',
  legend: 'legend',
  reproduced: 'reproduced',
  case: 'case',
  trace: 'trace',
  theirId: 'their id',
  example: 'also',
  waived: 'waived',
  again: 'replay',
} as const

/** A fact of a finding; its kind tells what it is about. */
export interface FindingFact extends Fact {
  readonly kind: keyof typeof labels
}

function fact(kind: FindingFact['kind'], value: string, more: Partial<Fact> = {}): FindingFact {
  return { kind, label: labels[kind], value, ...more }
}

/** Maximum shown length of what was sent and answered, in characters. */
interface Extent {
  readonly body: number
  readonly field: number
  /** Full: headers get a row each, and further examples are listed. */
  readonly detail: 'full' | 'short'
}

/** What is documented for the answers of a rule: its own sentence where no answer is named. `section` is absent where it stands elsewhere. */
export interface Documented {
  readonly says: string
  readonly section?: string
}

/**
 * Facts of a finding in reading order: documented, with the section of the specification where it is given, answered, sent, how often,
 * which case, how to repeat it.
 */
export function findingFacts(
  finding: Finding,
  extent: Extent,
  { says, section }: Partial<Documented> = {},
): readonly FindingFact[] {
  const { allowed } = finding
  const documented =
    allowed.length > 0 ? withCodeNames(describeAllowed(allowed)) : says === undefined ? null : visible(says)
  const where = section === undefined ? '' : ` (${section})`
  return [
    ...(documented === null ? [] : [fact('documented', `${documented}${where}`)]),
    fact('answered', answered(finding, extent)),
    ...shapes(finding),
    ...sent(finding.exchange, extent),
    fact('reproduced', howOften(finding)),
    fact('case', finding.case),
    ...correlation(finding, extent),
    ...(extent.detail === 'full' ? examples(finding, extent) : []),
    ...(finding.waived === undefined ? [] : [fact('waived', finding.waived)]),
    ...(finding.replay === null ? [] : [fact('again', finding.replay, { whole: true })]),
  ]
}

const longestCode = 40
/** Maximum further cases shown for one fingerprint. */
const mostExamples = 3

/** Status and code of an answer, as `401 / 1006`, or `no answer`. */
export function answerOf({ answered: seen, exchange }: Finding): string {
  const status = seen?.status ?? exchange.response?.status
  if (status === undefined) return 'no answer'
  const code = seen?.errorCode ?? null
  return code === null ? `${status}` : `${status} / ${beginning(code, longestCode)}`
}

function answered(finding: Finding, { body }: Extent): string {
  const { response } = finding.exchange
  if (response === null) return answerOf(finding)
  if (response.body === '' && response.bodyCut === 0) return `${answerOf(finding)}, with an empty body`
  return `${answerOf(finding)}: ${beginning(response.body, body, response.bodyCut)}`
}

function shapes({ shapes: changed }: Finding): readonly FindingFact[] {
  if (changed === undefined) return []
  return [fact('before', visible(changed.before)), fact('after', visible(changed.after))]
}

function sent({ request }: ShownExchange, { field, detail }: Extent): readonly FindingFact[] {
  const line = `${request.method} ${beginning(visible(request.url), field)}`
  const headers = request.headers.map(
    ([name, value]) => `${beginning(visible(name), field)}: ${beginning(visible(value), field)}`,
  )
  const bodies =
    request.body === undefined ? [] : [`body: ${beginning(visible(request.body), field, request.bodyCut)}`]
  const legend = legendOf([[request.method, request.url], ...request.headers])
  const explained = legend === null ? [] : [fact('legend', legend)]
  const whole = [line, ...headers, ...bodies].join('; ')
  if (detail === 'short') return [fact('sent', beginning(whole, longestLine)), ...explained]
  return [
    fact('sent', line),
    ...[...headers, ...bodies].map((value) => fact('sent', value, { label: '' })),
    ...explained,
  ]
}

/** Response fields in which services, gateways and CDNs name a request, by which it is found in their logs. */
const requestIds: ReadonlySet<string> = new Set([
  'x-request-id',
  'x-correlation-id',
  'x-trace-id',
  'x-amzn-trace-id',
  'x-amzn-requestid',
  'x-amz-cf-id',
  'x-azure-ref',
  'x-cloud-trace-context',
  'traceresponse',
  'cf-ray',
  'request-id',
  'fly-request-id',
  'x-vercel-id',
])

/** Maximum length of a request in one line, in characters; the line that sends it again has it whole. */
const longestLine = 240

/** What finds the request in the logs of others: the trace that was sent, and the service's own ids. */
function correlation({ trace, exchange }: Finding, { field }: Extent): readonly FindingFact[] {
  const ids = (exchange.response?.headers ?? []).filter(([name]) => requestIds.has(name.toLowerCase()))
  return [
    ...(trace === undefined ? [] : [fact('trace', trace.id, { whole: true })]),
    ...ids.map(([name, value]) => fact('theirId', `${visible(name)}: ${beginning(visible(value), field)}`)),
  ]
}

/** How often a breach was reproduced and met: `2 of 3, intermittent; met 4 times`. */
function howOften(finding: Finding): string {
  const { reproduced, count } = finding
  const intermittent = isIntermittent(finding) ? ', intermittent' : ''
  return `${reproduced}${intermittent}; met ${count === 1 ? 'once' : `${count} times`}`
}

function examples({ examples: more }: Finding, { field }: Extent): readonly FindingFact[] {
  return more
    .slice(0, mostExamples)
    .map(({ case: name, summary }) => fact('example', `${name}: ${beginning(visible(summary), field)}`))
}

/** Merges findings by fingerprint, in order of appearance, with their count and at most three examples. */
export function groupByFingerprint(findings: readonly Finding[]): readonly Finding[] {
  const groups = groupBy(findings, ({ fingerprint, waived = '' }) => `${fingerprint} ${waived}`)
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return []
    const own = others.map(({ case: name, summary }) => ({ case: name, summary }))
    const more = [first, ...others].flatMap((one) => one.examples)
    const count = others.reduce((sum, one) => sum + one.count, first.count)
    return [{ ...first, count, examples: [...own, ...more].slice(0, mostExamples) }]
  })
}
