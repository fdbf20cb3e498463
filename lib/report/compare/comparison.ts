import { resolve } from 'node:path'
import { countedRules, placeOfRule } from '../../specification/rules.ts'
import { jsonText } from '../../text/json.ts'
import { membersNamed, firstOf } from '../../text/members.ts'
import { andMore, plural } from '../../text/printable.ts'
import { historyLine, isSameTarget, keptAsTheyAre, type HistoryLine } from '../../verdict/history-line.ts'
import { readVerdict, VerdictFileError } from '../../verdict/read-verdict.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import {
  changedObservations,
  changesBetween,
  circumstancesBetween,
  circumstanceTexts,
  isJudged,
  isWorse,
  lastJudged,
  type ChangeKind,
  readHistory,
} from '../history/history.ts'
import { shownText } from '../model/finding-view.ts'
import { baseOf, headlineWord, inBrackets, namesOfTarget, outcomes, sentenceOf } from '../model/headline.ts'
import type { Tone } from '../render/terminal.ts'

/** Runs compared side by side, as final strings. */
export type Comparison = ReturnType<typeof compared>

/** Compares runs; pure. */
export function compared(first: Side, others: readonly Side[]) {
  const sides = [first, ...others]
  const names = namesOf(sides)
  const differences = others.map((side) => differenceBetween(first, side))
  const worse = differences.flatMap(({ rules }) => rules.filter((one) => one.worse).map(({ rule }) => rule))
  const { size } = new Set(worse)
  const matrix = matrixOf(sides)
  const differing = matrix.filter(({ statuses }) => statuses.some((status) => status !== 'passed'))
  const alike = matrix.filter((row) => !differing.includes(row)).map(({ rule }) => ({ id: rule }))
  return {
    /** Whether anything is worse in a later run than in the first. */
    worse: size > 0,
    /** The outcome in one sentence, consistent with the exit code. */
    outcome:
      size === 0
        ? `nothing is worse than in ${names[0]} (exit 0)`
        : `${plural(size, 'rule')} ${size === 1 ? 'is' : 'are'} worse than in ${names[0]} (exit 1)`,
    passed: `${plural(countedRules(alike).length, 'rule')} passed in every run.`,
    /** Their names are label and build if these are distinct, otherwise the path. */
    runs: sides.map((side, place) => runView(side, names[place] ?? side.path)),
    /** The rules that did not pass in every run. */
    differing,
    /** Each run compared with the first. */
    differences: differences.map((one, place) => ({
      title: `${place + 2} against 1 (${names[place + 1]} against ${names[0]})`,
      /** The unchanged rules, and what else may explain the differences. */
      lines: linesOf(first, others[place] ?? first, one),
      circumstances: circumstanceTexts(one.circumstances),
      groups: groupsOf(one),
    })),
    /** The same for programs: runs without their rules, all differences, and every rule by run. */
    data: { worse: size > 0, runs: sides.map(runData), differences, matrix },
  }
}

function namesOf(sides: readonly Side[]) {
  const names = sides.map(({ run }) => namesOfTarget(run.target).join(', '))
  const isTelling = new Set(names).size === sides.length && !names.includes('')
  return sides.map(({ path }, index) => shownText((isTelling ? names[index] : null) ?? path))
}

function differenceBetween(first: Side, side: Side) {
  const [before, after] = [first, side].map(summariesIn)
  const told = (fingerprints: readonly string[], summaries = before) =>
    fingerprints.map((fingerprint) => ({ fingerprint, summary: summaries?.get(fingerprint) ?? null }))
  const rules = changesBetween(first.run, side.run).map((change) => ({
    ...change,
    worse: isWorse(change),
    found: told(change.found, after),
    gone: told(change.gone),
    notAsked: told(change.notAsked),
  }))
  return {
    path: side.path,
    sameTarget: isSameTarget(first.run, side.run),
    circumstances: circumstancesBetween(first.run, side.run),
    worse: rules.some(({ worse }) => worse),
    rules: rules.toSorted((a, b) => placeOfRule(a.rule) - placeOfRule(b.rule)),
    observations:
      first.verdict === null || side.verdict === null
        ? []
        : changedObservations(first.verdict.observations, side.verdict.observations),
  }
}

type Difference = ReturnType<typeof differenceBetween>

/** The summaries of findings, by fingerprint; empty for a run from a history. */
function summariesIn({ verdict }: Side): ReadonlyMap<string, string> {
  const findings = (verdict?.rules ?? []).flatMap((rule) => rule.findings)
  return new Map(findings.map(({ fingerprint, summary }) => [fingerprint, summary]))
}

/** The statuses of each rule, in the order of the runs; null for a run that does not have the rule. */
function matrixOf(sides: readonly Side[]) {
  const columns = sides.map(({ run }) => new Map(run.rules.map(({ id, status }) => [id, status])))
  const known = sides.flatMap(({ verdict }) => verdict?.rules ?? [])
  return [...new Set(columns.flatMap((column) => [...column.keys()]))]
    .toSorted((a, b) => placeOfRule(a) - placeOfRule(b))
    .map((rule) => ({
      rule,
      /** The rule's sentence, from the first run that has one. */
      says: sentenceOf(known.find(({ id }) => id === rule) ?? { id: rule }),
      statuses: columns.map((column) => column.get(rule) ?? null),
    }))
}

