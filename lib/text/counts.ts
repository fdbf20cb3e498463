/** A number and a noun, such as `1 rule` or `3 rules`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** A whole number with thousands separators, such as `1,910`. Not by `Intl`, which takes 12 ms to load at the first call. */
export function grouped(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** A number with thousands separators and a noun, such as `1 rule` or `1,910 requests`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`
}

/** The first items, followed by a text about the number of remaining items. */
export function firstOf<T>(items: readonly T[], most: number, others: (count: number) => T): readonly T[] {
  return items.length > most ? [...items.slice(0, most), others(items.length - most)] : items
}

/** `and 3 more`. */
export function andMore(count: number): string {
  return `and ${count} more`
}

/** A duration in words, such as `340 ms`, `14.8 s` or `2 min 5 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds} ms`
  if (milliseconds < 60_000) return `${(Math.floor(milliseconds / 100) / 10).toFixed(1)} s`
  const seconds = Math.floor(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Formats a time as `2026-11-20 02:00 UTC`; other texts are returned unchanged. */
export function moment(iso: string): string {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(iso) ? `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC` : iso
}

/** Capitalises the first letter. */
export function capitalised(sentence: string): string {
  return sentence.slice(0, 1).toUpperCase() + sentence.slice(1)
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
