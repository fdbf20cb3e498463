import { jsonParts, meaningOf } from './json-parts.ts'

/** JSON as written, with literal numbers and strings, members in order, and repeated names included. */
export type Tree =
  | { readonly kind: 'object'; readonly members: readonly Member[] }
  | { readonly kind: 'array'; readonly items: readonly Tree[] }
  | { readonly kind: 'string'; readonly text: string }
  /** A number, `true`, `false`, `null`, or other JSON text to write unchanged. */
  | { readonly kind: 'literal'; readonly text: string }

/** A property as written; `text` is its quoted name, possibly with escapes, and `name` is the decoded name. */
export interface Member {
  readonly name: string
  readonly text: string
  readonly value: Tree
}

/** A JSON text after a change, with the number of added properties, reordered objects or changed strings. */
export interface Changed {
  readonly text: string
  readonly count: number
}

/** A container being read. */
type Opened =
  | { readonly kind: 'object'; readonly members: Member[] }
  | { readonly kind: 'array'; readonly items: Tree[] }

/** Parses JSON text; numbers and strings stay as written. Throws a SyntaxError for invalid JSON. */
export function readTree(text: string): Tree {
  const top: Tree[] = []
  const around: Opened[] = [{ kind: 'array', items: top }]
  let name = ''
  for (const { kind, written } of jsonParts(text)) {
    if (kind === 'name') name = written
    else if (kind === '}' || kind === ']') around.pop()
    else if (kind === 'string' || kind === 'literal') put(around.at(-1), { kind, text: written }, name)
    else {
      const container: Opened = kind === '{' ? { kind: 'object', members: [] } : { kind: 'array', items: [] }
      put(around.at(-1), container, name)
      around.push(container)
    }
  }
  return top[0] ?? { kind: 'literal', text: 'null' }
}

function put(inside: Opened | undefined, value: Tree, name: string): void {
  if (inside?.kind === 'array') inside.items.push(value)
  else inside?.members.push({ name: meaningOf(name), text: name, value })
}

interface Rewriting {
  /** Selects and orders the members of an object that is to be written. */
  readonly members?: (members: readonly Member[]) => readonly Member[]
  /**
   * Replaces a JSON string. `name` is its property, or null in a list or at the top level. `nearest` is also set in a list, to the property
   * that contains the list.
   */
  readonly string?: (text: string, name: string | null, nearest: string | null) => string
}

/** The place of a value: its property, or null in a list or at the top level, and the property that contains it, also in a list. */
type Place = readonly [name: string | null, nearest: string | null]

/** Writes a tree as JSON text, without white space. Deeper trees than `maxLevels` may exhaust the stack. */
export function writeTree(
  tree: Tree,
  rewriting: Rewriting = {},
  [name, nearest]: Place = [null, null],
): string {
  if (tree.kind === 'literal') return tree.text
  if (tree.kind === 'string') return rewriting.string?.(tree.text, name, nearest) ?? tree.text
  if (tree.kind === 'array')
    return `[${tree.items.map((item) => writeTree(item, rewriting, [null, nearest])).join(',')}]`
  const members = rewriting.members?.(tree.members) ?? tree.members
  const texts = members.map((one) => `${one.text}:${writeTree(one.value, rewriting, [one.name, one.name])}`)
  return `{${texts.join(',')}}`
}
