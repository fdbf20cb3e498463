import type * as allure from 'allure-js-commons'
import type * as sdk from 'allure-js-commons/sdk'
import { type Finding, type RuleStatus, type ShownExchange, isIntermittent } from '../../judge/record.ts'
import { andMore, capitalised, firstOf, groupBy, plural } from '../../text/counts.ts'
import { beginning, printable } from '../../text/printable.ts'
import { findingFacts, type FindingView } from '../model/finding-view.ts'
import { reasonsOfRun, runFacts, type RunFact } from '../model/headline.ts'
import { prose } from '../render/markdown.ts'
import type { RuleView, View } from '../view.ts'

/** An Allure type with strings instead of enums, because importing the enums loads thirty files. */
type Plain<Type> = Type extends string
  ? `${Type}`
  : Type extends object
    ? { [Key in keyof Type]: Plain<Type[Key]> }
    : Type

type Status = `${allure.Status}`

type Category = Plain<sdk.Category>

/** Stores an exchange next to the results and returns its file name. */
export type Attach = (exchange: ShownExchange) => string

type Result = Plain<Omit<allure.TestResult, 'uuid'>>
type StepResult = Plain<allure.StepResult>

/** Returns the names of the causes behind a finding in a rule. */
type Named = ReturnType<typeof causeNames>

/** The Allure results for a verdict: its rules, plus the run itself if the rules do not show everything. */
export function allureResults(view: View, attach: Attach): readonly Result[] {
  const named = causeNames(view)
  const start = Date.parse(view.of.startedAt)
  const judged = new Map(view.of.rules.map((rule) => [rule.id as string, rule]))
  const rules = view.rules
    .filter(({ isCounted }) => isCounted)
    .map((rule) => {
      const { sample = null, durationMs = 0 } = judged.get(rule.id) ?? {}
      const attachments = attached('an exchange that was judged', sample, attach)
      return { ...ruleResult(rule, named, attach), attachments, stop: start + durationMs }
    })
  return [...rules, ...runResults(view, attach)].map((result) => ({ start, stop: start, ...result }))
}

/** A rule without a result has neither passed nor failed, so inconclusive becomes broken and untested becomes skipped. */
const statuses: Readonly<Record<RuleStatus, Status>> = {
  passed: 'passed',
  warned: 'passed',
  failed: 'failed',
  waived: 'skipped',
  untested: 'skipped',
  inconclusive: 'broken',
}

