import { areaOf } from '../spec/rules.ts'
import { clustered } from './clustered.ts'
import { headlineWord } from './headline.ts'
import { findingsText } from './junit-findings.ts'
import { plural } from './plural.ts'
import { beginning, printable } from '../settings/printable.ts'
import { sentenceOf } from './rule-sentence.ts'
import { openFindings } from '../judge/causes.ts'
import { waiverNotes } from './waiver-notes.ts'
import type { Verdict, VerdictRule } from '../verdict/verdict.ts'
import { visible } from './visible.ts'
import type { Element } from './xml.ts'

/** What a pipeline counts a testcase as. */
export type Outcome = 'passed' | 'failed' | 'error' | 'skipped'

/** A testcase with what it counts as. */
export interface TestCase {
  readonly outcome: Outcome
  readonly element: Element
}

const longestMessage = 1_000
const longestSummary = 800
const mostNotes = 100

/** A rule as a testcase: failed, skipped with the reason, or passed, warnings in its output. */
export function ruleCase(rule: VerdictRule): TestCase {
  const { id, status, level, findings } = rule
  const output = { name: 'system-out', content: findingsText(rule) }

  switch (status) {
    case 'failed':
      return testCase(rule, 'failed', [failure(rule, level)])
    case 'warned':
      return testCase(rule, 'passed', [output])
    case 'passed':
      return testCase(rule, 'passed', [])
    case 'waived':
    case 'inconclusive':
    case 'untested':
      return testCase(rule, 'skipped', [skipped(rule), ...(findings.length === 0 ? [] : [output])])
    default:
      throw new TypeError(`the rule ${id} has the status ${JSON.stringify(status)}, which is none`)
  }
}

/**
 * The run itself as a testcase, or null where the rules say it all. Skipped rules leave a pipeline green, so that a run without a
 * verdict, and a failure that no rule carries, must show by a case of its own.
 */
export function runCase(ended: Verdict): TestCase | null {
  const { verdict, exitCode, because, rules } = ended
  const carried = verdict === 'conformant' || rules.some(({ status }) => status === 'failed')
  if (exitCode === 0 || (verdict !== 'incomplete' && verdict !== 'error' && carried)) return null

  const reasons = because.length === 0 ? ['no reason was given'] : because
  const error = {
    name: 'error',
    attributes: {
      message: message(`${headlineWord(ended)}: ${reasons.join('; ')}`),
      type: `exit ${exitCode}`,
    },
    content: reasons.map(printable).join('\n'),
  }
  return {
    outcome: 'error',
    element: {
      name: 'testcase',
      attributes: { name: 'run: the run comes to a verdict', classname: 'run', time: 0 },
      content: [error],
    },
  }
}

/** The waivers to look at as a skipped testcase, which stops no pipeline, or null where there are none. */
export function waiversCase(verdict: Verdict): TestCase | null {
  const notes = waiverNotes(verdict)
  if (notes.length === 0) return null
  const says = notes.map((note) => printable(beginning(note.says, longestMessage)))
  return {
    outcome: 'skipped',
    element: {
      name: 'testcase',
      attributes: { name: 'run: every waiver is still needed', classname: 'run', time: 0 },
      content: [
        { name: 'skipped', attributes: { message: message(says.join('; ')) } },
        { name: 'system-out', content: says.slice(0, mostNotes).join('\n') },
      ],
    },
  }
}

function testCase({ id }: VerdictRule, outcome: Outcome, content: readonly Element[]): TestCase {
  const attributes = { name: printable(`${id}: ${sentenceOf(id)}`), classname: areaOf(id), time: 0 }
  return { outcome, element: { name: 'testcase', attributes, content } }
}

function failure(rule: VerdictRule, type: string): Element {
  const [first, ...others] = clustered(openFindings(rule))
  const more = others.length === 0 ? '' : ` (and ${plural(others.length, 'further finding')})`
  const attributes = {
    message: message(`${beginning(visible(first?.summary ?? 'violated'), longestSummary)}${more}`),
    type,
  }
  return { name: 'failure', attributes, content: findingsText(rule) }
}

function skipped({ status, because }: VerdictRule): Element {
  return {
    name: 'skipped',
    attributes: { message: message(`${status}: ${because ?? 'no reason was given'}`) },
  }
}

function message(text: string): string {
  return printable(beginning(text, longestMessage))
}
