import { areaOf } from '../spec/rules.ts'
import { embeddedNotice } from './embedded-notice.ts'
import { groupBy } from '../spec/group-by.ts'
import { askedAddress, headlineWord } from './headline.ts'
import { ruleCase, runCase, waiversCase, type Outcome, type TestCase } from './junit-cases.ts'
import { printable } from '../settings/printable.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { xmlDocument, type Element } from './xml.ts'

const title = 'card-switch-conformance'

/**
 * A verdict as JUnit XML, as Jenkins and GitLab read it: a suite an area, a case a rule; what was not judged or is waived is
 * skipped, and a run without a verdict is an error of the suite `run`, so that no such run looks all green.
 */
export function junitXml(verdict: Verdict): string {
  const areas = [...groupBy(verdict.rules, ({ id }) => areaOf(id))]
  const suites = areas.map(([area, rules]) => ({ area, cases: rules.map(ruleCase) }))
  const ofRun = [runCase(verdict), waiversCase(verdict)].filter((one) => one !== null)
  const all = ofRun.length === 0 ? suites : [...suites, { area: 'run', cases: ofRun }]
  // Jenkins' schema has all counts but this one at the root.
  const { skipped: _, ...sums } = counts(all.flatMap((suite) => suite.cases))
  const headline = headlineWord(verdict)
  const name = [
    title,
    ...(verdict.target.embedded ? [embeddedNotice] : []),
    ...(headline === verdict.verdict ? [] : [headline]),
  ].join(': ')

  return xmlDocument({
    name: 'testsuites',
    attributes: { name, ...sums, time: verdict.durationMs / 1_000 },
    content: all.map((suite) => suiteElement(suite.area, suite.cases, verdict)),
  })
}

function suiteElement(name: string, cases: readonly TestCase[], verdict: Verdict): Element {
  return {
    name: 'testsuite',
    // The schema has the time of the start without a zone and without fractions.
    attributes: { name, ...counts(cases), time: 0, timestamp: verdict.startedAt.slice(0, 19) },
    content: [{ name: 'properties', content: properties(verdict) }, ...cases.map((one) => one.element)],
  }
}

function counts(cases: readonly TestCase[]) {
  const count = (outcome: Outcome): number => cases.filter((one) => one.outcome === outcome).length
  return {
    tests: cases.length,
    failures: count('failed'),
    errors: count('error'),
    skipped: count('skipped'),
  }
}

function properties(verdict: Verdict): readonly Element[] {
  const { target, connection, selection } = verdict
  const facts: readonly (readonly [string, string | number | boolean | null])[] = [
    ['notice', target.embedded ? embeddedNotice : null],
    ['headline', headlineWord(verdict)],
    ['verdict', verdict.verdict],
    ['exitCode', verdict.exitCode],
    ['target', target.baseUrl ?? 'none'],
    ['asked', askedAddress(target)],
    ['label', target.label],
    ['proxy', connection?.proxy ?? null],
    [
      'caFiles',
      connection === undefined || connection.caFiles.length === 0 ? null : connection.caFiles.join(', '),
    ],
    ['version', target.version],
    ['profile', verdict.profile],
    ['strict', verdict.strict],
    ['seed', verdict.seed],
    ['fuzzCases', verdict.fuzzCases],
    ['only', selection.only?.join(',') ?? null],
    ['shard', selection.shard ?? null],
    ['suiteVersion', verdict.suite.version],
    ['requests', `${verdict.requests.sent} of ${verdict.requests.budget}`],
    ['notCovered', verdict.notCovered.join('; ')],
  ]
  return facts.flatMap(([name, value]) =>
    value === null ? [] : [{ name: 'property', attributes: { name, value: printable(`${value}`) } }],
  )
}
