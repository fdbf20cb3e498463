import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Secret } from '../redact/secret.ts'
import { characterIn, forAll } from '../text/properties.testing.ts'
import type { MutatedRequest } from './case-class.ts'
import { nearMissClasses, nearMisses, subjectOf } from './mutated-value.ts'
import { isHex, randomSegment, randomVersion, sameShape } from './seeded.ts'
import { drawnOf, inputOf } from './testing/requests.ts'

type NearMiss = ReturnType<typeof nearMisses>[number]

/** Keys that the settings accept: visible ASCII, with spaces only inside. */
const visible = characterIn(0x20, 0x7e)
const anyKey = fc
  .string({ unit: visible, minLength: 1, maxLength: 64 })
  .filter((key) => key.trim() === key && key !== '')
const narrowKey = fc.string({ unit: fc.constantFrom('a', 'A', '0', 'x'), minLength: 1, maxLength: 12 })
const digits = fc.constantFrom(...'0123456789abcdefABCDEF')
const hexadecimal = fc.string({ unit: digits, minLength: 8, maxLength: 40 })
const keys = fc.oneof(anyKey, narrowKey, hexadecimal, fc.uuid(), fc.constantFrom('YWI=', 'YWJjZA=='))

const missesOf = (key: string, every = false) => nearMisses(new Secret('TARGET_API_KEY', key), every)
const looksHexadecimal = (key: string) => /^[0-9a-f-]*$/i.test(key) && key.replaceAll('-', '').length >= 8
const uuid = '0d7c1f3e-8a55-4b6e-9c3d-2f1a0b9e8d7c'
const base64 = 'c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I='

const textOf = ({ value }: NearMiss): string => value.reveal()
const isOther = (key: string, one: NearMiss): boolean => textOf(one).toLowerCase() !== key.toLowerCase()
/** Whether a service may read another text as the same key: of a UUID, another hexadecimal key, or padded base64. */
const isLoose = (key: string): boolean => looksHexadecimal(key) || key.endsWith('=')
const isChanged = ({ name }: NearMiss): boolean => name.endsWith('-changed')

/** The places in which near misses differ from the key by one character. */
function placesChanged(key: string, misses: readonly NearMiss[]): ReadonlySet<number> {
  const places = misses.filter(isChanged).map((miss) => {
    const text = textOf(miss)
    return text.length === key.length ? [...key].flatMap((one, at) => (one === text[at] ? [] : [at])) : []
  })
  return new Set(places.filter(({ length }) => length === 1).flat())
}

/**
 * The places where a change must be visible: the first, middle and last letter or digit, and with
 * `everyPosition` every significant one.
 */
function tellingPlaces(key: string, everyPosition: boolean): ReadonlySet<number> {
  const all = [...key].map((_, at) => at)
  const lettersAndDigits = all.filter((at) => /[0-9a-z]/i.test(key[at] ?? ''))
  const telling = lettersAndDigits.length === 0 ? all : lettersAndDigits
  const middle = telling.find((at) => at >= Math.floor(key.length / 2)) ?? telling.at(-1)
  const padding = /=+$/.exec(key)?.[0].length ?? 0
  const meaningful = all.filter((at) => padding === key.length || at < key.length - padding)
  const every = looksHexadecimal(key) ? meaningful.filter((at) => key[at] !== '-') : meaningful
  const three = [telling[0], middle, telling.at(-1)].filter((at) => at !== undefined)
  return new Set(everyPosition ? [...three, ...every] : three)
}

