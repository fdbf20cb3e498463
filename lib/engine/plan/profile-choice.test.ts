import { describe, expect, it } from 'vitest'
import { caseClass, type CaseClass } from '../../generate/case-class.ts'
import type { ProfileName } from '../../settings/profiles.ts'
import { ruleIds } from '../../specification/rules.ts'
import { scenario, type Case } from './cases.ts'
import { profileChoice, settingsForMore, tellingRank, type ProfileChoice } from './profile-choice.ts'

function choiceOf(profile: ProfileName, essential = false, isReplay = false): ProfileChoice {
  return profileChoice({ profile, essential, identify: false }, isReplay)
}

const gate = choiceOf('gate')
const acceptance = choiceOf('acceptance')
const essential = choiceOf('acceptance', true)

function named(...all: readonly string[]) {
  return all.map((name) => ({ name }))
}

function namesOf(all: readonly { readonly name: string }[]): readonly string[] {
  return all.map(({ name }) => name)
}

function casesOf(...all: readonly string[]): readonly Case[] {
  return all.map((name) => scenario(name, 1, () => Promise.resolve([])))
}

describe('what a run sends', () => {
  it.each([
    ['gate', false, false, [false, 3]],
    ['acceptance', false, false, [true, 20]],
    ['nightly', false, false, [true, 20]],
    ['gate', true, false, [false, 1]],
    ['acceptance', true, false, [false, 1]],
    ['nightly', true, false, [false, 1]],
    ['gate', false, true, [true, 20]],
    ['gate', true, true, [true, 20]],
  ] as const)('in %s, essential %s, replaying %s', (profile, isEssential, isReplay, sent) => {
    const { sends, times } = choiceOf(profile, isEssential, isReplay)

    expect([
      sends('versioning/endpoint-not-in-version', 'a random version'),
      times('quota/stays-exhausted', 'exhausted-client'),
    ]).toEqual(sent)
  })

  it('is all of a class, none, only some, or all but some', () => {
    const rule = 'authentication/no-side-door'
    expect(gate.sends(rule, 'other methods')).toBe(false)
    expect(namesOf(gate.chosen(rule, 'doors', named('query', 'authorization', 'head')))).toEqual([
      'query',
      'head',
    ])
    expect([gate.sends(rule, 'doors', 'authorization'), gate.sends(rule, 'strangers', 'another')]).toEqual([
      false,
      false,
    ])
    expect(gate.sends('quota/per-client', 'the second client')).toBe(true)
    expect(gate.sends(rule, 'strangers')).toBe(false)
    expect(gate.sends(rule, 'closed doors, several at once')).toBe(true)
    expect(acceptance.sends(rule, 'closed doors, several at once')).toBe(false)
  })

  it('with one case a rule is what a gate sends, unless a row says otherwise', () => {
    expect(essential.sends('quota/per-client', 'the second client')).toBe(false)
    expect(essential.sends('authentication/no-side-door', 'doors', 'authorization')).toBe(false)
    expect(essential.sends('authentication/no-side-door', 'doors', 'query')).toBe(true)
  })

  it.each([
    [{ profile: 'acceptance', essential: false, identify: false }, true, true],
    [{ profile: 'acceptance', essential: false, identify: true }, false, false],
    [{ profile: 'acceptance', essential: true, identify: false }, false, true],
    [{ profile: 'nightly', essential: false, identify: false }, false, true],
    [{ profile: 'nightly', essential: false, identify: true }, false, false],
    [{ profile: 'gate', essential: false, identify: false }, false, true],
  ] as const)('asks by other names with %o: %s, and to send a case again: %s', (asked, inRun, again) => {
    const [asksAsOthers, replaysAsOthers] = [false, true].map((isReplay) =>
      profileChoice(asked, isReplay).sends('authentication/no-side-door', 'as other clients'),
    )

    expect([asksAsOthers, replaysAsOthers]).toEqual([inRun, again])
  })

  it('comes in an order of its own in a gate alone', () => {
    const rule = 'authentication/isolated-under-concurrency'
    const all = named('api-key-absent', 'version-absent', 'endpoint-unknown', 'version-unsupported')
    const inOrder = (choice: ProfileChoice): readonly string[] =>
      namesOf(choice.chosen(rule, 'flaws in flight', all))

    expect(inOrder(gate)).toEqual([
      'version-unsupported',
      'version-absent',
      'api-key-absent',
      'endpoint-unknown',
    ])
    expect(inOrder(acceptance)).toEqual(namesOf(all))
    expect(inOrder(essential)).toEqual(['api-key-absent', 'version-unsupported'])
  })

  it('cannot be asked for without a row, also by what knows no types', () => {
    const ask = (method: 'sends' | 'times'): unknown =>
      Reflect.apply(gate[method], gate, ['versioning/unknown-endpoint', 'nothing'])

    for (const method of ['sends', 'times'] as const)
      expect(() => ask(method)).toThrow(
        new RangeError('what profiles send holds no row nothing of versioning/unknown-endpoint'),
      )
  })
})

