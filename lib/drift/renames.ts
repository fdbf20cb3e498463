import { isBelow, isProperty, parentOf } from './paths.ts'
import { countOf, typesOf } from './seen.ts'
import type { Shape } from './shape.ts'

/** Two shapes: the one that was learned, and what is seen now. */
export interface Compared {
  readonly baseline: Shape
  readonly seen: Shape
}

/** Of more properties no pairs are made: which of them belong together is a guess, and each costs a comparison with each. */
const mostPaired = 20

/**
 * Which of the removed properties are there under another name: old path to new path. A pair is a removed property and a new one at
 * the same place, of the same shape, where neither fits another.
 */
export function renamesOf(removed: readonly string[], compared: Compared): ReadonlyMap<string, string> {
  const added = removed.length === 0 ? [] : newProperties(removed, compared)
  if (removed.length > mostPaired || added.length > mostPaired) return new Map()

  const fitting = removed.flatMap((from) =>
    added
      .filter((to) => parentOf(from) === parentOf(to) && isSameShape(from, to, compared))
      .map((to) => [from, to] as const),
  )
  return new Map(
    fitting.filter(([from, to]) => fitting.filter((pair) => pair[0] === from || pair[1] === to).length === 1),
  )
}

/** Properties that every object has now where something was removed, and none had before. */
function newProperties(removed: readonly string[], { baseline, seen }: Compared): readonly string[] {
  const places = new Set(removed.map(parentOf))
  return Object.keys(seen).filter((path) => {
    const parent = parentOf(path)
    if (parent === null || !places.has(parent) || !isProperty(path) || Object.hasOwn(baseline, path))
      return false
    return baseline[parent]?.cut === undefined && countOf(seen[path]) === seen[parent]?.object
  })
}

/** Whether the new property, and all that stands below it, is nothing that the old one was not. */
function isSameShape(from: string, to: string, { baseline, seen }: Compared): boolean {
  if (typesOf(seen[to]).length === 0) return false

  return Object.keys(seen)
    .filter((path) => path === to || isBelow(path, to))
    .every((path) => {
      const before = baseline[`${from}${path.slice(to.length)}`]
      return before !== undefined && typesOf(seen[path]).every((type) => typesOf(before).includes(type))
    })
}
