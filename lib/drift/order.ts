import type { Changed } from './changed.ts'
import { drawsFrom, startOf, type Draw } from './draw.ts'
import type { Member, Tree } from './json-tree.ts'
import { writeTree } from './write-tree.ts'

/**
 * Puts the properties of every object of two or more into another order, also of those that JavaScript itself sorts no differently.
 * An object that repeats a name keeps its order, which decides what the name stands for. Items of lists keep theirs.
 */
export function inAnotherOrder(tree: Tree, seed: number): Changed {
  const draw = drawsFrom(startOf(seed, 'order'))
  let count = 0
  const members = (own: readonly Member[]): readonly Member[] => {
    if (own.length < 2 || new Set(own.map(({ name }) => name)).size < own.length) return own
    count += 1
    const other = shuffled(own, draw)
    return isOtherOrder(other, own) ? other : own.toReversed()
  }

  const text = writeTree(tree, { members })
  const says = `reordered ${count} ${count === 1 ? 'object' : 'objects'}`
  return { text, done: { name: 'order', count, says } }
}

function shuffled(members: readonly Member[], draw: Draw): readonly Member[] {
  const all: Member[] = []
  for (const member of members) {
    const at = draw(all.length + 1)
    all.push(all[at] ?? member)
    all[at] = member
  }
  return all
}

/** Whether also those see another order for which names of digits alone always come first. */
function isOtherOrder(one: readonly Member[], other: readonly Member[]): boolean {
  const seen = (members: readonly Member[]): readonly Member[] => {
    const plain = members.filter(({ name }) => !/^\d+$/.test(name))
    return plain.length < 2 ? members : plain
  }
  const expected = seen(other)
  return seen(one).some((member, index) => member !== expected[index])
}