describe('the listed cases of a rule', () => {
  const rule = 'authentication/api-key-invalid'
  const made = casesOf('invented', 'extended', 'invented@GET-/api/a@b', 'extended@GET-/api/a@b')

  it('are sent the most telling one first, by every run', () => {
    expect(namesOf(acceptance.listed(rule, made))).toEqual([
      'extended',
      'invented',
      'invented@GET-/api/a@b',
      'extended@GET-/api/a@b',
    ])
    expect(acceptance.listed('authentication/api-key-missing', made)).toEqual(made)
  })

  it('are few for further endpoints in a gate', () => {
    expect(namesOf(gate.listed(rule, made))).toEqual(['extended', 'invented', 'invented@GET-/api/a@b'])
    expect(namesOf(gate.listed('quota/exhausted', made))).toEqual(['invented', 'extended'])
  })

  it('are one with one case a rule', () => {
    expect(namesOf(essential.listed(rule, made))).toEqual(['extended'])
    expect(essential.listed(rule, [])).toEqual([])
  })

  it("are all in a gate, for a rule of a user's own", () => {
    expect(gate.listed('own/rule', made)).toEqual(made)
    expect(essential.listed('own/rule', made)).toEqual(made.slice(0, 1))
  })
})

describe('the generated cases of a rule', () => {
  const one = { always: 0, weight: 0 }

  function classNamed(name: string, count: number, more: Partial<CaseClass> = {}): CaseClass {
    return { ...caseClass(name, { weight: 2 }, []), count, ...more }
  }

  function drawnBy(choice: ProfileChoice, made: CaseClass, isList = true) {
    const { classes, more } = choice.draws('fuzz/query', [made], { count: 10, isList })
    return classes.map(({ always, weight }) => ({ always, weight, more }))
  }

  it('are divided among the endpoints, the first ones getting the rest', () => {
    expect(gate.shares(['a', 'b', 'c'], 8).map(({ endpoint, count }) => [endpoint, count])).toEqual([
      ['a', 3],
      ['b', 3],
      ['c', 2],
    ])
    expect(essential.shares(['a', 'b'], 8)).toEqual([{ endpoint: 'a', count: 1 }])
    expect(essential.shares(['a', 'b'], 0)).toEqual([{ endpoint: 'a', count: 0 }])
  })

  // What is listed counts, but at least eight of ten are drawn.
  it('are all that is listed, and then as many as are left of those asked for, but in a gate', () => {
    expect(drawnBy(acceptance, classNamed('odd-queries', 17, one))).toEqual([
      { always: 17, weight: 0, more: 8 },
    ])
    expect(drawnBy(acceptance, classNamed('odd-queries', 1, one))).toEqual([
      { always: 1, weight: 0, more: 9 },
    ])
    expect(drawnBy(acceptance, classNamed('large-query', 2))).toEqual([
      { always: undefined, weight: 2, more: 10 },
    ])
  })

  // Of ten parameters that a gate is asked for it sends eight.
  it('are the first of a class in a gate, for the list endpoint, and as many more as are left', () => {
    const odd = classNamed('odd-queries', 17, one)
    expect(drawnBy(gate, odd)).toEqual([{ always: 3, weight: 0, more: 5 }])
    expect(drawnBy(gate, odd, false)).toEqual([{ always: 0, weight: 0, more: 8 }])
    expect(drawnBy(essential, odd)).toEqual([{ always: 0, weight: 0, more: 10 }])
  })

  it('are no more than there are, for further endpoints too where each is about another bound', () => {
    const described = classNamed('described-outside', 7, { weight: 30, always: 0 })
    expect(drawnBy(gate, described)).toEqual([{ always: 7, weight: 30, more: 5 }])
    expect(drawnBy(gate, described, false)).toEqual([{ always: 7, weight: 30, more: 5 }])
    expect(drawnBy(gate, { ...described, count: 90 })).toEqual([{ always: 40, weight: 30, more: 5 }])
  })

  it('leave out of a gate what its row leaves out, and draw by weight what has none', () => {
    expect(drawnBy(gate, classNamed('large-query', 2))).toEqual([{ always: 0, weight: 0, more: 8 }])
    expect(drawnBy(gate, classNamed('number-values', 2))).toEqual([{ always: 0, weight: 2, more: 8 }])
  })

  it('are as many as tell most where the row says so', () => {
    const onRefusals = classNamed('conditions-served', 90, { ...one, telling: 5 })
    const { classes } = gate.draws('fuzz/headers', [onRefusals, classNamed('a', 2)], {
      count: 10,
      isList: true,
    })
    expect(classes.map(({ always }) => always)).toEqual([5, 0])
    const none = gate.draws('fuzz/headers', [{ ...classNamed('conditions-served', 90, one) }], {
      count: 10,
      isList: true,
    })
    expect(none.classes.map(({ always }) => always)).toEqual([0])
  })

  it("follow what a class says of itself, for a rule of a user's own", () => {
    const own = [
      classNamed('first', 5, { always: 2, weight: 0 }),
      classNamed('left-out', 5, { gate: false }),
      classNamed('endless', 0, { always: 2 }),
    ]
    const { classes, more } = gate.draws('own/rule', own, { count: 4, isList: true })

    expect(classes.map(({ always, weight }) => [always, weight])).toEqual([
      [2, 0],
      [0, 0],
      [0, 2],
    ])
    expect(more).toBe(3)
  })
})

describe('a small budget', () => {
  it('goes to each rule of the specification in turn, to others last', () => {
    const ranks = ruleIds.map(tellingRank)

    expect(ranks.toSorted((a, b) => a - b)).toEqual(ranks.map((_, at) => at))
    expect(tellingRank('conventions/accept-optional')).toBe(0)
    expect(tellingRank('own/rule')).toBe(ruleIds.length)
  })
})

describe('what would reach more', () => {
  it.each([
    [{ profile: 'gate', essential: false, only: null }, '--profile acceptance', '--profile acceptance'],
    [{ profile: 'acceptance', essential: false, only: null }, '--fuzz-cases', '--seed'],
    [{ profile: 'nightly', essential: false, only: null }, '--fuzz-cases', '--seed'],
    [{ profile: 'acceptance', essential: true, only: null }, 'a run of all rules', 'a run of all rules'],
    [{ profile: 'gate', essential: false, only: ['quota/*'] }, 'a run of all rules', 'a run of all rules'],
  ] as const)('than %o is %s, and for other rows %s', (asked, cases, rows) => {
    expect(settingsForMore(asked)).toEqual({ cases, rows })
  })
})
