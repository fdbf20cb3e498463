import { readTree, writeTree, type Tree } from '../text/json.ts'
import { otherStrings, withOtherStrings, type OtherStrings } from './opaque-strings.ts'
import { drawn, drawsFrom, startOf, type Draw } from './seeded-draws.ts'

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
function isOtherOrder(one: readonly Tree[], other: readonly Tree[]): boolean {
  const seen = (members: readonly Tree[]): readonly Tree[] => {
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
  const note = (own: readonly Tree[]): readonly Tree[] => {
    for (const { name } of own) known.add(name)
    return own
  }
  writeTree(tree, { members: note })

  let count = 0
  const members = (own: readonly Tree[]): readonly Tree[] => {
    const all = [...own]
    const taken = new Set<string>()
    for (let more = 1 + draw(3); more > 0; more -= 1) {
      const name = freeName(draw, (one) => known.has(one) || taken.has(one))
      taken.add(name)
      const quoted = JSON.stringify(name)
      const property = { kind: 'literal', text: drawn(draw, values), inner: [], name, quoted } as const
      all.splice(draw(all.length + 1), 0, property)
      count += 1
    }
    return all
  }
  return { text: writeTree(tree, { members }), count }
}

function freeName(draw: Draw, isTaken: (name: string) => boolean): string {
  const free = [...names.slice(draw(names.length)), ...names].find((name) => !isTaken(name))
  if (free !== undefined) return free

  let again = 1
  while (isTaken(`x-added-${again}`)) again += 1
  return `x-added-${again}`
}
