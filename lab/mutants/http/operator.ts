import { write, type Kind, type Occasion, type PlainAnswer } from './answer.ts'

/** One way to spoil an answer, applied to each kind of answer. */
export interface Operator {
  /** Part of the id, which never changes. */
  readonly name: string
  readonly family: string
  /** The change in words, as shown in `mutants.json`. */
  readonly about: string
  /** Kinds for which it changes nothing are left out. */
  readonly kinds: readonly Kind[]
  /** Writes the spoiled answer. `others` gives answers that come while this one waits. */
  readonly send: (answer: PlainAnswer, occasion: Occasion, others: Others) => void
}

/** Answers to other requests. Each is taken by the first operator waiting for it. */
export interface Others {
  /**
   * The next answer that is about to be written to another request, with its writer, or null after this many
   * milliseconds.
   */
  next(withinMs: number): Promise<Waiting | null>
}

/** The answer that another request is about to get. */
export interface Waiting {
  readonly answer: PlainAnswer
  /** Writes an answer to that request. */
  readonly write: (answer: PlainAnswer) => void
}

/** An operator that changes an answer, which is then written as usual. */
export function changing(
  parts: Omit<Operator, 'send'>,
  change: (answer: PlainAnswer, occasion: Occasion) => PlainAnswer,
): Operator {
  return { ...parts, send: (answer, occasion) => write(occasion.response, change(answer, occasion)) }
}
