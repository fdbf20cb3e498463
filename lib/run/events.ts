import type { Exchange } from '../http/exchange.ts'
import type { RuleResult } from '../judge/record.ts'
import type { RuleId } from '../specification/rules.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { PlannedRule, PlanningEvent } from './plan/plan.ts'
import type { TestRequest } from './plan/test-request.ts'

/** The events of a run. */
export type RunEvent =
  | PlanningEvent
  | { readonly kind: 'planned'; readonly rules: readonly PlannedRule[]; readonly budget: number }
  | { readonly kind: 'rule-started'; readonly rule: RuleId }
  | { readonly kind: 'request-done'; readonly sent: number }
  /** A raw request and its answer, including credentials. */
  | { readonly kind: 'answered'; readonly request: TestRequest; readonly exchange: Exchange }
  | { readonly kind: 'case-done'; readonly rule: RuleId }
  | { readonly kind: 'rule-settled'; readonly result: RuleResult }
  | { readonly kind: 'run-ended'; readonly verdict: Verdict }

/** Receives every event; `answered` contains raw requests and answers, including credentials. */
export type OnEvent = (event: RunEvent) => void
