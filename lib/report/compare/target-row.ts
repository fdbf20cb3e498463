import { join, resolve } from 'node:path'
import type { Cause } from '../../explain/causes.ts'
import type { RuleStatus } from '../../judge/record.ts'
import { unknownVersion } from '../../settings/package-version.ts'
import { isRuleId } from '../../specification/rules.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { readVerdict, VerdictFileError } from '../../verdict/read-verdict.ts'
import { shownRules } from '../../verdict/counted-rules.ts'
import type { Verdict, VerdictWord } from '../../verdict/verdict.ts'
import { natureOf, waivedCauses } from '../model/cause-text.ts'
import { isThere, previousFolder } from '../folder/previous-run.ts'
import { embeddedSubject, headlineWord, namesOfTarget } from '../model/headline.ts'
import {
  changeKinds,
  changesBetween,
  circumstancesBetween,
  isWorse,
  type ChangeKind,
  type RuleChange,
} from '../history/changes.ts'
import { lastJudgedIn } from '../history/history.ts'
import { lastJudged, runsComparedWith } from '../history/last-judged.ts'
import { toneOfVerdict } from '../render/icons.ts'
import { short } from '../model/document.ts'
import { sentenceOf } from '../model/rule-counts.ts'
import type { ExpectedTarget } from './expected-targets.ts'
import { isJudged } from './side.ts'

/** A line of many targets: what its last run says of it. */
export type TargetRow = JudgedTarget | UnjudgedTarget

interface Target extends ExpectedTarget {
  /** Whether anything is worse than in the target's own last run, or its verdict is missing. */
  readonly worse: boolean
  /** Its page, or its verdict if there is none, in its folder; null without either. */
  readonly report: 'index.html' | 'verdict.json' | null
}

/** A target of which a rule was judged. */
export interface JudgedTarget extends Target {
  readonly kind: 'judged'
  readonly verdict: Exclude<VerdictWord, 'error'>
  /** The verdict with its qualifications. */
  readonly word: string
  readonly tone: RuleStatus
  /** Label, build and address. */
  readonly subject: string
  readonly startedAt: string
  readonly cause: GravestCause | null
  readonly rules: ReadonlyMap<string, RuleStatus>
  /** Sentences of the rules that the catalogue does not have. */
  readonly ownRules: ReadonlyMap<string, string>
  /** Null without an earlier run to compare with. */
  readonly change: TargetChange | null
}

/**
 * A target without a judged rule. `unreached`: its run ended before; `unfinished`: its run failed, or did not finish; `unreadable`: its
 * verdict cannot be read; `outdated`: it is older than asked for; `absent`: it has none.
 */
interface UnjudgedTarget extends Target {
  readonly kind: 'unreached' | 'unfinished' | 'unreadable' | 'outdated' | 'absent'
  readonly because: string
  readonly startedAt: string | null
  /** Start and verdict of the run before; null if none is known. */
  readonly last: { readonly startedAt: string; readonly word: string } | null
}

/** What is reported of a target in the place of its verdict. */
type Unaccepted = Omit<UnjudgedTarget, keyof ExpectedTarget | 'report'>

/** The gravest cause of a verdict, and how many more there are; null where a waiver or nothing covers all. */
export interface GravestCause extends Pick<Cause, 'sentence' | 'severity'> {
  readonly nature: string
  readonly kind: 'violation' | 'warning' | 'waived'
  readonly others: number
}

/** A kind of change of rules, for counts. */
type CountedChange = Exclude<ChangeKind, 'unchanged'> | 'not judged any more'

/** Changes since a target's own last run. */
interface TargetChange {
  /** Start of that run. */
  readonly since: string
  /** Rules by kind of change; kinds without any are missing. */
  readonly counts: ReadonlyMap<CountedChange, number>
  /** What else changed, besides the seed: `the suite`. */
  readonly circumstances: readonly string[]
}

/** Kinds of change, the most interesting first. */
export const countedChanges: readonly CountedChange[] = changeKinds.flatMap((kind) =>
  kind === 'vanished' ? ['not judged any more' as const, kind] : [kind],
)

/** Where targets are read, and when. */
export interface Reading {
  /** Working folder, which paths are from. */
  readonly cwd: string
  readonly now: Date
  /** Maximum age of a verdict, in hours; null without one. */
  readonly maxAgeHours: number | null
}

/** Maximum verdicts in memory at once; reading one waits for the disk while another one is parsed. */
const atOnce = 3

/** Reads what the last runs say of targets, few at once, and keeps a row of each. */
export async function readTargets(
  expected: readonly ExpectedTarget[],
  reading: Reading,
): Promise<readonly TargetRow[]> {
  const rows: TargetRow[] = []
  const left = expected.values()
  const readNext = async (): Promise<void> => {
    for (const target of left) rows.push(await readTarget(target, reading))
  }
  await Promise.all(Array.from({ length: atOnce }, readNext))
  return rows
}

