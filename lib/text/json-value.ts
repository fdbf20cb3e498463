import { JsonScanner } from './scan-json.ts'

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object, or an empty object. */
export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** The list, or an empty list. */
export function listOr(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value of a JSON text; undefined, which is not a JSON value, for any other text. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Maximum depth of JSON to read as a value: JSON has no limit, but recursion would run out of stack. */
export const maxLevels = 200

/** Whether the valid JSON at the start of a text is nested deeper than {@link maxLevels}. */
export function isTooDeep(text: string): boolean {
  const scanner = new JsonScanner(text)
  for (let part = scanner.next(); part !== 'end' && part !== 'not-json'; part = scanner.next())
    if (scanner.depth >= maxLevels && (part === '{' || part === '[')) return true
  return false
}
