import { severities } from '../../explain/causes.ts'
import { waivedCauses } from '../model/cause-text.ts'
import { exceptionCount } from '../model/headline.ts'
import { groupBy } from '../../text/counts.ts'
import { printable } from '../../text/printable.ts'
import { statuses, type Verdict } from '../../verdict/verdict.ts'

type Labels = Readonly<Record<string, string>>

/** A metric: its kind, what it says, and a value for each set of labels. */
interface Metric {
  readonly name: string
  readonly kind: 'gauge' | 'summary'
  readonly unit?: 'seconds'
  readonly help: string
  readonly values: readonly (readonly [labels: Labels, value: number])[]
}

const words = ['conformant', 'nonconformant', 'incomplete', 'error'] as const

/**
 * `metrics.prom` of a verdict, in a form that OpenMetrics 1.0 and the Prometheus text format share: for the text folder of a node
 * exporter, or a push gateway. Every series names its target and profile, so that the files of several targets stand side by side.
 */
export function metricsText(verdict: Verdict, state: 'finished' | 'unfinished' = 'finished'): string {
  const { target, profile } = verdict
  const common = { target: target.label ?? target.baseUrl ?? 'none', profile }
  const lines = [finishedMetric(state), ...metricsOf(verdict)]
    .filter(({ values }) => values.length > 0)
    .flatMap(({ name, kind, unit, help, values }) => {
      const full = `card_switch_conformance_${name}`
      return [
        `# HELP ${full} ${help}`,
        `# TYPE ${full} ${kind}`,
        ...(unit === undefined ? [] : [`# UNIT ${full} ${unit}`]),
        ...values.map(([labels, value]) => `${full}${labelsText({ ...common, ...labels })} ${value}`),
      ]
    })
  return `${[...lines, '# EOF'].join('\n')}\n`
}

function finishedMetric(state: 'finished' | 'unfinished'): Metric {
  return {
    name: 'finished',
    kind: 'gauge',
    help: '1 if the last run came to its end, 0 while it lasts and if it was killed.',
    values: [[{}, state === 'finished' ? 1 : 0]],
  }
}

function metricsOf(verdict: Verdict): readonly Metric[] {
  const { rules, requests, latencyMs } = verdict
  const byStatus = groupBy(rules, ({ status }) => status)
  const { suite, target, seed } = verdict
  return [
    {
      name: 'run_info',
      kind: 'gauge',
      help: 'What was judged, and with what; always 1.',
      values: [[{ base_url: target.baseUrl ?? 'none', suite_version: suite.version, seed: String(seed) }, 1]],
    },
    {
      name: 'verdict',
      kind: 'gauge',
      help: '1 for the verdict of the last run, 0 for the others.',
      values: words.map((word) => [{ verdict: word }, word === verdict.verdict ? 1 : 0]),
    },
    {
      name: 'exit_code',
      kind: 'gauge',
      help: 'Exit code of the last run.',
      values: [[{}, verdict.exitCode]],
    },
    {
      name: 'rules',
      kind: 'gauge',
      help: 'Rules by their status.',
      values: statuses.map((status) => [{ status }, byStatus.get(status)?.length ?? 0]),
    },
    {
      name: 'endpoints',
      kind: 'gauge',
      help: 'Endpoints by whether the last run judged an answer of theirs.',
      values: endpointCounts(target),
    },
    {
      name: 'agreed_exceptions',
      kind: 'gauge',
      help: 'Waivers that cover anything.',
      values: [[{}, exceptionCount(verdict)]],
    },
    {
      name: 'causes',
      kind: 'gauge',
      help: 'Causes by severity, and by whether they violate, only warn, or are waived.',
      values: causeCounts(verdict),
    },
    {
      name: 'requests',
      kind: 'gauge',
      help: 'Requests of the last run: all that were sent, and of these retries and confirmations.',
      values: (['sent', 'retried', 'confirming'] as const).map((purpose) => [{ purpose }, requests[purpose]]),
    },
    {
      name: 'requests_budget',
      kind: 'gauge',
      help: 'Maximum requests of the last run.',
      values: [[{}, requests.budget]],
    },
    {
      name: 'latency_seconds',
      kind: 'summary',
      unit: 'seconds',
      help: 'Latency of all answers of the last run; quantile 1 is the longest.',
      values: quantiles.flatMap(([quantile, key]) =>
        latencyMs === null ? [] : [[{ quantile }, latencyMs[key] / 1_000] as const],
      ),
    },
    {
      name: 'run_duration_seconds',
      kind: 'gauge',
      unit: 'seconds',
      help: 'Duration of the last run.',
      values: [[{}, verdict.durationMs / 1_000]],
    },
    {
      name: 'run_timestamp_seconds',
      kind: 'gauge',
      unit: 'seconds',
      help: 'When the last run ended, in seconds since 1970.',
      values: [[{}, (Date.parse(verdict.startedAt) + verdict.durationMs) / 1_000]],
    },
  ]
}

function causeCounts(verdict: Verdict): Metric['values'] {
  const all = [
    ...verdict.causes.map(({ severity, warning }) => ({ severity, effect: warning ? 'warns' : 'violates' })),
    ...waivedCauses(verdict).map(({ severity }) => ({ severity, effect: 'waived' })),
  ]
  return severities.flatMap((severity) =>
    ['violates', 'warns', 'waived'].map(
      (effect) =>
        [
          { severity, effect },
          all.filter((one) => one.severity === severity && one.effect === effect).length,
        ] as const,
    ),
  )
}

function endpointCounts({ endpoints, notJudged }: Verdict['target']): Metric['values'] {
  return [
    [{ judged: 'yes' }, endpoints.length],
    [{ judged: 'no' }, notJudged.length],
  ]
}

const quantiles = [
  ['0.5', 'p50'],
  ['0.95', 'p95'],
  ['0.99', 'p99'],
  ['1', 'max'],
] as const

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return printable(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}
