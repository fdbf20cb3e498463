import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTree, type Tree } from '../text/json-tree.ts'
import { changed, json, jsonText, names, partsOf, seeds, treeOf } from './json.testing.ts'
import { changeText } from './tolerated.ts'

type Leaf = readonly [name: string | null, tree: Tree]

/** Every leaf, in document order. */
function leaves(tree: Tree, name: string | null = null): readonly Leaf[] {
  if (tree.kind === 'array') return tree.items.flatMap((item) => leaves(item))
  if (tree.kind === 'object') return tree.members.flatMap((member) => leaves(member.value, member.name))
  return [[name, tree]]
}

/** Pairs of each leaf before and after. */
function pairs(value: unknown, seed: number): readonly (readonly [Leaf, Leaf])[] {
  const after = leaves(readTree(changeText(jsonText(value), ['opaque'], seed).text))
  return leaves(treeOf(value)).flatMap((leaf, index) => {
    const other = after[index]
    return other === undefined ? [] : [[leaf, other] as const]
  })
}

/** The changed versions of a text under many seeds. */
function remade(text: string): readonly string[] {
  return Array.from({ length: 400 }, (_, seed) => String(changed(text, ['opaque'], seed)))
}

/** All strings in the changed value. */
function otherStrings(value: unknown, seed: number): readonly string[] {
  return partsOf(changed(value, ['opaque'], seed)).strings.map(([, text]) => text)
}

const greek = /^\p{Script=Greek}+$/u

describe('opaque strings', () => {
  it('all change except error_code, and nothing else changes', () => {
    fc.assert(
      fc.property(json, seeds, (value, seed) => {
        const all = pairs(value, seed)
        for (const [[name, before], [nameAfter, after]] of all) {
          expect([nameAfter, after.kind]).toEqual([name, before.kind])
          const stays = before.kind === 'literal' || (before.kind === 'string' && name === 'error_code')
          if (stays) expect(after).toEqual(before)
          else if (before.kind === 'string') expect(after).not.toEqual(before)
        }
        expect(all).toHaveLength(leaves(treeOf(value)).length)
      }),
    )
  })

  it('that are equal stay equal, and different strings stay different', () => {
    const texts = fc.array(fc.oneof(fc.string(), fc.string({ maxLength: 1 }), names), { maxLength: 30 })

    fc.assert(
      fc.property(texts, seeds, (before, seed) => {
        const after = otherStrings(before, seed)
        expect(after.map((text) => after.indexOf(text))).toEqual(before.map((text) => before.indexOf(text)))
      }),
    )
  })

  it('are usually replaced by the same text in different answers with the same seed', () => {
    const once = otherStrings(['cust_1', 'cust_2'], 3)
    const again = otherStrings([{ id: 'cust_2' }, 'cust_1'], 3)

    expect(again.toSorted()).toEqual(once.toSorted())
  })

  it.each(['cust_8f3k', '', 'x', 'api key header is missing', '🎨🎨', 'ü'.repeat(400)])(
    'such as %j can become longer, shorter or empty',
    (text) => {
      const others = remade(text)

      const isShorter = (other: string): boolean => other.length < text.length && text.startsWith(other)
      expect(others.some((other) => other.length > text.length && other.startsWith(text))).toBe(true)
      expect(others.includes('')).toBe(text !== '')
      expect(others.some((other) => other !== '' && isShorter(other))).toBe(text.length > 1)
    },
  )

  it.each([
    ['Greek', greek],
    ['Cyrillic', /^\p{Script=Cyrillic}+$/u],
    ['Han', /^\p{Script=Han}+$/u],
    ['Arabic', /^\p{Script=Arabic}+$/u],
    ['emoji', /^\p{Extended_Pictographic}+$/u],
    ['Latin letters with combining marks, composed or decomposed', /^(?:[ẞñåçø]|[eo]\p{M})+$/u],
    ['a UUID', /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/],
    ['a number', /^[1-9]\d{5,}$/],
    ['a time', /^20[1-8]\d-0[1-9]-1\dT00:00:00Z$/],
    ['an address', /^https:\/\/example\.invalid\/[a-z]{9}\?a=b&c=d#e$/],
    ['base64', /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9+/])[A-Za-z0-9+/]{22}==$/],
    ['white space, quotes and markup', /^ {2}[a-z]{4}\t"quoted" \\ <b>&amp;<\/b>\n$/],
    ['null as text', /^null$/],
    ['true as text', /^true$/],
    ['0 as text', /^0$/],
    ['braces', /^\{\}$/],
    ['a dash', /^-$/],
    ['37 characters', /^cust_8f3k.{28}$/s],
    ['65 characters', /^cust_8f3k.{56}$/s],
    ['256 characters', /^cust_8f3k.{247}$/s],
    ['300 characters', /^cust_8f3k.{291}$/s],
  ])('can become %s', (_, form) => {
    expect(remade('cust_8f3k').some((other) => form.test(other))).toBe(true)
  })

  it('are never cut within a character', () => {
    for (const text of remade('🎨🧪🔑🌍')) expect(Buffer.from(text).toString()).toBe(text)
  })

  it('are counted', () => {
    const { done } = changeText(
      '{"error_code":"1001","a":["x","x",{"error_code":["y"]}],"n":1}',
      ['opaque'],
      1,
    )

    expect(done).toEqual([{ name: 'opaque', count: 3, says: 'changed 3 strings' }])
  })
})
