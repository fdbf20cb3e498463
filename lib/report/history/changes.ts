import { isDeepStrictEqual } from 'node:util'
import type { RuleStatus } from '../../judge/record.ts'
import { countedRules, isRuleId, ruleOf } from '../../specification/rules.ts'
import type { HistoryLine, HistoryRule } from '../../verdict/history-line.ts'
import type { Verdict } from '../../verdict/verdict.ts'

/**
 * How the result of a rule changed from one run to another, worst first.
 * - `newly failing`: it failed only in the later run.
 * - `worse`: there is a breach that is new or no longer waived, or the rule was judged before but not this time.
 * - `mended`: it was breached before and has now passed. `better`: it has fewer or milder breaches, or has been judged at last.
 * - `vanished`: it is no longer in the run. `appeared`: it was not in the earlier run.
 * - `changed`: the result differs but is neither better nor worse, because a waiver now covers it, or because it was breached
 *   before and was not judged or tested this time.
 */
export const changeKinds = [
  'newly failing',
  'worse',
  'vanished',
  'changed',
  'appeared',
  'better',
  'mended',
  'unchanged',
] as const
export type ChangeKind = (typeof changeKinds)[number]

/** The change in a rule between two runs. */
export type RuleChange = ReturnType<typeof changesBetween>[number]

/** Changes in every rule from either run, in the order of the later run, followed by rules that only the earlier run has. */
export function changesBetween(before: HistoryLine, after: HistoryLine) {
  const earlier = new Map(before.rules.map((rule) => [rule.id, rule]))
  const later = new Map(after.rules.map((rule) => [rule.id, rule]))
  const isAskedAgain = rowsOf(before) === rowsOf(after)
  const ids = [...after.rules, ...countedRules(before.rules)].map(({ id }) => id)
  return [...new Set(ids)].map((rule) => {
    const [was, is] = [earlier.get(rule) ?? null, later.get(rule) ?? null]
    const left = textsWithout(was?.fingerprints ?? [], is?.fingerprints ?? [])
    const gone = isAskedAgain ? left : textsWithout(left, was?.underConditions ?? [])
    const notAsked = textsWithout(left, gone)
    return {
      rule,
      kind: was === null || is === null ? kindOfOne(was, is) : kindOf(was, is, notAsked),
      /** Null if the run does not have the rule. */
      before: was?.status ?? null,
      after: is?.status ?? null,
      /** Fingerprints found only in the later run, and fingerprints found only in the earlier run. */
      found: textsWithout(is?.fingerprints ?? [], was?.fingerprints ?? []),
      gone,
      /** Fingerprints found only in the earlier run, under conditions that the later run may not have sent. */
      notAsked,
    }
  })
}

/** The settings that determine which conditions a run sends. Conditions rotate with the seed, and a gate sends fewer of them. */
function rowsOf({ suite, seed, profile, fuzzCases, selection }: HistoryLine): string {
  const { only, essential = false } = selection
  return JSON.stringify([suite.version, seed, profile, fuzzCases, only, essential])
}

/** Whether a change should stop a pipeline. A rule that has vanished counts as worse only if it held before. */
export function isWorse({ kind, before }: RuleChange): boolean {
  return kind === 'newly failing' || kind === 'worse' || (kind === 'vanished' && held(before))
}

function kindOfOne(was: HistoryRule | null, is: HistoryRule | null): ChangeKind {
  if (is === null) return 'vanished'
  return was === null && is.status === 'failed' ? 'newly failing' : 'appeared'
}

function kindOf(was: HistoryRule, is: HistoryRule, notAsked: readonly string[]): ChangeKind {
  const isAsked = notAsked.length === 0
  if (is.status === 'failed' && was.status !== 'failed') return 'newly failing'
  if (textsWithout(openIn(is), openIn(was)).length > 0) return 'worse'
  if (is.status === 'passed' && was.status !== 'passed') {
    if (was.fingerprints.length > 0 && isAsked) return 'mended'
    return isAsked || textsWithout(was.fingerprints, notAsked).length > 0 ? 'better' : 'changed'
  }
  if (held(was.status) && isUnjudged(is.status)) return 'worse'
  if (was.status === 'failed' && is.status === 'warned' && isAsked) return 'better'
  if (was.status !== is.status) return 'changed'
  if (textsWithout(openIn(was), [...is.fingerprints, ...notAsked]).length > 0) return 'better'
  const sets = [was, is].map((rule) => [new Set(rule.fingerprints), new Set(openIn(rule))])
  return isDeepStrictEqual(sets[0], sets[1]) ? 'unchanged' : 'changed'
}

