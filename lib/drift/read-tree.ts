import { meaningOf, type Member, type Tree } from './json-tree.ts'

type Open =
  | { readonly kind: 'object'; readonly members: Member[]; nameText: string | null }
  | { readonly kind: 'array'; readonly items: Tree[] }

/** The tree of JSON text, however deep; every number and string stays as it is written. Throws a SyntaxError for what is not JSON. */
export function readTree(text: string): Tree {
  // From here on the text is known to be JSON: what only separates values may be passed over.
  JSON.parse(text)

  const top: Tree[] = []
  const around: Open[] = []
  let inside: Open = { kind: 'array', items: top }
  for (let at = 0; at < text.length;) {
    const first = text.charAt(at)
    if (first === '{' || first === '[') {
      const opened = open(first)
      put(inside, opened)
      around.push(inside)
      inside = opened
      at += 1
    } else if (first === '}' || first === ']') {
      inside = around.pop() ?? inside
      at += 1
    } else if (separators.has(first)) {
      at += 1
    } else {
      const end = first === '"' ? endOfString(text, at) : endOfLiteral(text, at)
      put(inside, { kind: first === '"' ? 'string' : 'literal', text: text.slice(at, end) })
      at = end
    }
  }
  return top[0] ?? { kind: 'literal', text: 'null' }
}

const separators: ReadonlySet<string> = new Set([',', ':', ' ', '\t', '\r', '\n'])

/** What comes after a number, `true`, `false` or `null`; nothing at the end of the text. */
const literalEnds: ReadonlySet<string> = new Set([...separators, '}', ']', ''])

function open(bracket: '{' | '['): Open {
  return bracket === '{' ? { kind: 'object', members: [], nameText: null } : { kind: 'array', items: [] }
}

/** Strings in an object are names and values in turn. */
function put(inside: Open, tree: Tree): void {
  if (inside.kind === 'array') {
    inside.items.push(tree)
  } else if (inside.nameText === null) {
    if (tree.kind === 'string') inside.nameText = tree.text
  } else {
    const { nameText } = inside
    inside.members.push({ name: meaningOf(nameText), text: nameText, value: tree })
    inside.nameText = null
  }
}

/** After the first quote that no odd number of backslashes stands before. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); ; quote = text.indexOf('"', quote + 1)) {
    let before = quote
    while (text[before - 1] === '\\') before -= 1
    if ((quote - before) % 2 === 0) return quote + 1
  }
}

function endOfLiteral(text: string, start: number): number {
  let end = start
  while (!literalEnds.has(text.charAt(end))) end += 1
  return end
}
