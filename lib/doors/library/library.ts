// Exports of `card-switch-conformance`, listed in the same order in docs/library.md and re-exported by bin/library.mjs.

// Stable from version 1.0 on.
export { judge } from '../../run/run.ts'
export { plan } from '../../run/plan/plan.ts'
export { suites } from '../../../suites/index.ts'
export { readSettingsAndSuites as readSettings } from '../own-suites.ts'
export { withTarget } from '../judge-target.ts'
export { describeIssues } from '../../settings/issue.ts'
export { verdictJson } from '../../verdict/verdict.ts'
export { writeReports } from './write-reports.ts'
export { findingText } from '../../report/model/finding-view.ts'
export { proxyForTest as startProxy, referenceForTest as startReference } from './started-services.ts'
export { area } from '../../run/plan/cases.ts'
export { fuzzed } from '../../run/plan/fuzz.ts'
export { onEachEndpoint, rule, example, scenario } from '../../run/plan/cases.ts'
export {
  answers,
  answersOneOf,
  neverSucceeds,
  sameOutcome,
  succeeds,
  succeedsWith,
} from '../../judge/judge.ts'
export type { GivenSettings, SettingsAndSuites } from '../own-suites.ts'
export type { Settings } from '../../settings/settings.ts'
export type { SettingIssue } from '../../settings/issue.ts'
export type { Judged, JudgeOptions } from '../../run/run.ts'
export type { RunEvent, PlannedRule } from '../../run/plan/plan.ts'
export type { ExitCode, Verdict, VerdictRule } from '../../verdict/verdict.ts'
export type { Cause } from '../../verdict/causes.ts'
export type { Finding, RuleResult, RuleStatus } from '../../judge/record.ts'
export type { ProxyChoice, ReferenceChoice, StartedProxy, StartedReference } from './started-services.ts'
export type { Area, SuiteRule, OwnRule } from '../../run/plan/cases.ts'
export type { Check, Judgement } from '../../judge/judge.ts'

// May change in any version.
export { caseClass, judged } from '../../fuzz/case-class.ts'
export { adding, inTurn, setting, withPath, withQuery, without } from '../../fuzz/request-changes.ts'
export type { CaseClass, GeneratorInput, MutatedRequest } from '../../fuzz/case-class.ts'
export type { RequestChange } from '../../fuzz/request-changes.ts'
export type { SuiteContext } from '../../run/plan/suite-context.ts'
export type { TestRequest } from '../../run/plan/test-request.ts'
export type { Stage } from '../../run/plan/cases.ts'
export type { Exchange } from '../../http/exchange.ts'
