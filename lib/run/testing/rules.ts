import { expect } from 'vitest'
import { type Check, succeeds } from '../../judge/judge.ts'
import type { ClientName } from '../../specification/client-rows.ts'
import type { SpecRuleId } from '../../specification/rules.ts'
import { example, rule, scenario } from '../plan/cases.ts'
import type { Case, Example, Scenario, SuiteRule } from '../plan/cases.ts'
import type { SuiteContext, TestRequest } from '../plan/suite-context.ts'
import { invalidSecret, missing } from './answers.ts'

/** The rule of most scenarios. */
export const ruleId = 'authentication/api-key-missing'

/** Makes a request of a case from the plain valid one. */
type Change = (request: TestRequest, context: SuiteContext) => TestRequest

/** A rule with a case for each of these space-separated names; the service sees the name as `x-case`. */
export function asking(id: SpecRuleId, names: string, to: Change, check: Check, more: Partial<Example> = {}) {
  return rule(id, (context): readonly Case[] => {
    const requestOf = (name: string) => to(context.list.request, context).with('x-case', name)
    return names.split(' ').map((name) => ({ ...example(name, requestOf(name), check), ...more }))
  })
}

export const withoutKey = (one: TestRequest): TestRequest => one.without('x-api-key')

/** Cases without an API key. */
export const noKey = (names: string): SuiteRule => asking(ruleId, names, withoutKey, missing)

/** The plain valid request of another client. */
export const asClient = (name: ClientName): Change => {
  return (_, { list }) => list.of(name)[0] ?? expect.fail(name)
}

/** One case, called `second`: the plain valid request of the second client. */
export const ofSecond = (id: SpecRuleId): SuiteRule =>
  rule(id, ({ list }) => list.of('second').map((request) => example('second', request, succeeds())))

/** Cases with a wrong secret, which may lock the client. */
export const guesses = (names: string, id: SpecRuleId = 'authentication/secret-key-invalid'): SuiteRule =>
  asking(id, names, (one) => one.with('x-secret-key', 'invented'), invalidSecret)

/** Makes the request without a key that the service sees by this name. */
export type Named = (name: string) => TestRequest

/** A rule with other cases about requests without a key. */
export const keyless = (id: SpecRuleId, of: (named: Named) => readonly Case[]): SuiteRule =>
  rule(id, ({ list }) => of((name) => withoutKey(list.request).with('x-case', name)))

/** A scenario that judges the requests of these names, one after another, on one connection if it `isAlone`. */
export function judging(named: Named, names: string, first = missing, isAlone = false): Scenario {
  const all = names.split(' ')
  return scenario('s', all.length, async (stage) => {
    const connection = isAlone ? stage.connection() : undefined
    const judged = []
    for (const name of all)
      judged.push(await stage.judge(named(name), judged.length === 0 ? first : missing, connection))
    return judged
  })
}
