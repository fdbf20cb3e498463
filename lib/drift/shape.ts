import { depthOf, entriesPath, isIdentifier, itemsPath, parentOf, propertyPath, rootPath } from './paths.ts'

/** The types of JSON values. */
export const jsonTypes = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const

/** A type of JSON values. */
export type JsonType = (typeof jsonTypes)[number]

/** What was seen at a path: how many values of each type, and whether some of what stands below them was left out. */
export type Seen = Readonly<Partial<Record<JsonType, number>>> & { readonly cut?: true }

/**
 * The shape of JSON values: what was seen at each path, `$` being the whole value. A property was there as often as values were
 * seen at its path, of as many times as objects were seen at its parent's. It holds the names of properties, except identifiers,
 * and never a value; plain JSON. At most 32 steps deep and 2,000 paths: what is left out is marked, and says nothing.
 */
export type Shape = Readonly<Record<string, Seen>>

/** Maximum number of steps of a path. */
export const maxDepth = 32

/** Maximum number of paths of a shape. */
export const maxPaths = 2_000

/** The shape of nothing: merged with another it leaves that as it is. */
export const emptyShape: Shape = {}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** How many values were seen. */
export function countOf(seen: Seen | undefined): number {
  return seen === undefined ? 0 : jsonTypes.reduce((sum, type) => sum + (seen[type] ?? 0), 0)
}

/** Which types were seen, null left out. */
export function typesOf(seen: Seen | undefined): readonly JsonType[] {
  return jsonTypes.filter((type) => type !== 'null' && (seen?.[type] ?? 0) > 0)
}

/** What stands at the paths of one depth. */
type Level = ReadonlyMap<string, readonly unknown[]>

/** The shape of one value as `JSON.parse` gives it, however deep. Throws a TypeError for what JSON does not have. */
export function shapeOf(value: unknown): Shape {
  const shape = new Map<string, Seen>()
  const markCut = (path: string): void => void shape.set(path, { ...shape.get(path), cut: true })
  let level: Level = new Map([[rootPath, [value]]])
  for (let depth = 0; level.size > 0; depth += 1) {
    for (const [path, values] of level) shape.set(path, seenIn(values))
    level = levelBelow(level, depth === maxDepth ? 0 : maxPaths - shape.size, markCut)
  }
  return Object.fromEntries(shape)
}

function seenIn(values: readonly unknown[]): Seen {
  const counts: Partial<Record<JsonType, number>> = {}
  for (const value of values) {
    const type = typeOf(value)
    counts[type] = (counts[type] ?? 0) + 1
  }
  return counts
}

function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  if (type === 'object' || type === 'string' || type === 'number' || type === 'boolean') return type
  throw new TypeError(`${type} is not JSON`)
}

/**
 * What stands directly below a level, of as many paths as there is room for, the first by their text; `markCut` gets the paths below
 * which something was left out.
 */
function levelBelow(above: Level, room: number, markCut: (path: string) => void): Level {
  const level = new Map<string, unknown[]>()
  const leaveOut = (): void => {
    for (const path of [...level.keys()].toSorted().slice(room)) {
      markCut(parentOf(path) ?? rootPath)
      level.delete(path)
    }
  }
  const add = (path: string, value: unknown): void => {
    const known = level.get(path)
    if (known === undefined) level.set(path, [value])
    else known.push(value)
    // Now and then, so that millions of names take no more memory than some thousands. What is left out does not come back for good:
    // as many paths as there is room for came before it, and still do.
    if (level.size > room + maxPaths) leaveOut()
  }

  for (const [parent, values] of above) {
    for (const value of values) {
      if (Array.isArray(value)) for (const item of value) add(itemsPath(parent), item)
      else if (isObject(value)) {
        for (const [name, inner] of Object.entries(value)) {
          add(isIdentifier(name) ? entriesPath(parent) : propertyPath(parent, name), inner)
        }
      }
    }
  }
  leaveOut()
  return level
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

/** What was seen by one and by another. */
function mergeSeen(one: Seen, other: Seen): Seen {
  const counts = jsonTypes
    .map((type) => [type, (one[type] ?? 0) + (other[type] ?? 0)] as const)
    .filter(([, count]) => count > 0)
  return { ...Object.fromEntries(counts), ...((one.cut ?? other.cut) ? { cut: true } : {}) }
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
