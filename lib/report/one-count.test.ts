import { describe, expect, it } from 'vitest'
import { serviceRules } from '../specification/testing/rule-counts.ts'
import { countedRules } from '../verdict/counted-rules.ts'
import { historyLine } from '../verdict/history-line.ts'
import { concluded, findingWith, ruleWith, rulesWith, verdictWith } from '../verdict/verdict.testing.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { allureOf } from './allure/allure.testing.ts'
import { statementOf } from './evidence/statement.ts'
import { rulesJson, rulesMarkdown, rulesText } from './render/rules-list.ts'
import { reportsOf } from './testing/every-report.ts'

const clean = verdictWith({ profile: 'acceptance' })
const broken = ruleWith('tolerance/property-order', {
  status: 'failed',
  findings: [findingWith({ blames: 'endpoints-file' })],
})
const bent = concluded({ profile: 'acceptance', rules: rulesWith([broken]) })

function sum(text: string, values: RegExp): number {
  return Array.from(text.matchAll(values), ([, value]) => Number(value)).reduce((all, one) => all + one, 0)
}

/** The number of rules in each form. */
function countsIn(verdict: Verdict): Readonly<Record<string, number>> {
  const {
    terminal = '',
    summary = '',
    page = '',
    comparison = '',
    junit = '',
    metrics = '',
  } = reportsOf(verdict)
  const statement = JSON.parse(statementOf(verdict, new Map(), '1.0.0').toString())
  const { passedTests, failedTests, warnedTests } = statement.predicate
  return {
    terminal: sum(terminal, /^(\d+) rules: /gm),
    'terminal by status': sum(/^\d+ rules: ([^;\n]*)/m.exec(terminal)?.[1] ?? '', /(\d+) /g),
    summary: sum(summary, /^(\d+) rules: /gm),
    page: sum(/<ul class="counts".*?<\/ul>/s.exec(page)?.[0] ?? '', /<strong>(\d+)</g),
    'head of the page': sum(page, /· (\d+) rules: /g),
    'printed statement': sum(page, /against (\d+) rules/g),
    'facts of the printed statement': sum(page, />(\d+) rules: /g),
    junit: junit.match(/<testcase [^>]*classname="(?!run")/g)?.length ?? 0,
    allure: allureOf(verdict).results.filter(({ testCaseId }) => testCaseId !== 'run/verdict').length,
    metrics: sum(metrics, /_rules\{.*\} (\d+)$/gm),
    comparison: sum(comparison, /(\d+) rules unchanged/g),
    history: countedRules(historyLine(verdict).rules).length,
    evidence: [...passedTests, ...failedTests, ...warnedTests].length,
    'rules as text': sum(rulesText(), /\((\d+) rules?\)$/gm),
    'rules as JSON': JSON.parse(rulesJson()).length,
    'rules as Markdown': rulesMarkdown().trimEnd().split('\n').length - 2,
  }
}

describe.each([
  ['a clean verdict', clean],
  ['a verdict with a failed expectation', bent],
])('the number of rules for %s', (_, verdict) => {
  it.each(Object.entries(countsIn(verdict)))('is correct in the form "%s"', (_form, count) => {
    expect(count).toBe(serviceRules)
  })
})

it('an expectation that holds is not shown anywhere', () => {
  const all = Object.entries({
    ...reportsOf(clean),
    allure: JSON.stringify(allureOf(clean).results),
  })
  const shown = all.filter(([, text]) => /tolerance\/(?:added|property|opaque)/.test(text))

  expect(shown.map(([form]) => form)).toEqual([])
})

it('an expectation that fails is in the history', () => {
  expect(historyLine(bent).rules).toContainEqual(expect.objectContaining({ id: broken.id, status: 'failed' }))
})
