import { describe, expect, it } from 'vitest'
import { shapeTexts } from './shape-text.ts'
import { mergeShapes, shapeOf } from './shape.ts'

const item = { id: 'c1', palette: { primary: '#fff', shade: '#000' } }

describe('the text of a shape before and after', () => {
  it.each([
    [
      'a removed property',
      '$.list[].palette.shade',
      { list: [{ ...item, palette: { primary: '#fff' } }] },
      '$.list[].palette { shade: string, primary: string }',
      '$.list[].palette { primary: string }',
    ],
    [
      'a renamed property',
      '$.list[].id',
      { list: [{ key: 'c1', palette: item.palette }] },
      '$.list[] { id: string, palette: object }',
      '$.list[] { key: string, palette: object }',
    ],
    ['a different type', '$.list', { list: {} }, '$ { list: array }', '$ { list: object }'],
    ['null', '$.list', { list: null }, '$ { list: array }', '$ { list: null }'],
    [
      'a different item type',
      '$.list[]',
      { list: [1, 'x'] },
      '$.list[]: object',
      '$.list[]: string | number',
    ],
    ['a different root', '$', [item], '$: object', '$: array'],
  ])('shows %s', (_, path, now, before, after) => {
    expect(shapeTexts(shapeOf({ list: [item] }), shapeOf(now), path)).toEqual({ before, after })
  })

  it('marks optional properties, and lists the changed property first if there are many', () => {
    const many = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`p${String.fromCharCode(97 + index)}`, 1]),
    )
    const before = mergeShapes(shapeOf({ ...many, z: 'x' }), shapeOf({ ...many, z: 'x' }))
    const after = mergeShapes(shapeOf({ ...many, z: 'x' }), shapeOf(many))
    const texts = shapeTexts(before, after, '$.z')

    expect(texts.before).toMatch(/^\$ \{ z: string, pa: number, .*, … \}$/)
    expect(texts.after).toMatch(/^\$ \{ z\?: string, pa: number, .*, … \}$/)
  })
})
