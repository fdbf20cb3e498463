import type { Bend } from '../../../lib/serve/reference/bend.ts'
import type { Fault } from '../../../lib/serve/reference/fault.ts'
import { faultOf } from '../../../lib/serve/reference/find.ts'
import type { SpecRuleId } from '../../../lib/specification/rules.ts'

/** Makes faults that break these rules, from a name, a sentence, and the changes of the service. */
export function breaking(...rules: readonly SpecRuleId[]) {
  return breakingWith({}, ...rules)
}

/** Also says what a run needs to notice the faults. */
export function breakingWith(
  needed: Omit<Fault, 'name' | 'about' | 'rules' | 'bend'>,
  ...rules: readonly SpecRuleId[]
) {
  return (name: string, about: string, bend: () => Bend): Fault => ({ name, about, rules, ...needed, bend })
}

/** A fault that shows only in cases that a gate does not send. */
export function beyondGate(fault: Fault): Fault {
  return { ...fault, profile: 'acceptance' }
}

/** The shipped fault with this name. */
export function shipped(name: string): Fault {
  return faultOf(name)
}
