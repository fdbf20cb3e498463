import { openFindings } from '../../explain/causes.ts'
import { beginning, printable } from '../../text/printable.ts'
import { groupBy, plural } from '../../text/counts.ts'
import { areaOf } from '../../specification/rules.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { longFindingText } from '../model/finding-text.ts'
import { groupByFingerprint } from '../model/finding-facts.ts'
import {
  askedAddress,
  embeddedNotice,
  headlineWord,
  notJudgedText,
  reasonsOfRun,
  waiverNotes,
} from '../model/headline.ts'
import { visible } from '../../text/visible.ts'
import { sentenceOf } from '../model/rule-counts.ts'
import { xmlDocument, type Element } from './xml.ts'
import { brokenExpectations, countedRules } from '../../verdict/counted-rules.ts'

const title = 'card-switch-conformance'
const longestMessage = 1_000
const longestSummary = 800
const mostNotes = 100

/**
 * JUnit XML of a verdict, for Jenkins and GitLab: a suite for each area, a case for each rule. Unjudged and waived rules are
 * skipped; a run without a verdict is an error of the suite `run`, so that it is never all green.
 */
export function junitXml(verdict: Verdict): string {
  const areas = [...groupBy(countedRules(verdict.rules), ({ id }) => areaOf(id))]
  const ofRun = [...runCases(verdict), ...waiverCases(verdict)]
  const suites = [
    ...areas.map(([area, rules]) => ({ area, cases: rules.map(ruleCase) })),
    ...(ofRun.length === 0 ? [] : [{ area: 'run', cases: ofRun }]),
  ]
  // Jenkins' schema has all other counts at the root.
  const { skipped: _, ...sums } = counts(suites.flatMap((suite) => suite.cases))
  const headline = headlineWord(verdict)
  const name = [
    title,
    ...(verdict.target.embedded ? [embeddedNotice] : []),
    ...(headline === verdict.verdict ? [] : [headline]),
  ].join(': ')
  return xmlDocument({
    name: 'testsuites',
    attributes: { name, ...sums, time: verdict.durationMs / 1_000 },
    content: suites.map(({ area, cases }) => suiteElement(area, cases, verdict)),
  })
}

/** How a pipeline counts a testcase. */
type Outcome = 'passed' | 'failed' | 'error' | 'skipped'

interface TestCase {
  readonly outcome: Outcome
  readonly seconds: number
  readonly element: Element
}

function suiteElement(name: string, cases: readonly TestCase[], verdict: Verdict): Element {
  const time = cases.reduce((sum, { seconds }) => sum + seconds, 0)
  return {
    name: 'testsuite',
    // The schema wants a start time without zone and fractions.
    attributes: {
      name,
      ...counts(cases),
      time: rounded(time),
      timestamp: verdict.startedAt.slice(0, 19),
    },
    content: [{ name: 'properties', content: properties(verdict) }, ...cases.map((one) => one.element)],
  }
}

function counts(cases: readonly TestCase[]) {
  const count = (outcome: Outcome): number => cases.filter((one) => one.outcome === outcome).length
  return { tests: cases.length, failures: count('failed'), errors: count('error'), skipped: count('skipped') }
}

function properties(verdict: Verdict): readonly Element[] {
  const { target, requests } = verdict
  const facts: readonly RunFact[] = [
    ['notice', target.embedded ? embeddedNotice : null],
    ['headline', headlineWord(verdict)],
    ['verdict', verdict.verdict],
    ['exitCode', verdict.exitCode],
    ...runFacts(verdict),
    ['suiteVersion', verdict.suite.version],
    ['requests', `${requests.sent} of ${requests.budget}`],
    ['notCovered', verdict.notCovered.join('; ')],
  ]
  return facts.flatMap(([name, value]) =>
    value === null ? [] : [{ name: 'property', attributes: { name, value: printable(`${value}`) } }],
  )
}

/** A named fact of a run; null if there is nothing to say. */
export type RunFact = readonly [name: string, value: string | number | boolean | null]

/** Facts of what was judged, and how. */
export function runFacts(verdict: Verdict): readonly RunFact[] {
  const { target, connection, selection, profile, strict, seed, fuzzCases } = verdict
  const caFiles = connection?.caFiles ?? []
  return [
    ['target', target.baseUrl ?? 'none'],
    ['asked', askedAddress(target)],
    ['endpoints', notJudgedText(target)],
    ['label', target.label],
    ['build', target.build],
    ['proxy', connection?.proxy ?? null],
    ['caFiles', caFiles.length === 0 ? null : caFiles.join(', ')],
    ['certFile', connection?.certFile ?? null],
    ['version', target.version],
    ['profile', profile],
    ['strict', strict],
    ['seed', seed],
    ['fuzzCases', fuzzCases],
    ['only', selection.only?.join(',') ?? null],
    ['essential', selection.essential ?? null],
  ]
}

