import type { RuleStatus } from '../judge/record.ts'
import { elsewhere, nothingSaid } from '../judge/untested.ts'
import { ruleIds, type RuleId } from '../spec/rules.ts'
import { groupBy } from './group-by.ts'
import { withoutExplained } from './merge-explained.ts'
import { joinedFindings } from './merge-findings.ts'
import type { VerdictRule } from './verdict.ts'

/**
 * The rules of a run from those of its shards, in the order of the catalogue. `absent` says why some cases of any rule were not
 * judged at all (a shard is missing), or is null.
 */
export function joinedRules(
  shards: readonly (readonly VerdictRule[])[],
  absent: string | null,
): readonly VerdictRule[] {
  return [...groupBy(withoutExplained(shards).flat(), ({ id }) => id)]
    .flatMap(([, parts]) => joinedRule(parts, absent))
    .toSorted((a, b) => placeOf(a.id) - placeOf(b.id))
}

const places: ReadonlyMap<RuleId, number> = new Map(ruleIds.map((id, place) => [id, place]))

function placeOf(id: RuleId): number {
  return places.get(id) ?? places.size
}

function joinedRule(parts: readonly VerdictRule[], absent: string | null): readonly VerdictRule[] {
  const [first] = parts
  if (first === undefined) return []
  const findings = joinedFindings(parts.map((part) => part.findings))
  return [
    {
      ...first,
      ...statusOf(parts, findings, absent),
      answers: parts.reduce((sum, { answers }) => sum + answers, 0),
      sample: parts.find(({ sample }) => sample !== null)?.sample ?? null,
      findings,
    },
  ]
}

/**
 * As one run would have settled it: a breach outweighs what could not be judged, that outweighs what a case could not be tested
 * for, and a rule has passed where every case that any shard has of it did.
 */
function statusOf(
  parts: readonly VerdictRule[],
  findings: VerdictRule['findings'],
  absent: string | null,
): Pick<VerdictRule, 'status' | 'because'> {
  const has = (status: RuleStatus): boolean => parts.some((part) => part.status === status)
  if (has('failed')) return { status: 'failed', because: null }
  if (has('warned')) return { status: 'warned', because: null }
  if (findings.length > 0) return { status: 'waived', because: unique(findings.map(({ waived }) => waived)) }

  const inconclusive = parts.filter(({ status }) => status === 'inconclusive')
  if (inconclusive.length > 0)
    return { status: 'inconclusive', because: unique(inconclusive.map(({ because }) => because)) }

  const untested = parts.filter(({ status }) => status !== 'passed')
  const lacking = untested.filter(
    (part) => !saysOnlyThat(part, elsewhere) && !saysOnlyThat(part, nothingSaid),
  )
  if (lacking.length > 0) return statusOfUntested(lacking)
  if (absent !== null) return { status: 'inconclusive', because: absent }
  if (has('passed')) return { status: 'passed', because: null }

  const silent = untested.filter((part) => !saysOnlyThat(part, elsewhere))
  return statusOfUntested(silent.length > 0 ? silent : untested)
}

/** Waived, where a waiver covers that it could not be tested, in every part that has a say. */
function statusOfUntested(parts: readonly VerdictRule[]): Pick<VerdictRule, 'status' | 'because'> {
  const open = parts.filter(({ status }) => status === 'untested')
  return open.length > 0
    ? { status: 'untested', because: unique(open.map(({ because }) => because)) }
    : { status: 'waived', because: unique(parts.map(({ because }) => because)) }
}

/** Whether a rule is untested for this reason, or would be if no waiver covered it. */
function saysOnlyThat({ because }: VerdictRule, reason: string): boolean {
  return because === reason || because?.startsWith(`untested (${reason}); `) === true
}

/** Each reason once: a shard that had several has joined them already. */
function unique(reasons: readonly (string | null | undefined)[]): string {
  return [...new Set(reasons.flatMap((reason) => reason?.split('; ') ?? []))].join('; ')
}
