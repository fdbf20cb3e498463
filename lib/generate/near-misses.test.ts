import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Secret } from '../redact/secret.ts'
import { nearMisses, type NearMiss } from './near-misses.ts'

/** Keys as the settings let them through: visible ASCII, spaces only inside. */
const anyKey = fc
  .string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 64,
  })
  .filter((key) => key.trim() === key && key !== '')
const narrowKey = fc.string({ unit: fc.constantFrom('a', 'A', '0', 'x'), minLength: 1, maxLength: 12 })
const hexadecimal = fc.string({
  unit: fc.constantFrom(...'0123456789abcdefABCDEF'),
  minLength: 8,
  maxLength: 40,
})
const keys = fc.oneof(anyKey, narrowKey, hexadecimal, fc.uuid())

function missesOf(key: string, everyPosition = false): readonly NearMiss[] {
  return nearMisses(new Secret('TARGET_API_KEY', key), everyPosition)
}

function valuesOf(key: string, everyPosition = false): Readonly<Record<string, string>> {
  return Object.fromEntries(missesOf(key, everyPosition).map(({ name, value }) => [name, value.reveal()]))
}

function check(holds: (key: string, misses: readonly NearMiss[], everyPosition: boolean) => void): void {
  fc.assert(
    fc.property(keys, fc.boolean(), (key, everyPosition) =>
      holds(key, missesOf(key, everyPosition), everyPosition),
    ),
    { numRuns: 1_000 },
  )
}

