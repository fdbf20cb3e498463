import type { NoAnswer } from './deliver.ts'
import type { Reproduced } from './run-log.ts'
import type { Stimulus } from './stimulus.ts'

/** One particular request that no answer ever came to, while plain valid ones were answered. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered'
  readonly stimulus: Stimulus
  readonly difference: string
  readonly reproduced: Reproduced

  constructor(stimulus: Stimulus, { trouble }: NoAnswer, tries: number) {
    super(`no answer came while plain valid requests were answered: ${trouble.message}`)
    this.stimulus = stimulus
    this.difference = `no answer: ${trouble.kind}`
    this.reproduced = { seen: tries, of: tries }
  }
}

/** A closed connection, a gateway's error or silence instead of an answer, where the transport may refuse a request by itself. */
export class RefusedByTransport extends Error {
  override readonly name = 'RefusedByTransport'
}
