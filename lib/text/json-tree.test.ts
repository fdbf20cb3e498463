import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonical, json, treeOf } from '../drift/json.testing.ts'
import { readTree, writeTree } from './json-tree.ts'

describe('a tree', () => {
  it('of any value or text is written as an equal value', () => {
    fc.assert(
      fc.property(json, fc.jsonValue(), fc.constantFrom('', '\t', ' \r\n '), (value, other, indent) => {
        const text = JSON.stringify(other, null, indent)
        expect(canonical(JSON.parse(writeTree(treeOf(value))))).toBe(canonical(value))
        expect(writeTree(readTree(text))).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  it.each([
    ['numbers', ['12345678901234567890', '1.0', '-0', '1E+400']],
    ['names', ['{"b":1,"a":2,"1":3,"b":4}', '{"":{"":[]}}']],
    ['escapes', [String.raw`{"\u0061":"\ud83c\udfa8 \/ \" \\"}`, String.raw`["\\","\\\"",{"\\\\":"\""}]`]],
    ['empty and lone values', ['[[],{},[{}],""]', 'null', '"alone"']],
  ])('of %s is written exactly as read', (_, texts) => {
    for (const text of texts) expect(writeTree(readTree(text))).toBe(text)
  })

  it('compares names by meaning, not by spelling', () => {
    const tree = readTree(String.raw`{"\u0061":1,"_\"_":2}`)

    expect(tree.kind === 'object' && tree.members.map(({ name }) => name)).toEqual(['a', '_"_'])
  })

  it.each(['', '{', '[1,]', '{"a":}', 'nul', "{'a':1}", '\uFEFF{}', '1 2'])(
    'cannot be read from %j',
    (text) => {
      expect(() => readTree(text)).toThrow(SyntaxError)
    },
  )

  it('can be written with replaced members and strings', () => {
    const text = writeTree(readTree('{"a":"x","b":["y",{"c":"z"}],"d":1}'), {
      members: (members) => members.toReversed(),
      string: (string, name) => `"${name}=${string.slice(1, -1)}"`,
    })

    expect(text).toBe('{"d":1,"b":["null=y",{"c":"c=z"}],"a":"a=x"}')
  })
})
