import { JsonScanner, meaningOf } from './scan-json.ts'

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

/** Parses JSON text of any depth; numbers and strings stay as written. Throws a SyntaxError for invalid JSON. */
export function readTree(text: string): Tree {
  const scanner = new JsonScanner(text)
  const top: Tree[] = []
  const around: Opened[] = []
  let inside: Opened = { kind: 'array', items: top }
  let name = ''
  for (let part = scanner.next(); part !== 'end'; part = scanner.next()) {
    if (part === 'not-json') throw new SyntaxError(`not JSON from character ${scanner.at} on`)
    if (part === 'name') name = scanner.written
    else if (part === '}' || part === ']') inside = around.pop() ?? inside
    else if (part === '{' || part === '[') {
      const container: Opened = part === '{' ? { kind: 'object', members: [] } : { kind: 'array', items: [] }
      put(inside, container, name)
      around.push(inside)
      inside = container
    } else put(inside, { kind: part, text: scanner.written }, name)
  }
  return top[0] ?? { kind: 'literal', text: 'null' }
}

function put(inside: Opened, value: Tree, name: string): void {
  if (inside.kind === 'array') inside.items.push(value)
  else inside.members.push({ name: meaningOf(name), text: name, value })
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

/** A container being written, with its next child and its end. */
interface Writing {
  readonly children: readonly (Tree | Member)[]
  readonly end: ']' | '}'
  /** Name of the property that contains it, either directly or in a list. */
  readonly nearest: string | null
  next: number
}

/** Writes a tree of any depth as JSON text, without white space. */
export function writeTree(tree: Tree, rewriting: Rewriting = {}): string {
  const around: Writing[] = []
  let inside = opened({ kind: 'array', items: [tree] }, null, rewriting)
  let text = ''
  for (;;) {
    const child = inside.children[inside.next]
    if (child === undefined) {
      const outer = around.pop()
      if (outer === undefined) return text
      text += inside.end
      inside = outer
      continue
    }
    if (inside.next > 0) text += ','
    inside.next += 1
    const isMember = 'name' in child
    if (isMember) text += `${child.text}:`
    const value = isMember ? child.value : child
    const nearest = isMember ? child.name : inside.nearest
    if (value.kind === 'string')
      text += rewriting.string?.(value.text, isMember ? child.name : null, nearest) ?? value.text
    else if (value.kind === 'literal') text += value.text
    else {
      text += value.kind === 'array' ? '[' : '{'
      around.push(inside)
      inside = opened(value, nearest, rewriting)
    }
  }
}

function opened(
  container: Extract<Tree, { readonly kind: 'array' | 'object' }>,
  nearest: string | null,
  { members }: Rewriting,
): Writing {
  if (container.kind === 'array') return { children: container.items, end: ']', nearest, next: 0 }
  return { children: members?.(container.members) ?? container.members, end: '}', nearest, next: 0 }
}
