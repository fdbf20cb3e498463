import { causesOf, openFindings, type Cause } from '../judge/causes.ts'
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

/** Causes that violate, or that only warn, as a report tells them: the first of each pattern, with the number of the others. */
export interface ToldCauses {
  /** `2 causes, 5 rules, 30 findings`. */
  readonly counts: string
  readonly causes: readonly Cause[]
  readonly leading: readonly Leading[]
  /** How many leading causes are left to `verdict.json`. */
  readonly hidden: number
}

/** At most so many causes of a verdict; null where it has none of the kind. */
export function toldCauses(
  verdict: Verdict,
  { isWarning, most }: { readonly isWarning: boolean; readonly most: number },
): ToldCauses | null {
  const causes = causesIn(verdict).filter(({ warning }) => warning === isWarning)
  if (causes.length === 0) return null
  const leading = leadingCauses(causes)
  const hidden = Math.max(0, leading.length - most)
  return { counts: countsOf(causes), causes, leading: leading.slice(0, most), hidden }
}

function leadingCauses(causes: readonly Cause[]): readonly Leading[] {
  const groups = groupBy(causes, ({ pattern }) => pattern ?? '')
  return causes.flatMap((cause) => {
    const like = cause.pattern === undefined ? [cause] : (groups.get(cause.pattern) ?? [])
    return like[0] === cause ? [{ cause, alike: like.length - 1 }] : []
  })
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

function countsOf(causes: readonly Cause[]): string {
  const rules = new Set(causes.flatMap((cause) => cause.rules)).size
  const findings = causes.reduce((sum, { cases }) => sum + cases.length, 0)
  return [plural(causes.length, 'cause'), plural(rules, 'rule'), plural(findings, 'finding')].join(', ')
}
