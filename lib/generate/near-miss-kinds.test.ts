import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { nearMissKinds } from './near-miss-kinds.ts'
import { credentialSubject } from './subject.ts'
import { anyCredential, arrivedIn } from './testing/credentials.ts'
import { casesOf, materialOf } from './testing/requests.ts'

/** What the words for a near miss say of a text, step by step; null for words that are not known. */
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

function check(holds: (says: string, value: string, key: string) => void): void {
  fc.assert(
    fc.property(anyCredential, fc.integer(), (key, seed) => {
      const material = materialOf(key, 'sk-Vb93mQx7_Lw20ZpTd')
      const kinds = nearMissKinds(credentialSubject('x-api-key', material))
      for (const drawn of casesOf(kinds, 60, seed)) {
        holds(drawn.fuzzed.says, arrivedIn('x-api-key', material, drawn) ?? '', key)
      }
    }),
    { numRuns: 200 },
  )
}

describe('a near miss', () => {
  it('is what its words say', () => {
    check((says, value, key) => expect(value).toBe(asSaid(says, key)?.trim()))
  })

  it('changes a character to more than its other letter case', () => {
    check((says, value, key) => {
      if (says.includes('in place of')) expect(value.toLowerCase()).not.toBe(key.toLowerCase())
    })
  })

  it('is never blank', () => {
    check((_, value) => expect(value).not.toBe(''))
  })

  it('is of the alphabet of the credential, so that no check of the form refuses it first', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.integer(), (uuid, seed) => {
        const material = materialOf(uuid, 'sk')
        const kinds = nearMissKinds(credentialSubject('x-api-key', material))
        for (const drawn of casesOf(kinds, 60, seed)) {
          expect(arrivedIn('x-api-key', material, drawn)).toMatch(/^[0-9a-f-]+$/)
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
    const kinds = nearMissKinds(credentialSubject('x-api-key', materialOf(key, 'sk')))
    const found = casesOf(kinds, 6_000).filter(({ fuzzed }) => pattern.test(fuzzed.says))

    expect(found.length).toBeGreaterThan(0)
    for (const { fuzzed } of found) expect(fuzzed.treatment).toBe('observed')
  })

  it('is judged where the credential can be read in one way only', () => {
    for (const key of ['ak_live_7Qm2vXk1Rb84TzNe', '!$%&/()', 'x'.repeat(30), 'deadbeeg']) {
      const kinds = nearMissKinds(credentialSubject('x-api-key', materialOf(key, 'sk')))
      for (const { fuzzed } of casesOf(kinds, 300)) expect(fuzzed.treatment).toBe('oracle')
    }
  })

  it('of one character has no part of it left out or exchanged', () => {
    const kinds = nearMissKinds(credentialSubject('x-api-key', materialOf('a', 'sk')))

    expect(kinds.map(({ name }) => name)).toEqual(['changed-character', 'added-character'])
  })
})
