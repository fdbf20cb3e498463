import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { seeds } from './json.testing.ts'
import { drawnText, drawsFrom, startFor, startOf } from './seeded-draws.ts'

describe('draws', () => {
  it('stay the same in every release', () => {
    const draw = drawsFrom(startFor(startOf(20260101, 'opaque'), 'cust_8'))

    expect([draw(1_000), draw(1_000), draw(1_000)]).toEqual([32, 331, 580])
  })

  it('follow mulberry32, starting from an FNV-1a hash', () => {
    const draw = drawsFrom(1)

    expect(Array.from({ length: 4 }, () => draw(2 ** 32))).toEqual([
      2_693_262_067, 11_749_833, 2_265_367_787, 4_213_581_821,
    ])
    expect(startFor(0, '')).toBe(0x811c9dc5)
    expect(startFor(0, 'a')).toBe(0xe40c292c)
    expect(startFor(0, 'foobar')).toBe(0xbf9cf968)
  })

  it('are integers below the bound, and reach all of them', () => {
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 2 ** 31 }), (seed, bound) => {
        const number = drawsFrom(startOf(seed, 'a'))(bound)
        expect(Number.isInteger(number) && number >= 0 && number < bound).toBe(true)
      }),
    )
    const draw = drawsFrom(startOf(7, 'a'))
    expect(new Set(Array.from({ length: 200 }, () => draw(7))).size).toBe(7)
  })

  it('depend on the seed, the name and the text', () => {
    const starts = [startOf(1, 'a'), startOf(2, 'a'), startOf(1, 'b'), startOf(12, ''), startOf(1, '2')]
    const texts = ['', 'a', 'b', 'aa', '\u0000'].map((text) => startFor(startOf(1, 'a'), text))

    expect(new Set([...starts, ...texts]).size).toBeGreaterThanOrEqual(9)
  })

  it('build texts from whole characters of an alphabet', () => {
    const text = drawnText(drawsFrom(1), ['🎨', '🧪', 'x'], 50)

    expect([...text]).toHaveLength(50)
    expect(text).toMatch(/^[🎨🧪x]+$/u)
  })
})
