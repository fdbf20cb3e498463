import { unicodeEscapes } from '../text/printable.ts'

/** The path to the whole value. */
export const rootPath = '$'

/** The path to a property: `$.palette`, or `$['secondary colour']` for a name with characters other than letters, digits, `_` and `$`. */
export function propertyPath(parent: string, name: string) {
  return simple.test(name) ? `${parent}.${name}` : `${parent}['${escaped(name)}']`
}

/** The path to the items in a list: `$.customizations[]`. */
export function itemsPath(parent: string) {
  return `${parent}[]`
}

/** The path to one item in a list: `$.customizations[0]`. */
export function itemPath(parent: string, index: number) {
  return `${parent}[${index}]`
}

/** The path to the entries in an object whose names are identifiers: `$.byCustomer{}`. */
export function entriesPath(parent: string) {
  return `${parent}{}`
}

/** The parent path; null for the root. */
export function parentOf(path: string) {
  const { index } = lastStep.exec(path) ?? { index: 0 }
  return index === 0 ? null : path.slice(0, index)
}

/** Whether a path ends with a named property rather than with items, entries, or the root. */
export function isProperty(path: string) {
  return path !== rootPath && !path.endsWith('[]') && !path.endsWith('{}')
}

/** The number of steps in a path. */
export function depthOf(path: string) {
  return path.match(steps)?.length ?? 0
}

/** Whether a path is under another path. */
export function isBelow(path: string, above: string) {
  return path.startsWith(above) && /^[.[{]/.test(path.slice(above.length))
}

/**
 * Whether a name is an identifier, that is, it consists only of digits, contains at least 5 digits, consists of at least 16 hex
 * digits, is an email address, or is longer than 64 characters. Identifiers vary and are private.
 */
export function isIdentifier(name: string) {
  return name.length > 64 || /^\d+$|^[0-9a-f-]{16,}$|(?:\d\D*){5}|.@./i.test(name)
}

const simpleName = String.raw`[\p{L}_$][\p{L}\p{N}_$]*`
const simple = new RegExp(`^${simpleName}$`, 'u')
const step = String.raw`\[\]|\{\}|\.${simpleName}|\['(?:[^'\\]|\\.)*'\]`
const lastStep = new RegExp(`(?:${step})$`, 'u')
const steps = new RegExp(step, 'gu')

function escaped(name: string) {
  return name.replaceAll(/['\\]/g, String.raw`\$&`).replaceAll(/(?! )[\p{C}\p{Z}]/gu, unicodeEscapes)
}
