import { causesOf, type Cause } from '../judge/causes.ts'
import type { Finding } from '../judge/record.ts'
import type { Verdict, VerdictRule } from '../verdict/verdict.ts'

/** The causes of a verdict; verdicts of version 0.1 have none, where each finding is told for itself. */
export function causesIn({ causes, rules }: Pick<Verdict, 'causes' | 'rules'>): readonly Cause[] {
  return causes ?? causesOf(rules)
}

/** The finding that shows a cause; null where the verdict does not have it. */
export function exampleOf(cause: Cause, rules: readonly VerdictRule[]): Finding | null {
  const findings = rules.filter(({ id }) => cause.rules.includes(id)).flatMap(openFindings)
  return findings.find(({ case: name }) => name === cause.example) ?? null
}

/** The findings of a rule that no waiver covers. */
export function openFindings(rule: VerdictRule): readonly Finding[] {
  return rule.findings.filter(({ waived }) => waived === undefined)
}
