import { mkdir, open, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { RuleStatus } from '../../judge/record.ts'
import { countedRules } from '../../specification/rules.ts'
import { jsonText, jsonValue } from '../../text/json.ts'
import { groupBy } from '../../text/members.ts'
import { moment, plural } from '../../text/printable.ts'
import {
  historyLine,
  isSameSeries,
  type HistoryCause,
  type HistoryLine,
  type HistoryRule,
  historyFormat,
} from '../../verdict/history-line.ts'
import { fitsHistory } from '../../verdict/history-validator.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { appendProblem, appendText, ReportsFolderError } from '../folder/reports-folder.ts'
import { shownText } from '../model/finding-view.ts'

/** How the result of a rule changed from one run to another. */
export type ChangeKind = ReturnType<typeof kindOf>

/** The change in a rule between two runs. */
type RuleChange = ReturnType<typeof changesBetween>[number]

/** Changes in every rule from either run, in the order of the later run, followed by rules that only the earlier run has. */
export function changesBetween(before: HistoryLine, after: HistoryLine) {
  const earlier = new Map(before.rules.map((rule) => [rule.id, rule]))
  const later = new Map(after.rules.map((rule) => [rule.id, rule]))
  const isAskedAgain = rowsOf(before) === rowsOf(after)
  const ids = [...after.rules, ...countedRules(before.rules)].map(({ id }) => id)
  return [...new Set(ids)].map((rule) => {
    const was = earlier.get(rule) ?? null
    const is = later.get(rule) ?? null
    const left = textsWithout(was?.fingerprints ?? [], is?.fingerprints ?? [])
    const gone = isAskedAgain ? left : textsWithout(left, was?.underConditions ?? [])
    const notAsked = textsWithout(left, gone)
    return {
      rule,
      kind: kindOf(was, is, notAsked),
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
function rowsOf({ suite, seed, profile, fuzzCases, selection }: HistoryLine) {
  const { only, essential = false } = selection
  return JSON.stringify([suite.version, seed, profile, fuzzCases, only, essential])
}

/** Whether a change should stop a pipeline. A rule that has vanished counts as worse only if it held before. */
export function isWorse({ kind, before }: RuleChange) {
  return kind === 'newly failing' || kind === 'worse' || (kind === 'vanished' && held(before))
}

/**
 * - `newly failing`: it failed only in the later run.
 * - `worse`: there is a breach that is new or no longer waived, or the rule was judged before but not this time.
 * - `mended`: it was breached before and has now passed. `better`: it has fewer or milder breaches, or has been judged at last.
 * - `vanished`: it is no longer in the run. `appeared`: it was not in the earlier run.
 * - `changed`: the result differs but is neither better nor worse, because a waiver now covers it, or because it was breached
 *   before and was not judged or tested this time.
 */
function kindOf(was: HistoryRule | null, is: HistoryRule | null, notAsked: readonly string[]) {
  if (is === null) return 'vanished'
  if (was === null) return is.status === 'failed' ? 'newly failing' : 'appeared'
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
export function isUnjudged(status: RuleStatus | null) {
  return status === 'inconclusive' || status === 'untested'
}

/** Whether a rule was judged and did not stop the run. A warning is not a violation. */
function held(status: RuleStatus | null) {
  return status === 'passed' || status === 'warned'
}

/** Fingerprints that no waiver covers. */
function openIn({ fingerprints, waived = [] }: HistoryRule): readonly string[] {
  return textsWithout(fingerprints, waived)
}

function textsWithout(texts: readonly string[], others: readonly string[]) {
  const known = new Set(others)
  return texts.filter((text) => !known.has(text))
}

/** Observations that differ between two runs or exist in only one. */
export function changedObservations(...runs: readonly [Verdict['observations'], Verdict['observations']]) {
  const [was, is] = runs.map((all) => new Map(all.map(({ id, value }) => [id, value])))
  return [...new Set(runs.flat().map(({ id }) => id))]
    .map((id) => ({ id, before: was?.get(id) ?? null, after: is?.get(id) ?? null }))
    .filter(({ before, after }) => !isDeepStrictEqual(before, after))
}

/** Differences between two runs, other than the target, that may explain different results. Different seeds in nightly runs do not count. */
export function circumstancesBetween(before: HistoryLine, after: HistoryLine) {
  const isEveryNight = before.profile === 'nightly' && after.profile === 'nightly'
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
  ]
  // Each begins with a noun phrase such as `the seed`.
  return facts
    .map(([what, of]) => ({
      what,
      before: String(of(before)),
      after: String(of(after)),
    }))
    .filter((one) => one.before !== one.after)
}

/** Differences between two runs as sentences. */
export function circumstanceTexts(circumstances: ReturnType<typeof circumstancesBetween>): readonly string[] {
  return circumstances.map(({ what, before, after }) =>
    shownText(`${what} changed from ${before} to ${after}`),
  )
}

/** Whether a run judged any rule. */
export function isJudged({ rules }: { readonly rules: readonly Pick<HistoryRule, 'status'>[] }) {
  return rules.some(({ status }) => !isUnjudged(status))
}

/** The run used for comparison. */
export type LastJudged = NonNullable<ReturnType<typeof lastJudged>>

/**
 * Builds the run to compare with from runs, oldest first; null if none of them is comparable. Runs with an error are omitted,
 * because they judged nothing.
 */
export function lastJudged(lines: readonly HistoryLine[], current: HistoryLine) {
  const earlier = lines.filter((line) => line.verdict !== 'error' && isOfSeries(line, current)).toReversed()
  const place = Math.max(0, earlier.findIndex(hasVerdict))
  const base = earlier[place]
  if (base === undefined) return null
  const sourceOf = (id: string): HistoryLine =>
    (isJudgedIn(current, id) ? earlier.find((line) => isJudgedIn(line, id)) : undefined) ?? base
  const recent = [base, ...earlier.slice(0, place)]
  const ids = [...new Set(recent.flatMap(({ rules }) => rules.map(({ id }) => id)))]
  const sources = new Map(ids.map((id) => [id, sourceOf(id)] as const))
  const run: HistoryLine = {
    ...base,
    rules: ids.flatMap((id) => sources.get(id)?.rules.find((rule) => rule.id === id) ?? []),
    causes: [base, ...earlier.filter((line) => line !== base)].flatMap((line) =>
      line.causes.filter(({ rule }) => sources.get(rule) === line),
    ),
  }
  return {
    /** The last run with a verdict. For each rule that the current run judged, the result and causes come from the last run that judged the rule. */
    run,
    /** Later runs without a verdict, newest first. */
    without: earlier.slice(0, place),
  }
}

/** Whether no run before an earlier one matters for {@link lastJudged}, because it judged every rule that the current run judged. */
export function judgedAsMuch(earlier: HistoryLine, current: HistoryLine) {
  if (!isOfSeries(earlier, current) || !hasVerdict(earlier)) return false
  return current.rules.every(({ id }) => isJudgedIn(earlier, id) || !isJudgedIn(current, id))
}

/** Whether a run is earlier and belongs to the same series. */
export function isOfSeries(line: HistoryLine, current: HistoryLine) {
  return Date.parse(line.startedAt) < Date.parse(current.startedAt) && isSameSeries(line, current)
}

function hasVerdict({ verdict }: HistoryLine) {
  return verdict === 'conformant' || verdict === 'nonconformant'
}

/** Whether a run judged a rule. */
function isJudgedIn({ rules }: HistoryLine, id: string) {
  return rules.some((rule) => rule.id === id && !isUnjudged(rule.status))
}

/** The state of a cause compared with an earlier run, in the order in which states are listed. */
export type CauseState = (typeof causeStates)[number]

/**
 * `fixed`: its finding was tested again and did not occur. `not seen`: it may not have been fixed, because a waiver now covers it,
 * its rule was not judged this time, it was intermittent, or it requires conditions that the later run did not send.
 */
const causeStates = ['new', 'still there', 'fixed', 'not seen'] as const

export type CauseChange = Omit<HistoryCause, 'fingerprint'> &
  Readonly<{
    state: CauseState
    /** Its known findings. For an earlier run, the history keeps only one. */
    fingerprints: readonly string[]
    /** Number of its rules other than the first, if known. */
    otherRules: number
  }>

/** Changes between two runs against one target. */
export type CauseChanges = ReturnType<typeof causeChanges>

/** Causes that are new, still there, or gone since an earlier run. Two causes are the same if they share a finding or have the same sentence. */
export function causeChanges(before: HistoryLine, verdict: Verdict) {
  const after = historyLine(verdict)
  const changes = changesBetween(before, after)
  const present = verdict.causes.map((cause): CauseChange => {
    const { severity, warning, sentence, rules, fingerprints } = cause
    const [rule = '', ...others] = rules
    const state = hasCause(before, cause) ? 'still there' : 'new'
    return {
      state,
      severity,
      warning,
      sentence,
      rule,
      fingerprints,
      otherRules: others.length,
    }
  })
  const causes = [...present, ...goneCauses(before, after, changes)]
  return {
    /** Ordered by state, then by severity. */
    causes: causeStates.flatMap((state) => causes.filter((one) => one.state === state)),
    /** Rules that were judged in the earlier run but not in the later one. */
    unjudged: changes
      .filter((one) => one.before !== null && !isUnjudged(one.before) && isUnjudged(one.after))
      .map(({ rule }) => rule),
  }
}

function goneCauses(
  before: HistoryLine,
  after: HistoryLine,
  changes: readonly RuleChange[],
): readonly CauseChange[] {
  const unsure = new Set([
    ...after.rules.flatMap((rule) => rule.waived ?? []),
    ...before.rules.flatMap((rule) => rule.intermittent),
  ])
  const byRule = new Map(changes.map((change) => [change.rule, change]))
  const stateOf = ({ fingerprint, rule }: HistoryCause): CauseState => {
    const { after: status = null, notAsked = [] } = byRule.get(rule) ?? {}
    const isUnsure = unsure.has(fingerprint) || notAsked.includes(fingerprint)
    return isUnsure || status === null || isUnjudged(status) ? 'not seen' : 'fixed'
  }
  return before.causes
    .map(({ fingerprint, ...cause }) => ({
      ...cause,
      state: stateOf({ fingerprint, ...cause }),
      fingerprints: [fingerprint],
      otherRules: 0,
    }))
    .filter((cause) => !hasCause(after, cause))
}

/** Whether a run has a cause, either because of a finding that no waiver covers or because of the cause's sentence. */
function hasCause(
  { rules, causes }: HistoryLine,
  { fingerprints, sentence }: Pick<CauseChange, 'fingerprints' | 'sentence'>,
) {
  const known = new Set(rules.flatMap(openIn))
  return fingerprints.some((one) => known.has(one)) || causes.some((one) => one.sentence === sentence)
}

/** Consecutive runs that have a cause, up to the last such run, oldest first. Runs that did not judge its rule are skipped. */
export function streakOf(cause: CauseChange, runs: readonly HistoryLine[]): readonly HistoryLine[] {
  const judged = runs.filter((run) => isJudgedIn(run, cause.rule))
  const last = judged.findLastIndex((run) => hasCause(run, cause))
  const streak = judged.slice(0, last + 1)
  return streak.slice(streak.findLastIndex((run) => !hasCause(run, cause)) + 1)
}

/** Changes since the last comparable run, for a terminal; null if there is no such run, or if this run judged nothing. */
export function newsSentence(verdict: Verdict, earlier: readonly HistoryLine[]) {
  const last = lastJudged(earlier, historyLine(verdict))
  if (verdict.rules.length === 0 || last === null) return null
  const { run, without } = last
  const since = without.length === 0 ? '' : `, ${plural(without.length, 'run')} without a verdict since`
  return `since ${lastRunName(last)} (${moment(run.startedAt)}, ${run.verdict}${since}): ${newsCounts(causeChanges(run, verdict))}`
}

/** `the last run`, or `the last run with a verdict` if later runs have no verdict. */
export function lastRunName({ without }: LastJudged) {
  return without.length === 0 ? 'the last run' : 'the last run with a verdict'
}

/** `1 new cause, 2 still there, 1 fixed`; `nothing is new` if there are no changes. */
export function newsCounts({ causes, unjudged }: CauseChanges) {
  const told = [...groupBy(causes, ({ state }) => state)].map(([state, { length }]) =>
    state === 'new'
      ? plural(length, 'new cause')
      : `${length} ${state}${state === 'not seen' ? ' this time' : ''}`,
  )
  const left = unjudged.length === 0 ? [] : [`${plural(unjudged.length, 'rule')} no longer judged`]
  return [...told, ...left].join(', ') || 'nothing is new'
}

/** Maximum number of runs to read: more than a chart shows, but still fast. */
const mostRuns = 1_000
/** Maximum number of bytes to read, which is more than a thousand runs take up. A line that is cut off there is skipped. */
const mostBytes = 32 * 1_024 * 1_024

/**
 * Appends a line to the history and creates the file if needed. A single write in append mode keeps lines from concurrent runs
 * intact. A line truncated by a crash is terminated first. Unless `follows` is set, the file must not be a link. Throws
 * {@link ReportsFolderError}.
 */
export async function appendHistory(file: string, line: HistoryLine, follows = true) {
  try {
    await mkdir(dirname(file), { recursive: true })
    await appendText(
      file,
      async (handle, size) => `${(await endsWithinLine(handle, size)) ? '\n' : ''}${historyText(line)}\n`,
      follows,
    )
  } catch (error) {
    throw new ReportsFolderError(
      `the history cannot be written to ${file}: ${appendProblem(error)}; name another file with RUN_HISTORY (--history)`,
      { cause: error },
    )
  }
}

/**
 * Reads the last runs in the history, at most a thousand, sorted by start time; with `isEnough`, no runs before the one that is.
 * Skips other lines. Returns an empty list if the file is missing or unusable.
 */
export async function readHistory(
  file: string,
  isEnough: (run: HistoryLine) => boolean = () => false,
): Promise<readonly HistoryLine[]> {
  const runs: HistoryLine[] = []
  // If the file cannot be used, appending to it reports why.
  for (const text of await linesFromEnd(file).catch(() => [])) {
    const run = parsedLine(text)
    if (run === null) continue
    runs.push(run)
    if (runs.length === mostRuns || isEnough(run)) break
  }
  return runs.toSorted((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt))
}

/** A run as a line for the history. */
export function historyText(run: HistoryLine) {
  return jsonText({ format: historyFormat, ...run })
}

/** Parses a line from the history; null if it is damaged or comes from a different version. */
export function parsedLine(text: string) {
  // Most lines of any other file, such as a verdict, are skipped without an attempt to read them.
  const value = text.startsWith('{') ? jsonValue(text) : undefined
  if (!fitsHistory(value)) return null
  const { format: _, ...line } = value
  return line
}

async function endsWithinLine(handle: FileHandle, size: number) {
  if (size === 0) return false
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1)
  return buffer.toString() !== '\n'
}

/** The lines of a file, last first; of a long file, only those in its last {@link mostBytes}. Empty if the file is missing. Throws errors from reading it. */
async function linesFromEnd(file: string): Promise<readonly string[]> {
  // Reading from a pipe or a terminal would never end.
  if ((await stat(file).catch(() => null))?.isFile() !== true) return []

  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, mostBytes)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString('utf8', 0, bytesRead).split('\n').toReversed()
  } finally {
    await handle.close()
  }
}