const severities: Readonly<Record<string, `${allure.Severity}`>> = {
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
  /** The statement that holds or does not hold. */
  readonly story: string
  readonly status: Status
  /** Begins with a word for what Allure's four statuses cannot express, as in `untested: …`; null if a rule passed. */
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

function ruleResult(rule: RuleView, named: Named, attach: Attach): Result {
  const { id, area, level, section, status, says, answers, findings } = rule
  const result = resultOf({
    id,
    area,
    story: printable(says),
    status: statuses[status],
    message: ruleMessage(rule, named),
    severity: severities[level] ?? 'critical',
    tags: [level, status, ...(findings.some(({ of }) => isIntermittent(of)) ? ['intermittent'] : [])],
  })
  // Allure has no status for these, and its lists show only names.
  const mark = status === 'passed' || status === 'failed' ? '' : ` [${status}]`
  return {
    ...result,
    name: `${result.name}${mark}`,
    // Allure reads this as Markdown.
    description: prose(beginning(`${says} (${section}). ${level}; ${answers} judged.`, longestReason)),
    steps: stepsOf(findings, named, attach),
  }
}

function attached(name: string, exchange: ShownExchange | null, attach: Attach): Result['attachments'] {
  return exchange === null
    ? []
    : [{ name, type: 'application/vnd.allure.http+json', source: attach(exchange) }]
}

/** The message for a rule. The causes of its findings come first, one per line. */
function ruleMessage({ id, status, because, findings }: RuleView, named: Named): string | null {
  if (status === 'passed') return null
  if (status !== 'failed' && status !== 'warned') return `${status}: ${reason(because)}`

  const open = findings.filter(({ state }) => state !== 'waived')
  const [first] = open
  const word = status === 'warned' ? 'warned' : first === undefined ? 'violation' : wordOf(first)
  const names = new Set(open.flatMap(({ of }) => named(id, of)))
  return `${word}: ${[...upTo(mostLines, [...names]), ...upTo(mostLines, open.map(findingLine))].join('\n')}`
}

function upTo(most: number, lines: readonly string[]): readonly string[] {
  return firstOf(lines, most, (count) => `… ${andMore(count)}`)
}

function reason(text: string | null): string {
  return text === null || text === '' ? 'no reason was given' : printable(beginning(text, longestReason))
}

/** The run itself, if the rules do not show everything, and the waivers to review. */
function runResults(view: View, attach: Attach): readonly Result[] {
  const { of: verdict, alarms, rules } = view
  const reasons = reasonsOfRun(verdict)
  const of = (id: string, story: string, status: Status, word: string, texts: readonly string[]): Result =>
    resultOf({
      id,
      area: 'run',
      story,
      status,
      message: `${word}: ${reason(texts.slice(0, mostLines).join('; '))}`,
    })
  const broken = rules.filter(({ isCounted }) => !isCounted).flatMap(({ findings }) => findings)
  return [
    ...(reasons === null
      ? []
      : [
          {
            ...of('run/verdict', 'the run comes to a verdict', 'broken', verdict.verdict, reasons),
            steps: stepsOf(broken, () => [], attach),
          },
        ]),
    ...(alarms.length === 0
      ? []
      : [of('run/waivers', 'every waiver is still needed', 'skipped', 'waivers', alarms)]),
  ]
}

/** Kind of finding: a violation, a warning, a waived breach, or an error in the suite. */
type FindingWord = 'violation' | 'warning' | 'waived' | 'error'

const stepStatuses: Readonly<Record<FindingWord, Status>> = {
  violation: 'failed',
  error: 'failed',
  warning: 'passed',
  waived: 'skipped',
}

/** Maximum number of findings per rule, so that browsers can open the report. */
const mostFindings = 20

/** Findings as steps, one per fingerprint. The last step counts the rest. */
function stepsOf(findings: readonly FindingView[], named: Named, attach: Attach): StepResult[] {
  const more = findings.length - mostFindings
  const steps = findings.slice(0, mostFindings).map((finding): StepResult => {
    const word = wordOf(finding)
    const causes = word === 'waived' ? [] : named(finding.rule, finding.of)
    return {
      ...stepOf(`${word}: ${findingLine(finding)}`, stepStatuses[word]),
      attachments: attached('the exchange', finding.of.exchange, attach),
      parameters: [
        ...causes.map((value) => ({ name: 'cause', value })),
        ...findingFacts(finding).map(({ label, value }) => ({ name: label, value: printable(value) })),
      ],
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

function wordOf({ of, state }: FindingView): FindingWord {
  if (state === 'waived') return 'waived'
  if (of.blames !== undefined) return 'error'
  return state === 'failed' ? 'violation' : 'warning'
}

function findingLine({ of: { reproduced, count }, summary }: FindingView): string {
  return printable(`${summary} (${reproduced}${count === 1 ? '' : `, met ${count} times`})`)
}

/** Maximum number of causes that get a category. */
const mostCategories = 20
const longestSentence = 400

/** Returns a function that names the causes of a finding in a rule, as in `cause 1: A request without x-api-key: …`. */
function causeNames(view: View): (rule: string, finding: Finding) => readonly string[] {
  const names = view.of.causes.map((_, place) => nameOf(view, place))
  const byCase = groupBy(
    view.of.causes.flatMap(({ cases, rules }, place) => cases.map((name) => ({ name, rules, place }))),
    ({ name }) => name,
  )
  return (rule, finding) => {
    const met = (byCase.get(finding.case) ?? []).filter(({ rules }) => rules.some((id) => id === rule))
    return [...new Set(met.map(({ place }) => names[place] ?? ''))]
  }
}

function nameOf({ causes }: View, place: number): string {
  return `cause ${place + 1}: ${printable(beginning(causes[place]?.sentence ?? '', longestSentence))}`
}

const renamed: Readonly<Record<string, string>> = {
  caFiles: 'certificate authorities',
  certFile: 'client certificate',
  fuzzCases: 'fuzz cases',
}

/** Allure's environment: the verdict and its causes, the target, and how the target was judged. */
export function allureEnvironment(view: View): sdk.EnvironmentInfo {
  const { of, notice, word } = view
  const named = of.causes.slice(0, mostCategories).map((_, place) => nameOf(view, place).split(/: (.*)/s))
  const facts: readonly RunFact[] = [
    ['notice', notice],
    ['verdict', `${word} (exit ${of.exitCode})`],
    ['causes', of.causes.length === 0 ? null : plural(of.causes.length, 'cause')],
    ...named.map(([title = '', sentence = '']) => [title, sentence] as const),
    ...runFacts(of),
    ['requests', `${of.requests.sent} of ${of.requests.budget}`],
    ['suite version', of.suite.version],
    ['started', of.startedAt],
    ['not covered', of.notCovered.join('; ')],
  ]
  return Object.fromEntries(
    facts.flatMap(([name, value]) =>
      value === null ? [] : [[renamed[name] ?? name, printable(`${value}`)]],
    ),
  )
}

/**
 * Categories for every result that is not a plain pass, by cause and then by kind. Some versions of Allure match whole messages,
 * hence the trailing wildcard.
 */
export function allureCategories(view: View): readonly Category[] {
  const causes = view.of.causes.slice(0, mostCategories).map(({ warning }, place): Category => ({
    name: capitalised(nameOf(view, place)),
    matchedStatuses: warning ? ['passed'] : ['failed', 'passed'],
    messageRegex: String.raw`^(?:violation|warned|error): (?:cause [^\n]*\n)*cause ${place + 1}: [\s\S]*`,
  }))
  return [
    ...causes,
    category('Violations', ['failed'], 'violation'),
    category('Warnings', ['passed'], 'warned'),
    category('Not judged', ['broken', 'skipped'], 'inconclusive|untested|incomplete'),
    category('Waived', ['skipped'], 'waived|waivers'),
    category('Errors of the suite or its files', ['failed', 'broken'], 'error'),
  ]
}

function category(name: string, matchedStatuses: Status[], words: string): Category {
  return { name, matchedStatuses, messageRegex: String.raw`^(?:${words}): [\s\S]*` }
}
