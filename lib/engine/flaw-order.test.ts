import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { certainFlaws } from '../judge/allowed.ts'
import { flawless, type Facts } from '../judge/facts.ts'
import { FlawOrder } from './flaw-order.ts'

const flaws: Readonly<Record<string, Partial<Facts>>> = {
  '1001': { apiKey: 'absent' },
  '1002': { secretKey: 'absent' },
  '1003': { version: 'absent' },
  '1010': { endpoint: 'unknown' },
  '1011': { state: 'inactive' },
  '1013': { permission: 'denied' },
}
const codes = Object.keys(flaws)

function withFlaws(...some: readonly string[]): Facts {
  return some.reduce((facts, code) => ({ ...facts, ...flaws[code] }), flawless)
}

/** What a service learns to have answered that reports the first of these codes. */
function learn(order: FlawOrder, ranking: readonly string[], some: readonly string[]): void {
  order.note(withFlaws(...some), ranking.find((code) => some.includes(code)) ?? null)
}

describe('the order of flaws', () => {
  it('is the one in which a service reports them, once every pair was met', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(codes, { minLength: codes.length }), (ranking) => {
        const order = new FlawOrder()
        for (const a of codes) for (const b of codes) if (a !== b) learn(order, ranking, [a, b])

        expect(order.order()).toEqual(ranking)
        expect(order.contradictions()).toEqual([])
      }),
    )
  })

  it('follows from chains of pairs', () => {
    const order = new FlawOrder()
    learn(order, ['1013', '1003'], ['1013', '1003'])
    learn(order, ['1003', '1001'], ['1003', '1001'])

    expect(order.order()).toEqual(['1013', '1003', '1001'])
  })

  it('is contradicted where a pair was reported both ways, however the majority is', () => {
    const order = new FlawOrder()
    for (let time = 0; time < 3; time += 1) learn(order, ['1002', '1001'], ['1001', '1002'])
    learn(order, ['1001'], ['1001', '1002'])

    expect(order.order()).toEqual(['1002', '1001'])
    expect(order.contradictions()).toEqual([{ between: ['1001', '1002'], times: [1, 3] }])
  })

  it('learns nothing from one flaw, from what may be none, from a success, and from a code of another flaw', () => {
    const order = new FlawOrder()
    order.note(withFlaws('1001'), '1001')
    order.note({ ...withFlaws('1001', '1002'), version: 'odd' }, '1001')
    order.note(withFlaws('1001', '1002'), null)
    order.note(withFlaws('1001', '1002'), '1013')

    expect(order.order()).toEqual([])
  })

  it('knows the flaws by the facts that say so', () => {
    expect(certainFlaws(withFlaws('1001', '1010'))).toEqual([
      { fact: 'apiKey', codes: ['1001'] },
      { fact: 'endpoint', codes: ['1010'] },
    ])
  })
})
