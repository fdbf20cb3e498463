import { ruleIds, ruleOf, type Rule, type RuleId } from './rules.ts'

/** Rules by id, in report order. */
export type Catalogue = ReadonlyMap<RuleId, Rule>

/** The rules in the specification. */
export const specCatalogue: Catalogue = new Map(ruleIds.map((id) => [id, ruleOf(id)]))

const places: ReadonlyMap<string, number> = new Map(ruleIds.map((id, place) => [id, place]))

/** The place of a rule in the catalogue. Rules outside the specification come last. */
export function placeOfRule(id: string): number {
  return places.get(id) ?? places.size
}

/** The catalogue of rules that come with their entries. */
export function catalogueOf(areas: readonly DeclaredArea[]): Catalogue {
  const declared = areas.flatMap(({ rules }) => rules)
  return new Map(
    declared.toSorted((a, b) => placeOfRule(a.id) - placeOfRule(b.id)).map(({ id, entry }) => [id, entry]),
  )
}

/** A rule with its catalogue entry. */
export interface DeclaredRule {
  readonly id: RuleId
  readonly entry: Rule
}

/** The rules declared under the title of a part of a specification. */
export interface DeclaredArea {
  readonly title: string
  readonly rules: readonly DeclaredRule[]
}

/** The catalogue entry for a rule. Throws a RangeError for a rule that is not in the catalogue. */
export function entryOf(catalogue: Catalogue, id: RuleId): Rule {
  const entry = catalogue.get(id)
  if (entry === undefined) throw new RangeError(`this run has no rule ${id}`)
  return entry
}
