import { isObject } from '../drift/shape.ts'
import { type RuleStatus, isSteady } from '../judge/record.ts'
import { profiles } from '../settings/profiles.ts'
import { fitsExitCode } from './contradictions.ts'
import { statuses, type Verdict } from './verdict.ts'

/** The name of the format of a line of the history. */
const historyFormat = 'card-switch-conformance/history/1'

/** A run in the history: enough to say what changed and under which circumstances; no exchange. */
export interface HistoryLine extends Pick<
  Verdict,
  | 'suite'
  | 'target'
  | 'profile'
  | 'strict'
  | 'seed'
  | 'fuzzCases'
  | 'ruleSet'
  | 'selection'
  | 'startedAt'
  | 'durationMs'
  | 'verdict'
  | 'exitCode'
  | 'latencyMs'
  | 'observations'
> {
  readonly format: typeof historyFormat
  readonly requests: { readonly sent: number; readonly budget: number }
  /** Waivers that covered anything; absent if none. */
  readonly exceptions?: number
  readonly rules: readonly HistoryRule[]
}

/** A rule of a run in the history. */
export interface HistoryRule {
  readonly id: string
  readonly status: RuleStatus
  /** Fingerprints of all findings. */
  readonly fingerprints: readonly string[]
  /** Fingerprints that a waiver covers; absent if none. */
  readonly waived?: readonly string[]
  /** Fingerprints of waived breaches of any rule because of which it is waived, too; absent if none. */
  readonly follows?: readonly string[]
  /** Fingerprints not met on every try. */
  readonly intermittent: readonly string[]
  /** Fingerprints of findings that need conditions, which another run need not send; absent if none. */
  readonly underConditions?: readonly string[]
}

/** A verdict as a line of the history. */
export function historyLine(verdict: Verdict): HistoryLine {
  const { suite, target, profile, strict, seed, fuzzCases, ruleSet, selection } = verdict
  const { startedAt, durationMs, exitCode, latencyMs, observations, requests } = verdict
  const exceptions = verdict.waivers.filter(({ used }) => used).length
  return {
    format: historyFormat,
    suite,
    target,
    profile,
    strict,
    seed,
    fuzzCases,
    ...(ruleSet === undefined ? {} : { ruleSet }),
    selection,
    startedAt,
    durationMs,
    verdict: verdict.verdict,
    exitCode,
    latencyMs,
    observations,
    requests: { sent: requests.sent, budget: requests.budget },
    ...(exceptions === 0 ? {} : { exceptions }),
    rules: verdict.rules.map((rule) => {
      const { id, status, findings } = rule
      const fingerprints = findings.map(({ fingerprint }) => fingerprint)
      const waived = findings.flatMap(({ fingerprint, waived: reason }) =>
        reason === undefined ? [] : [fingerprint],
      )
      const intermittent = findings.filter((one) => !isSteady(one)).map(({ fingerprint }) => fingerprint)
      const underConditions = findings
        .filter(({ sent }) => sent?.conditions !== undefined)
        .map(({ fingerprint }) => fingerprint)
      const follows = status === 'waived' ? (rule.follows ?? []).map(({ fingerprint }) => fingerprint) : []
      return {
        id,
        status,
        fingerprints,
        ...(waived.length === 0 ? {} : { waived }),
        ...(follows.length === 0 ? {} : { follows }),
        intermittent,
        ...(underConditions.length === 0 ? {} : { underConditions }),
      }
    }),
  }
}

/** What identifies a target. */
type JudgedTarget = Pick<HistoryLine['target'], 'baseUrl' | 'embedded'>

/** Whether two runs judged the same service. The embedded one is the same whatever its port. */
export function isSameTarget(
  { target: one }: { readonly target: JudgedTarget },
  { target: other }: { readonly target: JudgedTarget },
): boolean {
  return one.embedded === other.embedded && (one.embedded || one.baseUrl === other.baseUrl)
}

/** Parses a history line; null if a crash, a hand or another version left something else. */
export function parsedLine(text: string): HistoryLine | null {
  try {
    const value: unknown = JSON.parse(text)
    return isHistoryLine(value) && fitsExitCode(value) ? value : null
  } catch {
    return null
  }
}

type Guard = (value: unknown) => boolean

const isText: Guard = (value) => typeof value === 'string'
const isNumber: Guard = (value) => typeof value === 'number'
const isFlag: Guard = (value) => typeof value === 'boolean'
const texts = listOf(isText)

/** What readers of the history rely on; later versions may add anything else. */
const fits = shapeOf({
  format: (value) => value === historyFormat,
  suite: shapeOf({ version: isText }),
  target: shapeOf({
    baseUrl: orNull(isText),
    embedded: isFlag,
    version: isText,
    label: orNull(isText),
    endpoints: texts,
    notJudged: listOf(shapeOf({ endpoint: isText, because: isText, waived: orAbsent(isText) })),
  }),
  profile: (value) => Object.keys(profiles).some((name) => name === value),
  strict: isFlag,
  seed: isNumber,
  fuzzCases: isNumber,
  ruleSet: orAbsent(orNull(isText)),
  selection: shapeOf({ only: orNull(texts), essential: orAbsent(isFlag) }),
  startedAt: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
  durationMs: isNumber,
  verdict: (value) => ['conformant', 'nonconformant', 'incomplete', 'error'].some((word) => word === value),
  exitCode: (value) => [0, 1, 2, 3, 4].some((code) => code === value),
  latencyMs: orNull(shapeOf({ p50: isNumber, p95: isNumber, p99: isNumber, max: isNumber })),
  observations: listOf(shapeOf({ id: isText })),
  requests: shapeOf({ sent: isNumber, budget: isNumber }),
  exceptions: orAbsent(isNumber),
  rules: listOf(
    shapeOf({
      id: isText,
      status: (value) => statuses.some((status) => status === value),
      fingerprints: texts,
      waived: orAbsent(texts),
      follows: orAbsent(texts),
      intermittent: texts,
      underConditions: orAbsent(texts),
    }),
  ),
})

function isHistoryLine(value: unknown): value is HistoryLine {
  return fits(value)
}

function shapeOf(guards: Readonly<Record<string, Guard>>): Guard {
  const entries = Object.entries(guards)
  return (value) => isObject(value) && entries.every(([name, guard]) => guard(value[name]))
}

function listOf(guard: Guard): Guard {
  return (value) => Array.isArray(value) && value.every(guard)
}

function orNull(guard: Guard): Guard {
  return (value) => value === null || guard(value)
}

function orAbsent(guard: Guard): Guard {
  return (value) => value === undefined || guard(value)
}
