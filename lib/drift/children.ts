/** What stands directly in some values, those of one name together, and the items of all lists together. */
export interface Children {
  readonly properties: ReadonlyMap<string, readonly unknown[]>
  readonly items: readonly unknown[]
}

/** The children of all these values. */
export function childrenOf(values: readonly unknown[]): Children {
  const properties = new Map<string, unknown[]>()
  const items: unknown[] = []
  for (const value of values) {
    if (Array.isArray(value)) {
      for (const item of value) items.push(item)
    } else if (isObject(value)) {
      for (const [name, inner] of Object.entries(value)) {
        const others = properties.get(name)
        if (others === undefined) properties.set(name, [inner])
        else others.push(inner)
      }
    }
  }
  return { properties, items }
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
