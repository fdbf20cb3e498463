import { describe, expect, it } from 'vitest'
import { draw } from './sample.ts'
import { lost, type Fate, type Result } from './tests.ts'

const ids = (from: number, to: number): readonly { readonly id: string }[] =>
  Array.from({ length: to - from }, (_, at) => ({ id: `mutant ${from + at}` }))

describe('the draw', () => {
  it('is the same for the same seed, in any order of the mutants', () => {
    expect(draw(ids(0, 50).toReversed(), 10, 40)).toEqual(draw(ids(0, 50), 10, 40))
  })

  it('differs for another seed', () => {
    expect(draw(ids(0, 50), 10, 41)).not.toEqual(draw(ids(0, 50), 10, 40))
  })

  it('keeps its order if other mutants are added or removed', () => {
    const isKept = ({ id }: { readonly id: string }): boolean => ids(10, 50).some((one) => one.id === id)

    expect(draw(ids(0, 60), 60, 40).filter(isKept)).toEqual(draw(ids(10, 50), 40, 40))
  })
})

describe('the comparison', () => {
  const resultOf = (id: string, status: Fate['status'], line = 1): Result => {
    const texts = { original: 'true', replacement: 'false' }
    return { id, file: 'a.ts', line, ...texts, status, by: null }
  }

  it.each<[Fate['status'], Fate['status'], boolean]>([
    ['killed by tests', 'survived', true],
    ['killed by tests', 'no coverage', true],
    ['killed by the gate', 'survived', true],
    ['timed out', 'survived', true],
    ['killed by tests', 'killed by the gate', false],
    ['killed by tests', 'timed out', false],
    ['survived', 'survived', false],
    ['no coverage', 'survived', false],
    ['survived', 'killed by tests', false],
  ])('reports a change from %s to %s, on any line: %s', (was, is, isNamed) => {
    const now = resultOf('one', is, 9)

    expect(lost([resultOf('one', was)], [now])).toEqual(isNamed ? [now] : [])
  })

  it('ignores mutants that were not drawn both times', () => {
    expect(lost([resultOf('gone', 'killed by tests')], [resultOf('new', 'survived')])).toEqual([])
  })
})
