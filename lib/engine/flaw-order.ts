import { certainFlaws, hasUncertainFlaw } from '../judge/allowed.ts'
import type { Facts } from '../judge/facts.ts'
import { documentedPairs } from '../spec/answers.ts'

/** Two codes of which sometimes the one and sometimes the other was reported first. */
export interface Contradiction {
  readonly between: readonly [string, string]
  readonly times: readonly [number, number]
}

/**
 * The order in which a service reports several flaws of one request, inferred from pairs: the specification sets none, so it
 * is never judged.
 */
export class FlawOrder {
  /** How often the first code of a pair (`1001>1006`) was reported where the second might have been. */
  readonly #before = new Map<string, number>()

  /** Learns from the code that a request with several certain flaws was refused with. */
  note(facts: Facts, errorCode: string | null): void {
    if (errorCode === null || hasUncertainFlaw(facts)) return
    const flaws = certainFlaws(facts)
    if (!flaws.some(({ codes }) => codes.some((code) => code === errorCode))) return

    for (const { codes } of flaws) {
      const [only, ...more] = codes
      if (only === undefined || more.length > 0 || only === errorCode) continue
      const pair = `${errorCode}>${only}`
      this.#before.set(pair, (this.#before.get(pair) ?? 0) + 1)
    }
  }

  /** The codes in the order of reporting, as far as pairs were met; where pairs say nothing, in the order of the codes. */
  order(): readonly string[] {
    const met = new Set([...this.#before.keys()].flatMap((pair) => pair.split('>')))
    let left = documentedPairs.map(({ errorCode }): string => errorCode).filter((code) => met.has(code))
    const order: string[] = []
    while (left.length > 0) {
      const ahead = (code: string): number => left.filter((other) => this.#comesFirst(other, code)).length
      const next = left.toSorted((a, b) => ahead(a) - ahead(b))[0] ?? ''
      order.push(next)
      left = left.filter((code) => code !== next)
    }
    return order
  }

  /** Pairs that were reported both ways. */
  contradictions(): readonly Contradiction[] {
    return [...this.#before].flatMap(([pair, times]) => {
      const [first = '', second = ''] = pair.split('>')
      const otherwise = this.#times(second, first)
      return otherwise > 0 && first < second
        ? [{ between: [first, second] as const, times: [times, otherwise] as const }]
        : []
    })
  }

  #comesFirst(a: string, b: string): boolean {
    return this.#times(a, b) > this.#times(b, a)
  }

  #times(first: string, second: string): number {
    return this.#before.get(`${first}>${second}`) ?? 0
  }
}