async function readTarget(target: ExpectedTarget, reading: Reading): Promise<TargetRow> {
  const { cwd, now } = reading
  const folder = resolve(cwd, target.path)
  const nothing = { startedAt: null, last: null, report: null, worse: true } as const
  if (!(await isThere(join(folder, 'verdict.json'))))
    return { ...target, ...nothing, kind: 'absent', because: `no verdict.json in ${target.path}` }
  try {
    const verdict = await readVerdict(folder, now)
    const report = (await isThere(join(folder, 'index.html'))) ? 'index.html' : 'verdict.json'
    const unaccepted = unknownIn(verdict) ?? outdatedSince(verdict, reading)
    if (unaccepted !== null) return { ...target, report, ...unaccepted }
    const last = await lastRun(folder, historyLine(verdict), now)
    return rowOf(verdict, { target: { ...target, report }, last })
  } catch (error) {
    if (!(error instanceof VerdictFileError)) throw error
    return {
      ...target,
      ...nothing,
      kind: 'unreadable',
      because: error.message.replaceAll(folder, target.path),
    }
  }
}

/** What is reported of a conformant verdict by a newer suite, whose rules are not known here; null for any other. */
function unknownIn({ verdict, suite, startedAt }: Verdict): Unaccepted | null {
  const because = unknownVersion(suite.version)
  if (verdict !== 'conformant' || because === null) return null
  return { kind: 'unreadable', because, startedAt, last: null, worse: true }
}

/** What is told of a verdict that is too old, so that yesterday's cannot pass for today's; null for any other. */
function outdatedSince(verdict: Verdict, { now, maxAgeHours }: Reading): Unaccepted | null {
  const { startedAt } = verdict
  if (maxAgeHours === null || now.getTime() - Date.parse(startedAt) <= maxAgeHours * hourMs) return null
  const because = `no run began in the last ${maxAgeHours} h`
  return {
    kind: 'outdated',
    because,
    startedAt,
    last: { startedAt, word: headlineWord(verdict) },
    worse: true,
  }
}

const hourMs = 3_600_000

/** What the history in a target's folder says of the last runs, else the run that is kept there; null without either. */
async function lastRun(folder: string, current: HistoryLine, now: Date): Promise<HistoryLine | null> {
  const recorded = await lastJudgedIn(join(folder, 'history.jsonl'), current).catch(() => null)
  if (recorded !== null) return recorded.run
  const kept = await readVerdict(join(folder, previousFolder), now).catch(() => null)
  return kept === null
    ? null
    : (lastJudged(runsComparedWith([historyLine(kept)], current), current)?.run ?? null)
}

/** A row of a verdict, which was read, and of the run before. */
export function rowOf(
  verdict: Verdict,
  {
    target,
    last,
  }: {
    readonly target: ExpectedTarget & Pick<Target, 'report'>
    readonly last: HistoryLine | null
  },
): TargetRow {
  const { startedAt, because, rules, verdict: state } = verdict
  if (state === 'error' || !isJudged(verdict)) {
    const kind = state === 'error' ? 'unfinished' : 'unreached'
    const worse = kind === 'unfinished' || (last !== null && isJudged(last))
    const before = last === null ? null : { startedAt: last.startedAt, word: headlineWord(last) }
    return {
      ...target,
      kind,
      because: short(because[0] ?? 'no reason was given'),
      startedAt,
      last: before,
      worse,
    }
  }
  const changes = last === null ? [] : changesBetween(last, historyLine(verdict))
  return {
    ...target,
    kind: 'judged',
    verdict: state,
    word: headlineWord(verdict),
    tone: toneOfVerdict(verdict),
    subject: subjectOf(verdict.target),
    startedAt,
    cause: gravestCause(verdict),
    rules: new Map(shownRules(rules).map(({ id, status }) => [id, status])),
    ownRules: new Map(rules.filter(({ id }) => !isRuleId(id)).map((rule) => [rule.id, sentenceOf(rule)])),
    change: last === null ? null : changeSince(last, { current: historyLine(verdict), changes }),
    worse: changes.some(isWorse),
  }
}

function subjectOf(target: Verdict['target']): string {
  const { baseUrl, embedded } = target
  const address = embedded ? `the ${embeddedSubject}` : (baseUrl ?? 'no target')
  return short([...namesOfTarget(target), address].join(', '))
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
    sentence: short(sentence),
    severity,
    nature: natureOf(cause, verdict.rules),
    kind,
    others: all.length - 1,
  }
}

function changeSince(
  last: HistoryLine,
  { current, changes }: { readonly current: HistoryLine; readonly changes: readonly RuleChange[] },
): TargetChange {
  const counts = new Map<CountedChange, number>()
  for (const change of changes) {
    const kind = countedAs(change)
    if (kind !== null) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  const circumstances = circumstancesBetween(last, current).map(({ what }) => what)
  return { since: last.startedAt, counts, circumstances: circumstances.filter((what) => what !== 'the seed') }
}

/** A rule that was judged and is no more is no worse service. */
function countedAs({ kind, after }: RuleChange): CountedChange | null {
  if (kind === 'unchanged') return null
  return kind === 'worse' && (after === 'inconclusive' || after === 'untested') ? 'not judged any more' : kind
}
