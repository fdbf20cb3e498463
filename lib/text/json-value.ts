import { JsonScanner } from './scan-json.ts'

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

/** Whether a text is nested deeper than {@link maxLevels}, as far as it is JSON. */
export function isTooDeep(text: string): boolean {
  const scanner = new JsonScanner(text)
  for (let part = scanner.next(); part !== 'end' && part !== 'not-json'; part = scanner.next())
    if (scanner.depth >= maxLevels && (part === '{' || part === '[')) return true
  return false
}
