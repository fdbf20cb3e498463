import { openFindings, type Cause } from '../../explain/causes.ts'
import type { RuleStatus } from '../../judge/record.ts'
import { historyLine, type HistoryCause, type HistoryLine } from '../../verdict/history-line.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { changesBetween, isUnjudged, textsWithout, type RuleChange } from './changes.ts'

/**
 * What became of a cause that only the earlier of two runs has.
 * - `fixed`: its finding was asked for again, and not met.
 * - `waived`: a waiver covers it now. `not judged`: its rule was not judged now.
 * - `not asked`: it needs conditions that the later run did not send. `not met`: it came only sometimes, so that nothing may be fixed.
 */
export type Departure = 'fixed' | 'waived' | 'not judged' | 'not asked' | 'not met'

/** A cause that only the earlier of two runs has. */
export interface GoneCause extends HistoryCause {
  readonly how: Departure
}

/** Causes of two runs of one target. */
export interface CauseChanges {
  readonly appeared: readonly Cause[]
  readonly remaining: readonly Cause[]
  readonly gone: readonly GoneCause[]
  /** Rules that were judged in the earlier run, and are not in the later one. */
  readonly unjudged: number
}

/** Causes that are new, still there, or gone since an earlier run. A cause is the same if it shares a finding or its sentence. */
export function causeChanges(before: HistoryLine, verdict: Verdict): CauseChanges {
  const known = new Set(
    before.rules.flatMap(({ fingerprints, waived = [] }) => textsWithout(fingerprints, waived)),
  )
  const sentences = new Set(before.causes.map(({ sentence }) => sentence))
  const wasThere = ({ fingerprints, sentence }: Cause): boolean =>
    fingerprints.some((one) => known.has(one)) || sentences.has(sentence)
  const after = historyLine(verdict)
  const changes = changesBetween(before, after)
  return {
    appeared: verdict.causes.filter((cause) => !wasThere(cause)),
    remaining: verdict.causes.filter(wasThere),
    gone: goneCauses(before, { verdict, after, changes }),
    unjudged: changes.filter((one) => isJudged(one.before) && isUnjudged(one.after)).length,
  }
}

function isJudged(status: RuleStatus | null): boolean {
  return status !== null && !isUnjudged(status)
}

interface LaterRun {
  readonly verdict: Verdict
  readonly after: HistoryLine
  readonly changes: readonly RuleChange[]
}

function goneCauses(before: HistoryLine, { verdict, after, changes }: LaterRun): readonly GoneCause[] {
  const byRule = new Map(changes.map((change) => [change.rule, change]))
  const open = new Set(verdict.rules.flatMap((rule) => openFindings(rule).map((one) => one.fingerprint)))
  const waived = new Set(after.rules.flatMap((rule) => rule.waived ?? []))
  const intermittent = new Set(before.rules.flatMap((rule) => rule.intermittent))
  const sentences = new Set(verdict.causes.map(({ sentence }) => sentence))
  return before.causes
    .filter(({ fingerprint, sentence }) => !open.has(fingerprint) && !sentences.has(sentence))
    .map((cause) => ({
      ...cause,
      how: departureOf(cause, { waived, intermittent, change: byRule.get(cause.rule) }),
    }))
}

interface Now {
  readonly waived: ReadonlySet<string>
  /** Fingerprints that came only sometimes in the earlier run. */
  readonly intermittent: ReadonlySet<string>
  readonly change: RuleChange | undefined
}

function departureOf({ fingerprint }: HistoryCause, { waived, intermittent, change }: Now): Departure {
  if (waived.has(fingerprint)) return 'waived'
  const after = change?.after ?? null
  if (after === null || isUnjudged(after)) return 'not judged'
  if (change?.notAsked.includes(fingerprint) === true) return 'not asked'
  return intermittent.has(fingerprint) ? 'not met' : 'fixed'
}
