/** What a verdict is worth. Plain JSON. */
export interface Power {
  /** How certain {@link excludes} is: 0.95. */
  readonly confidence: number
  /** Answers that could have shown a breach; one that several rules judged counts once. */
  readonly answers: number
  /** Those that showed one, also if it only warns or a waiver covers it; confirmations apart. Absent if unknown. */
  readonly faulty?: number
  /** Requests that the service left unanswered; absent if unknown. */
  readonly unanswered?: number
  /** The rate of faulty answers that a run without any breach excludes, if faults strike at random; else null, also without answers. */
  readonly excludes: number | null
  readonly situations: readonly Situations[]
}

/** The part of {@link Power} that a rule has of its own. */
export type RulePower = Pick<Power, 'answers' | 'faulty' | 'unanswered' | 'excludes'>

/** How many exchanges, and requests without an answer, findings blame. */
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

/** The situations of one kind: those met with the number of answers, and those not met with what would meet them. */
export interface Situations {
  readonly kind: SituationKind
  readonly reached: Readonly<Record<string, number>>
  /** By name: the setting that would reach it. */
  readonly missing: Readonly<Record<string, string>>
}
