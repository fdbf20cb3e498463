import type { SpecRuleId } from '../../lib/specification/rules.ts'
import type { Expectation, Service } from '../judge/service.ts'

/**
 * Texts of which the verdict must contain each, so that users know the reason; how the target starts; the rules of
 * which at least one is violated, if any; and additional expectations.
 */
type Row = readonly [
  says: string | readonly [string, ...string[]],
  start: Service['start'],
  rules?: readonly SpecRuleId[],
  also?: Pick<Expectation, 'requests'>,
]

/** Targets that cannot be judged, unless they violate a rule, by name in kebab case. */
export function targetsOf(rows: Readonly<Record<string, Row>>): readonly Service[] {
  return Object.entries(rows).map(([name, [says, start, by = [], also]]) => ({
    of: 'targets',
    name,
    expects: { exit: by.length > 0 ? 1 : 3, by, says: [says].flat(), inPart: true, ...also },
    profiles: ['gate', 'acceptance'],
    over: 'process',
    start,
  }))
}

/** A target that violates these rules, the first of which the verdict names. */
export function violating(start: Service['start'], ...rules: readonly SpecRuleId[]): Row {
  return [`${rules[0]} is violated: `, start, rules]
}

/** A target that serves whom it must, and harms everybody else. */
export function harming(says: string, start: Service['start']): Row {
  return [says, start, ['authentication/api-key-missing']]
}

/** The expected result for a target that is easily misread. */
type Comes = Pick<Expectation, 'exit' | 'by' | 'mayBeIncomplete' | 'requests'> & {
  readonly says?: string | readonly string[]
  readonly profile?: 'gate' | 'acceptance'
}

/**
 * Services that are easily blamed or missed, by name: how each starts, and what comes. If it must not be blamed,
 * only the named rules may warn.
 */
export function easilyMisread(
  rows: Readonly<Record<string, readonly [start: Service['start'], comes: Comes]>>,
): readonly Service[] {
  return Object.entries(rows).map(([name, [start, { says = [], profile = 'gate', ...comes }]]) => ({
    of: 'targets',
    name,
    expects: { ...comes, says: [says].flat(), inPart: true, ...(comes.exit === 0 ? { only: true } : {}) },
    profiles: [profile],
    over: 'program',
    start,
  }))
}
