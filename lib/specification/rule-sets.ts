import type { Catalogue } from './catalogue.ts'
import november2026 from './rule-sets/2026-11.json' with { type: 'json' }
import { isRuleId, type Level, type RuleId } from './rules.ts'

/** The rules of a release, by which a service can also be judged later. */
export interface RuleSet {
  /** Year and month of the release, as `2026-11`. */
  readonly name: string
  /** The first version of the suite that has it. */
  readonly suite: string
  /** The level of each rule, by id. */
  readonly rules: Readonly<Record<RuleId, Level>>
}

const levels: ReadonlySet<string> = new Set([
  'documented',
  'implied',
  'requested',
  'expectation',
] satisfies Level[])

function isLevelled(entry: [string, string]): entry is [RuleId, Level] {
  return levels.has(entry[1])
}

/** Every rule set, oldest first. */
export const ruleSets: readonly RuleSet[] = [november2026].map(({ rules, ...set }) => ({
  ...set,
  rules: Object.fromEntries(Object.entries(rules).filter(isLevelled)),
}))

/** The catalogue as a rule set has it: its levels, and without score what the suite added later. A user's own rules stay as they are. */
export function judgedBy(catalogue: Catalogue, set: RuleSet | null): Catalogue {
  if (set === null) return catalogue
  const notScored = `not scored: added later than the rule set ${set.name}`
  return new Map(
    [...catalogue].map(([id, rule]) => {
      const level = set.rules[id]
      if (level !== undefined) return [id, { ...rule, level }]
      return [id, isRuleId(id) ? { ...rule, notScored } : rule]
    }),
  )
}

/** The name of a rule set, by default the newest, if it is what a catalogue is judged by, and all of it is there; else null. */
export function ruleSetOf(catalogue: Catalogue, set: RuleSet | undefined = ruleSets.at(-1)): string | null {
  if (set === undefined || Object.keys(set.rules).some((id) => isRuleId(id) && !catalogue.has(id)))
    return null
  const isSame = [...catalogue].every(
    ([id, { level, notScored }]) => !isRuleId(id) || notScored !== undefined || set.rules[id] === level,
  )
  return isSame ? set.name : null
}
