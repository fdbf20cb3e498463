import type { RuleStatus } from '../../judge/record.ts'
import { andMore, firstOf, groupBy, plural } from '../../text/counts.ts'
import { statuses } from '../../verdict/verdict.ts'
import { listOf, paragraph, plainText } from '../model/document.ts'
import type { Item, Section, Phrase, Tone } from '../model/document.ts'
import { headlineWord, inBrackets, namesOfTarget } from '../model/headline.ts'
import type { ChangeKind, Circumstance } from '../history/changes.ts'
import { terminalText, type Rendering } from '../render/terminal.ts'
import { short } from '../model/document.ts'
import { countedRules } from '../../verdict/counted-rules.ts'
import type { ComparedFinding, ComparedRule, Comparison, Difference } from './comparison.ts'
import { isJudged, type Side } from './side.ts'

/** Title of every comparison. */
export const comparisonTitle = 'Conformance compared'

/** Comparison for a terminal: the runs, each against the first, then every rule that did not pass everywhere. */
export function comparisonText(comparison: Comparison, rendering: Rendering): string {
  return terminalText(comparisonSections(comparison), rendering)
}

/** Sections of a comparison, with the rules that did not pass everywhere. */
function comparisonSections(comparison: Comparison): readonly Section[] {
  return [
    runsSection(comparison),
    ...differenceSections(comparison),
    rulesByRun(comparison),
    {
      id: 'outcome',
      blocks: [paragraph(outcomeSentence(comparison), comparison.worse ? 'bad' : 'good')],
    },
  ]
}

/** Numbered list of the runs. */
export function runsSection({ sides }: Comparison): Section {
  const names = namesOf(sides)
  const items = sides.map((side, index) => sideItem(side, names[index] ?? side.path))
  return { id: 'runs', blocks: [{ kind: 'list', ordered: true, items }] }
}

/** Each run against the first. */
export function differenceSections({ sides, differences }: Comparison): readonly Section[] {
  const [first = '', ...others] = namesOf(sides)
  return differences.map((difference, index) => {
    const { id, ...section } = differenceSection(sides[0], difference, index + 2)
    const title = [
      `${index + 2} against 1 (`,
      { code: others[index] ?? '' },
      ' against ',
      { code: first },
      ')',
    ]
    return { ...section, id, title }
  })
}

/** What runs are called: by label and build, if each has its own, else by path. */
export function namesOf(sides: readonly Side[]): readonly string[] {
  const names = sides.map(({ run }) => namesOfTarget(run.target).join(', '))
  const isTelling = new Set(names).size === sides.length && !names.includes('')
  return sides.map(({ path }, index) => short((isTelling ? names[index] : null) ?? path))
}

function sideItem(side: Side, name: string): Item {
  const { path, run, because } = side
  const reasons = run.verdict === 'error' ? because : []
  const where: Phrase = name === short(path) ? [] : [' (', { code: short(path) }, ')']
  return {
    text: [{ code: name }, ...where, ': ', { strong: headlineWord(run).toUpperCase() }],
    under: [targetText(side), runText(side), countsOf(side), ...reasons].map(short),
  }
}

/** Address with label and version. */
function targetText({ run: { target } }: Side): string {
  const address = target.embedded ? 'the EMBEDDED REFERENCE SERVICE' : (target.baseUrl ?? 'no target')
  return `${address}${inBrackets(target)}, version ${target.version}`
}

function runText({ run }: Side): string {
  const { startedAt, profile, strict, suite, seed } = run
  return `${startedAt.slice(0, 19).replace('T', ' ')} UTC, profile ${profile}${strict ? ', strict' : ''}, suite ${suite.version}, seed ${seed}`
}

function countsOf({ run }: Side): string {
  return counted(countedRules(run.rules).map(({ status }) => status)) || 'no rule was judged'
}

