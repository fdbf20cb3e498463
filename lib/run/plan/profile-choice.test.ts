import { describe, expect, it } from 'vitest'
import { caseClass, type CaseClass } from '../../fuzz/case-class.ts'
import type { ProfileName } from '../../settings/profiles.ts'
import { only, profileChoice, settingsForMore, type ProfileChoice } from './suite-context.ts'

function choiceOf(profile: ProfileName, essential = false, isReplay = false): ProfileChoice {
  return profileChoice({ profile, essential }, isReplay)
}

const gate = choiceOf('gate')
const acceptance = choiceOf('acceptance')
const essential = choiceOf('acceptance', true)

function namesOf(all: readonly { readonly name: string }[]): readonly string[] {
  return all.map(({ name }) => name)
}

describe('the choice of a run', () => {
  const few = { all: 'all', gate: 'few', because: 'a gate runs often' }
  const four = { ...few, essential: 'one', acceptance: 'most' }

  it.each<[string, ProfileChoice, ofFew: string, ofFour: string]>([
    ['a gate', gate, 'few', 'few'],
    ['acceptance', acceptance, 'all', 'most'],
    ['nightly', choiceOf('nightly'), 'all', 'all'],
    ['a gate with one case per rule', choiceOf('gate', true), 'few', 'one'],
    ['acceptance with one case per rule', essential, 'few', 'one'],
    ['nightly with one case per rule', choiceOf('nightly', true), 'few', 'one'],
    ['a replayed case of a gate', choiceOf('gate', false, true), 'all', 'most'],
    ['a replayed case of a gate with one case per rule', choiceOf('gate', true, true), 'all', 'most'],
  ])('in %s depends on profile and replay', (_, { byProfile }, ofFew, ofFour) => {
    expect([byProfile(few), byProfile(four)]).toEqual([ofFew, ofFour])
  })

  it('may be limited to some names, in the order of the list', () => {
    const all = [{ name: 'a' }, { name: 'b' }, { name: 'c' }] as const

    expect(namesOf(only(all, 'c', 'a'))).toEqual(['a', 'c'])
  })
})

describe('the generated cases of a rule', () => {
  const listed = { always: 3, weight: 0 }

  function classNamed(name: string, count: number, more: Partial<CaseClass> = {}): CaseClass {
    return { ...caseClass(name, { weight: 2 }, []), count, ...more }
  }

  const odd = classNamed('odd', 17, listed)
  const large = classNamed('large', 2, { gate: false })
  const described = classNamed('described', 7, { weight: 30, always: 40, everywhere: true })
  const many = { ...described, count: 90 }

  // How many of a class are always sent, its weight, and how many more are drawn. What is listed counts, but at least eight of ten
  // that were asked for are drawn; of ten a gate sends eight.
  it.each<[string, ProfileChoice, CaseClass, boolean, readonly (number | undefined)[]]>([
    ['all listed ones, then as many as are left', acceptance, odd, true, [17, 0, 8]],
    ['all listed ones if there is only one', acceptance, classNamed('odd', 1, listed), true, [1, 0, 9]],
    ['all drawn ones', acceptance, large, true, [undefined, 2, 10]],
    ['the first few of a class in a gate, then as many as are left', gate, odd, true, [3, 0, 5]],
    ['drawn for further endpoints in a gate', gate, odd, false, [0, 0, 8]],
    ['drawn in a run with one case per rule', essential, odd, true, [0, 0, 10]],
    ['at most as many as exist', gate, described, true, [7, 30, 5]],
    ['as many for further endpoints if each tests another bound', gate, described, false, [7, 30, 5]],
    ['as many as the class says', gate, many, true, [40, 30, 5]],
    ['left out of a gate if the class says so', gate, large, true, [0, 0, 8]],
    ['drawn by weight by default', gate, classNamed('numbers', 2), true, [0, 2, 8]],
  ])('are %s', (_, choice, made, isList, expected) => {
    const { classes, more } = choice.draws([made], { count: 10, isList, share: 0.75 })

    expect(classes.map(({ always, weight }) => [always, weight, more])).toEqual([expected])
  })

  it('are drawn by weight from a class with endless cases', () => {
    const endless = [classNamed('endless', 0, { always: 2 })]
    const { classes, more } = gate.draws(endless, { count: 4, isList: true })

    expect(classes.map(({ always, weight }) => [always, weight, more])).toEqual([[0, 2, 4]])
  })
})

describe('the setting for more coverage', () => {
  it.each([
    [{ profile: 'gate', essential: false, only: null }, '--profile acceptance', '--profile acceptance'],
    [{ profile: 'acceptance', essential: false, only: null }, '--fuzz-cases', '--seed'],
    [{ profile: 'nightly', essential: false, only: null }, '--fuzz-cases', '--seed'],
    [{ profile: 'acceptance', essential: true, only: null }, 'a run of all rules', 'a run of all rules'],
    [{ profile: 'gate', essential: false, only: ['quota/*'] }, 'a run of all rules', 'a run of all rules'],
  ] as const)('than with %o is %s for cases and %s for rows', (asked, cases, rows) => {
    expect(settingsForMore(asked)).toEqual({ cases, rows })
  })
})
