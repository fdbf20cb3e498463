import { scanJson } from './scan-json.ts'

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value if it is an object, otherwise an empty object. */
export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}

/** Returns the value if it is a list, otherwise an empty list. */
export function listOr(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Returns the value of a JSON text, or undefined, which is not a JSON value, for any other text. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Maximum depth of JSON that is read as a value. JSON has no limit, but recursion would exhaust the stack. */
export const maxLevels = 200

/** Whether the valid JSON at the start of a text is nested deeper than {@link maxLevels}. */
export function isTooDeep(text: string): boolean {
  let isDeep = false
  scanJson(text, (part, depth) => {
    isDeep = depth >= maxLevels && (part === '{' || part === '[')
    return isDeep
  })
  return isDeep
}
