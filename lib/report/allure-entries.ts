import type { RuleStatus, ShownExchange } from '../judge/record.ts'
import { isIntermittent } from '../judge/reproduced.ts'
import { areaOf, type Level } from '../spec/rules.ts'
import { findingLine, findingSteps, wordOf, type FindingStep } from './allure-findings.ts'
import { clustered } from './clustered.ts'
import { plural } from './plural.ts'
import { beginning, printable } from '../settings/printable.ts'
import { sentenceOf } from './rule-sentence.ts'
import { shown } from './summary-text.ts'
import { openFindings } from '../judge/causes.ts'
import type { Verdict, VerdictRule } from '../verdict/verdict.ts'
import { waiverNotes } from './waiver-notes.ts'

/** What Allure counts a result as. */
export type AllureStatus = 'passed' | 'failed' | 'broken' | 'skipped'

/** A result as Allure is to show it: a rule, or what is to be said of the run itself. */
export interface AllureEntry {
  readonly id: string
  readonly name: string
  readonly area: string
  /** The sentence that holds or does not. */
  readonly story: string
  readonly description: string
  readonly severity: 'critical' | 'normal' | 'minor' | 'trivial'
  readonly tags: readonly string[]
  readonly status: AllureStatus
  /** Begins with what Allure's four statuses cannot say, as in `untested: …`; null where a rule passed. */
  readonly message: string | null
  readonly sample: ShownExchange | null
  readonly steps: readonly FindingStep[]
}

/** Not judged is neither passed nor failed: what went wrong is broken, what was never to be judged is skipped. */
const statuses: Readonly<Record<RuleStatus, AllureStatus>> = {
  passed: 'passed',
  warned: 'passed',
  failed: 'failed',
  waived: 'skipped',
  untested: 'skipped',
  inconclusive: 'broken',
}

const severities: Readonly<Record<Level, AllureEntry['severity']>> = {
  documented: 'critical',
  implied: 'normal',
  requested: 'minor',
  expectation: 'trivial',
}

const mostLines = 10
const longestReason = 1_000

/** Everything that Allure is to show of a verdict: its rules, and the run where these do not say all. */
export function allureEntries(verdict: Verdict): readonly AllureEntry[] {
  return [...verdict.rules.map(ruleEntry), ...runEntries(verdict)]
}

function ruleEntry(rule: VerdictRule): AllureEntry {
  const { id, level, section, status, answers, sample } = rule
  const sentence = sentenceOf(id)
  // Allure has no status for these, and a list shows names only.
  const mark = status === 'passed' || status === 'failed' ? '' : ` [${status}]`
  return {
    id,
    name: printable(`${id}: ${sentence}${mark}`),
    area: areaOf(id),
    story: sentence,
    // Allure reads it as Markdown.
    description: shown(
      `${sentence} (${section}). ${level}; ${plural(answers, 'answer')} judged.`,
      longestReason,
    ),
    severity: severities[level],
    tags: [level, status, ...(rule.findings.some(isIntermittent) ? ['intermittent'] : [])],
    status: statuses[status],
    message: messageOf(rule),
    sample,
    steps: findingSteps(rule),
  }
}

function messageOf(rule: VerdictRule): string | null {
  const { status, because } = rule
  if (status === 'passed') return null
  if (status !== 'failed' && status !== 'warned') return `${status}: ${reason(because)}`

  const findings = clustered(openFindings(rule))
  const [first] = findings
  const word = status === 'warned' ? 'warned' : first === undefined ? 'violation' : wordOf(first, rule)
  const more = findings.length - mostLines
  return [
    `${word}: ${findings.slice(0, mostLines).map(findingLine).join('\n')}`,
    ...(more > 0 ? [`… and ${more} more`] : []),
  ].join('\n')
}

/** Skipped and broken rules may leave a pipeline green: a run without a verdict shows by a result of its own. */
function runEntries(verdict: Verdict): readonly AllureEntry[] {
  const { verdict: word, exitCode, because, rules } = verdict
  const carried = word === 'conformant' || rules.some(({ status }) => status === 'failed')
  const isWhole = exitCode === 0 || (word !== 'incomplete' && word !== 'error' && carried)
  const notes = waiverNotes(verdict).map(({ says }) => says)
  return [
    ...(isWhole ? [] : [ofRun('run/verdict', 'the run comes to a verdict', 'broken', word, because)]),
    ...(notes.length === 0
      ? []
      : [ofRun('run/waivers', 'every waiver is still needed', 'skipped', 'waivers', notes)]),
  ]
}

function ofRun(
  id: string,
  story: string,
  status: AllureStatus,
  word: string,
  reasons: readonly string[],
): AllureEntry {
  return {
    id,
    name: `${id}: ${story}`,
    area: 'run',
    story,
    description: story,
    severity: 'critical',
    tags: [],
    status,
    message: `${word}: ${reason(reasons.slice(0, mostLines).join('; '))}`,
    sample: null,
    steps: [],
  }
}

function reason(text: string | null): string {
  return text === null || text === '' ? 'no reason was given' : printable(beginning(text, longestReason))
}
