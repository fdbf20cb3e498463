import { createHash } from 'node:crypto'
import { readTree, writeTree, type Tree, meaningOf } from '../text/json.ts'
import { firstUnits } from '../text/printable.ts'

/** The tolerated changes, by name. */
export type ChangeName = 'added' | 'order' | 'opaque'

/** A change in answers that clients must tolerate. Source: Versioning, tolerated changes 2, 3 and 5. */
export type ToleratedChange = Readonly<{
  name: ChangeName
  /** The change, as a phrase that follows "with". */
  says: string
  /** Returns the changed text, and the number of added properties, reordered objects or changed strings. */
  change: (tree: Tree, seed: number, strings: OtherStrings) => ReturnType<typeof withOtherStrings>
  /** The effect, in the singular and plural. */
  did: readonly [verb: string, one: string, several: string]
}>

/** All changes in a body that clients must tolerate. */
export const toleratedChanges: readonly ToleratedChange[] = [
  {
    name: 'added',
    says: 'properties added to every object',
    change: withAdded,
    did: ['added', 'property', 'properties'],
  },
  {
    name: 'order',
    says: 'the properties of every object in another order',
    change: inAnotherOrder,
    did: ['reordered', 'object', 'objects'],
  },
  {
    name: 'opaque',
    says: 'every opaque string longer, shorter, empty or in another format',
    change: (tree, _, strings) => withOtherStrings(tree, strings),
    did: ['changed', 'string', 'strings'],
  },
]

const byteOrderMark = '\uFEFF'

/**
 * Applies tolerated changes one after another. All strings are opaque unless `strings` says otherwise. Preserves numbers and a
 * byte order mark, but drops white space. Throws a SyntaxError if the JSON is invalid.
 */
export function changeText(
  text: string,
  names: readonly ChangeName[],
  seed: number,
  strings = otherStrings(seed),
) {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
  let changed = text.slice(mark.length)
  const changes = names.flatMap((name) => toleratedChanges.filter((one) => one.name === name))
  /** The effect of each change, without any values: `added 12 properties`. */
  const done = changes.map(({ name, change, did: [verb, one, several] }) => {
    const result = change(readTree(changed), seed, strings)
    const { count } = result
    changed = result.text
    return { name, count, says: `${verb} ${count} ${count === 1 ? one : several}` }
  })
  return { text: `${mark}${changed}`, done }
}

/** Reorders properties in a way that is visible even to parsers that put numeric names first. Lists, and objects with duplicate names, keep their order. */
function inAnotherOrder(tree: Tree, seed: number) {
  const draw = drawsFrom(startOf(seed, 'order'))
  let count = 0
  const members = (own: readonly Tree[]): readonly Tree[] => {
    if (own.length < 2 || new Set(own.map(({ name }) => name)).size < own.length) return own
    count += 1
    const other = shuffled(own, draw)
    return isOtherOrder(other, own) ? other : own.toReversed()
  }
  return { text: writeTree(tree, { members }), count }
}

function shuffled(members: readonly Tree[], draw: Draw): readonly Tree[] {
  const all: Tree[] = []
  for (const member of members) {
    const at = draw(all.length + 1)
    all.push(all[at] ?? member)
    all[at] = member
  }
  return all
}

/** Whether the order also differs for parsers that put numeric names first. */
function isOtherOrder(one: readonly Tree[], other: readonly Tree[]) {
  const seen = (members: readonly Tree[]) => {
    const plain = members.filter(({ name }) => !/^\d+$/.test(name))
    return plain.length < 2 ? members : plain
  }
  const expected = seen(other)
  return seen(one).some((member, index) => member !== expected[index])
}

const inherited = ['__proto__', 'constructor', 'prototype', 'toString', 'valueOf', 'hasOwnProperty', 'toJSON']
const unusual = ['then', '', ' ', 'größe', '属性', 'свойство', '\u{1F3A8}']
const signs = [
  'dotted.name',
  'name with spaces',
  'slash/name',
  `quoted "name's"`,
  'back\\slash',
  'line\nbreak',
]

/** Names that cause trouble in parsers, are used by hardly any service, and are not identifiers (`isIdentifier`). */
const names = [...inherited, ...unusual, ...signs, '$ref', '@new', '-', 'x-added-property']

const numbers = ['0', '-1', '1.5', '9007199254740991'] as const
const strings = ['""', '"added"', '"größe 属性 \\ud83c\\udfa8"'] as const
const containers = [
  '[]',
  '[1,"two",null,[true]]',
  '{}',
  '{"added":{"deeper":[{"":0}]}}',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
] as const

/** JSON texts of every type that all parsers can read, without any properties of the error object. */
const values = ['null', 'true', 'false', ...numbers, ...strings, ...containers] as const

/** Adds one to three properties to every object, with names that do not occur in the answer, because clients need not tolerate changed types. */
function withAdded(tree: Tree, seed: number) {
  const draw = drawsFrom(startOf(seed, 'added'))
  const known = new Set<string>()
  const note = (own: readonly Tree[]) => {
    for (const { name } of own) known.add(name)
    return own
  }
  writeTree(tree, { members: note })

  let count = 0
  const members = (own: readonly Tree[]) => {
    const all = [...own]
    const taken = new Set<string>()
    for (let more = 1 + draw(3); more > 0; more -= 1) {
      const name = freeName(draw, (one) => known.has(one) || taken.has(one))
      taken.add(name)
      const quoted = JSON.stringify(name)
      const property = {
        kind: 'literal',
        text: drawn(draw, values),
        inner: [],
        name,
        quoted,
      } as const
      all.splice(draw(all.length + 1), 0, property)
      count += 1
    }
    return all
  }
  return { text: writeTree(tree, { members }), count }
}

function freeName(draw: Draw, isTaken: (name: string) => boolean) {
  const free = [...names.slice(draw(names.length)), ...names].find((name) => !isTaken(name))
  if (free !== undefined) return free

  let again = 1
  while (isTaken(`x-added-${again}`)) again += 1
  return `x-added-${again}`
}

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
function withOtherStrings(tree: Tree, otherFor: OtherStrings) {
  let count = 0
  const string = ({ text, name }: Tree, nearest: string | null) => {
    const other = name === 'error_code' ? null : otherFor(meaningOf(text), nearest)
    if (other === null) return text
    count += 1
    return JSON.stringify(other)
  }
  return { text: writeTree(tree, { string }), count }
}

function hex(draw: Draw, length: number) {
  return drawnText(draw, hexadecimal, length)
}

/** Draws a whole number that is at least 0 and less than `bound`. */
type Draw = (bound: number) => number

/** A 32-bit starting value derived from a seed and a name, which is the same on every machine. */
export function startOf(seed: number, name: string) {
  return createHash('sha256').update(`${seed}:${name}`).digest().readUInt32BE(0)
}

/** A separate starting value for each text, computed by FNV-1a over its code units. */
function startFor(start: number, text: string) {
  let hash = start ^ 0x811c9dc5
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return hash >>> 0
}

/** Draws numbers with mulberry32, which takes nanoseconds, whereas a hash takes microseconds. */
function drawsFrom(start: number): Draw {
  let state = start
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound)
  }
}

/** Draws one of several values. */
export function drawn<One>(draw: Draw, several: readonly [One, ...One[]]) {
  return several[draw(several.length)] ?? several[0]
}

/** Draws a string of `length` characters from an alphabet. */
function drawnText(draw: Draw, alphabet: readonly string[], length: number) {
  let text = ''
  for (let drawnSoFar = 0; drawnSoFar < length; drawnSoFar += 1) text += alphabet[draw(alphabet.length)] ?? ''
  return text
}
