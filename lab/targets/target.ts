import type { SpecRuleId } from '../../lib/specification/rules.ts'
import type { Expectation, Service, Started } from '../judge/service.ts'

/** A target that cannot be judged, is hostile, or is easily misread, and how the program must end against it. */
export interface ProofTarget {
  /** In kebab case, unique. */
  readonly name: string
  readonly kind: 'cannot be judged' | 'hostile' | 'easily misread'
  /** 3 if the target cannot be judged, 1 if a rule is really violated, 0 otherwise. */
  readonly exit: 0 | 1 | 3
  /** With exit code 1, at least one of these must fail. With 0, at least one must warn. */
  readonly rules: readonly SpecRuleId[]
  /** Texts that the verdict's `because` must contain, so that users know the reason. */
  readonly says: readonly string[]
  /** The profiles in which it runs. Default: gate and acceptance. */
  readonly profiles?: readonly ('gate' | 'acceptance')[]
  /** Additional expectations. */
  readonly also?: Pick<Expectation, 'only' | 'mayBeIncomplete' | 'requests'>
  /** How the program is run. Default: as a process. */
  readonly over?: Service['over']
  readonly start: () => Promise<Started>
}

/**
 * What the verdict must say, how it starts, the violated rules if any, and additional
 * expectations.
 */
type Row = readonly [
  says: string | readonly string[],
  start: ProofTarget['start'],
  rules?: ProofTarget['rules'],
  also?: ProofTarget['also'],
]

/** Targets of a kind, by name. */
export function targetsOf(
  kind: ProofTarget['kind'],
  rows: Readonly<Record<string, Row>>,
): readonly ProofTarget[] {
  return Object.entries(rows).map(([name, [says, start, rules = [], also]]) => {
    const exit = rules.length > 0 ? 1 : 3
    return { kind, name, exit, rules, says: [says].flat(), start, ...(also === undefined ? {} : { also }) }
  })
}

/** The expected result for a target that is easily misread. */
type Comes = Pick<ProofTarget, 'exit'> &
  Partial<Pick<ProofTarget, 'rules' | 'also' | 'profiles'>> & { readonly says?: string | readonly string[] }

/**
 * Services that are easily blamed or missed, by name: how each starts, and what comes. If it must
 * not be blamed, only the named rules may warn.
 */
export function easilyMisread(
  rows: Readonly<Record<string, readonly [start: ProofTarget['start'], comes: Comes]>>,
): readonly ProofTarget[] {
  const common = { kind: 'easily misread', over: 'program', profiles: ['gate'], rules: [] } as const
  return Object.entries(rows).map(([name, [start, { says = [], ...comes }]]) => {
    const also = comes.exit === 0 ? ({ only: true, ...comes.also } as const) : comes.also
    return { ...common, name, start, ...comes, says: [says].flat(), ...(also === undefined ? {} : { also }) }
  })
}

/** A target that violates these rules, the first of which the verdict names. */
export function violating(start: ProofTarget['start'], ...rules: ProofTarget['rules']): Row {
  return [`${rules[0]} is violated: `, start, rules]
}
