import { isObject } from './children.ts'
import { depthOf, entriesPath, isIdentifier, itemsPath, parentOf, propertyPath, rootPath } from './paths.ts'
import { mergeSeen, typeOf, type JsonType, type Seen } from './seen.ts'

/**
 * The shape of JSON values: what was seen at each path, `$` being the whole value. A property was there as often as values were
 * seen at its path, of as many times as objects were seen at its parent's. It holds the names of properties, but for identifiers,
 * and never a value; plain JSON. At most 32 steps deep and 2,000 paths: what is left out is marked, and says nothing.
 */
export type Shape = Readonly<Record<string, Seen>>

/** What stands at the paths of one depth, each with its parent's. */
type Level = ReadonlyMap<string, { readonly parent: string; readonly values: unknown[] }>

/** How many steps a path of a shape has at most. */
export const maxDepth = 32

/** How many paths a shape has at most. */
export const maxPaths = 2_000

/** The shape of nothing: merged with another it leaves that as it is. */
export const emptyShape: Shape = {}

/** The shape of one value as `JSON.parse` gives it, however deep. */
export function shapeOf(value: unknown): Shape {
  const shape = new Map<string, Seen>()
  let level: Level = new Map([[rootPath, { parent: rootPath, values: [value] }]])
  for (let depth = 0; level.size > 0; depth += 1) {
    for (const [path, { values }] of level) shape.set(path, seenIn(values))
    const below = levelBelow(level, depth === maxDepth ? 0 : maxPaths - shape.size)
    for (const path of below.cut) shape.set(path, { ...shape.get(path), cut: true })
    level = below.level
  }
  return Object.fromEntries(shape)
}

/** The shape of the values of both; the order in which shapes are merged makes no difference. */
export function mergeShapes(one: Shape, other: Shape): Shape {
  const merged = { ...one }
  for (const [path, seen] of Object.entries(other)) {
    const known = merged[path]
    merged[path] = known === undefined ? seen : mergeSeen(known, seen)
  }
  return bounded(merged)
}

/**
 * What stands directly below a level, of as many paths as there is room for, the first by their text; and the paths below which
 * something was left out.
 */
function levelBelow(
  above: Level,
  room: number,
): { readonly level: Level; readonly cut: ReadonlySet<string> } {
  const level = new Map<string, { readonly parent: string; readonly values: unknown[] }>()
  const cut = new Set<string>()
  const leaveOut = (): void => {
    for (const path of [...level.keys()].toSorted().slice(room)) {
      cut.add(level.get(path)?.parent ?? rootPath)
      level.delete(path)
    }
  }
  const add = (parent: string, path: string, value: unknown): void => {
    const known = level.get(path)
    if (known === undefined) level.set(path, { parent, values: [value] })
    else known.values.push(value)
    // Now and then, so that millions of names take no more memory than some thousands. What is left out does not come back for good:
    // as many paths as there is room for came before it, and still do.
    if (level.size > room + maxPaths) leaveOut()
  }

  for (const [parent, { values }] of above) {
    const pathOf = pathsBelow(parent)
    for (const value of values) {
      if (Array.isArray(value)) for (const item of value) add(parent, itemsPath(parent), item)
      else if (isObject(value)) {
        for (const [name, inner] of Object.entries(value)) add(parent, pathOf(name), inner)
      }
    }
  }
  leaveOut()
  return { level, cut }
}

/** Paths by name, each made once: the items of a list mostly have the same names. */
function pathsBelow(parent: string): (name: string) => string {
  const known = new Map<string, string>()
  return (name) => {
    const path = known.get(name) ?? (isIdentifier(name) ? entriesPath(parent) : propertyPath(parent, name))
    if (known.size < maxPaths) known.set(name, path)
    return path
  }
}

function seenIn(values: readonly unknown[]): Seen {
  const counts: Partial<Record<JsonType, number>> = {}
  for (const value of values) {
    const type = typeOf(value)
    counts[type] = (counts[type] ?? 0) + 1
  }
  return counts
}

/**
 * A shape within its bound. Shallow paths are kept before deep ones, then by their text: an order that is the same for all shapes,
 * so that a path which is kept in the end was kept by every merge before, with all its counts.
 */
function bounded(shape: Shape): Shape {
  const paths = Object.keys(shape)
  if (paths.length <= maxPaths) return shape

  const inOrder = paths
    .map((path) => ({ path, depth: depthOf(path) }))
    .toSorted((one, other) => one.depth - other.depth || (one.path < other.path ? -1 : 1))
  const kept = new Map<string, Seen>()
  for (const { path } of inOrder.slice(0, maxPaths)) kept.set(path, shape[path] ?? {})
  for (const { path } of inOrder.slice(maxPaths)) {
    const parent = parentOf(path) ?? rootPath
    const seen = kept.get(parent)
    if (seen !== undefined) kept.set(parent, { ...seen, cut: true })
  }
  return Object.fromEntries(kept)
}
