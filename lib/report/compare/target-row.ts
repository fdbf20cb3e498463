import { join, resolve } from 'node:path'
import type { Cause } from '../../verdict/causes.ts'
import type { RuleStatus } from '../../judge/record.ts'
import { unknownVersion } from '../../settings/package-version.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { readVerdict, VerdictFileError } from '../../verdict/read-verdict.ts'
import { shownRules } from '../../verdict/counted-rules.ts'
import type { Verdict, VerdictWord } from '../../verdict/verdict.ts'
import { natureOf, waivedCauses } from '../model/cause-text.ts'
import { isThere, previousFolder } from '../folder/previous-run.ts'
import { embeddedSubject, headlineWord, lookOf, namesOfTarget } from '../model/headline.ts'
import {
  changesBetween,
  circumstancesBetween,
  isJudged,
  isUnjudged,
  isWorse,
  type ChangeKind,
  type RuleChange,
} from '../history/changes.ts'
import { lastJudgedIn } from '../history/history.ts'
import { lastJudged, runsComparedWith } from '../history/last-judged.ts'
import { shownText } from '../model/finding-view.ts'
import { sentenceOf } from '../model/rule-counts.ts'
import type { ExpectedTarget } from './expected-targets.ts'

/** A row in the table of targets: the result of a target's last run. */
export type TargetRow = JudgedTarget | UnjudgedTarget

/** A target and the location of its report. */
interface Place extends ExpectedTarget {
  /** The page in its folder, or the verdict if there is no page; null if there is neither. */
  readonly report: 'index.html' | 'verdict.json' | null
}

interface Target extends Place {
  /** Whether anything is worse than in the target's previous run, or the verdict is missing. */
  readonly worse: boolean
}

/** A target for which at least one rule was judged. */
export interface JudgedTarget extends Target {
  readonly state: Exclude<VerdictWord, 'error'>
  readonly startedAt: string
  /** The verdict with its qualifiers. */
  readonly word: string
  /** Label, build and address. */
  readonly subject: string
  readonly cause: GravestCause | null
  /** Null if there is no earlier run to compare with. */
  readonly change: TargetChange | null
  readonly tone: RuleStatus
  /** Rules by id, with their statuses and sentences. */
  readonly rules: ReadonlyMap<string, { readonly status: RuleStatus; readonly says: string }>
}

/**
 * A target for which no rule was judged. `unreached`: its run ended too early; `unfinished`: its run failed or did not finish;
 * `unreadable`: its verdict cannot be read; `outdated`: its verdict is older than allowed; `absent`: it has no verdict.
 */
export interface UnjudgedTarget extends Target {
  readonly state: 'unreached' | 'unfinished' | 'unreadable' | 'outdated' | 'absent'
  readonly startedAt: string | null
  readonly because: string
  /** Start and verdict of the previous run; null if unknown. */
  readonly last: { readonly startedAt: string; readonly word: string } | null
}

/** The most severe cause in a verdict, and the number of other causes; null if there is no cause to show. */
interface GravestCause extends Pick<Cause, 'sentence' | 'severity'> {
  readonly nature: string
  readonly kind: 'violation' | 'warning' | 'waived'
  readonly others: number
}

/** A kind of rule change, for counting. */
type CountedChange = Exclude<ChangeKind, 'unchanged'> | 'no longer judged'

/** Changes since a target's previous run. */
interface TargetChange {
  /** Start of that run. */
  readonly since: string
  /** Number of rules for each kind of change; kinds without any rules are omitted. */
  readonly counts: Readonly<Partial<Record<CountedChange, number>>>
  /** Other changes, such as `the suite`, except for the seed. */
  readonly circumstances: readonly string[]
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
    if (refused !== null) return { ...target, startedAt: verdict.startedAt, ...refused, worse: true }
    return rowOf(verdict, { target, last: await lastRun(folder, historyLine(verdict), reading.now) })
  } catch (error) {
    if (!(error instanceof VerdictFileError)) throw error
    const why = (await isThere(file))
      ? { state: 'unreadable' as const, because: error.message.replaceAll(folder, expected.path) }
      : { state: 'absent' as const, because: `no verdict.json in ${expected.path}` }
    return { ...expected, ...why, startedAt: null, last: null, report: null, worse: true }
  }
}

