/** Every copy that was made, so that none is copied again. */
const copies = new WeakSet<object>()

/**
 * A copy of plain objects and lists that nobody can change, in any depth: rules of the user's own get what the run goes by. A map becomes
 * another map, so that changes to it change nothing else. Anything else, as a credential or a function, stays as it is. What one object was is one object in the copy, too.
 */
export function frozenCopy<Value>(value: Value): Value
export function frozenCopy(value: unknown): unknown {
  return frozen(value, new Map())
}

function frozen(value: unknown, made: Map<unknown, unknown>): unknown {
  if (made.has(value)) return made.get(value)
  if (value instanceof Map) {
    const other = new Map(Array.from(value, ([key, one]: [unknown, unknown]) => [key, frozen(one, made)]))
    made.set(value, other)
    return other
  }
  if (!isPlain(value) || copies.has(value)) return value
  const copy: object = Array.isArray(value) ? [] : Object.create(Object.getPrototypeOf(value))
  made.set(value, copy)
  copies.add(copy)
  for (const [name, part] of Object.entries(value))
    Object.defineProperty(copy, name, { value: frozen(part, made), enumerable: true })
  return Object.freeze(copy)
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null
}
