import { describe, expect, it } from 'vitest'
import { serviceRules } from '../specification/testing/rule-counts.ts'
import { causesOf } from '../verdict/causes.ts'
import { countedRules } from '../verdict/counted-rules.ts'
import { historyLine } from '../verdict/history-line.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from '../verdict/verdict.testing.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { allureOf, resultIn } from './allure/allure.testing.ts'
import { statementOf } from './evidence/statement.ts'
import { metricsText } from './render/metrics.ts'
import { rulesJson, rulesMarkdown, rulesText } from './render/rules-list.ts'
import { reportsOf } from './testing/every-report.ts'
import { view } from './view.ts'

const clean = verdictWith({ profile: 'acceptance' })

/** The summary of the expectation, which every form shows. */
const demand = 'success demands the order of properties'
const broken = ruleWith('tolerance/property-order', {
  status: 'failed',
  findings: [
    findingWith({ case: 'tolerance/property-order:1:a', blames: 'endpoints-file', summary: demand }),
  ],
})
const rules = rulesWith([broken])
const bent: Verdict = {
  ...clean,
  verdict: 'error',
  exitCode: 2,
  because: [`TARGET_ENDPOINTS expects what the specification does not promise: ${broken.id}: ${demand}`],
  causes: causesOf(rules),
  rules,
}

function sum(text: string, values: RegExp): number {
  return Array.from(text.matchAll(values), ([, value]) => Number(value)).reduce((all, one) => all + one, 0)
}

/** The number of rules in each form. */
function countsIn(verdict: Verdict): Readonly<Record<string, number>> {
  const { terminal = '', summary = '', page = '', comparison = '', junit = '' } = reportsOf(verdict)
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
    metrics: sum(metricsText(view(verdict)), /_rules\{.*\} (\d+)$/gm),
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

describe('an expectation', () => {
  it('that holds is not shown anywhere', () => {
    const all = Object.entries({
      ...reportsOf(clean),
      allure: JSON.stringify(allureOf(clean).results),
      history: JSON.stringify(historyLine(clean)),
    })
    const shown = all.filter(([, text]) => /tolerance\/(?:added|property|opaque)/.test(text))

    expect(shown.map(([form]) => form)).toEqual([])
  })

  it('that fails is shown with what it requires', () => {
    const { terminal, summary, page, junit } = reportsOf(bent)
    const folder = allureOf(bent)
    const { statusDetails, attachments } = resultIn(folder, 'run/verdict')

    for (const text of [terminal, summary, page, junit, statusDetails.message]) {
      expect(text).toContain(broken.id)
      expect(text).toContain(demand)
    }
    expect(page).toContain(`data-rule="${broken.id}"`)
    expect(attachments.map(({ source }) => folder.text(source))).toEqual([expect.stringContaining(demand)])
    expect(historyLine(bent).rules).toContainEqual(
      expect.objectContaining({ id: broken.id, status: 'failed' }),
    )
  })
})
