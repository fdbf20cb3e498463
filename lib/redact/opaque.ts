import { digitRuns, placeOf, type Reading } from './readings.ts'

/** Minimum length of an opaque run, minus one, in characters. */
const MIN_RUN = 32
/** Size of a window, in characters, with at least one change in an opaque run, and the minimum number of changes in a run. */
const BLOCK = 8
const MIN_CHANGES = 8
/** Minimum number of bytes in a list. */
const MIN_BYTES = 8

/** The place of a part of a text that may be packed data. */
interface Opaque {
  readonly from: number
  readonly to: number
}

/**
 * Finds base64 runs that switch between upper case, lower case and digits as packed data does, and lists and objects of bytes. `isKnown`
 * recognises public text, such as parts of the request. Words of 32 to 48 hexadecimal digits, UUIDs and trace ids are left alone.
 */
export function opaqueIn(levels: readonly Reading[], isKnown: (words: string) => boolean): readonly Opaque[] {
  return levels.flatMap((level) => {
    const found = [...level.text.matchAll(runs)].filter(([run]) =>
      isPacked(run.replaceAll(/\s/g, ''), isKnown),
    )
    const lists = [...level.text.matchAll(numbers)].filter(([list]) => areBytes(list))
    return [...found, ...lists].map(({ 0: text, index }) => placeOf(level, index, index + text.length))
  })
}

const runs = new RegExp(`${digitRuns(MIN_RUN + 1).source}={0,2}`, 'g')

const hex = String.raw`[\da-f]`
const ids = new RegExp(
  String.raw`(?<![A-Za-z\d])(?:${hex}{8}(?:-${hex}{4}){3}-${hex}{12}|1-${hex}{8}-${hex}{24}|${hex}{32}-${hex}{16}(?:-\d)?(?:-${hex}{16})?|${hex}{32,48})(?![A-Za-z\d])`,
  'gi',
)

function isPacked(run: string, isKnown: (words: string) => boolean): boolean {
  if (!changesAsPacked(run) || isKnown(run)) return false
  const known = (words: string): string => (isKnown(words) ? '-' : words)
  return changesAsPacked(run.replaceAll(ids, '-').replaceAll(/[^/]{8,}/g, known))
}

/** Whether a run switches between upper case, lower case and digits anywhere as often as packed data does. */
function changesAsPacked(run: string): boolean {
  /** Number of changes before each place. */
  const before = [0]
  let [count, last] = [0, '']
  for (const char of run) {
    const kind = char < '0' || char === '=' || char === '_' ? '' : char <= '9' ? '0' : char <= 'Z' ? 'A' : 'a'
    if (kind !== last && kind !== '' && last !== '' && !(last === 'A' && kind === 'a')) count += 1
    last = kind
    before.push(count)
  }
  const between = (from: number, to: number): number => (before[to] ?? 0) - (before[from] ?? 0)
  for (let start = 0; start + MIN_RUN < before.length; start += 1) {
    if (between(start, start + MIN_RUN) < MIN_CHANGES) continue
    let end = start
    while (end < start + MIN_RUN && between(end, end + BLOCK) > 0) end += BLOCK
    // Class names also have capital letters.
    if (end === start + MIN_RUN && /\d/.test(run.slice(start, end))) return true
  }
  return false
}

/** Lists of bytes, or objects with positions as keys, such as `[31, -117]` or `{"0":31,"1":139}`. */
const numbers = new RegExp(
  String.raw`(?<![\w.])-?\d{1,3}(?:[\s,;]{1,40}(?:"\d{1,6}":\s{0,9})?-?\d{1,3}){${MIN_BYTES - 1},}(?![\w.])`,
  'g',
)

/** Small numbers alone are counts, whereas half of the bytes of a text are letters. */
function areBytes(list: string): boolean {
  const values = (list.replaceAll(/"\d+":/g, '').match(/-?\d+/g) ?? []).map(Number)
  const others = values.filter((value) => value < 0 || value >= 0x20)
  return others.length * 2 >= values.length && values.every((value) => value >= -0x80 && value <= 0xff)
}
