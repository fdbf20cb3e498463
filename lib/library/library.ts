// What `import … from 'card-switch-conformance'` gives. docs/library.md lists it in this order, and bin/library.mjs passes it on.

// Stable from 1.0.
export { judge } from '../engine/run.ts'
export { plan } from '../engine/plan.ts'
export { suites } from '../../suites/index.ts'
export { readSettingsAndSuites as readSettings } from '../run/settings-and-suites.ts'
export { withTarget } from '../run/judge-target.ts'
export { describeIssues } from '../settings/issue.ts'
export { verdictJson } from '../verdict/json-text.ts'
export type { GivenSettings, SettingsAndSuites } from '../run/settings-and-suites.ts'
export type { Settings } from '../settings/settings.ts'
export type { SettingIssue } from '../settings/issue.ts'
export type { Judged, JudgeOptions, RunEvent } from '../engine/run.ts'
export type { PlannedRule } from '../engine/plan.ts'
export type { ExitCode, Verdict, VerdictRule } from '../verdict/verdict.ts'
export type { Finding, RuleResult, RuleStatus } from '../judge/record.ts'
export type { Area, SuiteRule } from '../engine/cases.ts'
