import { itemPath, propertyPath, rootPath } from '../../drift/shape-paths.ts'
import { readTree, writeTree, type Member, type Tree } from '../../json/json-tree.ts'
import { meaningOf } from '../../json/scan-json.ts'

/** A change at a place of an answer, with the texts before and after; null before for a property that was added. */
export interface ChangeMade {
  readonly what: 'added' | 'reordered' | 'changed'
  /** As `$.customizations[0].id`. */
  readonly path: string
  readonly before: string | null
  readonly after: string
}

/** Lists what differs between two JSON texts of which the second came of tolerated changes, in the order of the first. */
export function changesMade(before: string, after: string): readonly ChangeMade[] {
  const made: ChangeMade[] = []
  compareTrees(readTree(withoutMark(before)), readTree(withoutMark(after)), rootPath, made)
  return made
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}

/** Recursive: answers of more than 200 levels are not changed. */
function compareTrees(before: Tree, after: Tree, path: string, made: ChangeMade[]): void {
  if (before.kind === 'array' && after.kind === 'array') {
    before.items.forEach((item, index) => {
      const other = after.items[index]
      if (other !== undefined) compareTrees(item, other, itemPath(path, index), made)
    })
  } else if (before.kind === 'object' && after.kind === 'object') {
    compareMembers(before.members, after.members, path, made)
  } else if (before.kind === 'string' && after.kind === 'string') {
    const isSame = meaningOf(before.text) === meaningOf(after.text)
    if (!isSame) made.push({ what: 'changed', path, before: before.text, after: after.text })
  }
}

function compareMembers(
  before: readonly Member[],
  after: readonly Member[],
  path: string,
  made: ChangeMade[],
): void {
  const names = new Set(before.map(({ name }) => name))
  const [own, added] = [true, false].map((isOwn) => after.filter(({ name }) => names.has(name) === isOwn))
  for (const { name, value } of added ?? []) {
    made.push({ what: 'added', path: propertyPath(path, name), before: null, after: writeTree(value) })
  }
  const [was, is] = [before, own ?? []].map((members) => members.map(({ text }) => text).join(', '))
  if (was !== is) made.push({ what: 'reordered', path, before: was ?? '', after: is ?? '' })
  // Objects that repeat a name keep their order.
  const others = new Map((own ?? []).map((member) => [member.name, member.value]))
  const isRepeated = names.size < before.length
  before.forEach(({ name, value }, index) => {
    const other = isRepeated ? own?.[index]?.value : others.get(name)
    if (other !== undefined) compareTrees(value, other, propertyPath(path, name), made)
  })
}
