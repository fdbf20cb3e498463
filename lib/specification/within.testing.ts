import { MachineTooBusy, workLimits } from './within.ts'

/**
 * Does synchronous work under lower limits, in milliseconds of processor time, so that tests of endless work
 * end soon. Repeats it if the machine was too busy, which proves nothing about the work.
 */
export function underLimits<Result>(
  limits: Partial<Record<keyof typeof workLimits, number>>,
  work: () => Result,
): Result {
  const usual = { ...workLimits }
  Object.assign(workLimits, limits)
  try {
    return work()
  } catch (error) {
    if (error instanceof MachineTooBusy) return underLimits(limits, work)
    throw error
  } finally {
    Object.assign(workLimits, usual)
  }
}
