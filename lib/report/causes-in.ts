import { causesOf, type Cause } from '../judge/causes.ts'
import type { Finding } from '../judge/record.ts'
import { groupBy } from '../spec/group-by.ts'
import type { Verdict, VerdictRule } from '../verdict/verdict.ts'
import { plural } from './plural.ts'

/** The causes of a verdict; verdicts of version 0.1 have none, where each finding is told for itself. */
export function causesIn({ causes, rules }: Pick<Verdict, 'causes' | 'rules'>): readonly Cause[] {
  return causes ?? causesOf(rules)
}

/** A cause, and how many others are like it. */
export interface Leading {
  readonly cause: Cause
  readonly alike: number
}

/** The first of each pattern, with the number of the others; causes without a pattern stand for themselves. */
export function leadingCauses(causes: readonly Cause[]): readonly Leading[] {
  const isFirst = ({ pattern }: Cause, place: number): boolean =>
    pattern === undefined || causes.findIndex((one) => one.pattern === pattern) === place
  const alike = groupBy(causes, ({ pattern }) => pattern ?? '')
  return causes.filter(isFirst).map((cause) => ({
    cause,
    alike: cause.pattern === undefined ? 0 : (alike.get(cause.pattern)?.length ?? 1) - 1,
  }))
}

/** `25 more causes like it: error_message is missing`; null where there is none. */
export function alikeText({ cause: { pattern }, alike }: Leading): string | null {
  return alike === 0 ? null : `${plural(alike, 'more cause')} like it: ${pattern ?? ''}`
}

/** The finding that shows a cause; null where the verdict does not have it. */
export function exampleOf(cause: Cause, rules: readonly VerdictRule[]): Finding | null {
  const findings = rules.filter(({ id }) => cause.rules.includes(id)).flatMap(openFindings)
  return findings.find(({ case: name }) => name === cause.example) ?? null
}

/** Rules that are named of a cause. */
export const mostRules = 3

/** `26 findings of 7 rules: a, b, c and 4 more`. */
export function extentOf({ rules, cases }: Cause): string {
  const more = rules.length - mostRules
  const count = cases.length === 1 ? '' : `${cases.length} findings of `
  const ofRules = rules.length === 1 ? '' : `${rules.length} rules: `
  return `${count}${ofRules}${rules.slice(0, mostRules).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** `2 causes, 5 rules, 30 findings`. */
export function causeCounts(causes: readonly Cause[]): string {
  const rules = new Set(causes.flatMap((cause) => cause.rules)).size
  const findings = causes.reduce((sum, { cases }) => sum + cases.length, 0)
  return [plural(causes.length, 'cause'), plural(rules, 'rule'), plural(findings, 'finding')].join(', ')
}

/** The findings of a rule that no waiver covers. */
export function openFindings(rule: VerdictRule): readonly Finding[] {
  return rule.findings.filter(({ waived }) => waived === undefined)
}