/** Testcase of a rule: failed, skipped with the reason, or passed with warnings in its output. */
function ruleCase(rule: VerdictRule): TestCase {
  const { id, status, because, findings } = rule
  const output = { name: 'system-out', content: findingsText(rule) }
  switch (status) {
    case 'failed':
      return ruleElement(rule, 'failed', [failure(rule)])
    case 'warned':
      return ruleElement(rule, 'passed', [output])
    case 'passed':
      return ruleElement(rule, 'passed', [])
    case 'waived':
    case 'inconclusive':
    case 'untested': {
      const reason = message(`${status}: ${because ?? 'no reason was given'}`)
      const skipped = { name: 'skipped', attributes: { message: reason } }
      return ruleElement(rule, 'skipped', [skipped, ...(findings.length === 0 ? [] : [output])])
    }
    default:
      throw new TypeError(`the rule ${id} has the status ${JSON.stringify(status)}, which is none`)
  }
}

/** The time of a rule is that of its requests, which are sent side by side: the sum exceeds the duration of the run. */
function ruleElement(rule: VerdictRule, outcome: Outcome, content: readonly Element[]): TestCase {
  const { id, durationMs } = rule
  const seconds = durationMs / 1_000
  const attributes = { name: `${id}: ${sentenceOf(rule)}`, classname: areaOf(id), time: seconds }
  return { outcome, seconds, element: { name: 'testcase', attributes, content } }
}

/** To milliseconds, since sums of fractions are not exact. */
function rounded(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000
}

function failure(rule: VerdictRule): Element {
  const [first, ...others] = groupByFingerprint(openFindings(rule))
  const more = others.length === 0 ? '' : ` (and ${plural(others.length, 'further finding')})`
  const summary = beginning(visible(first?.summary ?? 'violated'), longestSummary)
  const attributes = { message: message(`${summary}${more}`), type: rule.level }
  return { name: 'failure', attributes, content: findingsText(rule) }
}

function message(text: string): string {
  return printable(beginning(text, longestMessage))
}

/** Testcase of the run, if the rules do not tell everything. */
function runCases(verdict: Verdict): readonly TestCase[] {
  const reasons = reasonsOfRun(verdict)
  if (reasons === null) return []
  const attributes = {
    message: message(`${headlineWord(verdict)}: ${reasons.join('; ')}`),
    type: `exit ${verdict.exitCode}`,
  }
  const expectations = brokenExpectations(verdict.rules).map(findingsText)
  const error = {
    name: 'error',
    attributes,
    content: [...reasons.map(printable), ...expectations].join('\n'),
  }
  return [runElement('the run comes to a verdict', 'error', [error])]
}

/** Skipped testcase of the waivers to look at, which stops no pipeline. */
function waiverCases(verdict: Verdict): readonly TestCase[] {
  const says = waiverNotes(verdict).map((note) => message(note.says))
  if (says.length === 0) return []
  return [
    runElement('every waiver is still needed', 'skipped', [
      { name: 'skipped', attributes: { message: message(says.join('; ')) } },
      { name: 'system-out', content: says.slice(0, mostNotes).join('\n') },
    ]),
  ]
}

function runElement(name: string, outcome: Outcome, content: readonly Element[]): TestCase {
  const attributes = { name: `run: ${name}`, classname: 'run', time: 0 }
  return { outcome, seconds: 0, element: { name: 'testcase', attributes, content } }
}

const extent = { body: 4_000, field: 2_000, detail: 'full' } as const
/** Maximum findings of a rule, so that pipelines accept the file. */
const mostFindings = 10

/** Findings of a rule as text, one fact per line; invisible and moving characters are escaped. */
function findingsText(rule: VerdictRule): string {
  const { id, level, section } = rule
  const findings = groupByFingerprint(rule.findings)
  const more = findings.length - mostFindings
  return [
    printable(`${id} (${level}; ${section}): ${sentenceOf(rule)}`),
    ...findings.slice(0, mostFindings).map((finding) => longFindingText(finding, extent, rule)),
    ...(more > 0 ? [`… and ${more} more in verdict.json`] : []),
  ].join('\n\n')
}
