import { ruleIds, ruleOf, type Rule, type RuleId } from './rules.ts'

/** Rules by id, in the order of reports. */
export type Catalogue = ReadonlyMap<RuleId, Rule>

/** The rules of the specification. */
export const specCatalogue: Catalogue = new Map(ruleIds.map((id) => [id, ruleOf(id)]))

const places: ReadonlyMap<string, number> = new Map(ruleIds.map((id, place) => [id, place]))

/** The place of a rule in the catalogue. Rules outside the specification come last. */
export function placeOfRule(id: string): number {
  return places.get(id) ?? places.size
}

/** The catalogue of rules that carry their entries. */
export function catalogueOf(areas: readonly DeclaredArea[]): Catalogue {
  const declared = areas.flatMap(({ rules }) => rules)
  return new Map(
    declared.toSorted((a, b) => placeOfRule(a.id) - placeOfRule(b.id)).map(({ id, entry }) => [id, entry]),
  )
}

/** A rule with its entry of the catalogue. */
export interface DeclaredRule {
  readonly id: RuleId
  readonly entry: Rule
}

/** Declared rules under the title of a part of a specification. */
export interface DeclaredArea {
  readonly title: string
  readonly rules: readonly DeclaredRule[]
}

/** The entry of a rule. Throws RangeError for a rule that the catalogue does not have. */
export function entryOf(catalogue: Catalogue, id: RuleId): Rule {
  const entry = catalogue.get(id)
  if (entry === undefined) throw new RangeError(`this run has no rule ${id}`)
  return entry
}
