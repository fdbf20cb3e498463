/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object, or an empty one. */
export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The list, or an empty one. */
export function listOr(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value of a JSON text; undefined, which JSON does not have, if it is none. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Maximum depth of JSON whose value is read; recursion would run out of stack far below what JSON allows. */
export const maxLevels = 200

/** Whether a text is nested deeper than {@link maxLevels}, if it is JSON. */
export function isTooDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = endOfString(text, at)
    else if (code === brace || code === bracket) depth += 1
    else if (code === brace + 2 || code === bracket + 2) depth -= 1
    if (depth > maxLevels) return true
  }
  return false
}

/** What opens a string, an object and a list; the other end of these is two codes on. */
const [quote, brace, bracket, backslash] = [0x22, 0x7b, 0x5b, 0x5c]

/** Index of the quote that ends a string, or of the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let first = at
    while (text.charCodeAt(first - 1) === backslash) first -= 1
    if ((at - first) % 2 === 0) return at
  }
  return text.length
}
