import { describe, expect, it } from 'vitest'
import { joinedObservations } from './merge-observations.ts'

function joined(id: string, ...values: readonly unknown[]): unknown {
  const [only, ...more] = joinedObservations(values.map((value) => [{ id, value }]))
  expect(more).toEqual([])
  return only?.value
}

describe('what several shards observed', () => {
  it.each<[string, string, readonly unknown[], unknown]>([
    ['the same', 'letter-case-of-x-api-key', ['accepted', 'accepted'], 'accepted'],
    [
      'orders that go together',
      'flaw-order',
      [['1001', '1006'], ['1006', '1003'], []],
      ['1001', '1006', '1003'],
    ],
    [
      'orders that do not',
      'flaw-order',
      [
        ['1', '2'],
        ['2', '1'],
        ['2', '1'],
      ],
      ['2', '1'],
    ],
    [
      'notes',
      'versions-served',
      [{ 2: 'success', 3: 'a; b' }, { 3: 'b; c' }],
      { 2: 'success', 3: 'a; b; c' },
    ],
    [
      'contradictions',
      'flaw-order-contradictions',
      [
        [{ between: ['1001', '1003'], times: [1, 2] }],
        [
          { between: ['1001', '1003'], times: [3, 1] },
          { between: ['1006', '1007'], times: [1, 1] },
        ],
      ],
      [
        { between: ['1001', '1003'], times: [4, 3] },
        { between: ['1006', '1007'], times: [1, 1] },
      ],
    ],
    [
      'what cannot be joined',
      'else',
      ['accepted', '400 / 1006'],
      { differsBetweenShards: ['accepted', '400 / 1006'] },
    ],
  ])('%s', (_, id, values, expected) => {
    expect(joined(id, ...values)).toEqual(expected)
  })

  it('adds up contradictions that shards have alike', () => {
    const alike = [{ between: ['1001', '1003'], times: [1, 2] }]

    expect(joined('flaw-order-contradictions', alike, alike)).toEqual([
      { between: ['1001', '1003'], times: [2, 4] },
    ])
  })

  it('is in the order of the ids, those of one shard alone among them', () => {
    const observations = joinedObservations([[{ id: 'b', value: 1 }], [{ id: 'a', value: 2 }]])

    expect(observations).toEqual([
      { id: 'a', value: 2 },
      { id: 'b', value: 1 },
    ])
  })
})
