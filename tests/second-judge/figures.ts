import { isDisagreement, type Situations } from './comparison.ts'

/** What both judges came to, in distinct situations. */
export interface Figures {
  readonly exchanges: number
  /** Different requests and answers. */
  readonly situations: number
  /** Of these: both speak and agree. */
  readonly agree: number
  /** One is silent, or both. */
  readonly silent: number
  readonly settled: number
  readonly disagree: number
}

/** Counts situations. */
export function figuresOf(met: Situations): Figures {
  const all = [...met.values()]
  const count = (is: (one: (typeof all)[number]) => boolean): number => all.filter(is).length
  return {
    exchanges: all.reduce((sum, one) => sum + one.exchanges, 0),
    situations: all.length,
    agree: count(({ first, second }) => first === second && first !== 'silent'),
    silent: count(({ first, second }) => first === 'silent' || second === 'silent'),
    settled: count((one) => isDisagreement(one) && one.settled !== null),
    disagree: count((one) => isDisagreement(one) && one.settled === null),
  }
}
