import { itemPath, propertyPath, rootPath } from '../../drift/shape.ts'
import { isObject } from '../../text/json.ts'
import { firstOf } from '../../text/members.ts'
import { andMore } from '../../text/printable.ts'

/** Maximum number of changes logged for an answer. */
const mostLines = 200

/** A line for each change to an answer, with its kind and place. Never shows values, which may be credentials. */
export function changeLines(number: number, before: string, after: string): readonly string[] {
  const made = changesIn(parsed(before), parsed(after), rootPath)
  return firstOf(made, mostLines, (more) => `… ${andMore(more)}`).map((line) => `  #${number} ${line}`)
}

function parsed(text: string): unknown {
  return JSON.parse(text.replace(/^\uFEFF/, ''))
}

/** Recursion is safe here, because answers with more than 200 levels are not changed. */
function changesIn(before: unknown, after: unknown, path: string): readonly string[] {
  if (Array.isArray(before) && Array.isArray(after))
    return before.flatMap((item, at) => changesIn(item, after[at], itemPath(path, at)))
  if (!isObject(before) || !isObject(after))
    return before === after ? [] : [`changed ${path}: ${lengthOf(before)} → ${lengthOf(after)} characters`]
  const isKnown = (name: string) => Object.hasOwn(before, name)
  const isSameOrder = Object.keys(after).filter(isKnown).join('\0') === Object.keys(before).join('\0')
  return [
    ...Object.keys(after).flatMap((name) => (isKnown(name) ? [] : [`added ${below(path, name)}`])),
    ...(isSameOrder ? [] : [`reordered ${path}`]),
    ...Object.keys(before).flatMap((name) => changesIn(before[name], after[name], below(path, name))),
  ]
}

function lengthOf(value: unknown) {
  return String(value).length
}

/** Hides names that may be more than a word, because a service may echo what was sent to it. */
function below(path: string, name: string) {
  return propertyPath(path, /^[a-z_]{1,32}$/i.test(name) ? name : '…')
}
