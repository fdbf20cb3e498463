import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isHexadecimal, randomSegment, randomVersion, sameShape } from './seeded.ts'

const seeds = fc.integer({ min: 0, max: 2_147_483_647 })
const names = fc.string({ maxLength: 20 })

describe('a value derived from a seed', () => {
  // Cases are replayed by seed, so a seed must send the same bytes in later releases, too.
  it('stays the same in every release', () => {
    expect(randomSegment(20260101, 'one')).toBe('zzscvgfqayogwkgl')
    expect(randomVersion(20260101, 'endpoint-not-in-version')).toBe('843625459')
    expect(sameShape('ak_live_4hT9', 20260101, 'wrong-key')).toBe('ok_bzta_8kF5')
  })
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
