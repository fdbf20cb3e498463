import type { Purpose } from './budget.ts'
import type { AttemptsFailed } from './retry.ts'
import type { Reproduced } from './findings.ts'
import type { TestRequest } from './test-request.ts'

/** A case cannot be judged; the message completes a sentence of the report. It blames nobody. */
export class Inconclusive extends Error {
  override readonly name: string = 'Inconclusive'
}

/** Nothing more is sent, because the target cannot be judged any further. */
export class RunEnded extends Inconclusive {
  override readonly name: string = 'RunEnded'
}

/** The client seems to be locked out: breaches since it was last served do not count. */
export class ClientLockedOut extends RunEnded {
  override readonly name = 'ClientLockedOut'
}

/** Something is missing from the settings or the target: the rule is untested rather than inconclusive. */
export class NotApplicable extends Inconclusive {
  override readonly name = 'NotApplicable'
}

/** No request is left in the budget for this purpose. */
export class BudgetSpent extends Inconclusive {
  override readonly name = 'BudgetSpent'
  readonly purpose: Purpose

  constructor(limit: number, purpose: Purpose) {
    super(
      `the budget of ${limit} requests was used up (RUN_MAX_REQUESTS; the command plan says how many a run may need)`,
    )
    this.purpose = purpose
  }
}

/** A violation: one request never got a response, while plain valid ones did. */
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

/** A closed connection, a gateway's error or silence, for a request that the transport may reject. */
export class TransportRejected extends Error {
  override readonly name = 'TransportRejected'
}
