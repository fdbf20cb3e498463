import type { Finding } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import { findingWith, ruleWith, rulesWith, sentWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'

/** A rule that fails with these findings. */
export function failing(id: RuleId, ...findings: readonly Finding[]): VerdictRule {
  return ruleWith(id, { status: 'failed', findings })
}

/** A nonconformant verdict in which all rules except those given have passed. */
export function violated(...rules: readonly VerdictRule[]): Verdict {
  return verdictWith({ verdict: 'nonconformant', exitCode: 1, rules: rulesWith(rules) })
}

/** A finding that shares its cause with all findings for this flaw. */
export function alike(name: string, changes: Partial<Finding> = {}, flaw = 'apiKey absent'): Finding {
  const sent = sentWith({ endpoint: 'GET /a', flaws: [flaw] })
  return findingWith({ sent, difference: 'another answer', case: name, fingerprint: name, ...changes })
}

/** Distinct findings, each of which is a separate cause. */
export function unlike(count: number, name: string): readonly Finding[] {
  return Array.from({ length: count }, (_, place) =>
    findingWith({ fingerprint: `${name}-${place}`, case: `${name}-${place}`, summary: `${name} ${place}` }),
  )
}
