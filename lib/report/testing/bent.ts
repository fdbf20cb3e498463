/** Copies of a value, each with a different value at one place. `othersOf` returns the replacements for a part. */
export function* bent(
  value: unknown,
  othersOf: (part: unknown, place: string) => readonly unknown[],
  place = '',
): Generator<readonly [place: string, value: unknown]> {
  for (const other of othersOf(value, place)) yield [`${place}: ${JSON.stringify(other)}`, other]
  if (typeof value !== 'object' || value === null) return
  const isList = Array.isArray(value)
  for (const [name, member] of Object.entries(value))
    for (const [inner, changed] of bent(member, othersOf, `${place}/${name}`))
      yield [inner, isList ? value.with(Number(name), changed) : { ...value, [name]: changed }]
}
