import { describe, expect, it } from 'vitest'
import {
  errorVerdict,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  targetWith,
  verdictWith,
} from '../../verdict/verdict.testing.ts'
import { metricsText } from './metrics.ts'
import { view } from '../view.ts'

describe('metrics.prom', () => {
  it('says of a verdict what an alert or a graph needs', () => {
    const cause = { severity: 'code', sentence: '', example: '', rules: [], cases: [], fingerprints: [] }
    const lines = metricsText(
      view({ ...nonconformantVerdict(), causes: [Object(cause), Object(cause)] }),
    ).split('\n')
    const common = 'target="vendor",profile="gate"'

    expect(lines).toContain(`card_switch_conformance_verdict{${common},verdict="conformant"} 0`)
    expect(lines).toContain(`card_switch_conformance_verdict{${common},verdict="nonconformant"} 1`)
    expect(lines).toContain(`card_switch_conformance_exit_code{${common}} 1`)
    expect(lines).toContain(`card_switch_conformance_rules{${common},status="failed"} 2`)
    expect(lines).toContain(`card_switch_conformance_rules{${common},status="untested"} 3`)
    expect(lines).toContain(`card_switch_conformance_agreed_exceptions{${common}} 1`)
    expect(lines).toContain(`card_switch_conformance_causes{${common},severity="code",effect="violates"} 2`)
    expect(lines).toContain(
      `card_switch_conformance_causes{${common},severity="security",effect="violates"} 0`,
    )
    expect(lines).toContain(`card_switch_conformance_finished{${common}} 1`)
    expect(lines).toContain(`card_switch_conformance_requests{${common},purpose="confirming"} 6`)
    expect(lines).toContain(`card_switch_conformance_requests_budget{${common}} 500`)
    expect(lines).toContain(`card_switch_conformance_latency_seconds{${common},quantile="0.95"} 0.009`)
    expect(lines).toContain(`card_switch_conformance_run_duration_seconds{${common}} 1.834`)
    // Seconds since 1970, of 2026-11-20T02:00:01.834Z.
    expect(lines).toContain(`card_switch_conformance_run_timestamp_seconds{${common}} 1795140001.834`)
    expect(lines.slice(-2)).toEqual(['# EOF', ''])
  })

  it('tells causes that only warn, and those that are waived, apart from those that violate', () => {
    const served = { status: 200, errorCode: null }
    const waived = findingWith({ answered: served, waived: 'agreed' })
    const rules = [ruleWith('security/no-secret-echo', { status: 'waived', findings: [waived] })]
    const cause = { severity: 'code', warning: true, sentence: '', rules: [], cases: [], fingerprints: [] }
    const text = metricsText(view(verdictWith({ rules, causes: [Object(cause)] })))
    const counted = text.match(/causes\{.* [1-9]$/gm)?.map((line) => line.replace(/^.*(?=severity)/, ''))

    expect(counted).toEqual(['severity="security",effect="waived"} 1', 'severity="code",effect="warns"} 1'])
  })

  it('says of a run that lasts, or was killed, that it did not finish', () => {
    expect(metricsText(view(errorVerdict()), 'unfinished')).toMatch(
      /^card_switch_conformance_finished\{.*\} 0$/m,
    )
  })

  it('counts the endpoints that were judged, and those that were not', () => {
    const notJudged = [{ endpoint: 'POST /api/b', because: 'why', fingerprint: 'aaaaaaaa' }]
    const target = { ...verdictWith().target, endpoints: ['/api/a', '/api/b'], notJudged }
    const text = metricsText(view(verdictWith({ target })))

    expect(text).toContain('endpoints{target="vendor",profile="gate",judged="yes"} 2')
    expect(text).toContain('endpoints{target="vendor",profile="gate",judged="no"} 1')
  })

  it('has no latency of a run that asked nothing', () => {
    const text = metricsText(view(errorVerdict()))

    expect(text).not.toContain('latency')
    expect(text).toContain('verdict="error"} 1')
  })

  it('keeps a label on its line, whatever it holds', () => {
    const target = targetWith({ baseUrl: null, label: 'a "b" \\ c\nd\u202e' })

    expect(metricsText(view(verdictWith({ target })))).toContain(
      String.raw`exit_code{target="a \"b\" \\ c\\nd\\u202e",profile="gate"} 0`,
    )
  })
})
