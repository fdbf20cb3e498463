import { beginning, printable } from '../settings/printable.ts'

/** Letters and digits, and among them marks that mean nothing to Markdown there; `_` within words only. */
const plain = /^[\p{L}\p{N}](?:[\p{L}\p{N} ,;.:'"()/+=…-]|(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}]))*$/u

/** What GitHub and GitLab make links, pictures, references or lists of without any mark. */
const taken = /:\/\/|\bwww\.|^\d+[.)](?:\s|$)|:[\w+-]+:|\b[0-9a-f]{7,}\b|\bGH-\d/iu

/**
 * Any text as Markdown that shows just that text on a line: as prose where it is harmless, else as code, where nothing is a link,
 * a mention, HTML or a mark. Nothing but our own words may stand before it on its line.
 */
export function shown(text: string, longest: number): string {
  const short = beginning(text, longest)
  return plain.test(short) && !taken.test(short) ? short : code(short)
}

/** Any text as code within a line, in as many backticks as it needs. */
export function code(text: string): string {
  const safe = printable(text)
  if (safe.trim() === '') return safe === '' ? '(empty)' : '(blank)'
  const runs = safe.match(/`+/g) ?? []
  const fence = '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length), 0) + 1)
  // One space on each side is taken away when it is read.
  const padded = /^[` ]|[` ]$/.test(safe) ? ` ${safe} ` : safe
  return `${fence}${padded}${fence}`
}

/** The first lines of a list, and how many more there are. */
export function listed(lines: readonly string[], most: number): readonly string[] {
  const more = lines.length - most
  return more > 0 ? [...lines.slice(0, most), `- … and ${more} more in verdict.json`] : lines
}

/** The beginning of a text in whole lines, so that no mark is left open, in at most so many bytes of UTF-8. */
export function bounded(text: string, mostBytes: number): string {
  if (Buffer.byteLength(text) <= mostBytes) return text
  const note = '\n… cut here; the rest is in verdict.json\n'
  let left = mostBytes - Buffer.byteLength(note)
  const lines: string[] = []
  for (const line of text.split('\n')) {
    left -= Buffer.byteLength(line) + 1
    if (left < 0) break
    lines.push(line)
  }
  return `${lines.join('\n')}${note}`
}
