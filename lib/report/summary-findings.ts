import type { Finding } from '../judge/record.ts'
import { clustered } from './clustered.ts'
import { howOften } from './finding-rows.ts'
import { plural } from './plural.ts'
import { printable } from '../settings/printable.ts'
import { sentenceOf } from './rule-sentence.ts'
import { code, listed, shown } from './summary-text.ts'
import { openFindings } from './causes-in.ts'
import type { VerdictRule } from '../verdict/verdict.ts'
import { visible } from './visible.ts'

const longestSummary = 600
const longestCase = 200
const longestReplay = 1_000
/** So many findings of a rule, of all rules in a section, and so many rules are shown. */
const mostOfRule = 5
const mostOfSection = 60
const mostRules = 60

/** The rules that came out so, each with its sentence, its findings and how to meet them again, as Markdown. */
export function breachLines(title: string, rules: readonly VerdictRule[]): readonly string[] {
  if (rules.length === 0) return []
  const most = Math.max(1, Math.min(mostOfRule, Math.floor(mostOfSection / rules.length)))
  return [
    `### ${title} (${plural(rules.length, 'rule')})`,
    '',
    ...rules.slice(0, mostRules).flatMap((rule) => ruleLines(rule, most)),
    ...listed(
      rules.slice(mostRules).map(({ id }) => `- ${code(id)}`),
      mostRules,
    ),
    '',
  ]
}

function ruleLines(rule: VerdictRule, most: number): readonly string[] {
  const findings = clustered(openFindings(rule))
  const more = findings.length - most
  return [
    `- **${code(rule.id)}** (${shown(`${rule.level}; ${rule.section}`, longestSummary)}): ${shown(sentenceOf(rule.id), longestSummary)}`,
    ...findings.slice(0, most).flatMap(findingLines),
    ...(more > 0 ? [`  - … and ${plural(more, 'further finding')} in verdict.json`] : []),
  ]
}

function findingLines(finding: Finding): readonly string[] {
  const { summary, replay, examples } = finding
  return [
    `  - found: ${shown(visible(summary), longestSummary)} (${howOften(finding)})`,
    ...(replay === null ? [] : [`    - again: ${replayOf(replay)}`]),
    ...examples.slice(0, 3).map(({ case: name }) => `    - also: ${shown(name, longestCase)}`),
  ]
}

/** A line that had to be changed to be shown would send something else. */
function replayOf(replay: string): string {
  return replay.length > longestReplay || printable(replay) !== replay ? 'see verdict.json' : code(replay)
}
