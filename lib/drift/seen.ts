/** The types of JSON values. */
export const jsonTypes = ['object', 'array', 'string', 'number', 'boolean', 'null'] as const

/** A type of JSON values. */
export type JsonType = (typeof jsonTypes)[number]

/** What was seen at a path: how many values of each type, and whether some of what stands below them was left out. */
export type Seen = Readonly<Partial<Record<JsonType, number>>> & { readonly cut?: true }

/** The JSON type of a value as `JSON.parse` gives it. Throws a TypeError for what JSON does not have. */
export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  if (type === 'object' || type === 'string' || type === 'number' || type === 'boolean') return type
  throw new TypeError(`${type} is not JSON`)
}

/** How many values were seen. */
export function countOf(seen: Seen | undefined): number {
  if (seen === undefined) return 0
  return jsonTypes.reduce((sum, type) => sum + (seen[type] ?? 0), 0)
}

/** Which types were seen, null left out. */
export function typesOf(seen: Seen | undefined): readonly JsonType[] {
  return jsonTypes.filter((type) => type !== 'null' && (seen?.[type] ?? 0) > 0)
}

/** What was seen by one and by another. */
export function mergeSeen(one: Seen, other: Seen): Seen {
  const merged: { -readonly [Key in keyof Seen]: Seen[Key] } = {}
  for (const type of jsonTypes) {
    const count = (one[type] ?? 0) + (other[type] ?? 0)
    if (count > 0) merged[type] = count
  }
  if (one.cut === true || other.cut === true) merged.cut = true
  return merged
}
