import { printable } from '../settings/printable.ts'

/** What a line of the terminal summary is about, which decides its colour. */
export type Tone = 'plain' | 'strong' | 'good' | 'warning' | 'bad' | 'faint'

/** A line of the terminal summary, before it is wrapped, coloured and made safe. */
export interface Line {
  readonly text: string
  readonly tone?: Tone
  /** Spaces before the line. */
  readonly indent?: number
  /** What stands before the text; wrapped lines continue beside it. */
  readonly label?: string
  /** Never wrapped, because it is to be copied. */
  readonly whole?: true
}

/** How lines become text. */
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

/** The width that text is wrapped to: what was asked for, unless no terminal is like that. */
export function usableWidth(width: number): number {
  return Number.isFinite(width) ? Math.max(narrowest, Math.floor(width)) : usual
}

/**
 * Lines as text for a terminal, ended by a newline. All text passes through {@link printable} here, so that none gets around it: the
 * result holds no control characters but newlines, and the codes of colours where they are asked for.
 */
export function renderLines(lines: readonly Line[], { colour, width }: Rendering): string {
  const text = lines.flatMap((line) => {
    const wrapped = layOut(line, usableWidth(width))
    return colour ? wrapped.map((one) => painted(one, line.tone ?? 'plain')) : wrapped
  })
  return `${text.join('\n')}\n`
}

function layOut({ text, indent = 0, label = '', whole }: Line, width: number): readonly string[] {
  const first = `${' '.repeat(indent)}${printable(label)}`
  const next = ' '.repeat(first.length)
  const safe = printable(text)
  const pieces = whole === true ? [safe] : wrap(safe, Math.max(leastRoom, width - first.length))

  return pieces.map((piece, index) => `${index === 0 ? first : next}${piece}`.trimEnd())
}

/** Breaks at spaces, or inside a word that is longer than the room; runs of spaces within a line stay as they are. */
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
