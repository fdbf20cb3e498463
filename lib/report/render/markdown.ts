import { beginning, printable } from '../../text/printable.ts'
import {
  isFact,
  isFold,
  isNumeric,
  spokenStatus,
  type Block,
  type Fact,
  type Fold,
  type Item,
  type Section,
  type Span,
  type Phrase,
} from '../model/document.ts'
import { capitalised } from '../../text/counts.ts'

/** Text without meaning to Markdown: letters, digits, harmless signs; `_` only within words. */
const plain = /^[\p{L}\p{N}](?:[\p{L}\p{N} ,;.:'"()/+%=…→-]|(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}]))*$/u

/** Text that GitHub and GitLab turn into links, pictures, references or lists without marks. */
const taken = /:\/\/|\bwww\.|^\d+[.)](?:\s|$)|:[\w+-]+:|\b[0-9a-f]{7,}\b|\bGH-\d/iu

/** Shows any text literally on a line: as prose if harmless, otherwise as code, in which nothing is a link, mention, HTML or mark. */
export function shown(text: string, longest: number): string {
  const short = beginning(text, longest)
  return plain.test(short) && !taken.test(short) ? short : code(short)
}

/** Inline code with as many backticks as needed. */
export function code(text: string): string {
  const safe = printable(text)
  if (safe.trim() === '') return safe === '' ? '(empty)' : '(blank)'
  const runs = safe.match(/`+/g) ?? []
  const fence = '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length), 0) + 1)
  // Readers strip one space on each side.
  const padded = /^[` ]|[` ]$/.test(safe) ? ` ${safe} ` : safe
  return `${fence}${padded}${fence}`
}

/** End of a text that was cut. */
const cutNote = '\n… cut here; the rest is in verdict.json\n'

/** Cuts a text after whole lines, so that no mark stays open, to a number of bytes of UTF-8. */
export function bounded(text: string, mostBytes: number): string {
  if (Buffer.byteLength(text) <= mostBytes) return text
  let left = mostBytes - Buffer.byteLength(cutNote)
  const lines: string[] = []
  for (const line of text.split('\n')) {
    left -= Buffer.byteLength(line) + 1
    if (left < 0) break
    lines.push(line)
  }
  return `${lines.join('\n')}${cutNote}`
}

/** Renders sections as Markdown for GitHub and GitLab, first headings at `level`; every text shows literally. */
export function markdownText(sections: readonly Section[], level: number): string {
  return `${sections.flatMap((section) => sectionBlocks(section, level)).join('\n\n')}\n`
}

function sectionBlocks({ title, blocks, parts = [] }: Section, level: number): readonly string[] {
  const heading = typeof title === 'string' ? capitalised(title) : title
  return [
    ...(heading === undefined ? [] : [`${'#'.repeat(level)} ${inline(heading)}`]),
    ...blocks.map(blockText),
    ...parts.flatMap((part) => sectionBlocks(part, level + 1)),
  ]
}

function blockText(block: Block): string {
  switch (block.kind) {
    case 'text':
      return inline(block.text)
    case 'facts':
      return block.facts.map((fact) => `- ${factText(fact)}`).join('\n')
    case 'table':
      return tableText(block.head, block.rows)
    case 'list': {
      const { items, hidden = 0, ordered } = block
      const lines = items.map((item, index) => itemText(item, ordered === true ? `${index + 1}. ` : '- '))
      return [...lines, ...(hidden === 0 ? [] : [`- … and ${hidden} more in verdict.json`])].join('\n')
    }
  }
}

function itemText({ text, status, names = [], under = [] }: Item, mark: string): string {
  const word = spokenStatus(status)
  const named = names.length === 0 ? '' : `: ${names.map(code).join(', ')}`
  const indent = ' '.repeat(mark.length)
  const below = under.flatMap((one) => {
    if (isFold(one)) return foldLines(one).map((line) => `${indent}${line}`.trimEnd())
    return [`${indent}- ${isFact(one) ? factText(one) : inline(one)}`]
  })
  return [`${mark}${word}${inline(text)}${named}`, ...below].join('\n')
}

/** A block of JSON that GitHub and GitLab unfold; its lines begin with a brace, so none can end the block. */
function foldLines({ fold, lines }: Fold): readonly string[] {
  return [
    '',
    `<details><summary>${prose(fold)}</summary>`,
    '',
    '```json',
    ...lines.filter((line) => line.startsWith('{')).map(printable),
    '```',
    '',
    '</details>',
    '',
  ]
}

function factText({ label, value, whole }: Fact): string {
  const text = whole === true ? code(value) : prose(value)
  return label === '' ? text : `${label}: ${text}`
}

function tableText(head: readonly string[], rows: readonly (readonly Phrase[])[]): string {
  const row = (cells: readonly Phrase[]): string =>
    `| ${cells.map((cell) => inline(cell).replaceAll('|', String.raw`\|`)).join(' | ')} |`
  const rule = head.map((_, column) => (isNumeric(rows, column) ? '---:' : '---'))
  return [row(head), `| ${rule.join(' | ')} |`, ...rows.map(row)].join('\n')
}

/** Joins adjacent texts, so that they cannot form a link or mark together. */
function inline(text: Phrase): string {
  if (typeof text === 'string') return prose(text)
  const spans: Span[] = []
  for (const span of text) {
    const last = spans.at(-1)
    if (typeof span === 'string' && typeof last === 'string') spans.splice(-1, 1, `${last}${span}`)
    else spans.push(span)
  }
  return spans.map(spanMarkdown).join('')
}

function spanMarkdown(span: Span): string {
  if (typeof span === 'string') return prose(span)
  if ('code' in span) return code(span.code)
  return 'strong' in span ? `**${prose(span.strong)}**` : (span.status ?? 'absent')
}

/** Punctuation that means nothing to Markdown after other text. */
const joint = /^[ ,;:.()→]*/u

function prose(text: string): string {
  const [lead = ''] = joint.exec(text) ?? []
  const core = text.slice(lead.length)
  return core === '' ? lead : `${lead}${plain.test(core) && !taken.test(text) ? core : code(core)}`
}
