/** The power of a verdict. Plain JSON. */
export interface Power {
  /** How certain {@link excludes} is: 0.95. */
  readonly confidence: number
  /** Answers that could have shown a breach. An answer that several rules judged counts once. */
  readonly answers: number
  /** Answers that showed a breach, even a warning or a waived breach; without confirmations. Absent if unknown. */
  readonly faulty?: number
  /** Requests that the service left unanswered; absent if unknown. */
  readonly unanswered?: number
  /** The rate of faulty answers that a run without any breach excludes, if faults are random; null for a run with a breach or without answers. */
  readonly excludes: number | null
  readonly situations: readonly Situations[]
}

/** The part of {@link Power} that is specific to a rule. */
export type RulePower = Pick<Power, 'answers' | 'faulty' | 'unanswered' | 'excludes'>

/** Number of exchanges and unanswered requests that findings blame. */
export type BlamedCounts = Required<Pick<Power, 'faulty' | 'unanswered'>>

/** Exchanges and unanswered requests that the same findings blame. */
export interface Blamed {
  /** By the key of each, `findingKey`. */
  readonly findings: readonly string[]
  readonly faulty: number
  readonly unanswered: number
}

/** Kinds of situations, in the order of reports. */
export const situationKinds = ['flaw', 'pair', 'condition', 'connection', 'order', 'load', 'client'] as const

/** A kind of situations. */
export type SituationKind = (typeof situationKinds)[number]

/** The situations of one kind: reached ones with the number of answers, missing ones with the setting that would reach them. */
export interface Situations {
  readonly kind: SituationKind
  readonly reached: Readonly<Record<string, number>>
  /** By name: the setting that would reach it. */
  readonly missing: Readonly<Record<string, string>>
}
