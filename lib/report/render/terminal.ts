import type { RuleStatus } from '../../judge/record.ts'
import { printable } from '../../text/printable.ts'
import type { Block, Fact, Item, Section, Tone } from '../model/document.ts'

/** A terminal line before it is wrapped, coloured and escaped. */
interface Line {
  readonly text: string
  readonly tone?: Tone
  readonly indent?: number
  /** Text in front of the line. Wrapped lines are indented by its width. */
  readonly label?: string
  /** Never wrapped, because it is meant to be copied. */
  readonly whole?: true
}

/** Options for rendering on a terminal. */
export interface Rendering {
  readonly colour: boolean
  readonly width: number
}

const codes: Readonly<Record<Exclude<Tone, 'plain'>, number>> = {
  strong: 1,
  faint: 2,
  bad: 31,
  good: 32,
  warning: 33,
}

const narrowest = 40
const usual = 80
const leastRoom = 20

/** Width for wrapping: the given width, within sensible limits. */
function usableWidth(width: number): number {
  return Number.isFinite(width) ? Math.max(narrowest, Math.floor(width)) : usual
}

function layOut({ text, indent = 0, label = '', whole }: Line, width: number): readonly string[] {
  const first = `${' '.repeat(indent)}${printable(label)}`
  const next = ' '.repeat(first.length)
  const safe = printable(text)
  const pieces = whole === true ? [safe] : wrap(safe, Math.max(leastRoom, width - first.length))

  return pieces.map((piece, index) => `${index === 0 ? first : next}${piece}`.trimEnd())
}

/** Number of lines that text blocks take up at a given width. The terminal itself breaks lines that are not wrapped. */
export function linesOf(blocks: readonly Block[], width: number): number {
  const lines = blocks.flatMap((block) => blockLines(block, { indent: 0, width }))
  const broken = lines.flatMap((line) => layOut(line, width)).map((text) => Math.ceil(text.length / width))
  return broken.reduce((sum, count) => sum + Math.max(1, count), 0)
}

/** Breaks lines at spaces, or inside a word that is longer than the width. Preserves runs of spaces. */
function wrap(text: string, room: number): readonly string[] {
  const characters = Array.from(text)
  const pieces: string[] = []
  let start = 0
  while (characters.length - start > room) {
    const space = characters.lastIndexOf(' ', start + room)
    const end = space > start ? space : start + room
    pieces.push(characters.slice(start, end).join(''))
    start = space > start ? end + 1 : end
  }
  return [...pieces, characters.slice(start).join('')]
}

function painted(text: string, tone: Tone): string {
  return tone === 'plain' || text === '' ? text : `\u001B[${codes[tone]}m${text}\u001B[0m`
}

/**
 * Renders sections for a terminal, separated by blank lines. Prose is wrapped, but commands to copy are not. All text passes
 * through {@link printable}, so newlines and colour codes are the only control characters.
 */
export function terminalText(sections: readonly Section[], { colour, width: given }: Rendering): string {
  const width = usableWidth(given)
  const lines = sections.flatMap((section, index) => [
    ...(index === 0 ? [] : [blank]),
    ...sectionLines(section, { indent: 0, width }),
  ])
  const text = lines.flatMap((line) => {
    const wrapped = layOut(line, width)
    return colour ? wrapped.map((one) => painted(one, line.tone ?? 'plain')) : wrapped
  })
  return `${text.join('\n')}\n`
}

const blank: Line = { text: '' }
const labelWidth = 12

interface Place {
  readonly indent: number
  readonly width: number
}

function sectionLines(
  { title, tone = 'strong', blocks, parts = [] }: Section,
  place: Place,
): readonly Line[] {
  const inner = { ...place, indent: title === undefined ? place.indent : place.indent + 2 }
  const body = [
    ...blocks.flatMap((block) => blockLines(block, inner)),
    ...parts.flatMap((part) => sectionLines(part, inner)),
  ]
  if (title === undefined) return body[0] === blank ? body.slice(1) : body
  return [{ text: title, tone, indent: place.indent }, ...body]
}

