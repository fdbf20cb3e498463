import { isObject } from '../text/json.ts'
import { unicodeEscapes } from '../text/printable.ts'

export const jsonTypes = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const

type JsonType = (typeof jsonTypes)[number]

/** The number of values of each type at a path, and whether anything under that path has been omitted. */
export type Seen = Readonly<Partial<Record<JsonType, number>>> & { readonly cut?: true }

/**
 * The types seen at each path, where `$` is the root. Contains property names except identifiers, and no values; plain JSON. The
 * number of values at a property's path, out of the number of objects at its parent's path, shows how often the property is
 * present. `cut` marks paths under which something exceeded the limits.
 */
export type Shape = Readonly<Record<string, Seen>>

/** Maximum number of steps in a path. */
export const maxDepth = 32

/** Maximum number of paths in a shape. */
export const maxPaths = 2_000

/** The total number of values seen. */
export function countOf(seen: Seen | undefined) {
  return seen === undefined ? 0 : jsonTypes.reduce((sum, type) => sum + (seen[type] ?? 0), 0)
}

/** The types seen, null last. */
export function typesAndNull(seen: Seen | undefined): readonly JsonType[] {
  return jsonTypes.filter((type) => (seen?.[type] ?? 0) > 0)
}

/** The types seen, other than null. */
export function typesOf(seen: Seen | undefined): readonly JsonType[] {
  return typesAndNull(seen).filter((type) => type !== 'null')
}

/** The shape of a value of any depth from `JSON.parse`. Throws a TypeError if a value is not possible in JSON. */
export function shapeOf(value: unknown): Shape {
  const shape: Record<string, Partial<Record<JsonType, number>>> = {}
  const add = (path: string, one: unknown, depth: number) => {
    const type = typeOf(one)
    const seen = (shape[path] ??= {})
    seen[type] = (seen[type] ?? 0) + 1
    // One level more than is kept shows where something has been omitted.
    if (depth > maxDepth) return
    if (Array.isArray(one)) for (const item of one) add(`${path}[]`, item, depth + 1)
    if (!isObject(one)) return
    for (const [name, inner] of Object.entries(one))
      add(isIdentifier(name) ? `${path}{}` : propertyPath(path, name), inner, depth + 1)
  }
  add(rootPath, value, 0)
  return bounded(shape)
}

function typeOf(value: unknown) {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  if (type === 'object' || type === 'string' || type === 'number' || type === 'boolean') return type
  throw new TypeError(`${type} is not JSON`)
}

/** Merges two records by way of a map, so that even `__proto__` is an ordinary name. The order makes no difference if it makes none to `merge`. */
export function mergeRecords<One>(
  one: Readonly<Record<string, One>>,
  other: Readonly<Record<string, One>>,
  merge: (before: One, more: One) => One,
): Readonly<Record<string, One>> {
  const all = new Map(Object.entries(one))
  for (const [name, more] of Object.entries(other)) {
    const before = all.get(name)
    all.set(name, before === undefined ? more : merge(before, more))
  }
  return Object.fromEntries(all)
}

/** Merges two shapes. The order makes no difference. */
export function mergeShapes(one: Shape, other: Shape): Shape {
  return bounded(mergeRecords(one, other, mergeSeen))
}

function mergeSeen(one: Seen, other: Seen): Seen {
  const counts = jsonTypes
    .map((type) => [type, (one[type] ?? 0) + (other[type] ?? 0)] as const)
    .filter(([, count]) => count > 0)
  return { ...Object.fromEntries(counts), ...((one.cut ?? other.cut) ? { cut: true } : {}) }
}

/** Limits a shape, sorting paths by depth and then by text. All shapes use the same order, so a path that remains has survived every merge with all its counts. */
function bounded(shape: Shape): Shape {
  const inOrder = Object.keys(shape)
    .map((path) => ({ path, depth: depthOf(path) }))
    .toSorted((one, other) => one.depth - other.depth || (one.path < other.path ? -1 : 1))
  const tooDeep = inOrder.findIndex(({ depth }) => depth > maxDepth)
  const most = Math.min(maxPaths, tooDeep === -1 ? maxPaths : tooDeep)
  if (inOrder.length <= most) return shape

  const kept = new Map(inOrder.slice(0, most).map(({ path }) => [path, shape[path] ?? {}]))
  for (const { path } of inOrder.slice(most)) {
    const parent = parentOf(path) ?? rootPath
    const seen = kept.get(parent)
    if (seen !== undefined) kept.set(parent, { ...seen, cut: true })
  }
  return Object.fromEntries(kept)
}

/** The path to the whole value. */
export const rootPath = '$'

/** The path to a property: `$.palette`, or `$['secondary colour']` for a name with characters other than letters, digits, `_` and `$`. */
export function propertyPath(parent: string, name: string) {
  return simple.test(name) ? `${parent}.${name}` : `${parent}['${escaped(name)}']`
}

/** The path to one item in a list: `$.customizations[0]`. */
export function itemPath(parent: string, index: number) {
  return `${parent}[${index}]`
}

/** The parent path; null for the root. */
export function parentOf(path: string) {
  const { index } = lastStep.exec(path) ?? { index: 0 }
  return index === 0 ? null : path.slice(0, index)
}

/** Whether a path ends with a named property rather than with items (`$.cards[]`), entries with identifiers (`$.byCustomer{}`), or the root. */
export function isProperty(path: string) {
  return path !== rootPath && !path.endsWith('[]') && !path.endsWith('{}')
}

/** The number of steps in a path. */
export function depthOf(path: string) {
  return path.match(steps)?.length ?? 0
}

/** Whether a path is under another path. */
export function isBelow(path: string, above: string) {
  return path.startsWith(above) && /^[.[{]/.test(path.slice(above.length))
}

/**
 * Whether a name is an identifier, that is, it consists only of digits, contains at least 5 digits, consists of at least 16 hex
 * digits, is an email address, or is longer than 64 characters. Identifiers vary and are private.
 */
export function isIdentifier(name: string) {
  return name.length > 64 || /^\d+$|^[0-9a-f-]{16,}$|(?:\d\D*){5}|.@./i.test(name)
}

const simpleName = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`
const simple = new RegExp(`^${simpleName}$`, 'u')
const step = String.raw`\[\]|\{\}|\.${simpleName}|\['(?:[^'\\]|\\.)*'\]`
const lastStep = new RegExp(`(?:${step})$`, 'u')
const steps = new RegExp(step, 'gu')

function escaped(name: string) {
  return name.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll(/(?! )[\p{C}\p{Z}]/gu, unicodeEscapes)
}
