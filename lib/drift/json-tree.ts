/** A JSON value as it is written: numbers and strings to the letter, members in their order, repeated names kept. */
export type Tree =
  | { readonly kind: 'object'; readonly members: readonly Member[] }
  | { readonly kind: 'array'; readonly items: readonly Tree[] }
  | { readonly kind: 'string'; readonly text: string }
  /** A number, `true`, `false`, `null`; also any JSON text that is written as it stands. */
  | { readonly kind: 'literal'; readonly text: string }

/** A property as it is written: `text` is its name in quotes, perhaps with escapes; `name` is what that means. */
export interface Member {
  readonly name: string
  readonly text: string
  readonly value: Tree
}

/** What a JSON string, quotes and escapes included, means. */
export function meaningOf(text: string): string {
  return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1)
}

/** The names of all properties at any level. */
export function namesOf(tree: Tree): ReadonlySet<string> {
  const names = new Set<string>()
  const pending = [tree]
  for (const one of pending) {
    if (one.kind === 'array') for (const item of one.items) pending.push(item)
    if (one.kind !== 'object') continue
    for (const { name, value } of one.members) {
      names.add(name)
      pending.push(value)
    }
  }
  return names
}

/**
 * The tree of a value as `JSON.parse` gives it, however deep. Infinity, as which it reads numbers beyond a double, is written as
 * such a number. Throws a TypeError for what JSON does not have.
 */
export function treeOf(value: unknown): Tree {
  const top: Tree[] = []
  const pending: { readonly value: unknown; readonly place: (tree: Tree) => void }[] = []
  const later = (inner: unknown, place: (tree: Tree) => void): void => {
    pending.push({ value: inner, place })
  }
  later(value, (tree) => top.push(tree))

  // Grows while it is walked: breadth first, so that what stands in one container comes in its order.
  for (const { value: one, place } of pending) {
    if (Array.isArray(one)) {
      const items: Tree[] = []
      for (const item of one) later(item, (tree) => items.push(tree))
      place({ kind: 'array', items })
    } else if (typeof one === 'object' && one !== null) {
      const members: Member[] = []
      for (const [name, inner] of Object.entries(one)) {
        later(inner, (tree) => members.push({ name, text: JSON.stringify(name), value: tree }))
      }
      place({ kind: 'object', members })
    } else place(leafOf(one))
  }
  return top[0] ?? { kind: 'literal', text: 'null' }
}

function leafOf(value: unknown): Tree {
  if (typeof value === 'string') return { kind: 'string', text: JSON.stringify(value) }
  if (typeof value === 'number' && !Number.isNaN(value)) return { kind: 'literal', text: numberText(value) }
  if (typeof value === 'boolean' || value === null) return { kind: 'literal', text: String(value) }
  throw new TypeError(`${typeof value} is not JSON`)
}

function numberText(value: number): string {
  if (value === Infinity) return '1e999'
  if (value === -Infinity) return '-1e999'
  return Object.is(value, -0) ? '-0' : String(value)
}