function blockLines(block: Block, place: Place): readonly Line[] {
  const { indent } = place
  switch (block.kind) {
    case 'text': {
      const { text, tone = 'plain', whole } = block
      return [{ text, tone, indent, ...(whole === true ? { whole } : {}) }]
    }
    case 'facts':
      return block.facts.map((fact) => factLine(fact, indent, widestLabel(block.facts)))
    case 'table':
      return tableLines(block, place)
    case 'list':
      return listLines(block, indent)
  }
}

const marks: Readonly<Record<RuleStatus, readonly [mark: string, tone: Tone]>> = {
  passed: ['✓ ', 'good'],
  warned: ['! ', 'warning'],
  failed: ['✗ ', 'bad'],
  waived: ['~ ', 'plain'],
  inconclusive: ['? ', 'plain'],
  untested: ['? ', 'plain'],
}

/** Items with a mark begin at the margin. Items that have a command to copy are separated by blank lines. */
function listLines({ items, ordered }: Extract<Block, { kind: 'list' }>, indent: number): readonly Line[] {
  return items.flatMap((item, index) => [
    ...(index > 0 && item.status !== undefined && (isLarge(item) || isLarge(items[index - 1]))
      ? [blank]
      : []),
    ...itemLines(item, { label: ordered === true ? `${index + 1}  ` : '- ', indent }),
  ])
}

function isLarge(item: Item | undefined): boolean {
  return item?.under?.some((one) => typeof one === 'object') ?? false
}

function itemLines(
  { text, status, under = [] }: Item,
  { label, indent }: { readonly label: string; readonly indent: number },
): readonly Line[] {
  const [mark, tone] = status === undefined ? [label, 'plain' as const] : marks[status]
  const margin = status === undefined ? indent : 0
  const below = margin + (status === undefined ? label.length : 4)
  // The mark alone does not show which of the two statuses it is.
  const spoken = mark === '? ' ? `${status}: ` : ''
  return [
    { text: `${spoken}${text}`, label: mark, tone, indent: margin },
    ...under.map((one) => (typeof one === 'object' ? factLine(one, below) : { text: one, indent: below })),
  ]
}

function factLine({ label, value, whole }: Fact, indent: number, width = labelWidth): Line {
  const padded = label === '' && whole === true ? '' : label.padEnd(width)
  return { text: value, label: padded, indent, ...(whole === true ? { whole } : {}) }
}

function widestLabel(facts: readonly Fact[]): number {
  return Math.max(labelWidth, ...facts.map(({ label }) => label.length + gap.length))
}

type Table = Extract<Block, { kind: 'table' }>
/** The cells in a column, with the heading first, padded to the same width. */
type Column = readonly string[]

/** Fits as many columns as possible next to the first, then starts another table. */
function tableLines({ head, rows }: Table, { indent, width }: Place): readonly Line[] {
  const [names = [], ...others] = head.map((_, column) => {
    const cells = [head, ...rows].map((row) => printable(row[column] ?? ''))
    const size = Math.max(...cells.map((cell) => cell.length))
    return cells.map((cell) => cell.padEnd(size))
  })
  const room = width - indent - (names[0]?.length ?? 0)
  return sideBySide(others, room).flatMap((columns, turn) => [
    ...(turn === 0 ? [] : [blank]),
    ...names.map((name, row): Line => ({
      text: [name, ...columns.map((column) => column[row] ?? '')].join(gap),
      tone: row === 0 ? 'faint' : 'plain',
      indent,
      whole: true,
    })),
  ])
}

function sideBySide(columns: readonly Column[], room: number): readonly (readonly Column[])[] {
  const groups: Column[][] = []
  let left = 0
  for (const column of columns) {
    const needed = gap.length + (column[0]?.length ?? 0)
    if (groups.length === 0 || needed > left) {
      groups.push([])
      left = room
    }
    groups.at(-1)?.push(column)
    left -= needed
  }
  return groups
}

const gap = '  '
