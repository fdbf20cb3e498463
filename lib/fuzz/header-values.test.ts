import { describe, expect, it } from 'vitest'
import { valueOf } from '../http/request.ts'
import type { Drawn } from './case-schedule.ts'
import { presenceClass } from './header-values.ts'
import { credentialSubject } from './mutated-value.ts'
import { casesOf, inputOf, requestOf } from './testing/requests.ts'
import { whiteSpaceAroundClasses } from './header-values.ts'
import { credentialClasses } from './credential-classes.ts'

const key = 'ak_live_7Qm2vXk1Rb84TzNe'
const input = inputOf(key, 'sk_live_hK0pYw5sJd93LmQc')
const subject = credentialSubject('x-api-key', input)
const inside = credentialClasses('x-api-key', input).filter(({ name }) => name === 'white-space-inside')

function sentAs({ mutated }: Drawn): string {
  const field = requestOf(input, mutated).fields.find(({ name }) => name === 'x-api-key')
  return field === undefined ? '' : valueOf(field)
}

function around(count: number, seed = 1): readonly Drawn[] {
  const classList = whiteSpaceAroundClasses(subject).filter(({ name }) => name === 'white-space-around')
  return casesOf(classList, count, seed)
}

describe('white space', () => {
  it('around a value is SP before and after it first, on a valid request, whatever the seed', () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const [first] = around(1, seed)

      expect(first === undefined ? null : sentAs(first)).toBe(` ${key} `)
      expect(first?.mutated.base).toBe('valid')
    }
  })

  it('around a value comes on a valid request again, with other blanks', () => {
    const onValid = around(200).filter(({ mutated }) => mutated.base === 'valid')

    expect(new Set(onValid.map(sentAs)).size).toBeGreaterThan(15)
  })

  it('inside of a value is one SP first, whatever the seed', () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const [first] = casesOf(inside, 1, seed)

      expect(first === undefined ? null : sentAs(first)).toMatch(/^\S+ \S+$/)
      expect(first?.mutated.transportMayRefuse).toBe(false)
    }
  })

  it('may be refused by the transport exactly where a tab is in it', () => {
    const cases = casesOf([...whiteSpaceAroundClasses(subject), ...inside, presenceClass(subject)], 600)
    const withTab = cases.filter((one) => sentAs(one).includes('\t'))

    expect(withTab.length).toBeGreaterThan(100)
    expect(cases.filter(({ mutated }) => mutated.transportMayRefuse)).toEqual(withTab)
  })

  it('before a value alone is implied by HTTP, and behind one alone is written down', () => {
    const all = casesOf(whiteSpaceAroundClasses(subject), 0)
    const sent = all.map((one) => [one.name.replace(/\..*/, ''), sentAs(one).startsWith(' ')] as const)

    expect(all.filter(({ mutated }) => mutated.weakness === 'implied').map(sentAs)).toEqual([
      ` ${key}`,
      ` ${key}`,
      ` ${key}`,
    ])
    expect(
      sent.filter(([caseClass]) => caseClass === 'white-space-behind').every(([, before]) => !before),
    ).toBe(true)
    for (const { mutated, name } of all.filter((one) => one.name.startsWith('white-space-behind')))
      expect(mutated.observe?.id, name).toBe('white-space-behind-values')
  })
})
