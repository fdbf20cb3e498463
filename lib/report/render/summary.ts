import { firstOf } from '../../text/members.ts'
import { plural, beginning, printable } from '../../text/printable.ts'
import { listedNames, type CauseView } from '../model/cause-view.ts'
import { mostCauses, type View } from '../view.ts'

/** GitHub's limit for a summary is 1 MiB. */
const mostBytes = 900_000
/** Maximum number of problems in the first five lines, and of rules named next to a cause. */
const mostFirst = 2
const mostRules = 10
const longestLine = 300

/** `summary.md`: five lines that fit in a chat message, followed by everything else in a collapsed section. */
export function summaryMarkdown(view: View) {
  const rest = details(view)
  const folded =
    rest.length === 0
      ? []
      : ['', '<details><summary>Causes, rules and waivers</summary>', '', ...rest, '', '</details>']
  return bounded([...firstLines(view), ...folded, ''].join('\n'), mostBytes)
}

/** The headline, the target, the most severe problems or reasons, and the counts with the exit code. */
function firstLines(view: View) {
  const { of, headline, sentence, subject, problems, reasons, cautions } = view
  const { counts, line, exit, notice, profile } = view
  // An error of the suite or in the user's files matters more than problems of the service.
  const why = problems.length === 0 || of.verdict === 'error' ? [...reasons, ...cautions] : []
  const told = [...why.map(brief), ...problems.map(problemLine)]
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

function brief(text: string) {
  return prose(beginning(text, longestLine))
}

function problemLine({ title, expected, got }: CauseView) {
  const values = [expected, got].map((value) => prose(beginning(value, longestLine / 3)))
  return `✗ ${brief(title)}: expected ${values[0] ?? ''}, got ${values[1] ?? ''}`
}

function details(view: View) {
  if (view.isEmpty) return []
  const { causes, excepted, alarms, notJudged, endpoints, otherWaivers, power, notCovered, reasons } = view
  const isError = view.of.verdict === 'error'
  const ofStatus = (status: CauseView['status']) => {
    const lines = causes.filter((cause) => cause.status === status).map(causeLines)
    return firstOf(lines, mostCauses, (more) => `- … and ${plural(more, 'more cause')} in verdict.json`)
  }
  const open = notJudged.map(({ title, rules }) => item(`${title}: ${rules.join(', ')}`))
  const left = endpoints.map(({ name, because, waived }) =>
    item(`${name}: ${because}${waived === null ? '' : `; waived: ${waived}`}`),
  )
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Why there is no verdict', isError && reasons.length > 1 ? reasons.map((text) => item(text)) : []],
    ['Problems', ofStatus('failed')],
    ['Warnings', ofStatus('warned')],
    ['Waived', ofStatus('waived')],
    ['Waived without a finding', excepted.map((text) => item(text))],
    ['Waivers to review', alarms.map((text) => item(text))],
    ['Rules that were not judged', open],
    ['Endpoints that were not judged', left],
    ['More waiver drafts', jsonLines(otherWaivers)],
    ['Power of this verdict', power === null ? [] : powerLines(power)],
    ['Not covered by any verdict', notCovered.map((text) => item(text))],
  ]
  return sections.flatMap(([title, lines]) => (lines.length === 0 ? [] : [`### ${title}`, '', ...lines, '']))
}

function item(text: string) {
  return `- ${prose(text)}`
}

function causeLines(cause: CauseView) {
  const { title, nature, breaks, rules, expected, got, findings, fingerprints, waiver, agreed } = cause
  const rows = [
    ['expected', prose(expected)],
    ['got', prose(got)],
    ...findings.slice(0, 1).flatMap(({ sent, answer, often, replay }) => [
      ['sent', code(beginning(sent.join('; '), 2 * longestLine))],
      ['answered', code(beginning(answer.join(' '), longestLine))],
      ['reproduced', prose(often)],
      ['replay', replay.copied ? code(replay.text) : prose(replay.text)],
    ]),
    ['fingerprint', code(fingerprints)],
    ...agreed.map((reason) => ['agreed', prose(reason)]),
  ]
  const names = rules.map(({ id }) => code(id))
  return [
    `- **${prose(title)}**`,
    `  - ${nature}. ${breaks}: ${listedNames(names, mostRules)}`,
    ...rows.map((row) => `  - ${row.join(': ')}`),
    ...(waiver === null ? [] : jsonLines([waiver]).map((line) => `  ${line}`.trimEnd())),
  ].join('\n')
}

/** Collapsed entries for a waivers file, ready to paste. Each begins with a brace, so no entry can end the block. */
function jsonLines(entries: readonly string[]) {
  if (entries.length === 0) return []
  const title = `Waive it: ${plural(entries.length, 'line')} for the RUN_WAIVERS file, with a reason and an owner`
  return [
    '',
    `<details><summary>${title}</summary>`,
    '',
    '```json',
    ...entries.map(printable),
    '```',
    '',
    '</details>',
    '',
  ]
}

function powerLines({ sentence, caveat, situations }: NonNullable<View['power']>) {
  return [
    `${prose(sentence)}. ${prose(caveat)}`,
    '',
    ...situations.map(({ label, value }) => item(`reached ${label}: ${value}`)),
  ]
}

/** Text that has no special meaning in Markdown: letters, digits, and harmless punctuation; `_` only within words. */
const plain = /^[\p{L}\p{N}](?:[\p{L}\p{N} ,;.:'"()/+%=…→-]|(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}]))*$/u

/** Text that GitHub and GitLab turn into links, images, references or lists without any markup. */
const taken = /:\/\/|\bwww\.|^\d+[.)](?:\s|$)|:[\w+-]+:|\b[0-9a-f]{7,}\b|\bGH-\d/iu

/** Inline code with as many backticks as needed. */
export function code(text: string) {
  const safe = printable(text)
  if (safe.trim() === '') return safe === '' ? '(empty)' : '(blank)'
  const runs = safe.match(/`+/g) ?? []
  const fence = '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length), 0) + 1)
  // Renderers strip one space on each side.
  const padded = /^[` ]|[` ]$/.test(safe) ? ` ${safe} ` : safe
  return `${fence}${padded}${fence}`
}

/** Appended to text that has been truncated. */
const cutNote = '\n… cut here; the rest is in verdict.json\n'

/** Truncates text to a number of UTF-8 bytes, but only at the end of a line, so that no markup stays open. */
export function bounded(text: string, most: number) {
  if (Buffer.byteLength(text) <= most) return text
  let left = most - Buffer.byteLength(cutNote)
  const lines: string[] = []
  for (const line of text.split('\n')) {
    left -= Buffer.byteLength(line) + 1
    if (left < 0) break
    lines.push(line)
  }
  return `${lines.join('\n')}${cutNote}`
}

/** Punctuation that has no special meaning in Markdown after other text. */
const joint = /^[ ,;:.()→]*/u

/** Text as prose if it is harmless in Markdown, otherwise as code. */
export function prose(text: string) {
  const [lead = ''] = joint.exec(text) ?? []
  const core = text.slice(lead.length)
  return core === '' ? lead : `${lead}${plain.test(core) && !taken.test(text) ? core : code(core)}`
}
