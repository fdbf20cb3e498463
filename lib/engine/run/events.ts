import type { Exchange } from '../../http/exchange.ts'
import type { RuleResult } from '../../judge/record.ts'
import type { RuleId } from '../../specification/rules.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import type { PlannedRule, PlanningEvent } from '../plan/plan.ts'
import type { TestRequest } from '../plan/test-request.ts'

/** What happens in a run, as it happens. */
export type RunEvent =
  | PlanningEvent
  | { readonly kind: 'planned'; readonly rules: readonly PlannedRule[]; readonly budget: number }
  | { readonly kind: 'rule-started'; readonly rule: RuleId }
  | { readonly kind: 'request-done'; readonly sent: number }
  /** What was sent, credentials included, and what came. */
  | { readonly kind: 'answered'; readonly request: TestRequest; readonly exchange: Exchange }
  | { readonly kind: 'case-done'; readonly rule: RuleId }
  | { readonly kind: 'rule-settled'; readonly result: RuleResult }
  | { readonly kind: 'run-ended'; readonly verdict: Verdict }

/** Gets every event; `answered` holds raw requests and answers, credentials included. */
export type OnEvent = (event: RunEvent) => void
