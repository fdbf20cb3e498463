import type { Expectation, Service, Started } from '../judge/service.ts'
import type { SpecRuleId } from '../../lib/specification/rules.ts'

/** A target that is no service to be judged, means harm, or is easily misread: how the program must end against it. */
export interface ProofTarget {
  /** In kebab-case, unique. */
  readonly name: string
  /** One sentence. */
  readonly about: string
  readonly kind: 'cannot be judged' | 'hostile' | 'easily misread'
  /** 3 where nothing may be said, 1 where something is truly violated, 0 where nothing is. */
  readonly exit: 0 | 1 | 3
  /** Where the exit is 1: at least one of these must have failed; where it is 0: must be warned of. */
  readonly rules: readonly SpecRuleId[]
  /** Pieces of sentences that the verdict's `because` must hold, so that users know why. */
  readonly says: readonly string[]
  /** In which profiles it is run; default gate and acceptance. */
  readonly profiles?: readonly ('gate' | 'acceptance')[]
  /** What else must come of it. */
  readonly also?: Pick<Expectation, 'only' | 'mayBeIncomplete' | 'requests'>
  /** How the program is run; default as a process. */
  readonly over?: Service['over']
  readonly start: () => Promise<Started>
}

/** What a target does, what must be told, how it starts; the rules that it violates, if any, and what else must come of it. */
type Row = readonly [
  about: string,
  says: ProofTarget['says'],
  start: ProofTarget['start'],
  rules?: ProofTarget['rules'],
  also?: ProofTarget['also'],
]

/** Targets of a kind by name. */
export function targetsOf(
  kind: ProofTarget['kind'],
  rows: Readonly<Record<string, Row>>,
): readonly ProofTarget[] {
  return Object.entries(rows).map(([name, [about, says, start, rules = [], also]]) => {
    const exit = rules.length > 0 ? 1 : 3
    return { kind, name, about, exit, rules, says, start, ...(also === undefined ? {} : { also }) }
  })
}

/** What comes of a target that is easily misread. */
type Comes = Pick<ProofTarget, 'exit'> & Partial<Pick<ProofTarget, 'rules' | 'says' | 'also' | 'profiles'>>

/** A service that is easily blamed or missed; where it is not blamed, nothing may warn but what is named. */
export function easilyMisread(
  name: string,
  about: string,
  start: ProofTarget['start'],
  comes: Comes,
): ProofTarget {
  const also = comes.exit === 0 ? ({ only: true, ...comes.also } as const) : comes.also
  const common = { kind: 'easily misread', over: 'program', profiles: ['gate'], rules: [], says: [] } as const
  return { ...common, name, about, start, ...comes, ...(also === undefined ? {} : { also }) }
}
