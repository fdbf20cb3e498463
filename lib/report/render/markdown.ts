import { printable } from '../../text/printable.ts'

/** Text that has no special meaning in Markdown: letters, digits, and harmless punctuation; `_` only within words. */
const plain = /^[\p{L}\p{N}](?:[\p{L}\p{N} ,;.:'"()/+%=…→-]|(?<=[\p{L}\p{N}])_(?=[\p{L}\p{N}]))*$/u

/** Text that GitHub and GitLab turn into links, images, references or lists without any markup. */
const taken = /:\/\/|\bwww\.|^\d+[.)](?:\s|$)|:[\w+-]+:|\b[0-9a-f]{7,}\b|\bGH-\d/iu

/** Inline code with as many backticks as needed. */
export function code(text: string): string {
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

/** Punctuation that has no special meaning in Markdown after other text. */
const joint = /^[ ,;:.()→]*/u

/** Text as prose if it is harmless in Markdown, otherwise as code. */
export function prose(text: string): string {
  const [lead = ''] = joint.exec(text) ?? []
  const core = text.slice(lead.length)
  return core === '' ? lead : `${lead}${plain.test(core) && !taken.test(text) ? core : code(core)}`
}
