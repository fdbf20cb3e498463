import fc from 'fast-check'
import { expect, test } from 'vitest'

import { duplicateNames } from './duplicate-names.ts'

test.for([
  ['{}', []],
  ['[{"a":1},{"a":1}]', []],
  ['{"a":{"a":["a","a"]}}', []],
  ['{"a":"b","b":"a","c":[{"a":1,"b":2}]}', []],
  ['{"a":"\\"b\\":","b":1}', []],
  ['{"error_code":"1001","error_code":"1006"}', ['error_code']],
  ['{"error_code":"1001","error_\\u0063ode":"1006"}', ['error_code']],
  [' [ { "b" : { } , "a" : [ { "c" : 1 , "c" : 2 } ] , "b" : 1 , "b" : 2 } ] ', ['c', 'b']],
  ['{"":1,"":2}', ['']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['"{\\"a\\":1,\\"a\\":2}"', []],
  ['{"a":[{"x":"}"}],"a":1}', ['a']],
] as const)('%s', ([text, names]) => {
  expect(duplicateNames(text)).toEqual(names)
})

test('no more than five are told, and of each no more than 100 characters', () => {
  const members = Array.from({ length: 9 }, (_, at) => `"${String(at).repeat(300)}":1`)
  const found = duplicateNames(`{${[...members, ...members].join(',')}}`)

  expect(found.map(({ length }) => length)).toEqual([100, 100, 100, 100, 100])
})

test('none where JSON.stringify wrote the text, and the one that was written twice', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
      (value, object) => {
        const [name = ''] = Object.keys(object)
        const written = JSON.stringify(object).slice(0, -1)
        const twice = `${written},${JSON.stringify(name)}:0}`

        expect(duplicateNames(JSON.stringify(value))).toEqual([])
        expect(duplicateNames(`[${JSON.stringify(value)},${twice}]`)).toEqual([name.slice(0, 100)])
      },
    ),
    { numRuns: 1_000 },
  )
})
