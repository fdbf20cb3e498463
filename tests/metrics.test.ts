import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { metricsText } from '../lib/report/render/metrics.ts'
import { hostileVerdict } from '../lib/report/testing/hostile.ts'
import { view } from '../lib/report/view.ts'
import { errorVerdict, nonconformantVerdict, verdictWith } from '../lib/verdict/verdict.testing.ts'

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
const isThere = existsSync('/usr/lib/python3/dist-packages/prometheus_client')
const isDemanded = (process.env['TESTS_DEMAND_PROGRAMS'] ?? '') !== ''
const because = isThere || isDemanded ? '' : ' (python3-prometheus-client is not installed)'

type Sample = readonly [name: string, labels: Readonly<Record<string, string>>, value: number]

function samplesOf(text: string): readonly (readonly Sample[])[] {
  return JSON.parse(execFileSync(python, ['-c', read], { input: text, encoding: 'utf8' }))
}

describe.skipIf(because !== '')(`Prometheus reads metrics.prom in both formats${because}`, () => {
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