/** `21 passed, 1 failed`: the statuses that occur. */
function counted(of: readonly (RuleStatus | null)[]): string {
  return [...statuses, null]
    .map((status) => ({ status, count: of.filter((one) => one === status).length }))
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${plainText([{ status }])}`)
    .join(', ')
}

function differenceSection(first: Side | undefined, difference: Difference, number: number): Section {
  const { circumstances, observations, rules } = difference
  const unchanged = countedRules(rules.map((rule) => ({ id: rule.rule, ...rule }))).filter(
    ({ kind }) => kind === 'unchanged',
  )
  const counts = unchanged.length === 0 ? '' : ` (${counted(unchanged.map(({ after }) => after))})`
  const observed = observations.map(({ id, before, after }): Item => ({
    text: [{ code: short(id) }, ': ', { code: value(before) }, ' → ', { code: value(after) }],
  }))
  return {
    id: `run-${number}`,
    blocks: [
      ...(first === undefined ? [] : [paragraph(claim(first, difference))]),
      ...listOf(circumstances.map((one) => ({ text: circumstanceText(one) }))),
      paragraph(`${plural(unchanged.length, 'rule')} unchanged${counts}.`),
    ],
    parts: [
      ...groupsOf(difference).map(({ kind, tone, title, rules: members }): Section => ({
        id: kind,
        title,
        tone,
        blocks: listOf(members.map(ruleItem), Infinity),
      })),
      ...(observed.length === 0
        ? []
        : [{ id: 'observed', title: `observed otherwise (${observed.length})`, blocks: listOf(observed) }]),
    ],
  }
}

/** Fixtures that only one of two runs had show no values. */
function circumstanceText({ what, before, after }: Circumstance): Phrase {
  if (after === 'given') return `${what}: in this run only`
  if (before === 'given') return `${what}: in the first run only`
  return [`${what}: `, { code: short(before) }, ' → ', { code: short(after) }]
}

/** What may explain the difference; comes first. */
export function claim(first: Side, { side, sameTarget, circumstances }: Difference): string {
  if (!isJudged(first.run)) return 'The first run judged nothing, so there is nothing to compare with.'
  if (!isJudged(side.run)) return 'This run judged nothing, so all that held in the first is open.'
  if (circumstances.length === 0) {
    return sameTarget
      ? 'The same target, suite and settings.'
      : 'Two targets, the same suite and settings: what differs, differs between the targets.'
  }
  return sameTarget
    ? 'Not judged in the same way, so what came out otherwise need not be a change of the target:'
    : 'Two targets, not judged in the same way, so what differs need not lie with the targets:'
}

/** Kinds of change, worst first, and their titles: between two targets nothing failed newly or was mended, they differ. */
const kinds: readonly (readonly [kind: ChangeKind, tone: Tone, ofOneTarget: string, ofTwo: string])[] = [
  ['newly failing', 'bad', 'newly failing', 'fails here, and not in the first'],
  ['worse', 'bad', 'worse', 'worse than in the first'],
  ['vanished', 'warning', 'vanished: not in this run', 'not in this run'],
  ['changed', 'warning', 'changed, for neither better nor worse', 'different, for neither better nor worse'],
  ['appeared', 'plain', 'appeared: not in the first run', 'not in the first run'],
  ['better', 'good', 'better', 'better than in the first'],
  ['mended', 'good', 'mended', 'breached in the first, and not here'],
]

/** Groups changed rules by kind. */
export function groupsOf({ rules, sameTarget }: Difference) {
  const byKind = groupBy(rules, ({ kind }) => kind)
  return kinds.flatMap(([kind, tone, ofOne, ofTwo]) => {
    const members = byKind.get(kind) ?? []
    const title = `${sameTarget ? ofOne : ofTwo} (${members.length})`
    return members.length === 0 ? [] : [{ kind, tone, title, rules: members }]
  })
}

function ruleItem(rule: ComparedRule): Item {
  const { before, after } = rule
  const course: Phrase =
    before === after ? [{ status: before }, ', as before'] : [{ status: before }, ' → ', { status: after }]
  return { text: [{ code: rule.rule }, ': ', ...course], under: findingLines(rule) }
}

/** Maximum named findings of a rule; the JSON has all. */
const mostFindings = 5

/** Differing findings of a rule, at most five each way, marked `+`, `-` or `not asked this time:`, and a count of the rest. */
export function findingLines({ found, gone, notAsked }: ComparedRule): readonly string[] {
  return [...some(found, '+'), ...some(gone, '-'), ...some(notAsked, 'not asked this time:')]
}

function some(findings: readonly ComparedFinding[], sign: string): readonly string[] {
  const told = findings.map(
    ({ fingerprint, summary }) =>
      `${fingerprint} ${short(summary ?? '(a finding that only the history knows of)')}`,
  )
  return firstOf(told, mostFindings, andMore).map((one) => `${sign} ${one}`)
}

const longestValue = 200

function value(observed: unknown): string {
  const text = observed === null ? 'nothing' : JSON.stringify(observed)
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`
}

function rulesByRun(comparison: Comparison): Section {
  const { sides } = comparison
  const rows = tellingRows(comparison)
  const table = {
    kind: 'table',
    head: ['rule', ...sides.map((_, index) => `${index + 1}`)],
    rows: rows.map((row): readonly Phrase[] => [
      [{ code: row.rule }],
      ...row.statuses.map((status) => [{ status }]),
    ]),
  } as const
  const left = paragraph(`${passedEverywhere(comparison)} in every run.`)
  return { id: 'matrix', title: 'Rule by target', blocks: [...(rows.length === 0 ? [] : [table]), left] }
}

/** How many rules about the service passed everywhere, as `38 rules passed`. */
export function passedEverywhere(comparison: Comparison): string {
  return `${plural(rulesCompared(comparison.matrix.filter(isPassed)), 'rule')} passed`
}

/** How many of these rules are about the service. */
export function rulesCompared(rows: Comparison['matrix']): number {
  return countedRules(rows.map(({ rule }) => ({ id: rule }))).length
}

/** Rules that did not pass everywhere. */
export function tellingRows({ matrix }: Comparison): Comparison['matrix'] {
  return matrix.filter((row) => !isPassed(row))
}

function isPassed({ statuses: all }: Comparison['matrix'][number]): boolean {
  return all.every((status) => status === 'passed')
}

/** Outcome of the comparison in one sentence, matching the exit code. */
export function outcomeSentence({ worse, differences, sides }: Comparison): string {
  const [first = 'the first'] = namesOf(sides)
  if (!worse) return `nothing is worse than in ${first} (exit 0)`
  const worst = differences.flatMap(({ rules }) => rules).filter((rule) => rule.worse)
  const { size } = new Set(worst.map(({ rule }) => rule))
  return `${plural(size, 'rule')} came out worse than in ${first} (exit 1)`
}