describe('the near misses of a credential', () => {
  it.each<[claim: string, holds: (key: string, miss: NearMiss) => boolean]>([
    ['differ from it on arrival', (key, miss) => textOf(miss).trim() !== key],
    ['are not blank', (_, miss) => textOf(miss).trim() !== ''],
    ['contain only visible characters that can be sent', (_, miss) => /^[\x20-\x7e]+$/.test(textOf(miss))],
    ['change a character not only to its other case', (key, one) => !isChanged(one) || isOther(key, one)],
    ['may equal it by value only if hexadecimal or padded', (key, { mayEqual }) => !mayEqual || isLoose(key)],
  ])('%s', (_, holds) => {
    forAll(keys, fc.boolean(), (key, everyPosition) => {
      const misses = missesOf(key, everyPosition).filter((miss) => !holds(key, miss))
      expect(misses.map(({ name }) => name)).toEqual([])
    })
  })

  it('have unique names and values, and change every significant position', () => {
    forAll(keys, fc.boolean(), (key, everyPosition) => {
      const misses = missesOf(key, everyPosition)
      expect(new Set(misses.map(({ name }) => name)).size).toBe(misses.length)
      expect(new Set(misses.map((miss) => textOf(miss).trim())).size).toBe(misses.length)
      expect(placesChanged(key, misses)).toEqual(tellingPlaces(key, everyPosition))
    })
  })

  it.each([
    ['a UUID', fc.uuid(), /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
    ['capitals', fc.constant('ABCDEFGHIJKLXZ'), /^[A-Z]+$/],
    ['digits', fc.constant('1234567890'), /^[0-9]+$/],
  ])('keep the alphabet of %s, so that no format check refuses them', (_, some, alphabet) => {
    forAll(some, (key) => {
      for (const miss of missesOf(key, true)) {
        if (isChanged(miss) || miss.name === 'neighbours-exchanged') expect(textOf(miss)).toMatch(alphabet)
      }
    })
  })
})

/** The first near misses of a key that is sent as x-api-key. */
function drawnFrom(key: string, count: number): readonly MutatedRequest[] {
  const input = inputOf(key, 'sk-Vb93mQx7_Lw20ZpTd')
  const subject = subjectOf('x-api-key', input)
  const classes = subject.classes(nearMissClasses(subject))
  return Array.from(drawnOf(classes, count, 1), ({ mutated }) => mutated)
}

it.each([
  [uuid, / without its first character$/],
  [uuid, / with its character 1 doubled$/],
  [base64, / without its character 44$/],
  [base64, / with \w after character 44$/],
  ['c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlYQ==', / with [R-Za-f] in place of its character 42$/],
])('a near miss is observed, not judged, if a service may read %s from it:%s', (key, pattern) => {
  const found = drawnFrom(key, 6_000).filter(({ says }) => pattern.test(says))

  expect(new Set(found.map(({ treatment }) => treatment))).toEqual(new Set(['observed']))
})

it.each(['ak_live_7Qm2vXk1Rb84TzNe', '!$%&/()', 'x'.repeat(30), 'deadbeeg'])(
  'a near miss is judged if a service can read the credential in only one way: %s',
  (key) => {
    expect(new Set(drawnFrom(key, 300).map(({ treatment }) => treatment))).toEqual(new Set(['oracle']))
  },
)

const seeds = fc.integer({ min: 0, max: 2_147_483_647 })
const names = fc.string({ maxLength: 20 })

// Cases are replayed by seed, so a seed must send the same bytes in later releases, too.
it('a value derived from a seed stays the same in every release', () => {
  expect(randomSegment(20260101, 'one')).toBe('zzscvgfqayogwkgl')
  expect(randomVersion(20260101, 'endpoint-not-in-version')).toBe('843625459')
  expect(sameShape('ak_live_4hT9', 20260101, 'wrong-key')).toBe('ok_bzta_8kF5')
})

const inLetters = (text: string) => text.replaceAll(/[a-z]/g, 'a').replaceAll(/[A-Z]/g, 'A')
const shapeOf = (text: string) => inLetters(text).replaceAll(/[0-9]/g, '0')
const changeable = fc.string({ unit: visible, maxLength: 64 }).filter((text) => /[0-9a-z]/i.test(text))

// If an invented credential equalled the real one, a service would be blamed for accepting it.
it('a text of the same shape differs from the original, and has digits, letters and signs in the same places', () => {
  const property = fc.property(changeable, seeds, names, (text, seed, name) => {
    expect(shapeOf(sameShape(text, seed, name))).toBe(shapeOf(text))
    expect(sameShape(text, seed, 'wrong-key')).not.toBe(text)
  })
  fc.assert(property, { seed: 3 })
  expect(sameShape('--', 1, 'wrong-key')).toBe('000')
})

it('a text of the same shape stays hexadecimal if the original was', () => {
  forAll(fc.uuid(), seeds, (original, seed) => {
    const made = sameShape(original, seed, 'wrong-key')
    expect(made).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
    expect(made).not.toBe(original)
  })
  expect(sameShape('DEADBEEF', 1, 'a')).toMatch(/^[A-F]{8}$/)
})

it('a text is hexadecimal only with at least eight digits and no other letters', () => {
  const texts = ['deadbeef', 'DEADBEEF', '01234567', '3f2a9c0d-1e4b-5a67-89ab-cdef01234567']
  const others = ['deadbee', 'dead-bee', 'deadbeeg', '0xdeadbeef', '--------', '']

  expect([...texts, ...others].filter(isHex)).toEqual(texts)
})
