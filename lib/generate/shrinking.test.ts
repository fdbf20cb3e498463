import { describe, expect, it } from 'vitest'
import type { Drawn } from './case-schedule.ts'
import { arrivedIn, credentialClasses } from './testing/credentials.ts'
import { casesOf, inputOf, simplest } from './testing/requests.ts'
import { oddValueClasses } from './case-classes.ts'

const key = 'ak_live_7Qm2vXk1Rb84TzNe'
const input = inputOf(key, '0d7c1f3e-8a55-4b6e-9c3d-2f1a0b9e8d7c')
const cases = casesOf(credentialClasses('x-api-key', input), 2_000)

/** The descriptions of the simplest cases with a property, for every drawn case that has it. */
function simplestOf(
  from: readonly Drawn[],
  holds: (value: string, says: string) => boolean,
): ReadonlySet<string> {
  const meets = ({ mutated }: Pick<Drawn, 'mutated'>): boolean => {
    const value = arrivedIn('x-api-key', input, { mutated, of: '', name: '', simpler: () => [] })
    return value !== null && holds(value, mutated.says)
  }
  return new Set(from.filter(meets).map((one) => simplest(one, (mutated) => meets({ mutated })).says))
}

describe('what shrinks', () => {
  it('comes down to one character that was inserted, at the first place', () => {
    const isAnyZeroWidth = (value: string): boolean => /\xe2\x80[\x8b-\x8d]/.test(value)
    expect(
      simplestOf(
        cases.filter(({ name }) => name.startsWith('unicode')),
        isAnyZeroWidth,
      ),
    ).toEqual(new Set(['TARGET_API_KEY with U+200B (e2 80 8b) after character 1']))
    const isLonger = (value: string): boolean => value.length > key.length && value.endsWith('e')
    const added = cases.filter(
      ({ name, mutated }) => name.startsWith('added') && mutated.says.includes(' times '),
    )
    expect(added.length).toBeGreaterThan(5)
    expect(simplestOf(added, isLonger)).toEqual(new Set(['TARGET_API_KEY with x before its first character']))
  })

  it('keeps the character and the place that matter', () => {
    const holdsJoinerLate = (value: string): boolean => value.indexOf('\xe2\x80\x8d') >= 9
    expect(cases.some(({ mutated }) => /[23] times U\+200D/.test(mutated.says))).toBe(true)
    expect(simplestOf(cases, holdsJoinerLate)).toEqual(
      new Set(['TARGET_API_KEY with U+200D (e2 80 8d) after character 9']),
    )
  })

  it('comes down to a single space, sign or changed character', () => {
    expect(
      simplestOf(cases, (value) => /[ \t]/.test(value) && value.replaceAll(/[ \t]/g, '') === key),
    ).toEqual(new Set(['TARGET_API_KEY with a space after character 1']))
    expect(simplestOf(cases, (value) => value.includes("'") && value.length === key.length + 1)).toEqual(
      new Set(["TARGET_API_KEY with a single quote (') before its first character"]),
    )
    expect(
      simplestOf(
        // The first one is listed, and does not shrink.
        cases.filter(({ name }) => /^changed-character\.[1-9]/.test(name)),
        (value, says) => /with \w in place of its/.test(says) && value.slice(0, 8) === key.slice(0, 8),
      ),
    ).toEqual(new Set(['TARGET_API_KEY with x in place of its character 9']))
  })

  it('comes down to a single space around the value', () => {
    const around = cases.filter(({ name }) => name.startsWith('white-space-around'))
    expect(simplestOf(around, (value) => value === key)).toEqual(
      new Set(['TARGET_API_KEY with a space after it']),
    )
  })

  it('keeps a control character, and moves it to the first place', () => {
    const odd = casesOf(oddValueClasses(input), 2_000).filter(({ name }) =>
      name.startsWith('control-character.'),
    )
    expect(simplestOf(odd, (value) => value.includes('\0'))).toEqual(
      new Set(['TARGET_API_KEY with U+0000 (00) after character 1']),
    )
  })
})
