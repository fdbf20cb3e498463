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
