import { plural } from '../../text/counts.ts'
import { beginning, printable } from '../../text/printable.ts'
import type { CauseView } from '../model/cause-view.ts'
import { mostCauses, unsaid, type View } from '../view.ts'
import { bounded, code, prose } from './markdown.ts'

/** GitHub's limit for a summary is 1 MiB. */
const mostBytes = 900_000
/** Problems in the first five lines, and rules named beside a cause. */
const mostFirst = 2
const mostRules = 10
const longestLine = 300

/** `summary.md`: five lines that fit a chat message, then everything else, folded. */
export function summaryMarkdown(view: View): string {
  const rest = details(view)
  const folded =
    rest.length === 0
      ? []
      : ['', '<details><summary>Causes, rules and waivers</summary>', '', ...rest, '', '</details>']
  return bounded([...firstLines(view), ...folded, ''].join('\n'), mostBytes)
}

/** Headline, what was judged, the gravest problems or reasons, and the counts with the exit code. */
function firstLines(view: View): readonly string[] {
  const { headline, sentence, subject, causes, reasons, counts, line, exit, notice, profile } = view
  const problems = causes.filter(({ status }) => status === 'failed')
  const told = problems.length > 0 ? problems.map(problemLine) : [...reasons, ...unsaid(view)].map(brief)
  const lead = problems.length > 0 || view.isEmpty ? [] : [sentence]
  const more = told.length - mostFirst
  const shown = more > 0 ? [...told.slice(0, 1), `… and ${more + 1} more below`] : told
  const facts = view.rules.length === 0 || view.isEmpty ? [] : [counts, ...line.slice(2)]
  return [
    [`**${brief(headline)}**`, ...[...(notice === null ? [] : [notice]), ...lead].map(brief)].join(': '),
    `${code(beginning(subject, longestLine))}, profile ${prose(profile)}`,
    ...shown,
    [...facts, exit].map(prose).join('; '),
  ].map((text, place, all) => (place < all.length - 1 ? `${text}  ` : text))
}

function brief(text: string): string {
  return prose(beginning(text, longestLine))
}

function problemLine({ title, expected, got }: CauseView): string {
  const values = [expected, got].map((value) => prose(beginning(value, longestLine / 3)))
  return `✗ ${brief(title)}: expected ${values[0] ?? ''}, got ${values[1] ?? ''}`
}

function details(view: View): readonly string[] {
  if (view.isEmpty) return []
  const { causes, alarms, notJudged, endpoints, otherWaivers, worth, notCovered } = view
  const ofStatus = (status: CauseView['status']): readonly string[] =>
    causes.filter((cause) => cause.status === status).flatMap(causeLines)
  return [
    ...section('Problems', ofStatus('failed'), view),
    ...section('Warnings', ofStatus('warned'), view),
    ...section('Waived', ofStatus('waived'), view),
    ...section(
      'Waived besides',
      view.excepted.map((text) => item(text)),
    ),
    ...section(
      'Waivers to look at',
      alarms.map((text) => item(text)),
    ),
    ...section(
      'Rules that were not judged',
      notJudged.map(({ title, because, rules }) =>
        item(
          `${title}: ${rules.join(', ')}`,
          ...(title.toLowerCase().startsWith(because.toLowerCase()) ? [] : [because]),
        ),
      ),
    ),
    ...section(
      'Endpoints that were not judged',
      endpoints.map(({ name, because, waived }) =>
        item(`${name}: ${because}${waived === null ? '' : `; waived: ${waived}`}`),
      ),
    ),
    ...section('More that can be waived', jsonLines(otherWaivers)),
    ...section('What this verdict is worth', worth === null ? [] : worthLines(worth)),
    ...section(
      'Not covered by any verdict',
      notCovered.map((text) => item(text)),
    ),
  ]
}

/** A heading and what stands under it, of which causes are bounded. */
function section(title: string, lines: readonly string[], bound: View | null = null): readonly string[] {
  if (lines.length === 0) return []
  const shown = bound === null ? lines : lines.slice(0, mostCauses)
  const more = lines.length - shown.length
  return [
    `### ${title}`,
    '',
    ...shown,
    ...(more > 0 ? [`- … and ${plural(more, 'more cause')} in verdict.json`] : []),
    '',
  ]
}

function item(text: string, ...under: readonly string[]): string {
  return [`- ${prose(text)}`, ...under.map((one) => `  - ${prose(one)}`)].join('\n')
}

function causeLines(cause: CauseView): readonly string[] {
  const { title, nature, breaks, rules, expected, got, findings, fingerprints, waiver, agreed } = cause
  const [first] = findings
  const rows: readonly (readonly [string, string])[] = [
    ['expected', prose(expected)],
    ['got', prose(got)],
    ...(first === undefined
      ? []
      : ([
          ['sent', code(beginning(first.sent.join('; '), 2 * longestLine))],
          ['answered', code(beginning(first.answer.join(' '), longestLine))],
          ['reproduced', prose(first.often)],
          ['replay', first.replay.copied ? code(first.replay.text) : prose(first.replay.text)],
        ] as const)),
    ['fingerprint', code(fingerprints)],
    ...agreed.map((reason) => ['agreed', prose(reason)] as const),
  ]
  const names = rules.slice(0, mostRules).map(({ id }) => code(id))
  const more = rules.length > mostRules ? ` and ${rules.length - mostRules} more` : ''
  return [
    [
      `- **${prose(title)}**`,
      `  - ${nature}. ${breaks}: ${names.join(', ')}${more}`,
      ...rows.map(([label, value]) => `  - ${label}: ${value}`),
      ...(waiver === null ? [] : jsonLines([waiver]).map((line) => `  ${line}`.trimEnd())),
    ].join('\n'),
  ]
}

/** Entries of a waivers file to paste, folded; each begins with a brace, so none can end the block. */
function jsonLines(entries: readonly string[]): readonly string[] {
  if (entries.length === 0) return []
  const lines = entries.map((entry, place) => `${printable(entry)}${place < entries.length - 1 ? ',' : ''}`)
  const title = `Waive it: ${plural(lines.length, 'line')} for the file of RUN_WAIVERS, with a reason and an owner`
  return ['', `<details><summary>${title}</summary>`, '', '```json', ...lines, '```', '', '</details>', '']
}

function worthLines({ sentence, caveat, situations }: NonNullable<View['worth']>): readonly string[] {
  const rows = situations.map(({ name, reached, of, missing }) => [name, reached, of, missing].map(cell))
  return [
    `${prose(sentence)} ${prose(caveat)}`,
    '',
    '| Situations | Reached | Of | Not reached, and what would |',
    '| --- | ---: | ---: | --- |',
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ]
}

function cell(text: string): string {
  return prose(text).replaceAll('|', String.raw`\|`)
}
