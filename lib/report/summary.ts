import type { HistoryLine } from '../verdict/history-line.ts'
import { connectionTexts } from './connection-text.ts'
import { embeddedNotice } from './embedded-notice.ts'
import { exitMeaning } from './exit-meaning.ts'
import { groupBy } from '../spec/group-by.ts'
import { askedAddress, headlineWord, isCovered } from './headline.ts'
import { countOf } from './outcomes.ts'
import { statuses } from '../verdict/verdict.ts'
import { plural } from './plural.ts'
import { newsLines } from './summary-changes.ts'
import { causeSection } from './summary-findings.ts'
import { bounded, code, listed, shown } from './summary-text.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { otherReasons, verdictSentence } from './verdict-sentence.ts'
import { waiverNotes } from './waiver-notes.ts'

/** GitHub shows no summary of more than 1 MiB. */
const mostBytes = 900_000
const longestText = 600
const mostLines = 60

/**
 * The page `summary.md`, in the Markdown of GitHub and GitLab: what is new since the run before, where there is one, then the
 * verdict. Below 1 MiB, and shows every text of a target as that text, whatever it holds.
 */
export function summaryMarkdown(verdict: Verdict, previous: HistoryLine | null): string {
  const { target, rules, notCovered } = verdict
  const label = target.label === null ? '' : `, ${shown(target.label, longestText)}`
  const between = connectionTexts(verdict).map((text) => `, ${shown(text, longestText)}`)
  const lines = [
    `## Conformance of ${target.baseUrl === null ? 'no target' : code(askedAddress(target).slice(0, longestText))}${label}${between.join('')}`,
    '',
    ...(target.embedded ? [`**${embeddedNotice}**`, ''] : []),
    ...newsLines(verdict, previous),
    ...verdictLines(verdict),
    ...causeSection('Violations', verdict),
    ...causeSection('Warnings', verdict),
    ...waivedLines(verdict),
    ...section(
      'Waivers to look at',
      waiverNotes(verdict).map(({ says }) => `- ${shown(says, longestText)}`),
    ),
    ...section('Not judged', notJudged(verdict)),
    ...(rules.length === 0
      ? []
      : section(
          'Not covered by any verdict',
          notCovered.map((one) => `- ${shown(one, longestText)}`),
        )),
  ]
  return bounded(`${lines.join('\n').trimEnd()}\n`, mostBytes)
}

function verdictLines(verdict: Verdict): readonly string[] {
  const { profile, strict, seed, requests, suite, rules } = verdict
  const reasons = otherReasons(verdict)
  const counts = statuses.map((status) => `${countOf(rules, status)}`)
  return [
    `**${headlineWord(verdict).toUpperCase()}**: ${shown(verdictSentence(verdict), longestText)}.`,
    '',
    ...(rules.length === 0
      ? []
      : [
          `| ${statuses.join(' | ')} |`,
          `|${' ---: |'.repeat(statuses.length)}`,
          `| ${counts.join(' | ')} |`,
          '',
        ]),
    ...listed(
      reasons.map((reason) => `- because: ${shown(reason, longestText)}`),
      mostLines,
    ),
    ...(reasons.length === 0 ? [] : ['']),
    `Profile ${profile}${strict ? ', strict' : ''}, seed ${seed}, ${requests.sent} of at most ${requests.budget} requests sent, suite ${shown(suite.version, longestText)}; ${shown(exitMeaning(verdict), longestText)}.`,
    '',
  ]
}

function waivedLines({ rules }: Verdict): readonly string[] {
  const covered = rules.filter(isCovered)
  const lines = covered.map(({ id, status, because, findings }) => {
    const reasons = [...new Set(findings.flatMap(({ waived }) => waived ?? []))]
    const [what, why] =
      status === 'waived' ? ['', because ?? 'no reason was given'] : [', in part', reasons.join('; ')]
    const summaries = [
      ...new Set(findings.filter(({ waived }) => waived !== undefined).map(({ summary }) => summary)),
    ]
    const found =
      summaries.length === 0 ? '' : `; found: ${shown(summaries.slice(0, 3).join('; '), longestText)}`
    return `- ${code(id)}${what}: ${shown(why, longestText)}${found}`
  })
  return section(`Waived (${plural(covered.length, 'rule')})`, lines)
}

function notJudged({ rules }: Verdict): readonly string[] {
  const unjudged = (['inconclusive', 'untested'] as const).flatMap((wanted) =>
    rules.filter(({ status }) => status === wanted),
  )
  const reasons = groupBy(unjudged, ({ status, because }) => `${status}: ${because ?? 'no reason was given'}`)
  return [...reasons].map(
    ([reason, members]) =>
      `- ${shown(reason, longestText)}: ${members
        .slice(0, mostLines)
        .map(({ id }) => code(id))
        .join(', ')}`,
  )
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`### ${title}`, '', ...listed(lines, mostLines), '']
}
