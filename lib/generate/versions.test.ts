import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { valueOf } from '../http/request.ts'
import { allowed } from '../judge/allowed.ts'
import { versionFact } from '../judge/facts.ts'
import { success } from '../specification/answers.ts'
import type { Drawn } from './case-schedule.ts'
import { arrivedIn } from './testing/credentials.ts'
import { casesOf, inGate, knownOf, inputOf, requestOf, simplest } from './testing/requests.ts'
import { caseClasses } from './case-classes.ts'

const served = fc.oneof(fc.nat(12), fc.integer({ min: 0, max: 2 ** 31 - 1 })).map(String)

function inputFor(servedVersion: string): ReturnType<typeof inputOf> {
  return inputOf('ak_live_7Qm2vXk1Rb84TzNe', 'sk-Vb93mQx7_Lw20ZpTd', { servedVersion })
}

function valuesOf(servedVersion: string, count: number, seed = 1): readonly (string | null)[] {
  const input = inputFor(servedVersion)
  return casesOf(caseClasses['fuzz/version'](input), count, seed).map((drawn) =>
    arrivedIn('x-version', input, drawn),
  )
}

describe('what is sent as a version', () => {
  it('is never the one that is served, as it arrives, but with white space around it', () => {
    fc.assert(
      fc.property(served, fc.integer(), (version, seed) => {
        const input = inputFor(version)
        for (const drawn of casesOf(caseClasses['fuzz/version'](input), 200, seed)) {
          const arrived = arrivedIn('x-version', input, drawn)
          if (drawn.name.startsWith('white-space')) expect(arrived).toBe(version)
          else expect(arrived).not.toBe(version)
          expect(drawn.mutated.treatment).toBe('oracle')
        }
      }),
    )
  })

  it('is about the version that is served, whichever it is', () => {
    const values = valuesOf('7', 200)

    expect(values).toEqual(
      expect.arrayContaining(['8', '6', '07', '+7', '7.0', '0x7', '7e0', '\xef\xbc\x97']),
    )
    expect(values).toEqual(expect.arrayContaining(['4294967303', '4294967297']))
    expect(valuesOf('10', 200)).toContain('0xa')
  })

  it.each(['1', '7'])(
    'has integers that are the served one when they are cut, which nobody offers: %s',
    (version) => {
      const cut = [10 ** 8, 2 ** 28].map((more) => String(more + Number(version)))
      const known = { served: version, unsupported: '2147483647' }

      expect(valuesOf(version, 200)).toEqual(expect.arrayContaining(cut))
      expect(cut.map((value) => versionFact(value, known))).toEqual(['unsupported', 'unsupported'])
    },
  )

  it('is what the oracle takes it for', () => {
    const facts = new Map<string, Set<string>>()
    const input = inputFor('1')
    for (const drawn of casesOf(caseClasses['fuzz/version'](input), 2_000)) {
      const caseClass = drawn.name.split('.')[0] ?? ''
      facts.set(caseClass, (facts.get(caseClass) ?? new Set()).add(factOf(drawn)))
    }
    function factOf({ mutated }: Drawn): string {
      return knownOf(requestOf(input, mutated), input).version
    }

    expect(Object.fromEntries(facts)).toEqual({
      boundary: new Set(['other', 'out-of-range', 'unsupported']),
      'nine-digits': new Set(['unsupported']),
      'small-integer': new Set(['other']),
      'long-integer': new Set(['out-of-range']),
      'written-oddly': new Set(['odd']),
      presence: new Set(['absent', 'blank']),
      'white-space-around': new Set(['served']),
      'white-space-before': new Set(['served']),
      'white-space-behind': new Set(['served']),
    })
  })

  it('has white space around it on flawed requests, too', () => {
    const input = inputFor('1')
    const around = casesOf(caseClasses['fuzz/version'](input), 2_000).filter(({ name }) =>
      name.startsWith('white-space'),
    )

    expect(new Set(around.map(({ mutated }) => mutated.base))).toEqual(
      new Set(['valid', 'api-key-wrong', 'secret-key-wrong', 'api-key-absent', 'secret-key-absent']),
    )
    for (const { mutated } of around) {
      const answers = allowed(knownOf(requestOf(input, mutated), input))
      expect(answers).toHaveLength(1)
      expect(answers.includes(success)).toBe(mutated.base === 'valid')
    }
  })

  it('may be refused by the transport only where it holds bytes beyond ASCII, or a tab', () => {
    const input = inputFor('1')
    for (const drawn of casesOf(caseClasses['fuzz/version'](input), 1_000)) {
      const value = requestOf(input, drawn.mutated).fields.find(({ name }) => name === 'x-version')
      const isUsual = /^[ -~]*$/.test(value === undefined ? '' : valueOf(value))
      expect(drawn.mutated.transportMayRefuse).toBe(!isUsual)
    }
  })

  it('says which it is, without the digits of long ones', () => {
    const said = casesOf(caseClasses['fuzz/version'](inputFor('1')), 1_000).map(({ mutated }) => mutated.says)

    expect(said).toEqual(
      expect.arrayContaining([
        'no x-version',
        'x-version 2',
        'x-version -1',
        'x-version 2^32+1 (4294967297)',
        'x-version 2^31-2 (2147483646)',
        'x-version 10^309',
        'x-version 01',
        'x-version 1 in full-width digits (ef bc 91)',
      ]),
    )
    for (const says of said) expect(says.length).toBeLessThan(80)
  })

  it('shrinks to the smallest integer of its class', () => {
    const input = inputFor('1')
    const simplestSaid = (caseClass: string): readonly string[] => [
      ...new Set(
        casesOf(caseClasses['fuzz/version'](input), 200)
          .filter(({ name }) => name.startsWith(`${caseClass}.`))
          .map((one) => simplest(one, () => true).says),
      ),
    ]

    expect(simplestSaid('nine-digits')).toEqual(['x-version 100000000'])
    expect(simplestSaid('small-integer')).toEqual(['x-version 3'])
    expect(simplestSaid('long-integer')).toEqual(['x-version of 11 digits (1)'])
  })

  it('comes within 20 cases of a gate, each class of it', () => {
    const classList = caseClasses['fuzz/version'](inputFor('1'))
    const sent = inGate('fuzz/version', classList).map(({ name }) => name)

    expect(classList.map(({ name }) => name).filter((name) => !sent.includes(name))).toEqual([
      'white-space-before',
      'white-space-behind',
    ])
    expect(classList.reduce((sum, { weight }) => sum + weight, 0)).toBe(20)
    expect(new Set(casesOf(classList, 20).map(({ name }) => name.split('.')[0])).size).toBe(classList.length)
  })
})
