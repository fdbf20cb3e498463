/** The names that a flag gives, in the order of the known ones. Throws on an unknown name. */
export function namesOf<Name extends string>(flag: string, given: string, known: readonly Name[]) {
  const names = given.split(',').filter((name) => name !== '')
  const chosen = known.filter((name) => names.includes(name))
  if (chosen.length !== names.length)
    throw new Error(`${flag}: given ${given}, expected of ${known.join(', ')}`)
  return chosen
}

/** The number that a flag gives. Throws unless it is an integer of at least 1. */
export function countGiven(flag: string, given: string): number {
  const count = Number(given)
  if (!Number.isInteger(count) || count < 1)
    throw new Error(`${flag}: given ${given}, expected a number from 1`)
  return count
}

/** Ends a program with the exit code of its work, or prints the error and the usage and ends with 2. */
export async function endIn(work: () => Promise<number>, usage: string): Promise<void> {
  try {
    process.exitCode = await work()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exitCode = 2
  }
}
