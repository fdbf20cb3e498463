import type { AttemptsFailed } from './deliver.ts'
import type { Reproduced } from './findings.ts'
import type { TestRequest } from './test-request.ts'

/** One particular request that no answer ever came to, while plain valid ones were answered. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse'
  readonly stimulus: TestRequest
  readonly difference: string
  readonly reproduced: Reproduced

  constructor(stimulus: TestRequest, { trouble }: AttemptsFailed, tries: number) {
    super(`no answer came while plain valid requests were answered: ${trouble.message}`)
    this.stimulus = stimulus
    this.difference = `no answer: ${trouble.kind}`
    this.reproduced = { seen: tries, of: tries }
  }
}

/** A closed connection, a gateway's error or silence instead of an answer, where the transport may refuse a request by itself. */
export class TransportRejected extends Error {
  override readonly name = 'TransportRejected'
}
