import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAst } from 'vitest/node'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A node of the syntax tree of a file (ESTree), with the nodes that it stands in, the innermost first. */
export interface SyntaxNode {
  readonly type: string
  readonly start: number
  readonly parts: Readonly<Record<string, unknown>>
  readonly within: readonly SyntaxNode[]
}

/** The text of a file, by its path from the root. */
export function textOf(path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

/** The files below a folder whose names end so, as paths from the root. */
export function filesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name}`)
    .toSorted()
}

/** Every node of a TypeScript file, from its beginning. */
export function nodesOf(text: string): readonly SyntaxNode[] {
  const found: SyntaxNode[] = []
  const visit = (value: unknown, within: readonly SyntaxNode[]): void => {
    if (Array.isArray(value)) for (const one of value) visit(one, within)
    else if (isNode(value)) {
      const node = { type: value.type, start: value.start, parts: { ...value }, within }
      found.push(node)
      for (const part of Object.values(value)) visit(part, [node, ...within])
    }
  }
  visit(parseAst(text, { lang: 'ts' }), [])
  return found
}

/** A name, or names with dots: `it.concurrent.each` for that and for what calling it gives; null for anything else. */
export function nameOf(expression: unknown): string | null {
  if (!isNode(expression)) return null
  const { type, name, object, property, callee, tag } = partsOf(expression)
  switch (type) {
    case 'Identifier':
      return typeof name === 'string' ? name : null
    case 'MemberExpression': {
      const [left, right] = [nameOf(object), nameOf(property)]
      return left === null || right === null ? null : `${left}.${right}`
    }
    case 'CallExpression':
      return nameOf(callee)
    case 'TaggedTemplateExpression':
      return nameOf(tag)
    default:
      return null
  }
}

/** The parts of a node of a syntax tree; none of anything else. */
export function partsOf(value: unknown): SyntaxNode['parts'] {
  return isNode(value) ? { ...value } : {}
}

/** Whether a value is a node of a syntax tree. */
export function isNode(value: unknown): value is { readonly type: string; readonly start: number } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'type' in value &&
    typeof value.type === 'string' &&
    'start' in value
  )
}
