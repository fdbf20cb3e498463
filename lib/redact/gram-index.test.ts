import { describe, expect, it } from 'vitest'
import { GramFilter, GramIndex, gramsOf } from './gram-index.ts'

const value = { name: 'KEY', text: 'abcdef' }
const textsOf = (isLeftOut?: (text: string) => boolean): readonly string[] =>
  gramsOf(value, 4, isLeftOut).map(({ text, start }) => `${start} ${text}`)

describe('the runs of a value', () => {
  it('begin at each place, as short as may be', () => {
    expect(textsOf()).toEqual(['0 abcd', '1 bcde', '2 cdef'])
  })

  it('are longer where a shorter one is left out, and none where even the longest is', () => {
    expect(textsOf((text) => text === 'abcd' || text === 'abcde')).toEqual(['0 abcdef', '1 bcde', '2 cdef'])
    expect(textsOf((text) => text.endsWith('f'))).toEqual(['0 abcd', '1 bcde'])
    expect(textsOf((text) => text.startsWith('a'))).toEqual(['1 bcde', '2 cdef'])
  })
})

describe('an index of runs', () => {
  const other = { name: 'OTHER', text: 'abcdx' }
  const index = new GramIndex([...gramsOf(value, 4), ...gramsOf(other, 4), ...gramsOf(value, 6)])

  it('finds them in their order, those of the same text together', () => {
    const found: string[] = []
    const none = index.find('--abcdef--', (grams, at) => {
      found.push(`${at} ${grams.map(({ of, start }) => `${of.name} ${start}`).join(', ')}`)
      return null
    })

    expect(none).toBeNull()
    expect(found).toEqual(['2 KEY 0, OTHER 0', '2 KEY 0', '3 KEY 1', '4 KEY 2'])
    expect(index.widths).toEqual([4, 6])
  })

  it('ends at the first one that tells', () => {
    expect(index.first('abcdx')).toBe(value)
    expect(index.first('-bcdx')).toBe(other)
    expect([index.first('abc'), index.first('')]).toEqual([null, null])
  })
})

it('a filter rules out no text that it holds, and most others', () => {
  const filter = new GramFilter()
  filter.add('the list endpoint')

  expect(['list', 'the list', 'lis', ''].map((text) => filter.mayHold(text))).toEqual([
    true,
    true,
    true,
    true,
  ])
  expect(['tsil', 'the lists'].map((text) => filter.mayHold(text))).toEqual([false, false])
})
