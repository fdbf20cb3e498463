/** What a flag names, in the order of those there are; an error where one is none of them. */
export function namesOf<Name extends string>(
  flag: string,
  given: string,
  known: readonly Name[],
): readonly Name[] {
  const names = given.split(',').filter((name) => name !== '')
  const chosen = known.filter((name) => names.includes(name))
  if (chosen.length !== names.length)
    throw new Error(`${flag}: given ${given}, expected of ${known.join(', ')}`)
  return chosen
}

/** The number from 1 that a flag gives; an error where it is none. */
export function countGiven(flag: string, given: string): number {
  const count = Number(given)
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`${flag}: given ${given}, expected a number from 1`)
  return count
}

/** Ends a program in what its work comes to, or in 2 with its usage where that throws. */
export async function endIn(work: () => Promise<number>, usage: string): Promise<void> {
  try {
    process.exitCode = await work()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exitCode = 2
  }
}
