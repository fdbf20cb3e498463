import { writeTree, type Tree, meaningOf } from '../text/json.ts'
import { firstUnits } from '../text/printable.ts'
import { drawn, drawnText, drawsFrom, startFor, startOf, type Draw } from './seeded-draws.ts'

/** Names of properties whose strings are opaque by default, that is, identifiers and messages. */
export const usualOpaqueNames: readonly string[] = ['id', '*_id', '*Id', 'uuid', 'error_message', 'message']

type Remake = (text: string, draw: Draw) => string

const letters = [...'abcdefghijklmnopqrstuvwxyz']
const hexadecimal = [...'0123456789abcdef']
const base64 = [...letters, ...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/']

const alphabets: readonly [string[], ...string[][]] = [
  [...'αβγδεζηθικλμν'],
  [...'абвгдежзиклмн'],
  [...'色彩設定顧客番号'],
  [...'ابتثجحخدذرزسش'],
  [...'🎨🧪🔑🌍'],
  ['ẞ', 'ñ', 'å', 'ç', 'ø', 'e\u0301', 'o\u0308'],
]

/** Lengths just above common limits: 36 for a UUID, 64, and 255 for a database column. */
const beyond = [37, 65, 256, 300] as const

const formats: readonly [Remake, ...Remake[]] = [
  (_, draw) => `${hex(draw, 8)}-${hex(draw, 4)}-4${hex(draw, 3)}-a${hex(draw, 3)}-${hex(draw, 12)}`,
  (_, draw) => String(1 + draw(2 ** 31)),
  (_, draw) => `20${10 + draw(80)}-0${1 + draw(9)}-1${draw(10)}T00:00:00Z`,
  (_, draw) => `https://example.invalid/${drawnText(draw, letters, 9)}?a=b&c=d#e`,
  (_, draw) => `${drawnText(draw, base64, 22)}==`,
  (_, draw) => `  ${drawnText(draw, letters, 4)}\t"quoted" \\ <b>&amp;</b>\n`,
  (_, draw) => drawn(draw, ['null', 'true', '0', '{}', '-']),
]

/** Ways to change the length and format of an opaque string. Source: Versioning, tolerated change 5. */
const remakes: readonly [Remake, ...Remake[]] = [
  (text, draw) => text + drawnText(draw, letters, 1 + draw(32)),
  (text, draw) => text.padEnd(drawn(draw, beyond), drawnText(draw, letters, 8)),
  (text, draw) => firstUnits(text, draw(text.length)),
  () => '',
  (text, draw) => drawnText(draw, drawn(draw, alphabets), 1 + draw(Math.min(text.length, 32) + 8)),
  (text, draw) => drawn(draw, formats)(text, draw),
  (text, draw) => drawn(draw, formats)(text, draw),
]

/** Maximum memory for changed strings, in characters. Beyond this limit, a string may be changed differently the next time, but only if there was a collision. */
const mostKept = 8 * 1024 * 1024

/** The replacement for a string; null if it is not opaque. The nearest property contains either the string itself or its list. */
export type OtherStrings = (text: string, nearest: string | null) => string | null

/** Determines which strings are opaque and what they become. In all trees, equal strings remain equal and different strings remain different. */
export function otherStrings(
  seed: number,
  isOpaque: (nearest: string | null) => boolean = () => true,
): OtherStrings {
  const start = startOf(seed, 'opaque')
  const made = new Map<string, string>()
  const taken = new Set<string>()
  let kept = 0
  return (text, nearest) => {
    if (!isOpaque(nearest)) return null
    const known = made.get(text)
    if (known !== undefined) return known
    const draw = drawsFrom(startFor(start, text))
    let other = drawn(draw, remakes)(text, draw)
    while (other === text || taken.has(other)) other += drawnText(draw, letters, 4)
    if (kept > mostKept) {
      made.clear()
      taken.clear()
      kept = 0
    }
    kept += text.length + other.length
    made.set(text, other)
    taken.add(other)
    return other
  }
}

/** Changes the length, alphabet or format of every opaque string except `error_code`. */
export function withOtherStrings(tree: Tree, otherFor: OtherStrings) {
  let count = 0
  const string = ({ text, name }: Tree, nearest: string | null): string => {
    const other = name === 'error_code' ? null : otherFor(meaningOf(text), nearest)
    if (other === null) return text
    count += 1
    return JSON.stringify(other)
  }
  return { text: writeTree(tree, { string }), count }
}

function hex(draw: Draw, length: number): string {
  return drawnText(draw, hexadecimal, length)
}
