/** Thrown if a rule's author returned a value of the wrong kind. The message says what was expected and what was returned. */
export class InvalidRule extends Error {
  // Identified by its name, because the rule's module may have found another copy of this package.
  override readonly name = 'InvalidRule'

  constructor(expected: string, given: unknown) {
    super(`${expected}, instead of ${kindOf(given)}`)
  }
}

/** The kind of a value, in words. Quotes nothing, because the value may contain a credential. */
function kindOf(value: unknown): string {
  if (typeof value === 'string') return value.trim() === '' ? 'an empty text' : 'a text'
  if (typeof value === 'function') return 'a function'
  if (typeof value === 'symbol') return 'a symbol'
  if (typeof value !== 'object' || value === null) return String(value)
  if ('then' in value) return 'a promise'
  return Array.isArray(value) ? 'a list' : 'an object'
}
