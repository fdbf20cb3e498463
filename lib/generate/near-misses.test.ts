import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Secret } from '../redact/secret.ts'
import { nearMissClasses, nearMisses, type NearMiss } from './near-misses.ts'
import { credentialSubject } from './mutated-value.ts'
import { anyCredential, arrivedIn } from './testing/credentials.ts'
import { casesOf, inputOf } from './testing/requests.ts'

/** Keys that the settings accept: visible ASCII, spaces only inside. */
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
      extended: 'ak_Live7x',
      preceded: 'xak_Live7',
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
      extended: 'ax',
      preceded: 'xa',
      'letter-case': 'A',
    })
    expect(valuesOf('0')).toEqual({ 'first-changed': '7', extended: '01', preceded: '10' })
  })

  it('say what was done to which credential, and never hold it in their names', () => {
    const [first] = missesOf('ak_live_4hT9mQzL2cVxNf')

    expect(first?.value.name).toBe('TARGET_API_KEY with x in place of its character 1')
    expect(String(first?.value)).toBe('<TARGET_API_KEY with x in place of its character 1>')
  })
})

/** What a near miss's description reveals of a text, step by step; null for an unknown description. */
function asSaid(says: string, text: string): string | null {
  const at = (found: string | undefined): number => Number(found ?? 1)
  const without = (from: number, to: number, instead = ''): string =>
    text.slice(0, from) + instead + text.slice(to)
  const ways: readonly [RegExp, (first: string | undefined, second: string | undefined) => string][] = [
    [/ with (.) in place of its character (\d+)$/, (one, place) => without(at(place) - 1, at(place), one)],
    [/ without its character (\d+)$/, (place) => without(at(place) - 1, at(place))],
    [/ with its character (\d+) doubled$/, (place) => without(at(place), at(place) - 1)],
    [
      / with its characters (\d+) and \d+ exchanged$/,
      (place) =>
        without(at(place) - 1, at(place) + 1, `${text.charAt(at(place))}${text.charAt(at(place) - 1)}`),
    ],
    [/ without its last (?:(\d+) characters|character)$/, (count) => text.slice(0, -at(count))],
    [/ without its first (?:(\d+) characters|character)$/, (count) => text.slice(at(count))],
    [
      / with (?:(\d) times )?(\w) before its first character$/,
      (count, one) => `${one?.repeat(at(count))}${text}`,
    ],
    [/ reversed$/, () => [...text].toReversed().join('')],
  ]
  const added = / with (?:(\d) times )?(\w) after character (\d+)$/.exec(says)
  if (added !== null) return without(at(added[3]), at(added[3]), added[2]?.repeat(at(added[1])))
  for (const [pattern, made] of ways) {
    const found = pattern.exec(says)
    if (found !== null) return made(found[1], found[2])
  }
  return null
}

function checkDrawn(holds: (says: string, value: string, key: string) => void): void {
  fc.assert(
    fc.property(anyCredential, fc.integer(), (key, seed) => {
      const input = inputOf(key, 'sk-Vb93mQx7_Lw20ZpTd')
      const classList = nearMissClasses(credentialSubject('x-api-key', input))
      for (const drawn of casesOf(classList, 60, seed)) {
        holds(drawn.mutated.says, arrivedIn('x-api-key', input, drawn) ?? '', key)
      }
    }),
  )
}

describe('a near miss', () => {
  it('is what its words say', () => {
    checkDrawn((says, value, key) => expect(value).toBe(asSaid(says, key)?.trim()))
  })

  it('changes a character to more than its other letter case', () => {
    checkDrawn((says, value, key) => {
      if (says.includes('in place of')) expect(value.toLowerCase()).not.toBe(key.toLowerCase())
    })
  })

  it('is never blank', () => {
    checkDrawn((_, value) => expect(value).not.toBe(''))
  })

  it('is of the alphabet of the credential, so that no check of the form refuses it first', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer(), (uuid, seed) => {
        const input = inputOf(uuid, 'sk')
        const classList = nearMissClasses(credentialSubject('x-api-key', input))
        for (const drawn of casesOf(classList, 60, seed)) {
          expect(arrivedIn('x-api-key', input, drawn)).toMatch(/^[0-9a-f-]+$/)
        }
      }),
    )
  })

  it.each([
    ['0d7c1f3e-8a55-4b6e-9c3d-2f1a0b9e8d7c', / without its first character$/],
    ['0d7c1f3e-8a55-4b6e-9c3d-2f1a0b9e8d7c', / with its character 1 doubled$/],
    ['c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I=', / without its character 44$/],
    ['c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3I=', / with \w after character 44$/],
    ['c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlYQ==', / with [RSTUVWXYZabcdef] in place of its character 42$/],
  ])('is only observed where %s may be read from it:%s', (key, pattern) => {
    const classList = nearMissClasses(credentialSubject('x-api-key', inputOf(key, 'sk')))
    const found = casesOf(classList, 6_000).filter(({ mutated }) => pattern.test(mutated.says))

    expect(found.length).toBeGreaterThan(0)
    for (const { mutated } of found) expect(mutated.treatment).toBe('observed')
  })

  it('is judged where the credential can be read in one way only', () => {
    for (const key of ['ak_live_7Qm2vXk1Rb84TzNe', '!$%&/()', 'x'.repeat(30), 'deadbeeg']) {
      const classList = nearMissClasses(credentialSubject('x-api-key', inputOf(key, 'sk')))
      for (const { mutated } of casesOf(classList, 300)) expect(mutated.treatment).toBe('oracle')
    }
  })

  it('of one character has no part of it left out or exchanged', () => {
    const classList = nearMissClasses(credentialSubject('x-api-key', inputOf('a', 'sk')))

    expect(classList.filter(({ count }) => count !== 0).map(({ name }) => name)).toEqual([
      'changed-character',
      'added-character',
    ])
  })
})
