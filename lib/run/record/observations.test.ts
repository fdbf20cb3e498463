import { describe, expect, it } from 'vitest'
import { flawless, type Facts } from '../../specification/flaws.ts'
import { ErrorPrecedence, Observations } from './observations.ts'

describe('observations', () => {
  it('keep the last value for each id, in the order of ids', () => {
    const observations = new Observations()
    observations.observe('order', ['1001'])
    observations.observe('letter-case', 'accepted')
    observations.observe('letter-case', '401 / 1006')

    expect(observations.all().filter(({ id }) => id !== 'flaw-order')).toEqual([
      { id: 'letter-case', value: '401 / 1006' },
      { id: 'order', value: ['1001'] },
    ])
  })

  it('hold at most five outcomes per subject and a hundred subjects', () => {
    const observations = new Observations()
    for (let outcome = 9; outcome > 0; outcome -= 1) observations.note('seen', 'one', `${outcome}`)
    for (let subject = 0; subject < 200; subject += 1) observations.note('seen', `${subject}`, 'same')
    const value = observations.all().find(({ id }) => id === 'seen')?.value ?? {}

    expect(value).toMatchObject({ one: '5; 6; 7; 8; 9' })
    expect(Object.keys(Object(value))).toHaveLength(100)
  })
})

describe('latencies', () => {
  function percentiles(values: readonly number[]): ReturnType<Observations['latencyMs']> {
    const observations = new Observations()
    for (const value of values) observations.took('errors/body-shape', value)
    return observations.latencyMs()
  }

  const hundred = Array.from({ length: 100 }, (_, index) => index + 1)
  const shares = (...[p50, p95, p99, max]: readonly number[]) => ({ p50, p95, p99, max })

  it.each([
    [[], null],
    [hundred, shares(50, 95, 99, 100)],
    [hundred.toReversed(), shares(50, 95, 99, 100)],
    [[7], shares(7, 7, 7, 7)],
    [[10, 9], shares(9, 10, 10, 10)],
    [[1.26, 1.24], shares(1.2, 1.3, 1.3, 1.3)],
  ])('of %o are reported as percentiles', (values, expected) => {
    expect(percentiles(values)).toEqual(expected)
  })
})

const flaws: Readonly<Record<string, Partial<Facts>>> = {
  '1001': { apiKey: 'absent' },
  '1002': { secretKey: 'absent' },
  '1003': { version: 'absent' },
  '1010': { endpoint: 'unknown' },
  '1011': { state: 'inactive' },
  '1013': { permission: 'denied' },
}

function withFlaws(...some: readonly string[]): Facts {
  return some.reduce<Facts>((facts, code) => ({ ...facts, ...flaws[code] }), flawless)
}

/** A request with both flaws, of which the first is reported. */
function noted(first: string, second: string): readonly [Facts, string] {
  return [withFlaws(first, second), first]
}

describe('the order of flaws', () => {
  const two = withFlaws('1001', '1002')

  // The expected codes, in order.
  it.each<[string, readonly (readonly [Facts, string | null])[], string]>([
    ['follows from chains of pairs', [noted('1013', '1003'), noted('1003', '1001')], '1013 1003 1001'],
    ['follows the majority', [...Array(3).fill(noted('1002', '1001')), noted('1001', '1002')], '1002 1001'],
    ['is not learned from one flaw', [[withFlaws('1001'), '1001']], ''],
    ['is not learned from an uncertain flaw', [[{ ...two, version: 'odd' }, '1001']], ''],
    ['is not learned from a success', [[two, null]], ''],
    ['is not learned from the code of another flaw', [[two, '1013']], ''],
  ])('%s', (_, all, codesInOrder) => {
    const order = new ErrorPrecedence()
    for (const [facts, code] of all) order.note(facts, code)

    expect(order.order().join(' ')).toBe(codesInOrder)
  })
})
