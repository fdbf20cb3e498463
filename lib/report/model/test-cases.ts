import { plural } from '../../text/counts.ts'
import { beginning, printable } from '../../text/printable.ts'
import type { RuleView, View } from '../view.ts'
import { findingLines } from './finding-view.ts'

const longestMessage = 1_000
/** Maximum number of findings per rule, so that pipelines accept the file. */
const mostFindings = 10

/**
 * A test case in JUnit and Allure: a rule about the service, or the run itself, whose `rule` is null. `story` is the statement that
 * holds or does not hold, `message` why it did not pass, or passed with a warning; otherwise null. `output` has the findings, one
 * fact per line. Invisible and control characters are escaped.
 */
export type TestCase = ReturnType<typeof testCases>[number]

/**
 * A case for each counted rule, and one for the run if the rules do not show everything, so that a run without a verdict is never
 * all green. Unjudged and waived rules are skipped. Waivers to review are a skipped case, which never stops a pipeline.
 */
export function testCases({ alarms, word, rules, stops, sentence, reasons }: View) {
  const why = reasons.length === 0 ? [sentence] : reasons
  const broken = rules.filter(({ isCounted }) => !isCounted).map(findingsText)
  const unfinished = {
    id: 'run/verdict',
    story: 'the run comes to a verdict',
    outcome: 'error',
    message: shortened(`${word}: ${why.join('; ')}`),
    output: [...why.map(printable), ...broken].join('\n'),
  } as const
  const waivers = {
    id: 'run/waivers',
    story: 'every waiver is still needed',
    outcome: 'skipped',
    message: shortened(alarms.join('; ')),
    output: alarms.map(printable).join('\n'),
  } as const
  const ofRun = [...(stops ? [unfinished] : []), ...(alarms.length === 0 ? [] : [waivers])]
  return [
    ...rules.filter(({ isCounted }) => isCounted).map(ruleCase),
    ...ofRun.map((one) => ({ ...one, area: 'run', ms: 0, rule: null })),
  ]
}

function ruleCase(rule: RuleView) {
  const { id, area, says: story, status, because, findings, durationMs: ms } = rule
  const isBreach = status === 'failed' || status === 'warned'
  const open = findings.filter(({ state }) => state !== 'waived')
  const more = open.length > 1 ? ` (and ${plural(open.length - 1, 'further finding')})` : ''
  const why = isBreach
    ? `${open[0]?.summary ?? 'violated'}${more}`
    : `${status}: ${because ?? 'no reason was given'}`
  const outcome = status === 'failed' ? 'failure' : status === 'passed' || isBreach ? 'passed' : 'skipped'
  const message = status === 'passed' ? null : shortened(why)
  const output = status !== 'passed' && (isBreach || findings.length > 0) ? findingsText(rule) : ''
  return { id, area, story, outcome, message, output, ms, rule } as const
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
