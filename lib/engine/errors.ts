import type { Purpose } from './budget.ts'
import type { AttemptsFailed } from './retry.ts'
import type { Reproduced } from './findings.ts'
import type { TestRequest } from './test-request.ts'

/** A case that cannot be judged, and why, as a sentence's end for reports. It blames nobody. */
export class Inconclusive extends Error {
  override readonly name: string = 'Inconclusive'
}

/** Nothing more is sent: the target cannot be judged any further. */
export class RunEnded extends Inconclusive {
  override readonly name: string = 'RunEnded'
}

/** The client seems to be locked out: what was seen since it was last served is nobody's fault. */
export class ClientLockedOut extends RunEnded {
  override readonly name = 'ClientLockedOut'
}

/** Something is not given or not to be found, so that the rule is untested rather than inconclusive. */
export class NotApplicable extends Inconclusive {
  override readonly name = 'NotApplicable'
}

/** No request is left in the budget for this purpose. */
export class BudgetSpent extends Inconclusive {
  override readonly name = 'BudgetSpent'
  /** Purpose of the request that was not sent. */
  readonly purpose: Purpose

  constructor(limit: number, purpose: Purpose) {
    super(
      `the budget of ${limit} requests was used up (RUN_MAX_REQUESTS; the command plan says how many a run may need)`,
    )
    this.purpose = purpose
  }
}

/** A violation: one particular request never got a response, while plain valid ones did. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  readonly request: TestRequest
  readonly difference: string
  readonly reproduced: Reproduced

  constructor(request: TestRequest, { error, attempts }: AttemptsFailed) {
    super(`no answer came while plain valid requests were answered: ${error.message}`)
    this.request = request
    this.difference = `no answer: ${error.kind}`
    this.reproduced = { seen: attempts, of: attempts }
  }
}

/** A closed connection, a gateway's error or silence, to a request that the transport may refuse by itself. */
export class TransportRejected extends Error {
  override readonly name = 'TransportRejected'
}
