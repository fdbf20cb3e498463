import { isRuleId, ruleOf } from '../spec/rules.ts'

/** The sentence of a rule; says so where a verdict of another version names a rule that this catalogue does not have. */
export function sentenceOf(id: string): string {
  return isRuleId(id) ? ruleOf(id).says : 'a rule that the catalogue of this version does not have'
}