function runView({ path, run, verdict }: Side, name: string) {
  const { target, startedAt, profile, strict, suite, seed, rules } = run
  const where = name === shownText(path) ? '' : ` (${shownText(path)})`
  const under = [
    `${baseOf(target)}${inBrackets(target)}, version ${target.version}`,
    `${startedAt.slice(0, 19).replace('T', ' ')} UTC, profile ${profile}${strict ? ', strict' : ''}, suite ${suite.version}, seed ${seed}`,
    rules.length === 0 ? 'no rule was judged' : outcomes(countedRules(rules)),
    ...(run.verdict === 'error' ? (verdict?.because ?? []) : []),
  ]
  const text = `${name}${where}: ${headlineWord(run).toUpperCase()}`
  return { name, text, under: under.map((one) => shownText(one)) }
}

function linesOf(first: Side, side: Side, { sameTarget, circumstances, rules }: Difference) {
  const unchanged = rules.flatMap(({ rule: id, kind, after: status }) =>
    kind === 'unchanged' && status !== null ? [{ id, status }] : [],
  )
  const service = countedRules(unchanged)
  return [
    ...(isJudged(first.run) ? [] : ['The first run judged nothing, so there is nothing to compare with.']),
    ...(isJudged(side.run) ? [] : ['This run judged nothing, so it says nothing about the rules.']),
    `${plural(service.length, 'rule')} unchanged${service.length === 0 ? '' : `: ${outcomes(service)}`}.`,
    ...(circumstances.length === 0
      ? []
      : [`Not only the ${sameTarget ? 'service may have changed' : 'targets differ'}:`]),
  ]
}

type Titles = readonly [tone: Tone, ofOneTarget: string, ofTwo: string]

/** Kinds of change, worst first, with their titles. Two different targets get separate titles, because nothing can be newly failing or fixed between them. */
export const kinds: Readonly<Record<Exclude<ChangeKind, 'unchanged'>, Titles>> = {
  'newly failing': ['bad', 'newly failing', 'fails here but not in the first'],
  worse: ['bad', 'worse', 'worse than in the first'],
  vanished: ['warning', 'vanished: not in this run', 'not in this run'],
  changed: ['warning', 'changed, neither better nor worse', 'different, neither better nor worse'],
  appeared: ['plain', 'appeared: not in the first run', 'not in the first run'],
  better: ['good', 'better', 'better than in the first'],
  mended: ['good', 'mended', 'breached in the first but not here'],
}

function groupsOf({ rules, sameTarget }: Difference) {
  return Object.entries(kinds).flatMap(([kind, [tone, ofOne, ofTwo]]) => {
    const items = rules.filter((one) => one.kind === kind).map(changeOf)
    const title = `${sameTarget ? ofOne : ofTwo} (${items.length})`
    return items.length === 0 ? [] : [{ title, tone, items }]
  })
}

/** Maximum number of findings named per rule in each direction; the JSON contains all of them. */
const mostFindings = 5

function changeOf({ rule, before, after, found, gone, notAsked }: Difference['rules'][number]) {
  const was = before ?? 'absent'
  const is = after ?? 'absent'
  const course = was === is ? `${was}, as before` : `${was} → ${is}`
  const named = (sign: string, findings: typeof found) => {
    const all = findings.map(
      ({ fingerprint, summary }) =>
        `${fingerprint} ${shownText(summary ?? '(a finding that only the history knows)')}`,
    )
    return firstOf(all, mostFindings, andMore).map((one) => `${sign} ${one}`)
  }
  const under = [...named('+', found), ...named('-', gone), ...named('not sent this time:', notAsked)]
  return { text: `${rule}: ${course}`, under }
}

function runData({ path, verdict, run }: Side) {
  const told = membersNamed(run, [...keptAsTheyAre, 'requests'])
  return { path, ...told, because: verdict?.because ?? [] }
}

/** A comparison as machine-readable data. */
export function comparisonJson({ data }: Comparison) {
  return `${jsonText({ format: 'card-switch-conformance/comparison/1', ...data }, 2)}\n`
}

/** One side of a comparison. */
export type Side = Readonly<{
  /** As given by the user. */
  path: string
  run: HistoryLine
  /** Null for a run from a history. */
  verdict: Verdict | null
}>

/** Turns a verdict into one side of a comparison. */
export function sideOf(path: string, verdict: Verdict): Side {
  return { path, run: historyLine(verdict), verdict }
}

/**
 * Reads the verdicts to compare from files or reports folders, given by paths relative to the working directory. The first may be
 * a history, from which the last run that is comparable with the second is taken. Throws {@link VerdictFileError} with one line
 * per unreadable file.
 */
export async function readSides(paths: readonly string[], cwd: string): Promise<readonly [Side, ...Side[]]> {
  const [history = ''] = paths
  const runs = await readHistory(resolve(cwd, history))
  const isHistory = runs.length > 0 || history.endsWith('.jsonl')
  const read = await Promise.allSettled(
    paths.slice(isHistory ? 1 : 0).map(async (path) => sideOf(path, await readVerdict(resolve(cwd, path)))),
  )
  const sides = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failures = read.flatMap((one) => (one.status === 'rejected' ? [messageOf(one.reason)] : []))
  const [head, ...rest] = sides
  if (failures.length > 0 || head === undefined) throw new VerdictFileError(failures.join('\n'))
  return isHistory ? [runBefore(head, history, runs), head, ...rest] : [head, ...rest]
}

function messageOf(error: unknown) {
  if (error instanceof VerdictFileError) return error.message
  throw error
}

function runBefore({ path, run }: Side, history: string, runs: readonly HistoryLine[]) {
  const earlier = lastJudged(runs, run)
  if (earlier === null) {
    throw new VerdictFileError(
      `${history} has no run before ${path} with the same target and version (${run.target.baseUrl ?? 'none'}, ${run.target.version}), profile (${run.profile}) and part of the rules; give a verdict.json to compare with`,
    )
  }
  return { path: history, run: earlier.run, verdict: null }
}
