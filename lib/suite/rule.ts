import type { Case, Untestable } from '../session/cases.ts'
import type { Property } from '../session/property.ts'
import type { RuleId } from '../spec/rules.ts'
import { propertyOf, type KindsOf } from './fuzz.ts'
import { isInGate } from './gate-of-further-endpoints.ts'
import type { SuiteContext } from './suite-context.ts'

/** What a rule sends in a run: listed cases, or generated ones. */
export type Work =
  | { readonly kind: 'cases'; readonly cases: readonly Case[] }
  | { readonly kind: 'generated'; readonly property: Property }

/** A rule of the catalogue, and how it is judged: a plain value. */
export interface Rule {
  readonly id: RuleId
  /** What it would send; called before anything is sent, and sends nothing. */
  readonly work: (context: SuiteContext) => Work | Untestable
}

/** Rules of one part of the specification. */
export interface Area {
  readonly title: string
  readonly rules: readonly Rule[]
}

/** Makes the cases of a rule. */
export type CasesOf = (context: SuiteContext) => readonly Case[] | Untestable

/** Groups rules under the title of a part of the specification. */
export function area(title: string, rules: readonly Rule[]): Area {
  return { title, rules }
}

/** Declares a rule with listed cases. A rule that sums up the whole run may have none. */
export function rule(id: RuleId, casesOf: CasesOf): Rule {
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
export function fuzzed(id: RuleId, kindsOf: KindsOf): Rule {
  return {
    id,
    work: (context) => {
      const property = propertyOf(id, kindsOf, context)
      return 'untested' in property ? property : { kind: 'generated', property }
    },
  }
}
