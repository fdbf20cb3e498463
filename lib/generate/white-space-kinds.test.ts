import { describe, expect, it } from 'vitest'
import { valueOf } from '../http/request.ts'
import type { Drawn } from './draw.ts'
import { presenceKinds } from './presence-kinds.ts'
import { credentialSubject } from './subject.ts'
import { casesOf, materialOf, requestOf } from './testing/requests.ts'
import { whiteSpaceAroundKinds, whiteSpaceInsideKinds } from './white-space-kinds.ts'

const key = 'ak_live_7Qm2vXk1Rb84TzNe'
const material = materialOf(key, 'sk_live_hK0pYw5sJd93LmQc')
const subject = credentialSubject('x-api-key', material)

function sentAs({ fuzzed }: Drawn): string {
  const field = requestOf(material, fuzzed).fields.find(({ name }) => name === 'x-api-key')
  return field === undefined ? '' : valueOf(field)
}

function around(count: number, seed = 1): readonly Drawn[] {
  const kinds = whiteSpaceAroundKinds(subject).filter(({ name }) => name === 'white-space-around')
  return casesOf(kinds, count, seed)
}

describe('white space', () => {
  it('around a value is SP before and after it first, on a valid request, whatever the seed', () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const [first] = around(1, seed)

      expect(first === undefined ? null : sentAs(first)).toBe(` ${key} `)
      expect(first?.fuzzed.base).toBe('valid')
    }
  })

  it('around a value comes on a valid request again, with other blanks', () => {
    const onValid = around(200).filter(({ fuzzed }) => fuzzed.base === 'valid')

    expect(new Set(onValid.map(sentAs)).size).toBeGreaterThan(15)
  })

  it('inside of a value is one SP first, whatever the seed', () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const [first] = casesOf(whiteSpaceInsideKinds(subject), 1, seed)

      expect(first === undefined ? null : sentAs(first)).toMatch(/^\S+ \S+$/)
      expect(first?.fuzzed.transportMayRefuse).toBe(false)
    }
  })

  it('may be refused by the transport exactly where a tab is in it', () => {
    const kinds = [whiteSpaceAroundKinds, whiteSpaceInsideKinds, presenceKinds].flatMap((of) => of(subject))
    const cases = casesOf(kinds, 600)
    const withTab = cases.filter((one) => sentAs(one).includes('\t'))

    expect(withTab.length).toBeGreaterThan(100)
    expect(cases.filter(({ fuzzed }) => fuzzed.transportMayRefuse)).toEqual(withTab)
  })

  it('before a value alone is implied by HTTP, and behind one alone is written down', () => {
    const all = casesOf(whiteSpaceAroundKinds(subject), 0)
    const sent = all.map((one) => [one.name.replace(/\..*/, ''), sentAs(one).startsWith(' ')] as const)

    expect(all.filter(({ fuzzed }) => fuzzed.implied === true).map(sentAs)).toEqual([
      ` ${key}`,
      ` ${key}`,
      ` ${key}`,
    ])
    expect(sent.filter(([kind]) => kind === 'white-space-behind').every(([, before]) => !before)).toBe(true)
    for (const { fuzzed, name } of all.filter((one) => one.name.startsWith('white-space-behind')))
      expect(fuzzed.observe?.id, name).toBe('white-space-behind-values')
  })
})
