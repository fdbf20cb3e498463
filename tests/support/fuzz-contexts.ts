import type { CaseClass } from '../../lib/fuzz/case-class.ts'
import { caseClasses } from '../../lib/fuzz/case-classes.ts'
import { generatorInputOf, propertyOf } from '../../lib/run/plan/fuzz.ts'
import { suiteContext, type JudgedEndpoint, type SuiteContext } from '../../lib/run/plan/suite-context.ts'
import { read, settingsOf, target } from '../../lib/settings/testing/read.ts'

/** The rules that generate their cases. */
export const fuzzRules = [
  'fuzz/api-key',
  'fuzz/secret-key',
  'fuzz/version',
  'fuzz/path',
  'fuzz/query',
  'fuzz/headers',
  'fuzz/combined-flaws',
] as const satisfies readonly (keyof typeof caseClasses)[]

/** The context of suites with these settings, in addition to an address and credentials. */
export async function contextWith(env: Readonly<Record<string, string>>): Promise<SuiteContext> {
  const settings = settingsOf(await read({ ...target, RUN_PROFILE: 'nightly', ...env }))
  return suiteContext(settings)
}

/** A rule, with the context and endpoint of its cases. */
export interface CasesFor {
  readonly rule: (typeof fuzzRules)[number]
  readonly context: SuiteContext
  readonly endpoint: JudgedEndpoint
}

/** The case classes that a rule sends to an endpoint, without those that have no cases there. */
export const classesOf = ({ rule, context, endpoint }: CasesFor): readonly CaseClass[] =>
  caseClasses[rule](generatorInputOf(context, endpoint)).filter(({ count }) => count !== 0)

/** The first cases of a class, with the requests that a run would send. */
export function casesOf(caseClass: CaseClass, count: number, { rule, context, endpoint }: CasesFor) {
  const { settings } = context
  const property = propertyOf(rule, () => [caseClass], {
    ...context,
    endpoints: [endpoint],
    settings: { ...settings, run: { ...settings.run, fuzzCases: count } },
  })
  if ('untested' in property) throw new Error(property.untested)
  return property.cases()
}
