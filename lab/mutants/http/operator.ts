import { kinds, write, type Kind, type Occasion, type PlainAnswer } from './answer.ts'

/** One way to spoil an answer, applied to each kind of answer. */
export interface Operator {
  /** Part of the id, which never changes. */
  readonly name: string
  readonly family: string
  /** The change in words, as shown in `mutants.json`. */
  readonly about: string
  /** Kinds for which it changes nothing are left out. */
  readonly kinds: readonly Kind[]
  /**
   * Writes the spoiled answer. `next` gives the next answer that is about to be written to another request, or null after this many
   * milliseconds. Each is taken by the first operator waiting for it.
   */
  readonly send: (answer: PlainAnswer, occasion: Occasion, next: Next) => void
}

type Next = (withinMs: number) => Promise<Waiting | null>

/** The answer that another request is about to get. */
export interface Waiting {
  readonly answer: PlainAnswer
  /** Writes an answer to that request. */
  readonly write: (answer: PlainAnswer) => void
}

/** A change of answers, which are then written as usual, and its kinds. Default: those of its family. */
export type Change = readonly [name: string, about: string, change: Changing, kinds?: Operator['kinds']]
type Changing = (answer: PlainAnswer, occasion: Occasion) => PlainAnswer

/** The operators of a family of changes. Their names begin with that of the family by default. */
export function changing(
  family: string,
  changes: readonly Change[],
  { prefix = `${family}-`, of = kinds }: { readonly prefix?: string; readonly of?: Operator['kinds'] } = {},
): readonly Operator[] {
  return changes.map(([name, about, change, some = of]) => ({
    name: `${prefix}${name}`,
    family,
    about,
    kinds: some,
    send: (answer, occasion) => write(occasion.response, change(answer, occasion)),
  }))
}
