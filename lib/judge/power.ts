/** The power of a verdict. Plain JSON. */
export type Power = Readonly<{
  /** How certain {@link excludes} is: 0.95. */
  confidence: number
  /** The number of answers that could have shown a breach. An answer judged by several rules counts once. */
  answers: number
  /** The number of answers that showed a breach, including warnings and waived breaches but not confirmations. Absent if unknown. */
  faulty?: number
  /** The number of requests that the service left unanswered; absent if unknown. */
  unanswered?: number
  /** The rate of faulty answers that a run without breaches rules out, if faults are random; null for a run with a breach or without answers. */
  excludes: number | null
  situations: readonly Situations[]
}>

/** The part of {@link Power} that is specific to a rule. */
export type RulePower = Pick<Power, 'answers' | 'faulty' | 'unanswered' | 'excludes'>

/** The number of exchanges and unanswered requests that findings blame. */
export type BlamedCounts = Required<Pick<Power, 'faulty' | 'unanswered'>>

/** An exchange or an unanswered request that findings blame. */
export type Blamed = BlamedCounts &
  Readonly<{
    /** The key of each finding, as returned by `findingKey`. */
    findings: readonly string[]
  }>

/** The kinds of situations, in the order in which reports list them. */
export const situationKinds = ['flaw', 'pair', 'condition', 'connection', 'order', 'load', 'client'] as const

export type SituationKind = (typeof situationKinds)[number]

/** The situations of one kind: those reached, with the number of answers, and those missing, with the setting that would reach them. */
export type Situations = Readonly<{
  kind: SituationKind
  reached: Readonly<Record<string, number>>
  /** The setting that would reach each situation, by its name. */
  missing: Readonly<Record<string, string>>
}>
