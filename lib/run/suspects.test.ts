import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { explains, suspects, type JudgedRow } from './simplify.ts'

const conditions = ['a', 'b', 'c', 'd', 'e', 'f']
const flaws = ['no key', 'wrong key', 'no version']
const sent = fc.array(
  fc.record({ flaw: fc.constantFrom(...flaws), conditions: fc.subarray(conditions, { minLength: 1 }) }),
  { minLength: 2, maxLength: 30 },
)

/** Rows of a service that is wrong under only one condition. */
function rowsWith(cause: string, rows: readonly Omit<JudgedRow, 'isWrong'>[]): readonly JudgedRow[] {
  return rows.map((one) => ({ ...one, isWrong: one.conditions.includes(cause) }))
}

function row(flaw: string, of: string, isWrong: boolean): JudgedRow {
  return { flaw, conditions: [...of], isWrong }
}

describe('the suspects of a wrong row', () => {
  it('begin with the conditions that occur in no right row, including the cause', () => {
    fc.assert(
      fc.property(sent, fc.constantFrom(...conditions), (all, cause) => {
        const rows = rowsWith(cause, all)
        const first = rows.find(({ isWrong }) => isWrong)
        fc.pre(first !== undefined)
        const wrongFlaws = new Set(rows.flatMap(({ flaw, isWrong }) => (isWrong ? [flaw] : [])))
        const right = rows.filter(({ flaw, isWrong }) => !isWrong && wrongFlaws.has(flaw))
        const isClear = (one: string): boolean => right.every((each) => !each.conditions.includes(one))
        const found = suspects(first, rows).filter(({ length }) => length === 1)
        const clear = found.findIndex(([one = '']) => !isClear(one))

        expect(isClear(cause)).toBe(true)
        expect(found.slice(clear === -1 ? found.length : clear).every(([one = '']) => !isClear(one))).toBe(
          true,
        )
        expect(found.length === 4 || found.some(([one]) => one === cause)).toBe(true)
      }),
    )
  })

  it('are ordered by the number of wrong rows they occur in', () => {
    const rows = [row('no key', 'abc', true), row('wrong key', 'bd', true), row('no key', 'ae', false)]

    expect(suspects(row('no key', 'abc', true), rows)).toEqual([['b'], ['c'], ['a']])
  })

  it('begin with no condition if every row of the flaw is wrong, whatever happens to other flaws', () => {
    const rows = [row('no key', 'ab', true), row('no key', 'cd', true), row('wrong key', 'ab', false)]

    expect(suspects(row('no key', 'ab', true), rows)[0]).toEqual([])
    expect(suspects(row('no key', 'ab', true), [...rows, row('no key', 'ef', false)])[0]).toEqual(['a'])
  })

  it('are at most four, since each costs a request', () => {
    expect(
      suspects(row('no key', 'abcdef', true), [row('no key', 'abcdef', true), row('no key', '', false)]),
    ).toEqual([['a'], ['b'], ['c'], ['d']])
  })
})

describe('conditions explain a flaw', () => {
  it.each([
    ['a', 'no key', true],
    ['b', 'no key', false],
    ['ac', 'no key', true],
    ['', 'no key', false],
    ['', 'no version', true],
    ['b', 'no version', true],
  ])('if each of its rows under them is wrong: %j for %s is %s', (of, flaw, expected) => {
    const rows = [
      row('no key', 'abc', true),
      row('no key', 'ac', true),
      row('no key', 'b', false),
      row('no version', 'b', true),
    ]

    expect(explains([...of], flaw, rows)).toBe(expected)
  })
})
