import type { RuleStatus } from '../judge/record.ts'
import type { HistoryLine } from './history.ts'

/** What a rule came to from one run to another. `vanished`: no longer in the run; `appeared`: not in the one before. */
export type ChangeKind =
  | 'newly failing'
  | 'mended'
  | 'worse'
  | 'better'
  | 'vanished'
  | 'appeared'
  | 'changed'
  | 'unchanged'

/** A rule in two runs. */
export interface Change {
  readonly rule: string
  readonly kind: ChangeKind
  /** Null where the run does not have the rule. */
  readonly before: RuleStatus | null
  readonly after: RuleStatus | null
  /** Fingerprints of findings that only the later run has, and that only the earlier one has. */
  readonly found: readonly string[]
  readonly gone: readonly string[]
}

/** How bad a status is: what a pipeline would rather not see comes later. */
const badness: readonly RuleStatus[] = ['passed', 'untested', 'waived', 'warned', 'inconclusive', 'failed']

/** What every rule of either run came to, in the order of the later run, then of the earlier one. */
export function changesBetween(before: HistoryLine, after: HistoryLine): readonly Change[] {
  const earlier = new Map(before.rules.map((rule) => [rule.id, rule]))
  const later = new Map(after.rules.map((rule) => [rule.id, rule]))
  return [...new Set([...later.keys(), ...earlier.keys()])].map((rule) => {
    const [was, is] = [earlier.get(rule) ?? null, later.get(rule) ?? null]
    const [known, seen] = [was?.fingerprints ?? [], is?.fingerprints ?? []]
    const found = seen.filter((fingerprint) => !known.includes(fingerprint))
    const gone = known.filter((fingerprint) => !seen.includes(fingerprint))
    const [old, now] = [was?.status ?? null, is?.status ?? null]
    return {
      rule,
      kind: kindOf(old, now, found.length + gone.length > 0),
      before: old,
      after: now,
      found,
      gone,
    }
  })
}

function kindOf(before: RuleStatus | null, after: RuleStatus | null, differs: boolean): ChangeKind {
  if (after === null) return 'vanished'
  if (before === null) return after === 'failed' ? 'newly failing' : 'appeared'
  if (before === after) return differs ? 'changed' : 'unchanged'
  if (after === 'failed') return 'newly failing'
  if (before === 'failed' && (after === 'passed' || after === 'warned')) return 'mended'
  return badness.indexOf(after) > badness.indexOf(before) ? 'worse' : 'better'
}

/** Observations that differ, or that only one of two runs has, by id. */
export function changedObservations(
  before: HistoryLine,
  after: HistoryLine,
): readonly { readonly id: string; readonly before: unknown; readonly after: unknown }[] {
  const value = ({ observations }: HistoryLine, id: string): unknown =>
    observations.find((one) => one.id === id)?.value ?? null
  const ids = [...new Set([...before.observations, ...after.observations].map(({ id }) => id))]
  return ids
    .map((id) => ({ id, before: value(before, id), after: value(after, id) }))
    .filter((one) => JSON.stringify(one.before) !== JSON.stringify(one.after))
}

/**
 * What else changed from one run to another, as sentences: where there is any, a rule that came out otherwise may be no change
 * of the target. The seed of a nightly run changes every day, and is named as well.
 */
export function otherCircumstances(before: HistoryLine, after: HistoryLine): readonly string[] {
  const facts: readonly (readonly [string, (line: HistoryLine) => unknown])[] = [
    ['the suite', ({ suite }) => suite.version],
    ['the version that was asked for', ({ target }) => target.version],
    ['the profile', ({ profile }) => profile],
    ['strict', ({ strict }) => strict],
    ['the seed', ({ seed }) => seed],
    ['the fuzz cases per rule', ({ fuzzCases }) => fuzzCases],
    ['the selected rules', ({ selection }) => selection.only?.join(',') ?? 'all'],
    ['the shard', ({ selection }) => selection.shard ?? 'none'],
    ['the budget', ({ requests }) => requests.budget],
  ]
  return facts.flatMap(([what, of]) =>
    of(before) === of(after) ? [] : [`${what} changed from ${String(of(before))} to ${String(of(after))}`],
  )
}
