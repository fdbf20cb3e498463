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

describe('white space', () => {
  it('around a value is SP before and after it first, on a valid request, whatever the seed', () => {
    for (let seed = 0; seed < 20; seed += 1) {
      const [first] = casesOf(whiteSpaceAroundKinds(subject), 1, seed)

      expect(first === undefined ? null : sentAs(first)).toBe(` ${key} `)
      expect(first?.fuzzed.base).toBe('valid')
    }
  })

  it('around a value comes on a valid request again, with other blanks', () => {
    const onValid = casesOf(whiteSpaceAroundKinds(subject), 200).filter(
      ({ fuzzed }) => fuzzed.base === 'valid',
    )

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
})
