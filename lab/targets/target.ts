import type { Started } from '../judge/service.ts'
import type { SpecRuleId } from '../../lib/specification/rules.ts'

/** A target that is no service to be judged, or means harm: how the program must end against it. */
export interface ProofTarget {
  /** In kebab-case, unique. */
  readonly name: string
  /** One sentence. */
  readonly about: string
  readonly kind: 'cannot be judged' | 'hostile'
  /** 3 where nothing may be said, 1 where something is truly violated. */
  readonly exit: 1 | 3
  /** Where the exit is 1: at least one of these must have failed. */
  readonly rules: readonly SpecRuleId[]
  /** Pieces of sentences that the verdict's `because` must hold, so that users know why. */
  readonly says: readonly string[]
  /** In which profiles it is run; default gate and acceptance. */
  readonly profiles?: readonly ('gate' | 'acceptance')[]
  readonly start: () => Promise<Started>
}

/** What a target does, what must be told, how it starts; and the rules that it violates, if any. */
type Row = readonly [
  about: string,
  says: ProofTarget['says'],
  start: ProofTarget['start'],
  rules?: ProofTarget['rules'],
]

/** Targets of a kind by name. */
export function targetsOf(
  kind: ProofTarget['kind'],
  rows: Readonly<Record<string, Row>>,
): readonly ProofTarget[] {
  return Object.entries(rows).map(([name, [about, says, start, rules = []]]) => {
    const exit = rules.length > 0 ? 1 : 3
    return { kind, name, about, exit, rules, says, start }
  })
}
