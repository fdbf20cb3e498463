import { isUtf8 } from 'node:buffer'

import { levelsOf } from './escapes.ts'

/** Minimum length of a run that changes its kind of character, in characters: data of this length is unpacked and searched. */
const MIN_RUN = 32
/** Characters of which one at least changes in such a run. */
const BLOCK = 8
const MIN_CHANGES = 8
/** Minimum number of bytes, as numbers or in hexadecimal groups. */
const MIN_BYTES = 24
/** Characters that are shown of it. */
const SHOWN = 8

/**
 * Shows what packed data may stand in by its first characters and its length. `isKnown` tells what anybody may read, such as what the
 * request held; words of 32 to 48 hexadecimal digits, UUIDs and trace ids stay.
 */
export function hideOpaque(text: string, isKnown: (words: string) => boolean): string {
  if (text.length <= MIN_RUN) return text
  const hidden = (run: string): string => `${run.slice(0, SHOWN)}… (opaque: ${run.length} characters)`
  return text
    .replaceAll(digits, (run) =>
      isOpaque(withoutKnown(levelsOf(run).at(-1)?.replaceAll(/\s/g, '') ?? '', isKnown)) ? hidden(run) : run,
    )
    .replaceAll(numbers, (run) => (areBytes(run) ? `"${hidden(run)}"` : run))
    .replaceAll(groups, (run) => (arePacked(run) ? hidden(run) : run))
    .replaceAll(escaped, (run) => (isBinary(run) ? hidden(run) : run))
}

/** Whether a decoded text holds a run that is shown as opaque where nothing had to be decoded. */
export function holdsOpaque(text: string): boolean {
  return text.length > MIN_RUN && (text.match(digits) ?? []).some((run) => isOpaque(run.replaceAll(ids, '-')))
}

/** Codes of the digits of base64 in hexadecimal, and in decimal. */
const code = String.raw`(?:2[bdf]|3\d|[46][1-9a-f]|[57][\da]|5f)`
const decimal = String.raw`(?:4[3578]|49|5[0-7]|6[5-9]|[78]\d|9[0578]|99|1[01]\d|12[0-2])`
/** Digits of any base up to 64, also escaped and folded. */
const digits = new RegExp(
  String.raw`(?!\s|\\+[nr])(?:[\w+/-]|%(?:25){0,3}${code}|\\{1,8}(?:x|u00)${code}|\\{1,8}[/nr]|&(?:amp;){0,3}#(?:x${code}|${decimal});|\r?\n[ \t]{0,80}){${MIN_RUN + 1},}(?:=|%3d){0,2}`,
  'gi',
)

const hex = String.raw`[\da-f]`
const ids = new RegExp(
  String.raw`(?<![A-Za-z\d])(?:${hex}{8}(?:-${hex}{4}){3}-${hex}{12}|1-${hex}{8}-${hex}{24}|${hex}{32}-${hex}{16}(?:-\d)?(?:-${hex}{16})?|${hex}{32,48})(?![A-Za-z\d])`,
  'gi',
)

function withoutKnown(run: string, isKnown: (words: string) => boolean): string {
  const known = (words: string): string => (isKnown(words) ? '-' : words)
  return isOpaque(run)
    ? known(run)
        .replaceAll(ids, '-')
        .replaceAll(/[^/]{8,}/g, known)
    : ''
}

/** Whether somewhere in a run capitals, small letters and digits change as often as in packed data. */
function isOpaque(run: string): boolean {
  /** Changes before each place. */
  const before = [0]
  let [count, last] = [0, '']
  for (const one of run) {
    const kind = one < '0' || one === '=' || one === '_' ? '' : one <= '9' ? '0' : one <= 'Z' ? 'A' : 'a'
    if (kind !== last && kind !== '' && last !== '' && !(last === 'A' && kind === 'a')) count += 1
    last = kind
    before.push(count)
  }
  const between = (from: number, to: number): number => (before[to] ?? 0) - (before[from] ?? 0)
  for (let start = 0; start + MIN_RUN < before.length; start += 1) {
    if (between(start, start + MIN_RUN) < MIN_CHANGES) continue
    let end = start
    while (end < start + MIN_RUN && between(end, end + BLOCK) > 0) end += BLOCK
    // Names of classes have capitals, too.
    if (end === start + MIN_RUN && /\d/.test(run.slice(start, end))) return true
  }
  return false
}

/** Lists of bytes, also by their position: `[31, -117]`, `{"0":31,"1":139}`. */
const numbers = new RegExp(
  String.raw`(?<![\w.])-?\d{1,3}(?:[\s,;]{1,40}(?:"\d{1,6}":\s{0,9})?-?\d{1,3}){${MIN_BYTES - 1},}(?![\w.])`,
  'g',
)

function areBytes(list: string): boolean {
  const values = (list.replaceAll(/"\d+":/g, '').match(/-?\d+/g) ?? []).map(Number)
  const others = values.filter((value) => value < 0 || value > 0x7f)
  return others.length * 4 >= values.length && values.every((value) => value >= -0x80 && value <= 0xff)
}

/** Bytes in hexadecimal, in groups of one to four that the same characters part. */
const groups =
  /(?<![\da-z])(?:0x|\\{1,8}x)?(?:[\da-f]{2}){1,4}([ :,;.|-]{1,2}(?:0x|\\{1,8}x)?|0x|\\{1,8}x|\s)(?:[\da-f]{2}){1,4}(?:(?:\1|\\{1,8}[nr]|\s{1,40}){1,2}(?:[\da-f]{2}){1,4}){5,}(?![\da-z])/gi

/** Lists of years, codes and times have no letters. */
function arePacked(run: string): boolean {
  const all = run.replaceAll(/0x|[^\da-f]/gi, '')
  const letters = all.replaceAll(/\d/g, '')
  return all.length > 2 * MIN_BYTES && letters.length * 8 >= all.length
}

/** Characters of a URL or a text in C, bytes among them. */
const escaped = /(?:(?:%|\\{1,8}x)[\da-f]{2}|[\w.~!*'()+/@-]){24,}/gi

function isBinary(run: string): boolean {
  const bytes = Buffer.from(levelsOf(run).at(-1) ?? '', 'latin1')
  return bytes.filter((byte) => byte > 0x7f).length * 4 >= bytes.length && !isUtf8(bytes)
}
