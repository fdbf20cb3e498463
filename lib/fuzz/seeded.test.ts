import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isHexadecimal, randomSegment, randomVersion, sameShape, seededNumber, seededText } from './seeded.ts'

const seeds = fc.integer({ min: 0, max: 2_147_483_647 })
const names = fc.string({ maxLength: 20 })

describe('a value derived from a seed', () => {
  // Cases are replayed by seed, so a seed must send the same bytes in later releases, too.
  it('stays the same in every release', () => {
    expect(randomSegment(20260101, 'one')).toBe('zzscvgfqayogwkgl')
    expect(randomVersion(20260101, 'endpoint-not-in-version')).toBe('843625459')
    expect(sameShape('ak_live_4hT9', 20260101, 'wrong-key')).toBe('ok_bzta_8kF5')
  })

  it('is the same every time, and differs for another seed or name', () => {
    fc.assert(
      fc.property(seeds, names, (seed, name) => {
        expect(randomSegment(seed, name)).toBe(randomSegment(seed, name))
        expect(randomSegment(seed, name)).not.toBe(randomSegment(seed + 1, name))
        expect(randomSegment(seed, name)).not.toBe(randomSegment(seed, `${name}.`))
      }),
    )
  })

  it('differs if the same digits are divided differently between seed and name', () => {
    expect(randomSegment(1, '2:3')).not.toBe(randomSegment(12, ':3'))
    expect(seededText(1, 'a', 40, 'ab')).not.toBe(seededText(11, 'a', 40, 'ab'))
  })
})

it('a text has the requested length and alphabet, and does not repeat across hash blocks', () => {
  fc.assert(
    fc.property(seeds, names, fc.integer({ min: 0, max: 200 }), (seed, name, length) => {
      const text = seededText(seed, name, length, 'xyz')
      expect(text).toMatch(new RegExp(`^[xyz]{${length}}$`))
      expect(seededText(seed, name, length + 40, 'xyz').startsWith(text)).toBe(true)
    }),
  )
  const text = seededText(7, 'a', 64, 'abcdefghijklmnopqrstuvwxyz')
  expect(text.slice(0, 32)).not.toBe(text.slice(32))
})

it('a number is at least 0 and below the bound, and reaches both ends', () => {
  fc.assert(
    fc.property(seeds, names, fc.integer({ min: 1, max: 2_147_483_647 }), (seed, name, bound) => {
      const number = seededNumber(seed, name, bound)
      expect(Number.isInteger(number) && number >= 0 && number < bound).toBe(true)
    }),
  )
  const drawn = new Set(Array.from({ length: 200 }, (_, seed) => seededNumber(seed, 'a', 4)))
  expect(drawn).toEqual(new Set([0, 1, 2, 3]))
})

it('a random version is from 10⁸ to 2³¹ − 1, and a random path segment is zz and 14 letters', () => {
  fc.assert(
    fc.property(seeds, names, (seed, name) => {
      const version = randomVersion(seed, name)
      expect(version).toMatch(/^[1-9][0-9]{8,9}$/)
      expect(Number(version)).toBeLessThanOrEqual(2_147_483_647)
      expect(randomSegment(seed, name)).toMatch(/^zz[a-z]{14}$/)
    }),
  )
})

describe('a text of the same shape', () => {
  const shapeOf = (text: string): string =>
    text.replaceAll(/[0-9]/g, '0').replaceAll(/[a-z]/g, 'a').replaceAll(/[A-Z]/g, 'A')
  const visible = fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code))
  const changeable = fc.string({ unit: visible, maxLength: 64 }).filter((text) => /[0-9a-z]/i.test(text))

  // If an invented credential equalled the real one, a service would be blamed for accepting it.
  it('differs from the original, and has digits, letters and signs in the same places', () => {
    fc.assert(
      fc.property(changeable, seeds, names, (text, seed, name) => {
        expect(shapeOf(sameShape(text, seed, name))).toBe(shapeOf(text))
        expect(sameShape(text, seed, 'wrong-key')).not.toBe(text)
      }),
      { seed: 3 },
    )
    expect(sameShape('--', 1, 'wrong-key')).toBe('000')
  })

  it('stays hexadecimal if the original was', () => {
    fc.assert(
      fc.property(fc.uuid(), seeds, (uuid, seed) => {
        const made = sameShape(uuid, seed, 'wrong-key')
        expect(made).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
        expect(made).not.toBe(uuid)
      }),
    )
    expect(sameShape('DEADBEEF', 1, 'a')).toMatch(/^[A-F]{8}$/)
  })
})

it.each([
  [true, ['deadbeef', 'DEADBEEF', '01234567', '3f2a9c0d-1e4b-5a67-89ab-cdef01234567']],
  [false, ['deadbee', 'dead-bee', 'deadbeeg', '0xdeadbeef', '--------', '']],
])('isHexadecimal returns %s for each of %j', (expected, texts) => {
  for (const text of texts) expect(isHexadecimal(text), text).toBe(expected)
})
