import type { RuleResult, RuleStatus } from '../judge/record.ts'
import { namedFingerprints, type Waiver } from '../settings/waivers.ts'
import type { RunSettings, TargetSettings } from '../settings/settings.ts'
import { isPartial } from './verdict.ts'
import { isSameTarget, type HistoryLine } from './history-line.ts'

/** What decides which cases go to which target. */
export type Circumstances = Pick<TargetSettings, 'baseUrl' | 'embedded' | 'version' | 'label'> &
  Pick<RunSettings, 'profile' | 'seed' | 'fuzzCases' | 'only' | 'essential'>

/** What is known when a waiver covers nothing. */
interface Evidence {
  readonly rules: readonly Pick<RuleResult, 'id' | 'status'>[]
  /** Earlier runs of the same cases against the same target, oldest first. */
  readonly earlier: readonly HistoryLine[]
}

/** Whether a waiver's fault is certainly gone: steady in earlier runs, and now its rules passed completely. Unknown history never counts. */
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

/** Whether an earlier run sent all the same cases to the same target, so that its findings would recur. */
export function isLike(run: Circumstances): (line: HistoryLine) => boolean {
  return (line) =>
    run.only === null &&
    !run.essential &&
    !isPartial(line) &&
    isSameTarget(line, { target: run }) &&
    line.target.version === run.version &&
    line.profile === run.profile &&
    line.seed === run.seed &&
    line.fuzzCases === run.fuzzCases
}

/** An earlier run without the findings that need conditions, if another version of the suite may have sent these otherwise. */
export function asAskedBy(suiteVersion: string): (line: HistoryLine) => HistoryLine {
  return (line) => {
    if (line.suite.version === suiteVersion) return line
    const rules = line.rules.map(({ underConditions = [], ...rule }) => ({
      ...rule,
      fingerprints: rule.fingerprints.filter((one) => !underConditions.includes(one)),
    }))
    return { ...line, rules }
  }
}

function faultsIn(waiver: Waiver, line: HistoryLine) {
  const { rule } = waiver
  const named = namedFingerprints(waiver)
  return line.rules
    .filter(({ id }) => rule === null || id === rule)
    .map(({ id, fingerprints, intermittent, unconfirmed = [] }) => ({
      id,
      unsteady: [...intermittent, ...unconfirmed],
      met: fingerprints.filter((one) => named?.includes(one) ?? true),
    }))
    .filter(({ met }) => met.length > 0)
}

function rulesWithFault(waiver: Waiver, line: HistoryLine): readonly string[] {
  return faultsIn(waiver, line).map(({ id }) => id)
}

function wasSteady(waiver: Waiver, line: HistoryLine): boolean {
  return faultsIn(waiver, line).every(({ met, unsteady }) => !met.some((one) => unsteady.includes(one)))
}
