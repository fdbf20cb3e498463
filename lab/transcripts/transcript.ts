import type { Printed, Terminal } from './terminal.ts'

/** Where a page is played. */
export interface Stage {
  readonly terminal: Pick<Terminal, 'type'>
  /** Carries out a direction of the page: a comment `<!-- service: … -->` says how the service behaves from there on. */
  readonly direct: (direction: string) => Promise<void>
}

const parts = /^( *)```console\n([^]*?)^ *```\n(\nTook [^\n]*\n)?|^<!-- service: (.*) -->$/gm

/**
 * Plays a page: runs each command of its blocks `console`, and gives the page with what they printed now. Where the page leaves lines
 * out by a line `…`, as many lines stand before and behind it as before. A line `Took …` behind a block gets the time it took.
 */
export async function played(page: string, { terminal, direct }: Stage): Promise<string> {
  let [text, end] = ['', 0]
  for (const part of page.matchAll(parts)) {
    const [whole, indent = '', block = '', took, direction] = part
    text += page.slice(end, part.index)
    end = part.index + whole.length
    if (direction === undefined)
      text += await playedBlock({ block, indent, isTimed: took !== undefined }, terminal)
    else {
      await direct(direction)
      text += whole
    }
  }
  return text + page.slice(end)
}

interface Block {
  readonly block: string
  readonly indent: string
  readonly isTimed: boolean
}

async function playedBlock({ block, indent, isTimed }: Block, terminal: Stage['terminal']): Promise<string> {
  const lines: string[] = []
  let seconds = 0
  for (const step of block.replaceAll(new RegExp(`^${indent}`, 'gm'), '').split(/^(?=\$ )/m)) {
    const [line = '', ...held] = step.trimEnd().split('\n')
    const printed = await terminal.type(line.replace(/^\$ /, ''))
    seconds += printed.seconds
    lines.push(line, ...shortened(printed, held))
  }
  const text = ['```console', ...lines, '```'].map((line) => `${line === '' ? '' : indent}${line}\n`).join('')
  return isTimed ? `${text}\nTook ${seconds.toFixed(1)} s.\n` : text
}

/** What was printed, without the lines that the page leaves out. */
function shortened({ text }: Printed, held: readonly string[]): readonly string[] {
  const lines = text.split('\n').map((line) => line.trimEnd())
  while (lines.at(-1) === '') lines.pop()
  while (lines[0] === '') lines.shift()
  const at = held.indexOf('…')
  if (at < 0) return lines
  const behind = held.length - at - 1
  return lines.length <= held.length
    ? lines
    : [...lines.slice(0, at), '…', ...lines.slice(lines.length - behind)]
}

/** What must be the same whenever a page is played: its text without times, dates, hashes, counts of requests and line breaks. */
export function comparable(page: string): string {
  return page
    .replaceAll(/\b(?:\d+ min )?\d+(?:[.,]\d+)* ?(?:ms|s|min)\b/g, 'TIME')
    .replaceAll(/\d+(?= [KM]iB\b)/g, '#')
    .replaceAll(/(?<=<!-- made -->)[^]*(?=<!-- \/made -->)/g, '')
    .replaceAll(/\d{4}-\d\d-\d\d(?:[ T][\d:.]+(?: UTC|Z)?)?/g, 'DATE')
    .replaceAll(/\b[\da-f]{64}\b/g, 'HASH')
    .replaceAll(/\bseed 2\d{7}\b/g, 'seed #')
    .replaceAll(
      /[\d,]+(?= of at most | left for | files\b| requests\b| packages\b| answers (?:could|showed)\b| of [\d,]+ answers showed\b)|\(\d+ to confirm\)/g,
      '#',
    )
    .replaceAll(/(?<=\b(?:target|second|others) )\d+/g, '#')
    .replaceAll(/\s+/g, ' ')
}
