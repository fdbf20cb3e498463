import { isProperty, parentOf } from './shape-paths.ts'
import { countOf, typesOf, type Seen, type Shape } from './shape.ts'

/** A shape before and after a change, on one line each. */
export interface ShapeTexts {
  readonly before: string
  readonly after: string
}

/** Maximum number of properties on a line. Properties that have changed come first. */
const mostProperties = 8

/** What two shapes have at a path: `$.palette { primary: string, shade?: string }`, or the types of an item, without any values. */
export function shapeTexts(before: Shape, after: Shape, path: string): ShapeTexts {
  const parent = parentOf(path)
  if (parent === null || !isProperty(path))
    return { before: `${path}: ${typeText(before[path])}`, after: `${path}: ${typeText(after[path])}` }

  const members = (shape: Shape): ReadonlyMap<string, string> =>
    new Map(
      Object.keys(shape)
        .filter((one) => parentOf(one) === parent && isProperty(one))
        .map((one) => [one, memberText(shape, one, parent)]),
    )
  const [was, is] = [members(before), members(after)]
  const names = [...new Set([path, ...was.keys(), ...is.keys()])]
  const isChanged = (name: string): boolean => was.get(name) !== is.get(name)
  const ordered = [...names.filter(isChanged), ...names.filter((name) => !isChanged(name))]
  const shown = ordered.slice(0, mostProperties)
  const more = ordered.length > mostProperties ? ['…'] : []
  const line = (of: ReadonlyMap<string, string>): string =>
    `${parent} { ${[...shown.flatMap((name) => of.get(name) ?? []), ...more].join(', ')} }`
  return { before: line(was), after: line(is) }
}

function memberText(shape: Shape, path: string, parent: string): string {
  const isAlways = countOf(shape[path]) === shape[parent]?.object
  return `${path.slice(parent.length).replace(/^\./, '')}${isAlways ? '' : '?'}: ${typeText(shape[path])}`
}

function typeText(seen: Seen | undefined): string {
  const types = [...typesOf(seen), ...(seen?.null === undefined ? [] : ['null'])]
  return types.length === 0 ? 'nothing' : types.join(' | ')
}
