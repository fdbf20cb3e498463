import type { RuleResult, RuleStatus } from '../judge/record.ts'
import type { Waiver } from '../settings/waivers.ts'
import { isPartial } from './verdict.ts'
import type { HistoryLine } from './history-line.ts'

/** What decides which cases are sent to which target. */
export interface Circumstances {
  readonly baseUrl: string | null
  readonly embedded: boolean
  readonly version: string
  readonly profile: string
  readonly seed: number
  readonly fuzzCases: number
  readonly only: readonly string[] | null
}

/** What is known when a waiver covers nothing. */
interface Evidence {
  /** The rules as this run left them. */
  readonly rules: readonly Pick<RuleResult, 'id' | 'status'>[]
  /** Earlier runs that sent the same cases to the same target, oldest first. */
  readonly earlier: readonly HistoryLine[]
}

/**
 * Whether the fault that a waiver is for is gone for certain: earlier runs met it, every time and not only now and then, and the
 * rules that it broke were judged to the end and passed. What the history does not know is never held against a waiver.
 */
export function isStale(waiver: Waiver, { rules, earlier }: Evidence): boolean {
  const broken = new Set(earlier.flatMap((line) => rulesWithFault(waiver, line)))
  const passed = (statusOf: (id: string) => RuleStatus | undefined): boolean =>
    [...broken].every((id) => statusOf(id) === 'passed')
  if (broken.size === 0 || !passed((id) => rules.find((rule) => rule.id === id)?.status)) return false

  const course = earlier.flatMap((line) => {
    if (rulesWithFault(waiver, line).length > 0) return ['met']
    return passed((id) => line.rules.find((rule) => rule.id === id)?.status) ? ['not met'] : []
  })
  const sinceMet = course.slice(course.indexOf('met'))
  const cameBack = sinceMet.includes('not met') && sinceMet.lastIndexOf('met') > sinceMet.indexOf('not met')
  return !cameBack && earlier.every((line) => wasSteady(waiver, line))
}

/** Whether an earlier run sent the same cases to the same target, all of them, so that what it met would be met again. */
export function isLike({
  baseUrl,
  embedded,
  version,
  profile,
  seed,
  fuzzCases,
  only,
}: Circumstances): (line: HistoryLine) => boolean {
  return ({ target, selection, ...line }) =>
    only === null &&
    !isPartial({ selection }) &&
    target.embedded === embedded &&
    (embedded || target.baseUrl === baseUrl) &&
    target.version === version &&
    line.profile === profile &&
    line.seed === seed &&
    line.fuzzCases === fuzzCases
}

function faultsIn({ rule, fingerprint }: Waiver, line: HistoryLine) {
  return line.rules
    .filter(({ id }) => rule === null || id === rule)
    .map(({ id, fingerprints, intermittent }) => ({
      id,
      intermittent,
      met: fingerprints.filter((one) => fingerprint === null || one === fingerprint),
    }))
    .filter(({ met }) => met.length > 0)
}

function rulesWithFault(waiver: Waiver, line: HistoryLine): readonly string[] {
  return faultsIn(waiver, line).map(({ id }) => id)
}

/** A line that does not say it may hide that the fault was intermittent. */
function wasSteady(waiver: Waiver, line: HistoryLine): boolean {
  return faultsIn(waiver, line).every(
    ({ met, intermittent }) => intermittent !== undefined && !met.some((one) => intermittent.includes(one)),
  )
}