/** Why a verdict is not accepted: it was made by a newer suite, or it is older than allowed. */
function refusal(
  { verdict, suite, startedAt, ...whole }: Verdict,
  { now, maxAgeHours }: Reading,
): Pick<UnjudgedTarget, 'state' | 'because' | 'last'> | null {
  const unknown = verdict === 'conformant' ? unknownVersion(suite.version) : null
  if (unknown !== null) return { state: 'unreadable', because: unknown, last: null }
  if (maxAgeHours === null || now.getTime() - Date.parse(startedAt) <= maxAgeHours * hourMs) return null
  const last = { startedAt, word: headlineWord({ verdict, ...whole }) }
  return { state: 'outdated', because: `no run started in the last ${maxAgeHours} h`, last }
}

const hourMs = 3_600_000

/** The run to compare with, from the history in a target's folder or else from the previous run kept there; null if there is neither. */
async function lastRun(folder: string, current: HistoryLine, now: Date): Promise<HistoryLine | null> {
  const recorded = await lastJudgedIn(join(folder, 'history.jsonl'), current).catch(() => null)
  if (recorded !== null) return recorded.run
  const kept = await readVerdict(join(folder, previousFolder), now).catch(() => null)
  const earlier = kept === null ? [] : runsComparedWith([historyLine(kept)], current)
  return lastJudged(earlier, current)?.run ?? null
}

/** Makes a row from a verdict and the previous run. */
export function rowOf(
  verdict: Verdict,
  { target, last }: { readonly target: Place; readonly last: HistoryLine | null },
): TargetRow {
  const { startedAt, verdict: state } = verdict
  if (state === 'error' || !isJudged(verdict)) {
    return {
      ...target,
      state: state === 'error' ? 'unfinished' : 'unreached',
      worse: state === 'error' || (last !== null && isJudged(last)),
      startedAt,
      because: shownText(verdict.because[0] ?? 'no reason was given'),
      last: last === null ? null : { startedAt: last.startedAt, word: headlineWord(last) },
    }
  }
  const current = historyLine(verdict)
  const changes = last === null ? [] : changesBetween(last, current)
  return {
    ...target,
    state,
    worse: changes.some(isWorse),
    startedAt,
    word: headlineWord(verdict),
    subject: subjectOf(verdict.target),
    cause: gravestCause(verdict),
    change: last === null ? null : changeSince(last, current, changes),
    tone: lookOf(verdict),
    rules: new Map(
      shownRules(verdict.rules).map((rule) => [rule.id, { status: rule.status, says: sentenceOf(rule) }]),
    ),
  }
}

function subjectOf(target: Verdict['target']): string {
  const { baseUrl, embedded } = target
  const address = embedded ? `the ${embeddedSubject}` : (baseUrl ?? 'no target')
  return shownText([...namesOfTarget(target), address].join(', '))
}

function gravestCause(verdict: Verdict): GravestCause | null {
  const [gravest] = verdict.causes
  const all =
    gravest === undefined && verdict.waivers.some(({ used }) => used) ? waivedCauses(verdict) : verdict.causes
  const [cause] = all
  if (cause === undefined) return null
  const kind = gravest === undefined ? 'waived' : cause.warning ? 'warning' : 'violation'
  const { sentence, severity } = cause
  return {
    sentence: shownText(sentence),
    severity,
    nature: natureOf(cause, verdict.rules),
    kind,
    others: all.length - 1,
  }
}

function changeSince(last: HistoryLine, current: HistoryLine, changes: readonly RuleChange[]): TargetChange {
  const counts: Partial<Record<CountedChange, number>> = {}
  for (const { kind, after } of changes) {
    if (kind === 'unchanged') continue
    // A rule that is no longer judged does not mean that the service has become worse.
    const counted = kind === 'worse' && isUnjudged(after) ? 'no longer judged' : kind
    counts[counted] = (counts[counted] ?? 0) + 1
  }
  const others = circumstancesBetween(last, current).map(({ what }) => what)
  return { since: last.startedAt, counts, circumstances: others.filter((what) => what !== 'the seed') }
}
