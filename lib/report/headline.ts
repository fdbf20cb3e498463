import { listPath } from '../spec/endpoints.ts'
import type { HistoryRule } from '../verdict/history-line.ts'
import { plural } from './plural.ts'
import { isPartial, type Verdict, type VerdictRule } from '../verdict/verdict.ts'

/** A rule as a verdict or the history has it: enough to say whether a waiver covers any of it. */
type CoveredRule = Pick<VerdictRule, 'status' | 'findings'> | Pick<HistoryRule, 'status' | 'waived'>

/** What a headline is about: a verdict, or a run as the history has it. */
export type Headed = Pick<Verdict, 'verdict' | 'selection'> & { readonly rules: readonly CoveredRule[] }

/**
 * A verdict's word with all that qualifies it: `conformant with 1 agreed exception`, `partial, nonconformant`. Every headline is made
 * of it, so that no report says more than another.
 */
export function headlineWord(verdict: Headed): string {
  return `${isPartial(verdict) ? 'partial, ' : ''}${wordWithExceptions(verdict)}`
}

/** A verdict's word, and the exceptions that a conformant one has. */
export function wordWithExceptions({ verdict, rules }: Headed): string {
  const exceptions = agreedExceptions(rules)
  return verdict === 'conformant' && exceptions !== null ? `${verdict} with ${exceptions}` : verdict
}

/** `1 agreed exception`: the rules of which a waiver covers anything; null where there are none. */
export function agreedExceptions(rules: readonly CoveredRule[]): string | null {
  const { length } = rules.filter(isCovered)
  return length === 0 ? null : plural(length, 'agreed exception')
}

/** Whether a waiver covers a rule, or some of what was found for it. */
export function isCovered(rule: CoveredRule): boolean {
  if (rule.status === 'waived') return true
  return 'findings' in rule
    ? rule.findings.some(({ waived }) => waived !== undefined)
    : (rule.waived ?? []).length > 0
}

/** As many endpoints as a headline names. */
const mostEndpoints = 3

/** The address that was asked: `https://host/prefix/api/customizations/list`, and the paths of further endpoints behind it. */
export function askedAddress({ baseUrl, endpoints = [listPath] }: Verdict['target']): string {
  if (baseUrl === null) return 'no target'
  const more = endpoints.length - mostEndpoints
  const named = endpoints.slice(0, mostEndpoints).join(', ')
  return `${baseUrl.replace(/\/+$/, '')}${named}${more > 0 ? ` and ${plural(more, 'more endpoint')}` : ''}`
}
