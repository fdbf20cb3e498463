/** The fault or variant of this name. Throws an Error where there is none. */
export function byName<One extends { readonly name: string }>(
  kind: 'fault' | 'variant',
  name: string,
  all: readonly One[],
): One {
  const found = all.find((one) => one.name === name)
  if (found === undefined) throw new Error(`unknown ${kind} "${name}"`)
  return found
}
