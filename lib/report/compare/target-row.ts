import { join, resolve } from 'node:path'
import type { RuleStatus } from '../../judge/record.ts'
import { unknownVersion } from '../../settings/package-version.ts'
import { groupBy, moment, plural } from '../../text/counts.ts'
import type { Severity } from '../../verdict/causes.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { VerdictFileError, readVerdict } from '../../verdict/read-verdict.ts'
import { shownRules, type Verdict } from '../../verdict/verdict.ts'
import { isThere, previousFolder } from '../folder/reports-folder.ts'
import {
  changeKinds,
  changesBetween,
  circumstancesBetween,
  isJudged,
  isUnjudged,
  isWorse,
  type RuleChange,
} from '../history/changes.ts'
import { lastJudgedIn } from '../history/history.ts'
import { lastJudged } from '../history/last-judged.ts'
import { listedNames, natureOf, waivedCauses } from '../model/cause-view.ts'
import { shownText } from '../model/finding-view.ts'
import { embeddedSubject, headlineWord, lookOf, namesOfTarget, sentenceOf } from '../model/headline.ts'
import type { ExpectedTarget } from './expected-targets.ts'

/** States of a target, worst first, each with its icon and word. */
export const states = {
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
interface Place extends ExpectedTarget {
  /** The page in its folder, or the verdict if there is no page; null if there is neither. */
  readonly report: 'index.html' | 'verdict.json' | null
}

/** A row in the table of targets: the result of a target's last run, as final strings. */
export interface TargetRow extends Place {
  readonly state: keyof typeof states
  /** Whether anything is worse than in the target's previous run, or the verdict is missing. */
  readonly worse: boolean
  readonly startedAt: string | null
  readonly tone: RuleStatus
  /** The verdict with its qualifiers, or why there is none. */
  readonly word: string
  /** Label, build and address; null if no rule was judged. */
  readonly subject: string | null
  readonly severity: Severity | null
  /** The most severe cause and the number of others, or why there is no verdict; null if there is neither. */
  readonly reason: string | null
  /** Changes since the target's previous run, and when that run started. */
  readonly change: readonly [what: string, when: string | null]
  /** Rules by id, with their statuses and sentences; empty if no rule was judged. */
  readonly rules: ReadonlyMap<string, { readonly status: RuleStatus; readonly says: string }>
  /** Its other facts for programs. */
  readonly data: object
}

/** Why no rule was judged, and the start and verdict of the previous run, if known. */
interface Unjudged extends Pick<TargetRow, 'state' | 'startedAt'> {
  readonly because: string
  readonly last?: (Pick<HistoryLine, 'startedAt'> & Parameters<typeof headlineWord>[0]) | null
}

/**
 * A row for a target for which no rule was judged. `unreached`: its run ended too early; `unfinished`: its run failed or did not
 * finish; `unreadable`: its verdict cannot be read; `outdated`: its verdict is older than allowed; `absent`: it has no verdict.
 */
export function unjudgedRow(
  place: Place,
  { state, startedAt, because, last = null }: Unjudged,
  worse = true,
): TargetRow {
  const [tone, word] = states[state]
  const before = last === null ? null : { startedAt: last.startedAt, word: headlineWord(last) }
  const none = { subject: null, severity: null, rules: new Map() }
  const change =
    before === null
      ? (['no earlier run is known', null] as const)
      : ([`was ${before.word}`, `on ${moment(before.startedAt)}`] as const)
  const data = { because, last: before }
  return { ...place, ...none, state, worse, startedAt, tone, word, reason: because, change, data }
}

/** Where and when targets are read. */
export interface Reading {
  /** Working directory, to which paths are relative. */
  readonly cwd: string
  readonly now: Date
  /** Maximum age of a verdict, in hours; null if there is no limit. */
  readonly maxAgeHours: number | null
}

/** Reads the last runs of targets one at a time and returns a row for each. */
export async function readTargets(
  expected: readonly ExpectedTarget[],
  reading: Reading,
): Promise<readonly TargetRow[]> {
  const rows: TargetRow[] = []
  for (const target of expected) rows.push(await readTarget(target, reading))
  return rows
}

async function readTarget(expected: ExpectedTarget, reading: Reading): Promise<TargetRow> {
  const folder = resolve(reading.cwd, expected.path)
  const file = join(folder, 'verdict.json')
  try {
    const verdict = await readVerdict(file, reading.now)
    const report = (await isThere(join(folder, 'index.html'))) ? 'index.html' : 'verdict.json'
    const target = { ...expected, report } as const
    const refused = refusal(verdict, reading)
    if (refused !== null) return unjudgedRow(target, { startedAt: verdict.startedAt, ...refused })
    return rowOf(verdict, { target, last: await lastRun(folder, historyLine(verdict), reading.now) })
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

const hourMs = 3_600_000

/** The run to compare with, from the history in a target's folder or else from the previous run kept there; null if there is neither. */
async function lastRun(folder: string, current: HistoryLine, now: Date): Promise<HistoryLine | null> {
  const recorded = await lastJudgedIn(join(folder, 'history.jsonl'), current).catch(() => null)
  if (recorded !== null) return recorded.run
  const kept = await readVerdict(join(folder, previousFolder), now).catch(() => null)
  return kept === null ? null : (lastJudged([historyLine(kept)], current)?.run ?? null)
}

/** Makes a row from a verdict and the previous run. */
export function rowOf(
  verdict: Verdict,
  { target, last }: { readonly target: Place; readonly last: HistoryLine | null },
): TargetRow {
  const { startedAt, verdict: state } = verdict
  if (state === 'error' || !isJudged(verdict)) {
    const because = shownText(verdict.because[0] ?? 'no reason was given')
    const isFailure = state === 'error'
    const why = { state: isFailure ? 'unfinished' : 'unreached', startedAt, because, last } as const
    return unjudgedRow(target, why, isFailure || (last !== null && isJudged(last)))
  }
  const current = historyLine(verdict)
  const changes = last === null ? [] : changesBetween(last, current)
  const cause = gravestCause(verdict)
  const change = last === null ? null : changeSince(last, current, changes)
  const [word, subject] = [headlineWord(verdict), subjectOf(verdict.target)]
  return {
    ...target,
    state,
    worse: changes.some(isWorse),
    startedAt,
    tone: lookOf(verdict),
    word,
    subject,
    severity: cause?.severity ?? null,
    reason: cause === null ? null : causeText(cause),
    change: change === null ? ['no earlier run', null] : changeText(change),
    rules: new Map(
      shownRules(verdict.rules).map((rule) => [rule.id, { status: rule.status, says: sentenceOf(rule) }]),
    ),
    data: { word, subject, cause, change },
  }
}

function subjectOf(target: Verdict['target']): string {
  const { baseUrl, embedded } = target
  const address = embedded ? `the ${embeddedSubject}` : (baseUrl ?? 'no target')
  return shownText([...namesOfTarget(target), address].join(', '))
}

/** The most severe cause in a verdict, and the number of other causes; null if there is no cause to show. */
function gravestCause(verdict: Verdict) {
  const [gravest] = verdict.causes
  const all =
    gravest === undefined && verdict.waivers.some(({ used }) => used) ? waivedCauses(verdict) : verdict.causes
  const [cause] = all
  if (cause === undefined) return null
  const kind = gravest === undefined ? 'waived' : cause.warning ? 'warning' : 'violation'
  const { sentence, severity } = cause
  const nature = natureOf(cause, verdict.rules)
  return { sentence: shownText(sentence), severity, nature, kind, others: all.length - 1 } as const
}

function causeText({ kind, nature, sentence, others }: NonNullable<ReturnType<typeof gravestCause>>): string {
  const mark = kind === 'violation' ? '' : `${kind}, `
  return `${mark}${nature}: ${sentence}${others === 0 ? '' : `, and ${plural(others, 'more cause')}`}`
}

/** Number of rules for each kind of change, and other changes, such as `the suite`, except for the seed. */
function changeSince(last: HistoryLine, current: HistoryLine, changes: readonly RuleChange[]) {
  // A rule that is no longer judged does not mean that the service has become worse.
  const kinds = groupBy(changes, ({ kind, after }) =>
    kind === 'worse' && isUnjudged(after) ? 'no longer judged' : kind,
  )
  const counts = ([...changeKinds.slice(0, -1), 'no longer judged'] as const).flatMap((kind) => {
    const { length } = kinds.get(kind) ?? []
    return length === 0 ? [] : [[kind, length] as const]
  })
  const others = circumstancesBetween(last, current).map(({ what }) => what)
  return {
    since: last.startedAt,
    counts: Object.fromEntries(counts),
    circumstances: others.filter((what) => what !== 'the seed'),
  }
}

/** Maximum number of circumstances named. */
const mostNamed = 5

function changeText({ counts, circumstances, since }: ReturnType<typeof changeSince>): TargetRow['change'] {
  const run = `(last run ${moment(since)})`
  const told = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`)
  if (told.length === 0) return ['unchanged', run]
  const others =
    circumstances.length === 0 ? '' : `; changed besides: ${listedNames(circumstances, mostNamed)}`
  return [told.join(', '), `${run}${others}`]
}
