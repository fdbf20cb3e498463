import { countedRules } from '../../specification/rules.ts'
import { printable } from '../../text/printable.ts'
import { severities } from '../../verdict/causes.ts'
import { isPartial, statuses } from '../../verdict/verdict.ts'
import { exceptionCount, statusCount } from '../model/headline.ts'
import type { View } from '../view.ts'

type Values = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[]

const words = ['conformant', 'nonconformant', 'incomplete', 'error'] as const
const effects = {
  violates: 'failed',
  warns: 'warned',
  waived: 'waived',
} as const

/**
 * The `metrics.prom` file for a verdict, in the common subset of OpenMetrics 1.0 and the Prometheus text format, for the textfile
 * collector of a node exporter or for a push gateway. Every series names its target and profile, so files for several targets can
 * coexist.
 */
export function metricsText(view: View, state: 'finished' | 'unfinished' = 'finished') {
  const { target, profile } = view.of
  const common = { target: target.label ?? target.baseUrl ?? 'none', profile }
  const ofState = '1 if the last run finished, 0 while it runs and if it was killed.'
  const finished = ['finished', ofState, state === 'finished' ? 1 : 0] as const
  const lines = [finished, ...metricsOf(view)].flatMap(([name, help, value]) => {
    const values: Values = typeof value === 'number' ? [[{}, value]] : value
    if (values.length === 0) return []
    const full = `card_switch_conformance_${name}`
    return [
      `# HELP ${full} ${help}`,
      `# TYPE ${full} ${name === 'latency_seconds' ? 'summary' : 'gauge'}`,
      ...(name.endsWith('_seconds') ? [`# UNIT ${full} seconds`] : []),
      ...values.map(([labels, one]) => `${full}${labelsText({ ...common, ...labels })} ${one}`),
    ]
  })
  return `${[...lines, '# EOF'].join('\n')}\n`
}

/** The name and help text of each metric, and its value, or one value for each set of labels. A name ends with its unit, if there is one. */
function metricsOf({ of: verdict, causes }: View): readonly (readonly [string, string, number | Values])[] {
  const { rules, requests, latencyMs, suite, target, seed, durationMs } = verdict
  const info = {
    base_url: target.baseUrl ?? 'none',
    build: target.build ?? 'none',
    suite_version: suite.version,
    seed: String(seed),
    embedded: target.embedded ? 'yes' : 'no',
    partial: isPartial(verdict) ? 'yes' : 'no',
  }
  const verdicts = words.map((word) => [{ verdict: word }, word === verdict.verdict ? 1 : 0] as const)
  const service = countedRules(rules)
  const byStatus = statuses.map((status) => [{ status }, statusCount(service, status)] as const)
  const judged = [[{ judged: 'yes' }, target.endpoints.length] as const]
  const endpoints: Values = [...judged, [{ judged: 'no' }, target.notJudged.length]]
  const bySeverity = severities.flatMap((severity) =>
    Object.entries(effects).map(([effect, status]) => {
      const own = causes.filter((cause) => cause.severity === severity && cause.status === status)
      return [{ severity, effect }, own.length] as const
    }),
  )
  const purposes = ['sent', 'retried', 'confirming'] as const
  const sent = purposes.map((purpose) => [{ purpose }, requests[purpose]] as const)
  const { p50 = 0, p95 = 0, p99 = 0, max = 0 } = latencyMs ?? {}
  const all = [['0.5', p50] as const, ['0.95', p95] as const, ['0.99', p99] as const, ['1', max] as const]
  const latencies = latencyMs === null ? [] : all.map(([quantile, ms]) => [{ quantile }, ms / 1_000] as const)
  const ended = (Date.parse(verdict.startedAt) + durationMs) / 1_000
  const ofRequests =
    'Requests of the last run: all requests sent, and how many were retries or confirmations.'
  const ofCauses = 'Causes by severity, and by whether they violate, only warn, or are waived.'
  return [
    ['run_info', 'The target and the suite as labels; always 1.', [[info, 1]]],
    ['verdict', '1 for the verdict of the last run, 0 for the others.', verdicts],
    ['exit_code', 'Exit code of the last run.', verdict.exitCode],
    ['rules', 'Rules by their status.', byStatus],
    ['endpoints', 'Endpoints by whether the last run judged one of their answers.', endpoints],
    ['agreed_exceptions', 'Waivers that cover anything.', exceptionCount(verdict)],
    ['causes', ofCauses, bySeverity],
    ['requests', ofRequests, sent],
    ['requests_budget', 'Maximum requests of the last run.', requests.budget],
    ['latency_seconds', 'Latency of all answers of the last run; quantile 1 is the longest.', latencies],
    ['run_duration_seconds', 'Duration of the last run.', durationMs / 1_000],
    ['run_timestamp_seconds', 'When the last run ended, in seconds since 1970.', ended],
  ]
}

function labelsText(labels: Values[number][0]) {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return `{${pairs.join(',')}}`
}

function escaped(value: string) {
  return printable(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
