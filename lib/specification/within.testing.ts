import { workLimits } from './within.ts'

/** Does synchronous work under lower limits, in milliseconds of processor time, so that a test of endless work ends soon. */
export function underLimits<Result>(
  limits: Partial<Record<keyof typeof workLimits, number>>,
  work: () => Result,
): Result {
  const usual = { ...workLimits }
  try {
    Object.assign(workLimits, limits)
    return work()
  } finally {
    Object.assign(workLimits, usual)
  }
}
