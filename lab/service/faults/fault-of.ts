import type { Bend } from '../../../lib/serve/reference/bend.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'

/** Makes faults that break these rules, from a name, a sentence, and the changes of the service. */
export function faultOf(...rules: readonly SpecRuleId[]) {
  return faultWith({}, ...rules)
}

/** Also says what a run needs to notice the faults. */
export function faultWith(
  needed: Omit<Fault, 'name' | 'about' | 'rules' | 'bend'>,
  ...rules: readonly SpecRuleId[]
) {
  return (name: string, about: string, bend: () => Bend): Fault => ({ name, about, rules, ...needed, bend })
}
