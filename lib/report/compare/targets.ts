import { readdir, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import type { RuleStatus } from '../../judge/record.ts'
import { unknownVersion } from '../../settings/package-version.ts'
import { readTextFile, sizeLimits } from '../../settings/user-file.ts'
import { countedRules, placeOfRule } from '../../specification/rules.ts'
import { jsonText } from '../../text/json.ts'
import { memberNames, groupBy } from '../../text/members.ts'
import { moment, plural } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { severities } from '../../verdict/causes.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { readVerdict, VerdictFileError } from '../../verdict/read-verdict.ts'
import { shownRules, type Verdict } from '../../verdict/verdict.ts'
import { isThere, previousFolder } from '../folder/reports-folder.ts'
import {
  changesBetween,
  circumstancesBetween,
  isJudged,
  isUnjudged,
  isWorse,
  judgedAsMuch,
  lastJudged,
  readHistory,
} from '../history/history.ts'
import { listedNames, natureOf, waivedCauses } from '../model/cause-view.ts'
import { shownText } from '../model/finding-view.ts'
import { baseOf, headlineWord, lookOf, namesOfTarget, outcomes, sentenceOf } from '../model/headline.ts'
import { kinds } from './comparison.ts'

/**
 * States of a target, worst first, each with its icon and word. `absent`: it has no verdict; `outdated`: its verdict is older than
 * allowed; `unreadable`: its verdict cannot be read; `unfinished`: its run failed or did not finish; `unreached`: its run ended
 * before it judged a rule.
 */
const states = {
  nonconformant: ['failed', 'nonconformant'],
  absent: ['failed', 'absent'],
  outdated: ['failed', 'outdated'],
  unreadable: ['failed', 'unreadable'],
  unfinished: ['failed', 'without a verdict'],
  unreached: ['inconclusive', 'not judged'],
  incomplete: ['inconclusive', 'incomplete'],
  conformant: ['passed', 'conformant'],
} as const satisfies Readonly<Record<string, readonly [tone: RuleStatus, word: string]>>

/** A target and the location of its report. */
type Place = ExpectedTarget &
  Readonly<{
    /** The page in its folder, or the verdict if there is no page; null if there is neither. */
    report: 'index.html' | 'verdict.json' | null
  }>

/** Why no rule was judged, and the previous run, if known. */
type Unjudged = Readonly<{
  state: keyof typeof states
  startedAt: string | null
  because: string
  last?: (Pick<HistoryLine, 'startedAt'> & Parameters<typeof headlineWord>[0]) | null
}>

/** A row for a target for which no rule was judged. */
export function unjudgedRow(place: Place, why: Unjudged, worse = true) {
  const { state, startedAt, because, last: run = null } = why
  const [tone, word] = states[state]
  const last = run === null ? null : { startedAt: run.startedAt, word: headlineWord(run) }
  const change = last === null ? 'no earlier run is known' : `was ${last.word} on ${moment(last.startedAt)}`
  const none = { subject: null, severity: null, counts: null, rules: [] }
  const said = { tone, word, reason: because, change, data: { because, last } }
  return { ...place, ...none, state, worse, startedAt, ...said }
}

/** Where and when targets are read. */
type Reading = Readonly<{
  /** Working directory, to which paths are relative. */
  cwd: string
  now: Date
  /** Maximum age of a verdict, in hours; null if there is no limit. */
  maxAgeHours: number | null
}>

/** Reads the last run of a target. */
export async function readTarget(expected: ExpectedTarget, reading: Reading): Promise<TargetRow> {
  const folder = resolve(reading.cwd, expected.path)
  const file = join(folder, 'verdict.json')
  try {
    const verdict = await readVerdict(file, reading.now)
    const report = (await isThere(join(folder, 'index.html'))) ? 'index.html' : 'verdict.json'
    const target = { ...expected, report } as const
    const refused = refusal(verdict, reading)
    if (refused !== null) return unjudgedRow(target, { startedAt: verdict.startedAt, ...refused })
    return rowOf(verdict, target, await lastRun(folder, historyLine(verdict), reading.now))
  } catch (error) {
    if (!(error instanceof VerdictFileError)) throw error
    const why = (await isThere(file))
      ? { state: 'unreadable' as const, because: error.message.replaceAll(folder, expected.path) }
      : { state: 'absent' as const, because: `no verdict.json in ${expected.path}` }
    return unjudgedRow({ ...expected, report: null }, { ...why, startedAt: null })
  }
}

/** Why a verdict is not accepted: it was made by a newer suite, or it is older than allowed. */
function refusal(verdict: Verdict, { now, maxAgeHours }: Reading): Omit<Unjudged, 'startedAt'> | null {
  const { startedAt, suite } = verdict
  const unknown = verdict.verdict === 'conformant' ? unknownVersion(suite.version) : null
  if (unknown !== null) return { state: 'unreadable', because: unknown }
  if (maxAgeHours === null || now.getTime() - Date.parse(startedAt) <= maxAgeHours * hourMs) return null
  return { state: 'outdated', because: `no run started in the last ${maxAgeHours} h`, last: verdict }
}

/** The run to compare with, from the history in a target's folder or else from the previous run kept there; null if there is neither. */
async function lastRun(folder: string, current: HistoryLine, now: Date): Promise<HistoryLine | null> {
  const file = join(folder, 'history.jsonl')
  const recorded = lastJudged(await readHistory(file, (run) => judgedAsMuch(run, current)), current)
  if (recorded !== null) return recorded.run
  const kept = await readVerdict(join(folder, previousFolder), now).catch(() => null)
  return kept === null ? null : (lastJudged([historyLine(kept)], current)?.run ?? null)
}

/**
 * A row in the table of targets: the result of a target's last run, as final strings. `worse` is set if anything is worse than in
 * the target's previous run, or the verdict is missing; `data` has its other facts for programs.
 */
export type TargetRow = ReturnType<typeof rowOf>

/** Makes a row from a verdict and the previous run. */
export function rowOf(verdict: Verdict, place: Place, last: HistoryLine | null) {
  const { startedAt, verdict: state, target } = verdict
  if (state === 'error' || !isJudged(verdict)) {
    const because = shownText(verdict.because[0] ?? 'no reason was given')
    const isFailure = state === 'error'
    const why = {
      state: isFailure ? 'unfinished' : 'unreached',
      startedAt,
      because,
      last,
    } as const
    return unjudgedRow(place, why, isFailure || (last !== null && isJudged(last)))
  }
  const cause = gravestCause(verdict)
  const since = last === null ? null : changeSince(last, historyLine(verdict))
  const [word, subject] = [
    headlineWord(verdict),
    shownText([...namesOfTarget(target), baseOf(target)].join(', ')),
  ]
  return {
    ...place,
    state,
    worse: since?.worse ?? false,
    startedAt,
    tone: lookOf(verdict),
    word,
    subject,
    severity: cause?.severity ?? null,
    reason: cause === null ? null : causeText(cause),
    change: since === null ? 'no earlier run' : since.text,
    counts: outcomes(countedRules(verdict.rules)),
    rules: shownRules(verdict.rules).map((rule) => ({ ...rule, says: sentenceOf(rule) })),
    data: { word, subject, cause, change: since?.data ?? null },
  }
}

/** The most severe cause in a verdict, and the number of other causes; null if there is no cause to show. */
function gravestCause(verdict: Verdict) {
  const isWaived = verdict.causes.length === 0
  const [cause, ...others] = isWaived ? waivedCauses(verdict) : verdict.causes
  if (cause === undefined) return null
  return {
    sentence: shownText(cause.sentence),
    severity: cause.severity,
    nature: natureOf(cause, verdict.rules),
    kind: isWaived ? 'waived' : cause.warning ? 'warning' : 'violation',
    others: others.length,
  } as const
}

function causeText({ kind, nature, sentence, others }: NonNullable<ReturnType<typeof gravestCause>>) {
  const mark = kind === 'violation' ? '' : `${kind}, `
  return `${mark}${nature}: ${sentence}${others === 0 ? '' : `, and ${plural(others, 'more cause')}`}`
}

/** Maximum number of circumstances named. */
const mostNamed = 5

/** Number of rules for each kind of change, and other changes, such as `the suite`, except for the seed. */
function changeSince(last: HistoryLine, current: HistoryLine) {
  const changes = changesBetween(last, current)
  // A rule that is no longer judged does not mean that the service has become worse.
  const byKind = groupBy(changes, ({ kind, after }) =>
    kind === 'worse' && isUnjudged(after) ? 'no longer judged' : kind,
  )
  const counts = ([...memberNames(kinds), 'no longer judged'] as const).flatMap((kind) => {
    const { length } = byKind.get(kind) ?? []
    return length === 0 ? [] : [[kind, length] as const]
  })
  const circumstances = circumstancesBetween(last, current)
    .map(({ what }) => what)
    .filter((what) => what !== 'the seed')
  const isNamed = counts.length > 0 && circumstances.length > 0
  const others = isNamed ? `; changed besides: ${listedNames(circumstances, mostNamed)}` : ''
  const told =
    counts.length === 0 ? 'unchanged' : counts.map(([kind, count]) => `${count} ${kind}`).join(', ')
  return {
    worse: changes.some(isWorse),
    text: `${told} (last run ${moment(last.startedAt)})${others}`,
    data: {
      since: last.startedAt,
      counts: Object.fromEntries(counts),
      circumstances,
    },
  }
}

/** Many targets, each compared with its own previous run. */
export type TargetsComparison = ReturnType<typeof comparedTargets>

/** A row with its age. */
export type AgedRow = TargetsComparison['rows'][number]

/** Compares the rows of several targets; pure. */
export function comparedTargets(all: readonly TargetRow[], now: Date) {
  const rows = all.toSorted(byWeight).map((row) => ({ ...row, age: ageOf(row, now) }))
  const judged = rows.filter(({ rules }) => rules.length > 0)
  const rules = rulesAcross(judged)
  const everywhere = rules.filter(({ passed }) => passed === judged.length).map(({ rule }) => ({ id: rule }))
  const hasVerdict = (row: TargetRow) => row.rules.length > 0 || row.state === 'unreached'
  const changed = rows.filter((row) => row.worse)
  const missing = changed.filter((row) => !hasVerdict(row)).length
  return {
    /** Worst first, each with the time since the start of its run. */
    rows,
    /** Every rule for any target, in catalogue order. */
    rules,
    /** Rules that fail for any target, with the names of those targets. Rules that fail for the most targets come first. */
    failing: rules
      .flatMap(({ rule, says, targets: { failed } }) => (failed === undefined ? [] : { rule, says, failed }))
      .toSorted((one, other) => other.failed.length - one.failed.length),
    /** Whether anything has become worse, or a verdict is missing. */
    worse: changed.length > 0,
    /** The outcome in one sentence, consistent with the exit code. */
    outcome: outcomeOf(plural(rows.length, 'target'), changed.length - missing, missing),
    /** `2 nonconformant, 1 absent`: number of targets by state, worst first. */
    counts: [...groupBy(rows, ({ state }) => state)]
      .map(([state, { length }]) => `${length} ${states[state][1]}`)
      .join(', '),
    /** Null if no target was judged. */
    passed:
      judged.length === 0
        ? null
        : `${plural(countedRules(everywhere).length, 'rule')} passed at every target that was judged.`,
  }
}

const weights = Object.keys(states)
const gravity = [...severities, null]

function byWeight(one: TargetRow, other: TargetRow) {
  return (
    weights.indexOf(one.state) - weights.indexOf(other.state) ||
    gravity.indexOf(one.severity) - gravity.indexOf(other.severity) ||
    Number(other.worse) - Number(one.worse) ||
    one.name.localeCompare(other.name, 'en', { numeric: true })
  )
}

/** Rules, with the number of targets for which each passed, and the names of the others by outcome, worst target first. */
function rulesAcross(rows: readonly TargetRow[]) {
  const all = rows.flatMap(({ name, rules }) =>
    rules.map(({ id, status, says }) => ({ name, id, status, says })),
  )
  return [...groupBy(all, ({ id }) => id)]
    .toSorted(([one], [other]) => placeOfRule(one) - placeOfRule(other))
    .map(([rule, sharing]) => {
      const named = [...groupBy(sharing, ({ status }) => status)].map(
        ([status, alike]) => [status, alike.map(({ name }) => name)] as const,
      )
      const { passed = [], ...targets }: Partial<Record<RuleStatus, readonly string[]>> =
        Object.fromEntries(named)
      return { rule, says: sharing[0]?.says ?? '', passed: passed.length, targets }
    })
}

function outcomeOf(targets: string, worse: number, missing: number) {
  if (worse + missing === 0) return `0 of ${targets} got worse (exit 0)`
  const have = `${missing === 1 ? 'has' : 'have'} no verdict`
  if (worse === 0) return `${missing} of ${targets} ${have} (exit 1)`
  return `${worse} of ${targets} got worse${missing === 0 ? '' : `, ${missing} ${have}`} (exit 1)`
}

const minuteMs = 60_000
const hourMs = 3_600_000
const dayMs = 86_400_000

/** `12 min`, `5 h`, `3 days`: time since the start of the run; null if unknown. */
function ageOf({ startedAt }: TargetRow, now: Date) {
  if (startedAt === null) return null
  const passed = Math.max(0, now.getTime() - Date.parse(startedAt))
  if (passed < hourMs) return `${Math.floor(passed / minuteMs)} min`
  return passed < 2 * dayMs ? `${Math.floor(passed / hourMs)} h` : `${Math.floor(passed / dayMs)} days`
}

/** Many targets as machine-readable data. */
export function targetsJson({ rows, rules, worse }: TargetsComparison) {
  const targets = rows.map(({ name, path, state, worse: isWorseNow, report, startedAt, data }) => {
    return { name, path, state, worse: isWorseNow, report, startedAt, ...data }
  })
  return `${jsonText({ format: 'card-switch-conformance/targets/1', worse, targets, rules }, 2)}\n`
}

/** A target that must have a verdict. */
type ExpectedTarget = Readonly<{
  name: string
  /** Path to its reports folder, relative to the working directory. */
  path: string
}>

/**
 * Reads the targets from a list, or from a folder that contains reports folders at any depth. Paths are relative to the working
 * directory. Throws {@link UnusableInput} with a line per mistake.
 */
export async function expectedTargets(given: string, cwd: string): Promise<readonly ExpectedTarget[]> {
  const place = resolve(cwd, given)
  const isFolder = (await stat(place).catch(() => null))?.isDirectory() === true
  const targets = isFolder ? await targetsBelow(place, cwd) : await targetsListedIn(place, given, cwd)
  if (targets.length > 0) return targets
  throw new UnusableInput(
    `${given} ${isFolder ? 'contains no reports folder' : 'lists no targets'}; give a list with a line "NAME PATH" for each target, or a folder of reports folders`,
  )
}

/** Targets from a list with one line per target: `NAME PATH`, or just `NAME` if it is also the path. `#` starts a comment. */
async function targetsListedIn(file: string, given: string, cwd: string): Promise<readonly ExpectedTarget[]> {
  const { text, why } = await readTextFile(file, sizeLimits.list)
  if (text === null) throw new UnusableInput(`${given} is ${why}`)
  const lines = text.split('\n').map((line) => line.trim())
  const targets = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = line, path = line] = /^(\S+)\s+(.+)$/.exec(line) ?? []
      // A link to an absolute path would work only on this machine.
      return { name, path: relative(cwd, resolve(cwd, path)) || '.' }
    })
  const mistakes = (['name', 'path'] as const).flatMap((what) => {
    const all = targets.map((target) => target[what])
    const twice = new Set(all.filter((one, place) => all.indexOf(one) < place))
    return [...twice].map((one) => `${given} repeats the ${what} ${one}`)
  })
  if (mistakes.length > 0) throw new UnusableInput(mistakes.join('\n'))
  return targets
}

/** Subfolders of a reports folder that contain earlier runs or no runs at all. */
const within: ReadonlySet<string> = new Set([previousFolder, 'allure-results', 'node_modules'])

/** Files that a run leaves in its folder. A folder whose verdict is missing still counts as a target. */
const marks: ReadonlySet<string> = new Set(['verdict.json', 'history.jsonl', previousFolder])

/** Reports folders under a folder, sorted by name. Links are not followed. */
async function targetsBelow(root: string, cwd: string) {
  const found: ExpectedTarget[] = []
  const waiting = [root]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => null)
    const path = relative(cwd, folder) || '.'
    // Unreadable folders are included, because the problem is reported when their verdict is read.
    if (entries === null || entries.some(({ name }) => marks.has(name)))
      found.push({ name: relative(root, folder) || path, path })
    for (const entry of entries ?? []) {
      const isSearched = entry.isDirectory() && !within.has(entry.name) && !entry.name.startsWith('.')
      if (isSearched) waiting.push(join(folder, entry.name))
    }
  }
  return found.toSorted((one, other) => one.name.localeCompare(other.name, 'en', { numeric: true }))
}
