import type * as allure from 'allure-js-commons'
import { openFindings } from '../../explain/causes.ts'
import { type Finding, type RuleStatus, type ShownExchange, isIntermittent } from '../../judge/record.ts'
import { beginning, printable } from '../../text/printable.ts'
import { areaOf, type Level } from '../../specification/rules.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { groupByFingerprint, findingFacts } from '../model/finding-facts.ts'
import { reasonsOfRun, waiverNotes } from '../model/headline.ts'
import { shown } from '../render/markdown.ts'
import { isCopyable, visible } from '../../text/visible.ts'
import { sentenceOf } from '../model/rule-counts.ts'
import { andMore, firstOf, plural } from '../../text/counts.ts'
import { numberedCauses, type NumberedCauses, type Plain, type Status } from './allure-run.ts'
import { brokenExpectations, countedRules } from '../../verdict/counted-rules.ts'

/** Keeps an exchange beside the results, and gives the name that it has there. */
export type Attach = (exchange: ShownExchange) => string

type Result = Plain<Omit<allure.TestResult, 'uuid'>>
type StepResult = Plain<allure.StepResult>

/** Allure's results of a verdict: its rules, and the run if these do not tell everything. */
export function allureResults(verdict: Verdict, attach: Attach): readonly Result[] {
  const causes = numberedCauses(verdict)
  const start = Date.parse(verdict.startedAt)
  const rules = countedRules(verdict.rules).map((rule) => ({
    ...ruleResult(rule, causes, attach),
    stop: start + rule.durationMs,
  }))
  const results = [...rules, ...runResults(verdict, causes, attach)]
  return results.map((result) => ({ start, stop: start, ...result }))
}

/** An unjudged rule neither passed nor failed: trouble is broken, anything never to be judged is skipped. */
const statuses: Readonly<Record<RuleStatus, Status>> = {
  passed: 'passed',
  warned: 'passed',
  failed: 'failed',
  waived: 'skipped',
  untested: 'skipped',
  inconclusive: 'broken',
}

const severities: Readonly<Record<Level, `${allure.Severity}`>> = {
  documented: 'critical',
  implied: 'normal',
  requested: 'minor',
  expectation: 'trivial',
}

const mostLines = 10
const longestReason = 1_000

interface Subject {
  readonly id: string
  readonly area: string
  /** The sentence that does or does not hold. */
  readonly story: string
  readonly status: Status
  /** Begins with a word for what Allure's four statuses cannot say, as in `untested: …`; null if a rule passed. */
  readonly message: string | null
  readonly severity?: `${allure.Severity}`
  readonly tags?: readonly string[]
}

function resultOf({ id, area, story, status, message, severity, tags = [] }: Subject): Result {
  return {
    name: printable(`${id}: ${story}`),
    testCaseId: id,
    fullName: id,
    historyId: id,
    titlePath: [area],
    description: story,
    status,
    statusDetails: message === null ? {} : { message },
    stage: 'finished',
    parameters: [],
    links: [],
    labels: [
      { name: 'framework', value: 'vitest' },
      { name: 'epic', value: area },
      { name: 'feature', value: id },
      { name: 'story', value: story },
      { name: 'suite', value: area },
      { name: 'severity', value: severity ?? 'critical' },
      ...tags.map((value) => ({ name: 'tag', value })),
    ],
    steps: [],
    attachments: [],
  }
}

function ruleResult(rule: VerdictRule, causes: NumberedCauses, attach: Attach): Result {
  const { id, level, section, status, answers, sample, findings } = rule
  const story = sentenceOf(rule)
  const result = resultOf({
    id,
    area: areaOf(id),
    story,
    status: statuses[status],
    message: ruleMessage(rule, causes),
    severity: severities[level],
    tags: [level, status, ...(findings.some(isIntermittent) ? ['intermittent'] : [])],
  })
  // Allure has no status for these, and lists show only names.
  const mark = status === 'passed' || status === 'failed' ? '' : ` [${status}]`
  const description = `${story} (${section}). ${level}; ${plural(answers, 'answer')} judged.`
  return {
    ...result,
    name: `${result.name}${mark}`,
    // Allure reads it as Markdown.
    description: shown(description, longestReason),
    steps: stepsOf(rule, causes, attach),
    attachments: attached('an exchange that was judged', sample, attach),
  }
}

function attached(name: string, exchange: ShownExchange | null, attach: Attach): Result['attachments'] {
  return exchange === null
    ? []
    : [{ name, type: 'application/vnd.allure.http+json', source: attach(exchange) }]
}

