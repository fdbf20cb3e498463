import type { Finding } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import { historyLine } from '../../verdict/history-line.ts'
import { findingWith, ruleWith, rulesWith, sentWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict, VerdictRule } from '../../verdict/verdict.ts'
import { rowOf, unjudgedRow, type TargetRow } from '../compare/targets.ts'

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
  const names = Array.from({ length: count }, (_, place) => `${name}-${place}`)
  return names.map((one) => findingWith({ fingerprint: one, case: one, summary: one.replace('-', ' ') }))
}

/** The row for a verdict, with the verdict of the previous run. */
export function rowWith(name: string, verdict: Verdict, before?: Verdict): TargetRow {
  const last = before === undefined ? null : historyLine({ ...before, startedAt: '2026-11-19T02:00:00.000Z' })
  return rowOf(verdict, { name, path: name, report: 'index.html' }, last)
}

/** The row for a target without a verdict. */
export function absentRow(name: string): TargetRow {
  const why = { state: 'absent', startedAt: null, because: `no verdict.json in ${name}` } as const
  return unjudgedRow({ name, path: name, report: null }, why)
}