/** Whether a rule has no result. */
export function isUnjudged(status: RuleStatus | null): boolean {
  return status === 'inconclusive' || status === 'untested'
}

/** Whether a rule was judged and did not stop the run. A warning is not a violation. */
function held(status: RuleStatus | null): boolean {
  return status === 'passed' || status === 'warned'
}

/** Fingerprints that no waiver covers. */
export function openIn({ fingerprints, waived = [] }: HistoryRule): readonly string[] {
  return textsWithout(fingerprints, waived)
}

function textsWithout(texts: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others)
  return texts.filter((text) => !known.has(text))
}

/** Observations that differ between two runs or exist in only one. */
export function changedObservations(
  before: Verdict['observations'],
  after: Verdict['observations'],
): readonly { readonly id: string; readonly before: unknown; readonly after: unknown }[] {
  const value = (observations: Verdict['observations'], id: string): unknown =>
    observations.find((one) => one.id === id)?.value ?? null
  return [...new Set([...before, ...after].map(({ id }) => id))]
    .map((id) => ({ id, before: value(before, id), after: value(after, id) }))
    .filter((one) => !isDeepStrictEqual(one.before, one.after))
}

/** Differences between two runs, other than the target, that may explain different results. Different seeds in nightly runs do not count. */
export function circumstancesBetween(before: HistoryLine, after: HistoryLine) {
  const isEveryNight = before.profile === 'nightly' && after.profile === 'nightly'
  // A run that judged nothing does not show what its rules were lacking.
  const areJudged = isJudged(before) && isJudged(after)
  const facts: readonly (readonly [string, (line: HistoryLine) => unknown])[] = [
    ['the suite', ({ suite }) => suite.version],
    ['the judged endpoints', ({ target: { endpoints } }) => endpoints.join(', ') || 'none'],
    ['the requested version', ({ target }) => target.version],
    ['the profile', ({ profile }) => profile],
    ['strict', ({ strict }) => strict],
    ['the seed', ({ seed }) => (isEveryNight ? '' : seed)],
    ['the fuzz cases per rule', ({ fuzzCases }) => fuzzCases],
    ['the selected rules', ({ selection }) => selection.only?.join(',') ?? 'all'],
    ['one case per rule', ({ selection }) => selection.essential ?? false],
    ['the budget', ({ requests }) => requests.budget],
    ['the rules that lack a setting', ({ rules }) => (areJudged ? lacking(rules) : '')],
  ]
  return (
    facts
      // Each begins with a noun phrase such as `the seed`.
      .map(([what, of]) => ({ what, before: String(of(before)), after: String(of(after)) }))
      .filter((one) => one.before !== one.after)
  )
}

/** A difference between two runs as a sentence. */
export function circumstanceText({
  what,
  before,
  after,
}: ReturnType<typeof circumstancesBetween>[number]): string {
  return `${what} changed from ${before} to ${after}`
}

/** Whether a run judged any rule. */
export function isJudged({ rules }: { readonly rules: readonly Pick<HistoryRule, 'status'>[] }): boolean {
  return rules.some(({ status }) => !isUnjudged(status))
}

/** The rules that lacked a setting. The history contains no settings, but every rule that was tested had what it needed. */
function lacking(rules: readonly HistoryRule[]): string {
  const lacks = ({ id, status, fingerprints, follows = [] }: HistoryRule): boolean =>
    isRuleId(id) &&
    ruleOf(id).needs !== undefined &&
    (status === 'untested' || (status === 'waived' && fingerprints.length + follows.length === 0))
  return (
    rules
      .filter(lacks)
      .map(({ id }) => id)
      .join(', ') || 'none'
  )
}
