import { meaningOf, scanJson } from './scan-json.ts'

/** A JSON value as written, with literal numbers and strings, members in order, and repeated names included. */
export type Tree = Readonly<{
  kind: '{' | '[' | 'string' | 'literal'
  /** A string or a literal; a literal may also be other JSON text to write unchanged. */
  text: string
  /** The members of an object or the items of a list. */
  inner: readonly Tree[]
  /** The decoded name of its property. Empty in a list or at the top level, as is `quoted`. */
  name: string
  /** Its name as written, with quotes and possibly with escapes. */
  quoted: string
}>

const noTrees: Tree[] = []

/** Parses JSON text of any depth; numbers and strings stay as written. Throws a SyntaxError for invalid JSON. */
export function readTree(text: string): Tree {
  const around: Tree[][] = []
  let inside: Tree[] = []
  let quoted = ''
  const broken = scanJson(text, (part, _, from, to) => {
    if (part === '}' || part === ']') inside = around.pop() ?? inside
    else if (part === 'name') quoted = text.slice(from, to)
    else {
      const inner = part === '{' || part === '[' ? [] : noTrees
      inside.push({ kind: part, text: text.slice(from, to), inner, name: meaningOf(quoted), quoted })
      quoted = ''
      if (inner === noTrees) return
      around.push(inside)
      inside = inner
    }
  })
  const [top] = inside
  if (broken !== null || top === undefined) throw new SyntaxError(`not JSON from character ${broken ?? 0} on`)
  return top
}

interface Rewriting {
  /** Selects and orders the members of an object that is to be written. */
  readonly members?: (members: readonly Tree[]) => readonly Tree[]
  /** Replaces a JSON string. The nearest property contains either the string or its list. */
  readonly string?: (string: Tree, nearest: string | null) => string
}

/** A list or an object being written, with the property nearest to its children. */
interface Writing {
  readonly children: readonly Tree[]
  readonly end: string
  readonly nearest: string | null
  next: number
}

/** Writes a tree of any depth as JSON text, without white space. */
export function writeTree(tree: Tree, { members, string }: Rewriting = {}): string {
  const around: Writing[] = []
  let inside: Writing = { children: [tree], next: 0, end: '', nearest: null }
  let text = ''
  for (;;) {
    const child = inside.children[inside.next]
    if (child === undefined) {
      text += inside.end
      const outer = around.pop()
      if (outer === undefined) return text
      inside = outer
      continue
    }
    const { kind, inner, quoted } = child
    const nearest = quoted === '' ? inside.nearest : child.name
    if (inside.next > 0) text += ','
    inside.next += 1
    if (quoted !== '') text += `${quoted}:`
    text += kind === 'string' ? (string?.(child, nearest) ?? child.text) : child.text
    if (kind === 'string' || kind === 'literal') continue
    around.push(inside)
    const children = kind === '{' ? (members?.(inner) ?? inner) : inner
    inside = { children, next: 0, end: kind === '{' ? '}' : ']', nearest }
  }
}
