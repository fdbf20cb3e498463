import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { metricsText } from '../lib/report/render/metrics.ts'
import { hostileVerdict } from '../lib/report/testing/hostile.ts'
import { view } from '../lib/report/view.ts'
import type { RuleId } from '../lib/specification/rules.ts'
import { errorVerdict, findingWith, nonconformantVerdict } from '../lib/verdict/verdict.testing.ts'
import { ruleWith, verdictWith } from '../lib/verdict/verdict.testing.ts'
import type { Verdict } from '../lib/verdict/verdict.ts'
import { describeWith } from './gateways/installed.ts'
import { textOf } from './support/syntax.ts'

// Checks the alert rules of docs/ci/alerts.yml against the metrics that a run writes.

const alerts = textOf('docs/ci/alerts.yml')
  .split('- alert: ')
  .slice(1)
  .map((text) => ({
    name: /^\w+/.exec(text)?.[0] ?? '',
    expression: (/expr: (?:>-)?([^]*?)\n {8}(?:for|labels):/.exec(text)?.[1] ?? '').replaceAll(/\s+/g, ' '),
    severity: /severity: (\w+)/.exec(text)?.[1] ?? '',
  }))

/** A clause of an expression: a series, and the bound that its value is compared with. */
const clause = /^(?<before>time\(\) - )?(?<series>\w+)(?:\{(?<labels>.*)\})? (?<operator>>|==) (?<bound>\d+)$/

/** Whether a clause holds for a series in a text. Supports only the Prometheus expressions that the rules use. */
function holds(text: string, given: string, now: number): boolean {
  const { before, series, labels = '', operator, bound } = clause.exec(given.trim())?.groups ?? {}
  if (series === undefined) throw new Error(`cannot parse the clause ${given}`)
  const wanted = [...labels.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)]
  const samples = [...text.matchAll(/^(\w+)\{(.*)\} (\S+)$/gm)].filter(([, name]) => name === series)
  if (samples.length === 0) throw new Error(`no run writes ${series}`)
  return samples.some(([, , own = '', value]) => {
    const isMeant = wanted.every(([, name, how, pattern]) => {
      const found = new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(own)?.[1]
      if (found === undefined) throw new Error(`${series} has no label ${name}`)
      return new RegExp(`^(?:${pattern})$`).test(found) !== (how === '!=')
    })
    const number = before === undefined ? Number(value) : now - Number(value)
    return isMeant && (operator === '>' ? number > Number(bound) : number === Number(bound))
  })
}

const dayMs = 86_400_000

/** Names and severities of the alerts that fire some days after a run. */
function firing(text: string, days: number): readonly string[] {
  const now = (Date.parse(verdictWith().startedAt) + days * dayMs) / 1_000
  return alerts
    .filter(({ expression }) => expression.split(' or ').some((one) => holds(text, one, now)))
    .map(({ name, severity }) => `${name}: ${severity}`)
}

const notJudged = ['ConformanceNotJudged: ticket']

/** A verdict in which a rule fails, or in which its breach is waived. */
function breachOf(id: RuleId, waived?: string): Verdict {
  const status = waived === undefined ? 'failed' : 'waived'
  const findings = [findingWith(waived === undefined ? {} : { waived })]
  return verdictWith({ rules: [ruleWith(id, { status, findings })] })
}

it('alert rules are named in the documents with their severities', () => {
  const page = textOf('docs/nightly.md')

  expect(alerts.map(({ name }) => name)).toHaveLength(3)
  for (const { name, severity } of alerts)
    expect(page).toMatch(new RegExp(`\\| \`${name}\` \\|.*\\| ${severity} \\|`))
})

it.each([
  ['a security breach', breachOf('security/no-secret-echo'), 0, ['ServiceInsecure: page']],
  ['a breach of another kind', breachOf('errors/body-shape'), 0, ['ServiceNonconformant: ticket']],
  ['a waived breach', breachOf('security/no-secret-echo', 'agreed'), 0, []],
  ['a conformant run', verdictWith(), 1, []],
  ['a run three days ago', verdictWith(), 3, notJudged],
  ['a run that was killed', errorVerdict(), 0, notJudged],
  ['a run that ended in an error', errorVerdict(), 0, notJudged],
])('alert rules fire as expected after %s', (what, verdict, days, expected) => {
  const text = metricsText(view(verdict), what.endsWith('killed') ? 'unfinished' : undefined)

  expect(firing(text, days)).toEqual(expected)
})

/** Prometheus' parser of OpenMetrics, which rejects what the format forbids, and its parser of the older text format. */
const read = `
import json, sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families as strict
from prometheus_client.parser import text_string_to_metric_families as older
text = sys.stdin.read()
told = [[[s.name, s.labels, s.value] for f in parse(text) for s in f.samples] for parse in (strict, older)]
print(json.dumps(told))
`
const python = '/usr/bin/python3'
/** The package python3-prometheus-client. */
const parsers = '/usr/lib/python3/dist-packages/prometheus_client'

type Sample = readonly [name: string, labels: Readonly<Record<string, string>>, value: number]

const samplesOf = (text: string): readonly (readonly Sample[])[] =>
  JSON.parse(execFileSync(python, ['-c', read], { input: text, encoding: 'utf8' }))

describeWith(parsers, 'Prometheus reads metrics.prom in both formats', () => {
  it.each([
    ['a conformant verdict', verdictWith()],
    ['a nonconformant verdict', nonconformantVerdict()],
    ['wrong settings', errorVerdict()],
    ['hostile texts', hostileVerdict('"}\n# \u202e\\')],
  ])('for %s', (_, verdict) => {
    const [strict = [], older = []] = samplesOf(metricsText(view(verdict)))

    expect(strict.length).toBeGreaterThan(15)
    expect(older).toEqual(strict)
    expect(new Set(strict.map(([, labels]) => labels['target'])).size).toBe(1)
  })
})
