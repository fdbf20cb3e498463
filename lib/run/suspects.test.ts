import { expect, it } from 'vitest'
import { suspects, type JudgedRow } from './simplify.ts'

function row(flaw: string, of: string, isWrong: boolean): JudgedRow {
  return { flaw, conditions: [...of], isWrong }
}

const many = row('no key', 'abcdef', true)
const other = [
  row('no key', 'ab', true),
  row('no key', 'b', false),
  row('no version', 'a', false),
  row('no version', 'a', false),
] as const
const two = [row('no key', 'abc', true), row('wrong key', 'bd', true), row('no key', 'ae', false)] as const

it.each<[string, JudgedRow, readonly JudgedRow[], readonly string[]]>([
  ['are ordered by the number of wrong rows they occur in', two[0], two, ['b', 'c', 'a']],
  ['ignore the rows of a flaw that is never wrong', other[0], other, ['a', 'b']],
  ['are at most four, since each costs a request', many, [many, row('no key', '', false)], [...'abcd']],
])('the suspects of a wrong row %s', (_, wrong, rows, conditions) => {
  expect(suspects(wrong, rows)).toEqual(conditions.map((one) => [one]))
})
