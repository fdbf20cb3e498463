/** The names of all members, in order. */
export function memberNames<Whole extends object>(whole: Whole): readonly Extract<keyof Whole, string>[]
export function memberNames(whole: object): readonly string[] {
  return Object.keys(whole)
}

/** The defined members with these names, in the order of the names. */
export function membersNamed<Whole, Name extends keyof Whole>(
  whole: Whole,
  names: readonly Name[],
): Pick<Whole, Name>
export function membersNamed(
  whole: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> {
  const members = names.map((name) => [name, whole[name]] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

/** Groups items by key; keys and items keep the order in which they first occur. */
export function groupBy<T, Key extends string>(
  items: readonly T[],
  keyOf: (item: T) => Key,
): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>()
  for (const item of items) {
    const group = groups.get(keyOf(item)) ?? []
    groups.set(keyOf(item), group)
    group.push(item)
  }
  return groups
}

/** The first items, followed by a text about the number of remaining items. */
export function firstOf<T>(items: readonly T[], most: number, others: (count: number) => T): readonly T[] {
  return items.length > most ? [...items.slice(0, most), others(items.length - most)] : items
}
