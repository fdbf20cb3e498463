import type { Member, Tree } from './json-tree.ts'

/** How a tree is written otherwise than it is; what is not given stays. */
export interface Rewriting {
  /** The members that are written of an object. */
  readonly members?: (members: readonly Member[]) => readonly Member[]
  /** The JSON string that is written for one; `name` is its property's, null in a list or alone. */
  readonly string?: (text: string, name: string | null) => string
}

/** A container that is being written: what comes next in it, and how it ends. */
interface Open {
  readonly children: readonly (Tree | Member)[]
  readonly end: ']' | '}'
  next: number
}

/** JSON text of a tree, without white space, however deep. */
export function writeTree(tree: Tree, rewriting: Rewriting = {}): string {
  const around: Open[] = []
  let inside = opened({ kind: 'array', items: [tree] }, rewriting)
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
    if (value.kind === 'string')
      text += rewriting.string?.(value.text, isMember ? child.name : null) ?? value.text
    else if (value.kind === 'literal') text += value.text
    else {
      text += value.kind === 'array' ? '[' : '{'
      around.push(inside)
      inside = opened(value, rewriting)
    }
  }
}

function opened(
  container: Extract<Tree, { readonly kind: 'array' | 'object' }>,
  { members }: Rewriting,
): Open {
  if (container.kind === 'array') return { children: container.items, end: ']', next: 0 }
  return { children: members?.(container.members) ?? container.members, end: '}', next: 0 }
}
