import { isSuccessStatus } from '../judge/answered.ts'
import type { Finding } from '../judge/record.ts'
import { isSteady } from '../judge/reproduced.ts'
import { nothingSaid } from '../judge/untested.ts'
import { ruleOf, type RuleId } from '../spec/rules.ts'
import type { VerdictRule } from './verdict.ts'

/**
 * The rules of shards without what a scenario found that another rule tells already. A run knows this when the scenario is
 * judged; a shard does not, where the other rule's case is in another shard. That somebody was let in is never taken away, as in a run.
 */
export function withoutExplained(
  shards: readonly (readonly VerdictRule[])[],
): readonly (readonly VerdictRule[])[] {
  const told = new Set(shards.flat().filter(explains).flatMap(steadyFingerprints))
  return shards.map((rules) => rules.map((rule) => (isScenario(rule.id) ? without(rule, told) : rule)))
}

function explains({ id }: VerdictRule): boolean {
  return ruleOf(id).when === 'together' && ruleOf(id).level === 'documented'
}

function isScenario(id: RuleId): boolean {
  return ruleOf(id).when === 'alone'
}

/** Of the findings that were seen every time, of at least two. */
function steadyFingerprints({ findings }: VerdictRule): readonly string[] {
  return findings.filter(isSteady).map(({ fingerprint }) => fingerprint)
}

function without(rule: VerdictRule, told: ReadonlySet<string>): VerdictRule {
  const isTold = ({ fingerprint, answered }: Finding): boolean =>
    told.has(fingerprint) && answered !== null && !isSuccessStatus(answered.status)
  const findings = rule.findings.filter((finding) => !isTold(finding))
  if (findings.length === rule.findings.length) return rule
  if (findings.length > 0) return { ...rule, findings }
  return rule.answers > 0
    ? { ...rule, status: 'passed', because: null, findings }
    : { ...rule, status: 'untested', because: nothingSaid, findings }
}
