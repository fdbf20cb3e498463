import { posix } from 'node:path'
import { expect, it } from 'vitest'
import { filesIn, isNode, nameOf, nodesOf, textOf, type SyntaxNode } from './support/syntax.ts'

/** Sources that are shipped, without the reference service, which is an opinion of its own. */
const files = ['lib', 'suites']
  .flatMap((folder) => filesIn(folder, '.ts'))
  .filter((file) => !/^lib\/serve\/reference\/|\/testing\/|\.(?:test|testing)\.ts$/.test(file))

/** The names that a file declares and exports; not those it only passes on from another file. */
function exportedNames(text: string): readonly string[] {
  return nodesOf(text)
    .filter(({ type, parts }) => type === 'ExportNamedDeclaration' && parts['source'] === null)
    .flatMap(({ parts }) => [...declared(parts['declaration']), ...listed(parts['specifiers'])])
}

/** `a` and `b` of `export const a = 1, b = 2`; one name for a function, a class, an interface or a type. */
function declared(declaration: unknown): readonly string[] {
  if (!isNode(declaration)) return []
  const parts: SyntaxNode['parts'] = { ...declaration }
  const several = parts['declarations']
  const ids = Array.isArray(several) ? several.map((one) => one.id) : [parts['id']]
  return ids.map(nameOf).filter((name) => name !== null)
}

/** `b` of `export { a as b }`. */
function listed(specifiers: unknown): readonly string[] {
  if (!Array.isArray(specifiers)) return []
  return specifiers.map(({ exported }) => nameOf(exported)).filter((name) => name !== null)
}

it('reads the names that a file exports', () => {
  const text = [
    'export function one(): void {}',
    'export class Two {}',
    'export interface Three {}',
    'export type Four = 4',
    'export const five = 5, six = 6',
    'const sieben = 7',
    'export { sieben as seven }',
    "export { eight } from './eight.ts'",
    'const own = 9',
  ].join('\n')

  expect(exportedNames(text)).toEqual(['one', 'Two', 'Three', 'Four', 'five', 'six', 'seven'])
})

it('finds no exported name in two files', () => {
  const filesOf = new Map<string, readonly string[]>()
  for (const file of files) {
    for (const name of new Set(exportedNames(textOf(file)))) {
      filesOf.set(name, [...(filesOf.get(name) ?? []), file])
    }
  }
  const twice = [...filesOf].filter(([, declaring]) => declaring.length > 1)

  expect(filesOf.size).toBeGreaterThan(400)
  expect(Object.fromEntries(twice)).toEqual({})
})

it('finds no file of one name in two places', () => {
  const shipped = ['lib', 'suites']
    .flatMap((folder) => filesIn(folder, '.ts'))
    // vitest finds an area by the name of its file.
    .filter((file) => !/\/testing\/|vitest\/areas\/|\.(?:test|testing)\.ts$/.test(file))
  const names = shipped.map((file) => posix.basename(file))

  expect(shipped.filter((_, place) => names.indexOf(names[place] ?? '') !== place)).toEqual([])
})
