import { drawn, drawsFrom, startOf, type Draw } from './seeded-draws.ts'
import { writeTree, type Changed, type Member, type Tree } from '../json/json-tree.ts'

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

/** Names that trouble readers, that hardly any service uses, and that are no identifiers (`isIdentifier`). */
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

/** JSON texts of every type that every parser reads; none holds a property of the error object. */
const values = ['null', 'true', 'false', ...numbers, ...strings, ...containers] as const

/** Adds one to three properties to every object at any place, with names new to the answer: clients need not tolerate retyped ones. */
export function withAdded(tree: Tree, seed: number): Changed {
  const draw = drawsFrom(startOf(seed, 'added'))
  const known = new Set<string>()
  const note = (own: readonly Member[]): readonly Member[] => {
    for (const { name } of own) known.add(name)
    return own
  }
  writeTree(tree, { members: note })

  let count = 0
  const members = (own: readonly Member[]): readonly Member[] => {
    const all = [...own]
    const taken = new Set<string>()
    for (let more = 1 + draw(3); more > 0; more -= 1) {
      const name = freeName(draw, (one) => known.has(one) || taken.has(one))
      taken.add(name)
      const value = { kind: 'literal', text: drawn(draw, values) } as const
      all.splice(draw(all.length + 1), 0, { name, text: JSON.stringify(name), value })
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
