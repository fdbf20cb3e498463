import type { Purpose } from './budget.ts'

/** A case that cannot be judged, and why, as a sentence's end for reports. It blames nobody. */
export class Inconclusive extends Error {
  override readonly name: string = 'Inconclusive'
}

/** Nothing more is sent: the target cannot be judged any further. */
export class RunEnded extends Inconclusive {
  override readonly name: string = 'RunEnded'
}

/** The client seems to be locked out: what was seen since it was served last is nobody's fault. */
export class ClientLockedOut extends RunEnded {
  override readonly name = 'ClientLockedOut'
}

/** A case for which something is not given or not to be found, so that its rule is untested rather than inconclusive. */
export class NotApplicable extends Inconclusive {
  override readonly name = 'NotApplicable'
}

/** No request is left that the case could send, or that judging it took besides. */
export class BudgetSpent extends Inconclusive {
  override readonly name = 'BudgetSpent'
  /** What the request that was not sent was for. */
  readonly purpose: Purpose

  constructor(limit: number, purpose: Purpose) {
    super(
      `the budget of ${limit} requests was used up (RUN_MAX_REQUESTS; the command plan says how many a run may need)`,
    )
    this.purpose = purpose
  }
}
