import type { Area, Case, SuiteRule, Untestable } from '../engine/cases.ts'
import type { SuiteContext } from '../engine/suite-context.ts'
import type { RuleId } from '../spec/rules.ts'
import { propertyOf, type ClassesOf } from './fuzz.ts'

/** Makes the cases of a rule. */
export type CasesOf = (context: SuiteContext) => readonly Case[] | Untestable

/** A value that several rules of a run share: made once for each context. */
export function oncePerRun<Value>(make: (context: SuiteContext) => Value): (context: SuiteContext) => Value {
  const made = new WeakMap<SuiteContext, Value>()
  return (context) => {
    const value = made.get(context) ?? make(context)
    made.set(context, value)
    return value
  }
}

/** Groups rules under the title of a part of the specification. */
export function area(title: string, rules: readonly SuiteRule[]): Area {
  return { title, rules }
}

/** Declares a rule with listed cases. A rule that sums up the whole run may have none. */
export function rule(id: RuleId, casesOf: CasesOf): SuiteRule {
  return {
    id,
    work: (context) => {
      const made = casesOf(context)
      if ('untested' in made) return made

      const { replayed, replays, exhaustive } = context
      const cases = made.filter(({ name }) => replays(id, name) && (exhaustive || isInGate(id, name)))
      if (replayed !== null && made.length > 0 && cases.length === 0)
        return { untested: `no case is called ${replayed.case}` }
      return { kind: 'cases', cases }
    },
  }
}

/** Declares a rule whose cases are generated: its kinds are known before anything is sent, each case is drawn when it is sent. */
export function fuzzed(id: RuleId, classesOf: ClassesOf): SuiteRule {
  return {
    id,
    work: (context) => {
      const property = propertyOf(id, classesOf, context)
      return 'untested' in property ? property : { kind: 'generated', property }
    },
  }
}

/**
 * The cases that a gate sends to each further endpoint, by rule: one for each flaw of the request. A gate must
 * stay within its budget with two further endpoints; all else is for the other profiles.
 */
const inGate: Readonly<Partial<Record<RuleId, readonly string[]>>> = {
  'endpoints/list-succeeds': ['plain'],
  'input/invalid-parameters': ['known-invalid'],
  'versioning/version-missing': ['absent'],
  'versioning/endpoint-not-in-version': ['unsupported'],
  'authentication/api-key-missing': ['absent'],
  'authentication/secret-key-missing': ['absent'],
  'authentication/api-key-invalid': ['invented'],
  'authentication/secret-key-invalid': ['invented'],
  'authentication/no-bypass': ['key-absent-secret-absent-version-valid'],
}

/** Whether a gate sends a case: all for the list endpoint, few for a further one, whose label stands behind an `@` in the name. */
function isInGate(id: RuleId, name: string): boolean {
  const [plainName = '', ...label] = name.split('@')
  return label.length === 0 || inGate[id]?.includes(plainName) === true
}
