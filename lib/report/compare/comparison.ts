import type { RuleStatus } from '../../judge/record.ts'
import {
  changedObservations,
  changesBetween,
  circumstancesBetween,
  isWorse,
  type RuleChange,
  type Circumstance,
} from '../history/changes.ts'
import { isSameTarget } from '../../verdict/history-line.ts'
import { jsonText } from '../../text/json-text.ts'
import { placeOfRule } from '../../specification/catalogue.ts'
import { namesOfTarget } from '../model/headline.ts'
import { sentenceOf } from '../model/rule-counts.ts'
import { short } from '../model/document.ts'
import { plural } from '../../text/counts.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import type { Side } from './side.ts'

/** A finding that occurs in only one of two runs. The summary is null if only the history contains the finding. */
export interface ComparedFinding {
  readonly fingerprint: string
  readonly summary: string | null
}

/** A rule in two runs, with summaries of its findings. */
export interface ComparedRule extends Omit<RuleChange, 'found' | 'gone' | 'notAsked'> {
  readonly worse: boolean
  readonly found: readonly ComparedFinding[]
  readonly gone: readonly ComparedFinding[]
  readonly notAsked: readonly ComparedFinding[]
}

/** A run compared with the first one. */
export interface Difference {
  readonly side: Side
  readonly sameTarget: boolean
  /** Differences other than the target. */
  readonly circumstances: readonly Circumstance[]
  readonly rules: readonly ComparedRule[]
  readonly observations: ReturnType<typeof changedObservations>
  readonly worse: boolean
}

/** The statuses of a rule, in the order of the runs; null for a run that does not have the rule. */
interface MatrixRow {
  readonly rule: string
  /** The rule's sentence, from the first run that has one. */
  readonly says: string
  readonly statuses: readonly (RuleStatus | null)[]
}

/** Runs compared side by side. */
export interface Comparison {
  /** The first side is the baseline for the comparison. */
  readonly sides: readonly Side[]
  readonly differences: readonly Difference[]
  /** Every rule in any of the runs, in catalogue order, and the rules that did not pass in every run. */
  readonly matrix: readonly MatrixRow[]
  readonly differing: readonly MatrixRow[]
  /** `36 rules passed in every run.` */
  readonly passed: string
  /** Whether anything is worse in a later run than in the first. */
  readonly worse: boolean
  /** Names of the runs: label and build if these are distinct, otherwise the path. */
  readonly names: readonly string[]
  /** The outcome in one sentence, consistent with the exit code. */
  readonly outcome: string
}

/** Compares runs; pure. */
export function compared(first: Side, others: readonly Side[]): Comparison {
  const sides = [first, ...others]
  const differences = others.map((side) => difference(first, side))
  const worse = differences.flatMap(({ rules }) => rules.filter((one) => one.worse).map(({ rule }) => rule))
  const names = namesOf(sides)
  const { size } = new Set(worse)
  const outcome =
    size === 0
      ? `nothing is worse than in ${names[0]} (exit 0)`
      : `${plural(size, 'rule')} ${size === 1 ? 'is' : 'are'} worse than in ${names[0]} (exit 1)`
  const matrix = matrixOf(sides)
  const differing = matrix.filter(({ statuses }) => statuses.some((status) => status !== 'passed'))
  const alike = matrix.filter((row) => !differing.includes(row)).map(({ rule }) => ({ id: rule }))
  const passed = `${plural(countedRules(alike).length, 'rule')} passed in every run.`
  return { sides, differences, matrix, differing, passed, worse: size > 0, names, outcome }
}

function namesOf(sides: readonly Side[]): readonly string[] {
  const names = sides.map(({ run }) => namesOfTarget(run.target).join(', '))
  const isTelling = new Set(names).size === sides.length && !names.includes('')
  return sides.map(({ path }, index) => short((isTelling ? names[index] : null) ?? path))
}

function difference(first: Side, side: Side): Difference {
  const rules = changesBetween(first.run, side.run).map((change) => ({
    ...change,
    worse: isWorse(change),
    found: change.found.map((fingerprint) => findingOf(side, fingerprint)),
    gone: change.gone.map((fingerprint) => findingOf(first, fingerprint)),
    notAsked: change.notAsked.map((fingerprint) => findingOf(first, fingerprint)),
  }))
  return {
    side,
    sameTarget: isSameTarget(first.run, side.run),
    circumstances: circumstancesBetween(first.run, side.run),
    worse: rules.some(({ worse }) => worse),
    rules: rules.toSorted((a, b) => placeOfRule(a.rule) - placeOfRule(b.rule)),
    observations: changedObservations(first.run, side.run),
  }
}

function findingOf({ findings }: Side, fingerprint: string): ComparedFinding {
  return { fingerprint, summary: findings.get(fingerprint) ?? null }
}

function matrixOf(sides: readonly Side[]): readonly MatrixRow[] {
  const columns = sides.map(({ run }) => new Map(run.rules.map(({ id, status }) => [id, status])))
  return [...new Set(columns.flatMap((column) => [...column.keys()]))]
    .toSorted((a, b) => placeOfRule(a) - placeOfRule(b))
    .map((rule) => ({
      rule,
      says:
        sides.find(({ sentences }) => sentences.has(rule))?.sentences.get(rule) ?? sentenceOf({ id: rule }),
      statuses: columns.map((column) => column.get(rule) ?? null),
    }))
}

const comparisonFormat = 'card-switch-conformance/comparison/1'

/** A comparison as machine-readable data: runs without their rules, all differences, and every rule by run. */
export function comparisonJson({ sides, differences, matrix, worse }: Comparison): string {
  const runs = sides.map(({ path, because, run }) => {
    const { suite, target, profile, strict, seed, fuzzCases, selection, startedAt, durationMs } = run
    const { verdict, exitCode, requests, latencyMs } = run
    const asked = { suite, target, profile, strict, seed, fuzzCases, selection }
    return { path, verdict, exitCode, because, ...asked, startedAt, durationMs, requests, latencyMs }
  })
  const plain = differences.map(({ side, ...rest }) => ({ path: side.path, ...rest }))
  return `${jsonText({ format: comparisonFormat, worse, runs, differences: plain, matrix }, 2)}\n`
}
