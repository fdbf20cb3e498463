import { plural } from '../../text/counts.ts'
import { beginning, printable } from '../../text/printable.ts'
import type { RuleView, View } from '../view.ts'
import { findingLines } from './finding-view.ts'
import { reasonsOfRun } from './headline.ts'

const longestMessage = 1_000
/** Maximum number of findings per rule, so that pipelines accept the file. */
const mostFindings = 10

/** A test case in JUnit and Allure: a rule about the service, or the run itself. */
export interface TestCase {
  /** The rule, `run/verdict` or `run/waivers`. */
  readonly id: string
  readonly area: string
  /** The statement that holds or does not hold. */
  readonly story: string
  readonly outcome: 'passed' | 'failure' | 'error' | 'skipped'
  /** Why it did not pass, or passed with a warning; otherwise null. */
  readonly message: string | null
  /** The findings as text, one fact per line. Invisible and control characters are escaped. */
  readonly output: string
  /** The total time of its requests. Requests run in parallel, so the sum exceeds the duration of the run. */
  readonly ms: number
  /** Null for the run itself. */
  readonly rule: RuleView | null
}

/**
 * A case for each counted rule, and one for the run if the rules do not show everything, so that a run without a verdict is never
 * all green. Unjudged and waived rules are skipped. Waivers to review are a skipped case, which never stops a pipeline.
 */
export function testCases(view: View): readonly TestCase[] {
  const { of, alarms, word } = view
  const durations = new Map<string, number>(of.rules.map(({ id, durationMs }) => [id, durationMs]))
  const rules = view.rules
    .filter(({ isCounted }) => isCounted)
    .map((rule) => ({ ...ruleCase(rule), ms: durations.get(rule.id) ?? 0 }))
  const reasons = reasonsOfRun(of)
  const broken = view.rules.filter(({ isCounted }) => !isCounted).map(findingsText)
  const ofRun = { area: 'run', ms: 0, rule: null }
  const unfinished: TestCase = {
    ...ofRun,
    id: 'run/verdict',
    story: 'the run comes to a verdict',
    outcome: 'error',
    message: shortened(`${word}: ${reasons.join('; ')}`),
    output: [...reasons.map(printable), ...broken].join('\n'),
  }
  const waivers: TestCase = {
    ...ofRun,
    id: 'run/waivers',
    story: 'every waiver is still needed',
    outcome: 'skipped',
    message: shortened(alarms.join('; ')),
    output: alarms.map(printable).join('\n'),
  }
  return [...rules, ...(reasons.length === 0 ? [] : [unfinished]), ...(alarms.length === 0 ? [] : [waivers])]
}

function ruleCase(rule: RuleView): Omit<TestCase, 'ms'> {
  const { id, area, status, because, findings } = rule
  const isBreach = status === 'failed' || status === 'warned'
  const open = findings.filter(({ state }) => state !== 'waived')
  const more = open.length > 1 ? ` (and ${plural(open.length - 1, 'further finding')})` : ''
  const why = isBreach
    ? `${open[0]?.summary ?? 'violated'}${more}`
    : `${status}: ${because ?? 'no reason was given'}`
  return {
    id,
    area,
    story: rule.says,
    outcome: status === 'failed' ? 'failure' : status === 'passed' || isBreach ? 'passed' : 'skipped',
    message: status === 'passed' ? null : shortened(why),
    output: status !== 'passed' && (isBreach || findings.length > 0) ? findingsText(rule) : '',
    rule,
  }
}

function shortened(text: string): string {
  return printable(beginning(text, longestMessage))
}

function findingsText({ id, level, section, says, findings }: RuleView): string {
  const more = findings.length - mostFindings
  return [
    printable(`${id} (${level}; ${section}): ${says}`),
    ...findings.slice(0, mostFindings).map((one) => findingLines(one).map(printable).join('\n')),
    ...(more > 0 ? [`… and ${more} more in verdict.json`] : []),
  ].join('\n\n')
}
