import { describe, expect, it } from 'vitest'
import { fieldsOf, type Request } from '../http/request.ts'
import { certainFlaws } from '../judge/allowed.ts'
import type { Facts } from '../judge/facts.ts'
import { combinedFlawClasses } from './combined-flaws.ts'
import type { MutatedRequest } from './case-class.ts'
import { casesOf, knownOf, inputOf, inputs, requestOf, simplest } from './testing/requests.ts'

const input = inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk_live_hK0pYw5sJd93LmQc')
const classList = combinedFlawClasses(input)

interface Sent {
  readonly mutated: MutatedRequest
  readonly request: Request
  readonly facts: Facts
}

function sentBy(count: number, seed = 1): readonly Sent[] {
  return casesOf(classList, count, seed).map(({ mutated }) => {
    const request = requestOf(input, mutated)
    return { mutated, request, facts: knownOf(request, input) }
  })
}

function flawsOf({ mutated }: Pick<Sent, 'mutated'>): number {
  return certainFlaws(knownOf(requestOf(input, mutated), input)).length
}

describe('combined flaws', () => {
  it('are mostly two or more', () => {
    const counts = sentBy(1_000).map(flawsOf)
    expect(counts.filter((count) => count >= 2).length).toBeGreaterThan(800)
    expect(counts.filter((count) => count >= 3).length).toBeGreaterThan(300)
  })

  it.each(Object.entries(inputs))('are flaws for certain when one is said: %s', (_, of) => {
    for (const { mutated } of casesOf(combinedFlawClasses(of), 2_000)) {
      const facts = knownOf(requestOf(of, mutated), of)
      const isBlankVersion = facts.version === 'blank'
      expect(certainFlaws(facts).length > 0 || isBlankVersion).toBe(
        /x-|unknown path/.test(mutated.says.replace(/in the order[^;]*/, '')),
      )
    }
  })
})

describe('a finding', () => {
  const some = casesOf(classList, 300)

  it('names two flaws where two are needed, and nothing that does not matter', () => {
    const holds = (mutated: MutatedRequest): boolean => flawsOf({ mutated }) >= 2
    for (const one of some.filter(({ mutated }) => holds(mutated))) {
      const minimal = simplest(one, holds)
      expect(flawsOf({ mutated: minimal })).toBe(2)
      expect(minimal.says.split('; ')).toHaveLength(2)
    }
  })

  it('names one flaw where one is enough', () => {
    const holds = (mutated: MutatedRequest): boolean => {
      const facts = knownOf(requestOf(input, mutated), input)
      return facts.secretKey !== 'valid'
    }
    for (const one of some.filter(({ mutated }) => holds(mutated))) {
      expect(simplest(one, holds).says).toBe('x-secret-key: invented')
    }
  })

  it('of nothing is a plain request', () => {
    for (const one of some.slice(0, 20)) {
      const minimal = simplest(one, () => true)
      expect(minimal.says).toBe('nothing wrong')
      expect(flawsOf({ mutated: minimal })).toBe(0)
    }
  })
})

describe('invented values', () => {
  it('are no client’s, also where another client’s credentials nearly are the target’s', () => {
    const near = inputOf('ak_live_7Qm2vXk1Rb84TzN', 'sk_live_hK0pYw5sJd93LmQ').target
    const of = { ...input, second: near }
    const issued = [near.apiKey, near.secretKey].map((secret) => secret.reveal())
    for (const { mutated } of casesOf(combinedFlawClasses(of), 2_000)) {
      const request = requestOf(of, mutated)
      for (const name of ['x-api-key', 'x-secret-key']) {
        expect(issued).not.toContain(fieldsOf(request, name).join())
      }
    }
  })

  it('are none that a service may rightly take for the valid ones', () => {
    const of = inputOf('3f2a9c0d-1e4b-5a67-89ab-cdef01234567', 'c2VjcmV0IG9mIHRoZSBjbGllbnQ=')
    for (const { mutated } of casesOf(combinedFlawClasses(of), 2_000)) {
      const request = requestOf(of, mutated)
      const { apiKey: key, secretKey: secret } = of.target
      expect(fieldsOf(request, 'x-api-key').join()).not.toBe(key.reveal().toUpperCase())
      expect(fieldsOf(request, 'x-secret-key').join()).not.toBe(secret.reveal().slice(0, -1))
    }
  })

  it('leave the exchanged credentials out where they are the same', () => {
    const of = inputOf('the-same-for-both', 'the-same-for-both')
    for (const { mutated } of casesOf(combinedFlawClasses(of), 500)) {
      expect(mutated.says).not.toMatch(/x-api-key: TARGET_SECRET_KEY(?:;|$)/)
    }
  })
})
