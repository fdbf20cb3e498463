import { isDisagreement, type Situation, type Situations } from './comparison.ts'

/** The results of both judges, in distinct situations. */
export interface Figures {
  readonly exchanges: number
  /** Different requests and answers. */
  readonly situations: number
  /** Of these: the judges agree, and neither is silent. */
  readonly agree: number
  /** At least one judge is silent. */
  readonly silent: number
  readonly settled: number
  readonly disagree: number
}

/** Counts situations. */
export function figuresOf(met: Situations): Figures {
  const all = [...met.values()]
  const count = (is: (one: Situation) => boolean): number => all.filter(is).length
  return {
    exchanges: all.reduce((sum, one) => sum + one.exchanges, 0),
    situations: all.length,
    agree: count(({ first, second }) => first === second && first !== 'silent'),
    silent: count(({ first, second }) => first === 'silent' || second === 'silent'),
    settled: count((one) => isDisagreement(one) && one.settled !== null),
    disagree: count(isOpen),
  }
}

/** Whether the judges differ and the difference is not settled. */
export function isOpen(situation: Situation): boolean {
  return isDisagreement(situation) && situation.settled === null
}

/** A line for each difference that is not settled. */
export function openLines(met: Situations): readonly string[] {
  return [...met.values()]
    .filter(isOpen)
    .map(
      ({ request, answer, first, second, because }) =>
        `✗ ${request}, answered ${answer}: ${first} and ${second} (${because})`,
    )
}
