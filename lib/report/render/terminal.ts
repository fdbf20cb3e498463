import type { RuleStatus } from '../../judge/record.ts'
import { printable } from '../../text/printable.ts'
import type { Fact } from '../model/finding-view.ts'

/** The meaning of a line, which determines its colour. */
export type Tone = 'plain' | 'strong' | 'good' | 'warning' | 'bad' | 'faint'

/** A line for a terminal before it is wrapped, coloured and escaped. */
export interface Line {
  readonly text: string
  readonly tone?: Tone
  readonly indent?: number
  /** Text in front of the line. Wrapped lines are indented by its width. */
  readonly label?: string
  /** Never wrapped, because it is meant to be copied. */
  readonly whole?: boolean
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
const labelWidth = 12

export const blank: Line = { text: '' }

const marks: Readonly<Record<RuleStatus, readonly [mark: string, tone: Tone]>> = {
  passed: ['✓ ', 'good'],
  warned: ['! ', 'warning'],
  failed: ['✗ ', 'bad'],
  waived: ['~ ', 'plain'],
  inconclusive: ['? ', 'plain'],
  untested: ['? ', 'plain'],
}

/** A line with the mark of a status. */
export function marked(status: RuleStatus, text: string): Line {
  const [label, tone] = marks[status]
  // The mark alone does not show which of the two statuses it is.
  return { text: label === '? ' ? `${status}: ${text}` : text, label, tone }
}

/** Labelled values, one per line. */
export function factLines(facts: readonly Fact[], indent = 0): readonly Line[] {
  return facts.map(({ label, value, whole = false }) => ({
    text: value,
    label: label.padEnd(labelWidth),
    indent,
    whole,
  }))
}

/** A list in which each item begins with a dash. */
export function listLines(texts: readonly string[], indent = 0): readonly Line[] {
  return texts.map((text) => ({ text, label: '- ', indent }))
}

/** Groups of lines, separated by blank lines. */
export function apart(groups: readonly (readonly Line[])[]): readonly Line[] {
  return groups
    .filter(({ length }) => length > 0)
    .flatMap((lines, at) => (at === 0 ? lines : [blank, ...lines]))
}

/**
 * Renders lines for a terminal. Prose is wrapped, but commands to copy are not. All text passes through {@link printable}, so
 * newlines and colour codes are the only control characters.
 */
export function terminalText(lines: readonly Line[], { colour, width: given }: Rendering): string {
  const width = Number.isFinite(given) ? Math.max(narrowest, Math.floor(given)) : usual
  const text = lines.flatMap((line) => {
    const wrapped = layOut(line, width)
    return colour ? wrapped.map((one) => painted(one, line.tone ?? 'plain')) : wrapped
  })
  return `${text.join('\n')}\n`
}

/** Number of rows that lines take up at a given width. The terminal itself breaks lines that are not wrapped. */
export function heightOf(lines: readonly Line[], width: number): number {
  const rows = lines.flatMap((line) => layOut(line, width)).map((text) => Math.ceil(text.length / width))
  return rows.reduce((sum, count) => sum + Math.max(1, count), 0)
}

function layOut({ text, indent = 0, label = '', whole = false }: Line, width: number): readonly string[] {
  const first = `${' '.repeat(indent)}${printable(label)}`
  const next = ' '.repeat(first.length)
  const safe = printable(text)
  const pieces = whole ? [safe] : wrap(safe, Math.max(leastRoom, width - first.length))

  return pieces.map((piece, index) => `${index === 0 ? first : next}${piece}`.trimEnd())
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
