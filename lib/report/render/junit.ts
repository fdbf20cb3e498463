import { groupBy, plural } from '../../text/counts.ts'
import { beginning, printable } from '../../text/printable.ts'
import { findingLines } from '../model/finding-view.ts'
import { reasonsOfRun, runFacts } from '../model/headline.ts'
import type { RuleView, View } from '../view.ts'
import { xmlDocument, type Element } from './xml.ts'

const longestMessage = 1_000
/** Maximum number of findings per rule, so that pipelines accept the file. */
const mostFindings = 10

/** A test case. A pipeline counts it by the first of its elements: `failure`, `error` or `skipped`. */
interface TestCase {
  readonly name: string
  readonly classname: string
  readonly time: number
  readonly content: readonly Element[]
}

/**
 * JUnit XML for a verdict, for Jenkins and GitLab, with a suite for each area and a case for each rule. Unjudged and waived rules
 * are skipped. A run without a verdict is an error in the suite `run`, so that the file is never all green.
 */
export function junitXml(view: View): string {
  const { of, notice, word, rules } = view
  const counted = rules.filter(({ isCounted }) => isCounted)
  const durations = new Map<string, number>(of.rules.map(({ id, durationMs }) => [id, durationMs / 1_000]))
  const areas = [...groupBy(counted, ({ area }) => area)].map(([name, own]) => ({
    name,
    cases: own.map((rule) => ruleCase(rule, durations.get(rule.id) ?? 0)),
  }))
  const ofRun = [...runCases(view), ...waiverCases(view)]
  const suites = [...areas, ...(ofRun.length === 0 ? [] : [{ name: 'run', cases: ofRun }])]
  // In Jenkins' schema, the root has all the other counts.
  const { skipped: _, ...sums } = counts(suites.flatMap(({ cases }) => cases))
  const named = [notice, word === of.verdict ? null : word].filter((one) => one !== null)
  return xmlDocument({
    name: 'testsuites',
    attributes: {
      name: ['card-switch-conformance', ...named].join(': '),
      ...sums,
      time: of.durationMs / 1_000,
    },
    content: suites.map(({ name, cases }) => suiteElement(name, cases, view)),
  })
}

function suiteElement(name: string, cases: readonly TestCase[], view: View): Element {
  const seconds = cases.reduce((sum, one) => sum + one.time, 0)
  // Sums of fractions are inexact, and the schema requires a start time without a time zone or fractional seconds.
  const time = Math.round(seconds * 1_000) / 1_000
  const timestamp = view.of.startedAt.slice(0, 19)
  return {
    name: 'testsuite',
    attributes: { name, ...counts(cases), time, timestamp },
    content: [{ name: 'properties', content: properties(view) }, ...cases.map(caseElement)],
  }
}

function caseElement({ content, ...attributes }: TestCase): Element {
  return { name: 'testcase', attributes, content }
}

function counts(cases: readonly TestCase[]) {
  const count = (wanted: string): number =>
    cases.filter(({ content: [first] }) => first?.name === wanted).length
  return {
    tests: cases.length,
    failures: count('failure'),
    errors: count('error'),
    skipped: count('skipped'),
  }
}

function properties({ of, notice, word }: View): readonly Element[] {
  const facts = [
    ['notice', notice],
    ['headline', word],
    ['verdict', of.verdict],
    ['exitCode', of.exitCode],
    ...runFacts(of),
    ['suiteVersion', of.suite.version],
    ['requests', `${of.requests.sent} of ${of.requests.budget}`],
    ['notCovered', of.notCovered.join('; ')],
  ] as const
  return facts.flatMap(([name, value]) =>
    value === null ? [] : [{ name: 'property', attributes: { name, value: printable(`${value}`) } }],
  )
}

/**
 * The test case for a rule: failed, skipped with the reason, or passed with any warnings in its output. Its time is the sum of
 * its requests. Requests run in parallel, so the total exceeds the duration of the run.
 */
function ruleCase(rule: RuleView, time: number): TestCase {
  const { id, area, says } = rule
  return { name: `${id}: ${printable(says)}`, classname: area, time, content: ruleContent(rule) }
}

function ruleContent(rule: RuleView): readonly Element[] {
  const { status, because, level, findings } = rule
  const output = { name: 'system-out', content: findingsText(rule) }
  switch (status) {
    case 'failed': {
      const open = findings.filter(({ state }) => state !== 'waived')
      const more = open.length > 1 ? ` (and ${plural(open.length - 1, 'further finding')})` : ''
      const attributes = { message: message(`${open[0]?.summary ?? 'violated'}${more}`), type: level }
      return [{ ...output, name: 'failure', attributes }]
    }
    case 'warned':
      return [output]
    case 'passed':
      return []
    case 'waived':
    case 'inconclusive':
    case 'untested': {
      const skipped = { message: message(`${status}: ${because ?? 'no reason was given'}`) }
      return [{ name: 'skipped', attributes: skipped }, ...(findings.length === 0 ? [] : [output])]
    }
  }
}

function message(text: string): string {
  return printable(beginning(text, longestMessage))
}

/** The test case for the run, if the rules do not show everything. */
function runCases(view: View): readonly TestCase[] {
  const reasons = reasonsOfRun(view.of)
  if (reasons === null) return []
  const said = message(`${view.word}: ${reasons.join('; ')}`)
  const broken = view.rules.filter(({ isCounted }) => !isCounted).map(findingsText)
  const error = {
    name: 'error',
    attributes: { message: said, type: `exit ${view.of.exitCode}` },
    content: [...reasons.map(printable), ...broken].join('\n'),
  }
  return [runCase('the run comes to a verdict', [error])]
}

/** A skipped test case for the waivers to review, which never stops a pipeline. */
function waiverCases({ alarms }: View): readonly TestCase[] {
  if (alarms.length === 0) return []
  const skipped = { name: 'skipped', attributes: { message: message(alarms.join('; ')) } }
  const output = { name: 'system-out', content: alarms.map(printable).join('\n') }
  return [runCase('every waiver is still needed', [skipped, output])]
}

function runCase(name: string, content: readonly Element[]): TestCase {
  return { name: `run: ${name}`, classname: 'run', time: 0, content }
}

/** The findings for a rule as text, one fact per line. Invisible and control characters are escaped. */
function findingsText({ id, level, section, says, findings }: RuleView): string {
  const more = findings.length - mostFindings
  return [
    printable(`${id} (${level}; ${section}): ${says}`),
    ...findings.slice(0, mostFindings).map((one) => findingLines(one).map(printable).join('\n')),
    ...(more > 0 ? [`… and ${more} more in verdict.json`] : []),
  ].join('\n\n')
}
