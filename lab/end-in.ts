/** Ends a program in what its work comes to, or in 2 with its usage where that throws. */
export async function endIn(work: () => Promise<number>, usage: string): Promise<void> {
  try {
    process.exitCode = await work()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`)
    process.exitCode = 2
  }
}