describe('the near misses of a credential', () => {
  it('differ from it as they arrive, and are not blank', () => {
    check((key, misses) => {
      for (const { value } of misses) {
        expect(value.reveal().trim()).not.toBe(key)
        expect(value.reveal().trim()).not.toBe('')
      }
    })
  })

  it('have names and values of their own', () => {
    check((_, misses) => {
      expect(new Set(misses.map(({ name }) => name)).size).toBe(misses.length)
      expect(new Set(misses.map(({ value }) => value.reveal().trim())).size).toBe(misses.length)
    })
  })

  it('are the same every time', () => {
    const shown = (misses: readonly NearMiss[]): unknown =>
      misses.map(({ name, value, mayEqual }) => [name, value.reveal(), value.name, mayEqual])
    check((key, misses, everyPosition) => {
      expect(shown(missesOf(key, everyPosition))).toEqual(shown(misses))
    })
  })

  it('hold only visible characters, so that they can be sent', () => {
    check((_, misses) => {
      for (const { value } of misses) expect(value.reveal()).toMatch(/^[\x20-\x7e]+$/)
    })
  })

  const isHexadecimal = (key: string): boolean =>
    /^[0-9a-f-]*$/i.test(key) && key.replaceAll('-', '').length >= 8

  it('change one character at the first, middle and last position, and at every one when asked', () => {
    check((key, misses, everyPosition) => {
      const changedAt = new Set(
        misses.flatMap(({ name, value }) => {
          const text = value.reveal()
          if (!name.endsWith('-changed') || text.length !== key.length) return []
          const different = [...key].flatMap((one, at) => (one === text[at] ? [] : [at]))
          return different.length === 1 ? different : []
        }),
      )
      const all = [...key].map((_, at) => at)
      const lettersAndDigits = all.filter((at) => /[0-9a-z]/i.test(key[at] ?? ''))
      const telling = lettersAndDigits.length === 0 ? all : lettersAndDigits
      const middle = telling.find((at) => at >= Math.floor(key.length / 2)) ?? telling.at(-1)
      const three = [telling[0], middle, telling.at(-1)]
      const padding = /=+$/.exec(key)?.[0].length ?? 0
      const meaningful = all.filter((at) => padding === key.length || at < key.length - padding)
      const every = isHexadecimal(key) ? meaningful.filter((at) => key[at] !== '-') : meaningful
      const wanted = everyPosition ? [...three, ...every] : three

      expect(changedAt).toEqual(new Set(wanted))
    })
  })

  it('change a character to another than its other letter case', () => {
    check((key, misses) => {
      for (const { name, value } of misses) {
        if (name.endsWith('-changed')) expect(value.reveal().toLowerCase()).not.toBe(key.toLowerCase())
      }
    })
  })

  it('may equal it only where a service may compare by value: hexadecimal texts, UUIDs and padded base64', () => {
    check((key, misses) => {
      if (misses.some(({ mayEqual }) => mayEqual)) expect(isHexadecimal(key) || key.endsWith('=')).toBe(true)
    })
  })

  it.each([
    ['0000Aa00', 'neighbours-exchanged'],
    ['0d7c1f3e-8a55-4b6e-9c3d-2f1a0b9e8d7c', 'letter-case'],
    ['0d7c1f3e-8a55-4b6e-9c3d-2f1a0b9e8d7c', 'first-dropped'],
    ['0d7c1f3e-8a55-4b6e-9c3d-2f1a0b9e8d7c', 'preceded'],
    ['c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I=', 'last-dropped'],
    ['c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I=', 'extended'],
    ['c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0Yw==', 'last-changed'],
  ])('may equal %s by %s', (key, name) => {
    expect(missesOf(key).find((miss) => miss.name === name)?.mayEqual).toBe(true)
  })

  it('change and exchange letters and digits, which every comparison must see', () => {
    const uuid = '0d7c1f3e-8a55-4b6e-9c3d-2f1a0b9e8d7c'
    for (const { name, value } of missesOf(uuid)) {
      if (!name.endsWith('-changed') && name !== 'neighbours-exchanged') continue
      expect(value.reveal().replaceAll(/[0-9a-f]/g, '0'), name).toBe(uuid.replaceAll(/[0-9a-f]/g, '0'))
    }
  })

  it('are of the alphabet of the credential, so that no format check refuses them first', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        for (const { name, value } of missesOf(uuid, true)) {
          if (name.endsWith('-changed') || name === 'neighbours-exchanged') {
            expect(value.reveal()).toMatch(/^[0-9a-f-]{36}$/)
          }
        }
      }),
    )
    for (const { name, value } of missesOf('ABCDEFGHIJKLXZ', true)) {
      if (name.endsWith('-changed')) expect(value.reveal()).toMatch(/^[A-Z]+$/)
    }
    for (const { name, value } of missesOf('1234567890', true)) {
      if (name.endsWith('-changed')) expect(value.reveal()).toMatch(/^[0-9]+$/)
    }
  })

  it('are those of the catalogue', () => {
    expect(valuesOf('ak_Live7')).toEqual({
      'first-changed': 'xk_Live7',
      'middle-changed': 'ak_Lxve7',
      'last-changed': 'ak_Live2',
      'neighbours-exchanged': 'ak_Lvie7',
      'last-dropped': 'ak_Live',
      'first-dropped': 'k_Live7',
      half: 'ak_L',
      extended: 'ak_Live70',
      preceded: '0ak_Live7',
      'letter-case': 'AK_lIVE7',
    })
    expect(Object.keys(valuesOf('abcde', true))).toEqual(
      expect.arrayContaining([
        'first-changed',
        'character-2-changed',
        'middle-changed',
        'character-4-changed',
      ]),
    )
  })

  it('leave out what cannot be made: no neighbours that differ, no letters', () => {
    expect(Object.keys(valuesOf('1111'))).not.toContain('neighbours-exchanged')
    expect(Object.keys(valuesOf('1111'))).not.toContain('letter-case')
    expect(valuesOf('a')).toEqual({
      'first-changed': 'x',
      extended: 'a0',
      preceded: '0a',
      'letter-case': 'A',
    })
    expect(valuesOf('0')).toEqual({ 'first-changed': '7', extended: '00' })
  })

  it('say what was done to which credential, and never hold it in their names', () => {
    const [first] = missesOf('ak_live_4hT9mQzL2cVxNf')

    expect(first?.value.name).toBe('TARGET_API_KEY with its character 1 changed')
    expect(String(first?.value)).toBe('<TARGET_API_KEY with its character 1 changed>')
  })
})