/** Message of a rule; the causes of its findings come first, one per line. */
function ruleMessage(rule: VerdictRule, causes: NumberedCauses): string | null {
  const { id, status, because } = rule
  if (status === 'passed') return null
  if (status !== 'failed' && status !== 'warned') return `${status}: ${reason(because)}`

  const findings = groupByFingerprint(openFindings(rule))
  const [first] = findings
  const word = status === 'warned' ? 'warned' : first === undefined ? 'violation' : wordOf(first, rule)
  const names = new Set(findings.flatMap((finding) => causes.of(id, finding).map(({ name }) => name)))
  return `${word}: ${[...upTo(mostLines, [...names]), ...upTo(mostLines, findings.map(findingLine))].join('\n')}`
}

function upTo(most: number, lines: readonly string[]): readonly string[] {
  return firstOf(lines, most, (count) => `… ${andMore(count)}`)
}

function reason(text: string | null): string {
  return text === null || text === '' ? 'no reason was given' : printable(beginning(text, longestReason))
}

/** The run itself, if the rules do not tell everything, and the waivers to look at. */
function runResults(verdict: Verdict, causes: NumberedCauses, attach: Attach): readonly Result[] {
  const reasons = reasonsOfRun(verdict)
  const notes = waiverNotes(verdict).map(({ says }) => says)
  const of = (id: string, story: string, status: Status, word: string, texts: readonly string[]): Result =>
    resultOf({
      id,
      area: 'run',
      story,
      status,
      message: `${word}: ${reason(texts.slice(0, mostLines).join('; '))}`,
    })
  return [
    ...(reasons === null
      ? []
      : [
          {
            ...of('run/verdict', 'the run comes to a verdict', 'broken', verdict.verdict, reasons),
            steps: brokenExpectations(verdict.rules).flatMap((rule) => stepsOf(rule, causes, attach)),
          },
        ]),
    ...(notes.length === 0
      ? []
      : [of('run/waivers', 'every waiver is still needed', 'skipped', 'waivers', notes)]),
  ]
}

/** Kind of a finding: a violation, a breach that only warns, a waived one, or our own fault. */
type FindingWord = 'violation' | 'warning' | 'waived' | 'error'

const stepStatuses: Readonly<Record<FindingWord, Status>> = {
  violation: 'failed',
  error: 'failed',
  warning: 'passed',
  waived: 'skipped',
}

/** Maximum findings of a rule, so that browsers can open the report. */
const mostFindings = 20
const longestSummary = 400
const extent = { body: 400, field: 400, detail: 'full' } as const

/** Findings of a rule as steps, one for each fingerprint; the last counts the rest. */
function stepsOf(rule: VerdictRule, causes: NumberedCauses, attach: Attach): StepResult[] {
  const findings = groupByFingerprint(rule.findings)
  const more = findings.length - mostFindings
  const steps = findings.slice(0, mostFindings).map((finding): StepResult => {
    const word = wordOf(finding, rule)
    const facts = stepFacts(finding, rule, word === 'waived' ? [] : causes.of(rule.id, finding))
    return {
      ...stepOf(`${word}: ${findingLine(finding)}`, stepStatuses[word]),
      attachments: attached('the exchange', finding.exchange, attach),
      parameters: facts.map(([name, value]) => ({ name, value })),
    }
  })
  if (more <= 0) return steps
  return [...steps, stepOf(`… and ${plural(more, 'more finding')} in verdict.json`, 'skipped')]
}

function stepOf(name: string, status: Status): StepResult {
  return {
    name,
    status,
    statusDetails: {},
    stage: 'finished',
    steps: [],
    attachments: [],
    parameters: [],
  }
}

/** Facts of a step; the attached exchange shows what was sent. */
function stepFacts(
  finding: Finding,
  { says }: Pick<VerdictRule, 'says'>,
  causes: ReturnType<NumberedCauses['of']>,
): readonly (readonly [string, string])[] {
  const { fingerprint, curl } = finding
  const facts = findingFacts(finding, extent, { says }).filter(({ kind }) => kind !== 'sent')
  return [
    ...causes.map(({ name }) => ['cause', name] as const),
    ...facts.map(({ label, value }) => [label, printable(value)] as const),
    ['fingerprint', printable(fingerprint)],
    ...(curl === null || !isCopyable(curl) ? [] : [['curl', curl] as const]),
  ]
}

function wordOf({ waived, warning, blames }: Finding, { status }: VerdictRule): FindingWord {
  if (waived !== undefined) return 'waived'
  if (blames !== undefined) return 'error'
  return status === 'failed' && warning !== true ? 'violation' : 'warning'
}

function findingLine({ summary, reproduced, count }: Finding): string {
  const times = count === 1 ? '' : `, met ${count} times`
  return printable(`${beginning(visible(summary), longestSummary)} (${reproduced}${times})`)
}
