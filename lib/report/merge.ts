import { conclude } from './conclude.ts'
import { fitTogether, type Shard, type ShardVerdict } from './merge-fit.ts'
import { joinedObservations } from './merge-observations.ts'
import { joinedRules } from './merge-rules.ts'
import { groupBy } from './group-by.ts'
import type { Verdict, VerdictWaiver } from './verdict.ts'

export type { ShardVerdict } from './merge-fit.ts'

/** The verdict of the whole run, or why these are not the shards of one. */
export type Merged =
  | { readonly kind: 'verdict'; readonly verdict: Verdict }
  | { readonly kind: 'mistakes'; readonly mistakes: readonly string[] }

/**
 * Joins the verdicts of the shards of a run into the verdict that one run would have had; pure. A shard that is missing, or whose run
 * came to nothing, leaves the run incomplete at least: no rule passes, for nobody knows which cases it has.
 */
export function merged(verdicts: readonly ShardVerdict[]): Merged {
  const fitting = fitTogether(verdicts)
  if (fitting.kind === 'mistakes') return fitting
  const { shards, of, basis } = fitting
  const all = shards.map(({ verdict }) => verdict)
  const absent = absence(shards, of)
  const rules = joinedRules(
    all.map((verdict) => verdict.rules),
    absent,
  )
  const { baseline: _, ...head } = basis
  const verdict: Verdict = {
    ...head,
    ...spanOf(all),
    ...baselineOf(all),
    selection: { only: basis.selection.only, shard: null },
    ...conclusion(shards, { basis, rules, absent }),
    requests: requestsOf(all),
    latencyMs: latencyOf(all),
    rules,
    waivers: waiversOf(all),
    observations: joinedObservations(all.map(({ observations }) => observations)),
  }
  return { kind: 'verdict', verdict }
}

/** Why some cases were not judged by any shard, or null. */
function absence(shards: readonly Shard[], of: number): string | null {
  const missing = Array.from({ length: of }, (_, at) => at + 1).filter(
    (index) => !shards.some((shard) => shard.index === index),
  )
  const reasons = [
    ...missing.map((index) => `shard ${index}/${of} is missing`),
    ...shards.filter(cameToNothing).map(({ index }) => `the run of shard ${index}/${of} came to nothing`),
  ]
  return reasons.length === 0 ? null : reasons.join(', ')
}

function cameToNothing({ verdict }: Shard): boolean {
  return verdict.rules.length === 0
}

const endedEarly = 'the run ended early: '
const suiteFailed = 'the suite itself failed: '

/** As a whole run is concluded; a shard that came to nothing through wrong settings (2), or the suite (4), decides over all but these. */
function conclusion(
  shards: readonly Shard[],
  {
    basis: { profile, selection },
    rules,
    absent,
  }: { readonly basis: Verdict; readonly rules: Verdict['rules']; readonly absent: string | null },
): Pick<Verdict, 'verdict' | 'exitCode' | 'because'> {
  const sentences = shards.flatMap(({ verdict }) => verdict.because)
  const reasons = [
    ...(absent === null ? [] : [absent]),
    ...sentences.filter((one) => one.startsWith(endedEarly)).map((one) => one.slice(endedEarly.length)),
  ]
  const whole = conclude({
    profile,
    filtered: selection.only !== null,
    rules,
    ended: reasons.length === 0 ? null : [...new Set(reasons)].join('; '),
    mishaps: [...new Set(shards.flatMap(mishapsOf))],
  })
  const failed = shards.filter(cameToNothing)
  if (failed.length === 0 || whole.exitCode === 4) return whole
  return {
    verdict: 'error',
    exitCode: failed.some(({ verdict }) => verdict.exitCode === 4) ? 4 : 2,
    because: [
      ...failed.flatMap(({ verdict, index, of }) =>
        verdict.because.map((sentence) => `shard ${index}/${of}: ${sentence}`),
      ),
      ...whole.because,
    ],
  }
}

/** What went wrong in the suite itself while a shard ran, but for what its rules say by themselves. */
function mishapsOf({ verdict, index, of }: Shard): readonly string[] {
  if (verdict.exitCode !== 4 || verdict.rules.length === 0) return []
  const { profile, rules, because } = verdict
  const told = conclude({ profile, filtered: true, rules, ended: null, mishaps: [] })
  const own = because.filter((one) => one.startsWith(suiteFailed) && !told.because.includes(one))
  if (own.length > 0) return own.map((one) => one.slice(suiteFailed.length))
  return told.exitCode === 4 ? [] : [`shard ${index}/${of}: ${because[0] ?? 'no reason is known'}`]
}

/** From the earliest beginning to the latest end. */
function spanOf(verdicts: readonly Verdict[]): Pick<Verdict, 'startedAt' | 'durationMs'> {
  const starts = verdicts.map(({ startedAt }) => Date.parse(startedAt))
  const ends = verdicts.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs)
  const start = Math.min(...starts)
  return { startedAt: new Date(start).toISOString(), durationMs: Math.max(...ends) - start }
}

function requestsOf(verdicts: readonly Verdict[]): Verdict['requests'] {
  const sum = (of: (requests: Verdict['requests']) => number): number =>
    verdicts.reduce((total, { requests }) => total + of(requests), 0)
  const rules = new Set(verdicts.flatMap(({ requests }) => Object.keys(requests.byRule)))
  return {
    sent: sum(({ sent }) => sent),
    retried: sum(({ retried }) => retried),
    confirming: sum(({ confirming }) => confirming),
    budget: sum(({ budget }) => budget),
    byRule: Object.fromEntries([...rules].map((rule) => [rule, sum(({ byRule }) => byRule[rule] ?? 0)])),
  }
}

/** Percentiles cannot be joined. Those of the slowest shard are what no percentile of all answers exceeds, so they stand. */
function latencyOf(verdicts: readonly Verdict[]): Verdict['latencyMs'] {
  const known = verdicts.flatMap(({ latencyMs }) => latencyMs ?? [])
  if (known.length === 0) return null
  const worst = (of: 'p50' | 'p95' | 'p99' | 'max'): number => Math.max(...known.map((one) => one[of]))
  return { p50: worst('p50'), p95: worst('p95'), p99: worst('p99'), max: worst('max') }
}

/** A waiver is used where it is in any shard, and expired where it is in any. */
function waiversOf(verdicts: readonly Verdict[]): readonly VerdictWaiver[] {
  const key = ({ rule, fingerprint, reason, owner, expires }: VerdictWaiver): string =>
    JSON.stringify([rule, fingerprint, reason, owner, expires])
  return [
    ...groupBy(
      verdicts.flatMap(({ waivers }) => waivers),
      key,
    ).values(),
  ].flatMap((same) => {
    const [waiver] = same
    if (waiver === undefined) return []
    return [{ ...waiver, used: same.some(({ used }) => used), expired: same.some(({ expired }) => expired) }]
  })
}

/** What was done with the baseline files, each once. */
function baselineOf(verdicts: readonly Verdict[]): Pick<Verdict, 'baseline'> {
  const known = verdicts.flatMap(({ baseline }) => baseline ?? [])
  if (known.length === 0) return {}
  const each = (texts: readonly string[]): string => [...new Set(texts)].join('; ')
  return { baseline: { file: each(known.map(({ file }) => file)), did: each(known.map(({ did }) => did)) } }
}
