import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { valueOf } from '../http/request.ts'
import { Secret } from '../redact/secret.ts'
import { allowed } from '../judge/allowed.ts'
import { success } from '../specification/answers.ts'
import type { Drawn } from './case-schedule.ts'
import { credentialOf, type CredentialField, type CaseClass, type GeneratorInput } from './case-class.ts'
import { probes } from './header-values.ts'
import { anyCredential, arrivedIn, credentialClasses } from './testing/credentials.ts'
import { casesOf, inGate, knownOf, inputOf, requestOf } from './testing/requests.ts'

const fields = ['x-api-key', 'x-secret-key'] as const
const seeds = fc.integer()

const key = 'ak_live_7Qm2vXk1Rb84TzNe'
const secret = 'sk-Vb93mQx7_Lw20ZpTd'
const withSecond = inputOf(key, secret, {
  second: {
    apiKey: new Secret('SECOND_API_KEY', 'ak_live_other'),
    secretKey: new Secret('SECOND_SECRET_KEY', 'sk-other'),
  },
})

/** Inputs with any credentials; the second client may share one of them, or be a near miss of the first. */
const anyInput = fc
  .tuple(anyCredential, anyCredential, fc.constantFrom('none', 'near', 'shares-key', 'shares-secret'))
  .map(([apiKey, secretKey, second]) =>
    inputOf(apiKey, secretKey, {
      wrongKey: "nobody's key",
      wrongSecret: "nobody's secret",
      second:
        second === 'none'
          ? null
          : {
              apiKey: new Secret('SECOND_API_KEY', second === 'shares-key' ? apiKey : `${apiKey}0`),
              secretKey: new Secret(
                'SECOND_SECRET_KEY',
                second === 'shares-secret' ? secretKey : `${secretKey}x`,
              ),
            },
    }),
  )

function check(holds: (drawn: Drawn, input: GeneratorInput, field: CredentialField) => void): void {
  fc.assert(
    fc.property(anyInput, fc.constantFrom(...fields), seeds, (input, field, seed) => {
      for (const drawn of casesOf(credentialClasses(field, input), 100, seed)) holds(drawn, input, field)
    }),
    { numRuns: 10 },
  )
}

describe('what is invented for a credential', () => {
  it('never equals the valid one as it arrives, but with white space around it', () => {
    check((drawn, input, field) => {
      const valid = credentialOf(input.target, field).reveal()
      const arrived = arrivedIn(field, input, drawn)
      if (/^white-space-(?!inside)/.test(drawn.name)) expect(arrived).toBe(valid)
      else expect(arrived).not.toBe(valid)
    })
  })

  it('would never be served, whichever clients there are, but with white space around a valid value', () => {
    check((drawn, input) => {
      const answers = allowed(knownOf(requestOf(input, drawn.mutated), input))
      const isPlain = /^white-space-(?!inside)/.test(drawn.name) && drawn.mutated.base === 'valid'
      expect(answers.includes(success)).toBe(isPlain)
    })
  })

  it('holds no control character, since it is sent by every client', () => {
    check((drawn, input) => {
      const { route, fields: sent } = requestOf(input, drawn.mutated)
      expect(route).toBe(undefined)
      for (const field of sent) expect(valueOf(field)).toMatch(/^[\t\x20-\x7e\x80-\xff]*$/)
    })
  })

  it('changes nothing but the field, in its place', () => {
    check((drawn, input, field) => {
      const before = requestOf(input, { ...drawn.mutated, apply: (request) => request })
      const request = requestOf(input, drawn.mutated)
      const others = (fieldsOf: typeof request.fields): unknown =>
        fieldsOf.filter(({ name }) => name !== field)
      expect(others(request.fields)).toEqual(others(before.fields))
      if (arrivedIn(field, input, drawn) !== null) {
        expect(request.fields.map(({ name }) => name)).toEqual(before.fields.map(({ name }) => name))
      }
    })
  })

  it('is a secret wherever it is made from one, and named by what was done', () => {
    check((drawn, input, field) => {
      const value = requestOf(input, drawn.mutated).fields.find(({ name }) => name === field)?.value
      if (!(value instanceof Secret)) {
        const { says } = drawn.mutated
        expect(says).toMatch(new RegExp(`(?: as|^no|^an empty) ${field}$|^${field} of [\\d,]+ characters?$`))
      } else if (!drawn.name.startsWith('other-credential')) expect(drawn.mutated.says).toBe(value.name)
    })
  })

  it('may be refused by the transport where it holds bytes beyond ASCII or goes beyond common limits', () => {
    check((drawn, input) => {
      if (drawn.mutated.transportMayRefuse) return
      const sent = requestOf(input, drawn.mutated).fields
      const sizes = sent.map((field) => field.name.length + valueOf(field).length + 4)
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(6_000)
      for (const field of sent) expect(valueOf(field)).toMatch(/^[\t\x20-\x7e]*$/)
    })
  })
})

describe('every class of the catalogue', () => {
  it('begins with a character of no width that is one to every reader', () => {
    for (const field of fields) {
      for (let seed = 0; seed < 20; seed += 1) {
        const unicode = credentialClasses(field, withSecond).filter(({ name }) => name === 'unicode')
        expect(casesOf(unicode, 1, seed)[0]?.mutated.says).toContain('U+200B')
      }
    }
  })

  it('is sent by a gate within 20 cases, but whole injection strings and what is only observed', () => {
    for (const field of fields) {
      const gate = inGate(
        field === 'x-api-key' ? 'fuzz/api-key' : 'fuzz/secret-key',
        credentialClasses(field, withSecond),
      )
      expect(weightOf(gate)).toBe(20)
      const sent = casesOf(gate, 20)
      expect(new Set(sent.map(({ name }) => name.split('.')[0])).size).toBe(gate.length)

      const values = casesOf(gate, 2_000).map((drawn) => arrivedIn(field, withSecond, drawn) ?? '')
      expect(values.filter((value) => probes.some((probe) => value.includes(probe)))).toEqual([])
    }
  })

  it('leaves half of a gate, and most of what any class has, to near misses', () => {
    const near =
      /^(?:changed|dropped|added)-character$|^(?:cut|rearranged|letter-case|other-credential|quoted-or-encoded)$/
    const classList = credentialClasses('x-api-key', withSecond)

    expect(weightOf(classList.filter(({ name }) => near.test(name)))).toBe(10)
    expect(weightOf(classList)).toBe(23)
  })
})

describe('the words for a case', () => {
  /** No word of the sentences holds four of these in a row. */
  const rare = fc.string({ unit: fc.constantFrom(...'QZJXqzjx'), minLength: 8, maxLength: 60, size: 'max' })

  it('hold neither the credential nor four characters of it in a row', () => {
    fc.assert(
      fc.property(rare, rare, fc.constantFrom(...fields), seeds, (apiKey, secretKey, field, seed) => {
        const input = inputOf(apiKey, secretKey)
        const parts = [apiKey, secretKey].flatMap((text) =>
          Array.from({ length: text.length - 3 }, (_, at) => text.slice(at, at + 4)),
        )
        for (const { mutated } of casesOf(credentialClasses(field, input), 100, seed)) {
          expect(parts.filter((part) => mutated.says.includes(part))).toEqual([])
          expect(mutated.says.length).toBeLessThan(260)
        }
      }),
      { numRuns: 25 },
    )
  })

  it('name a character by its number alone where another one stands for it', () => {
    const sayings = (apiKey: string): readonly string[] =>
      casesOf(credentialClasses('x-api-key', inputOf(apiKey, secret)), 800)
        .map(({ mutated }) => mutated.says)
        .filter((says) => /look-alike|full-width|accent on|case of its/.test(says))

    expect(sayings('aeoaeoaeoaeo').length).toBeGreaterThan(20)
    expect(sayings('aeoaeoaeoaeo')).toEqual(sayings('oaeoaeoaeoae'))
  })
})

describe('words that an answer may hold of itself', () => {
  it('are shorter than what counts as an echo of a secret', () => {
    const words = casesOf(credentialClasses('x-secret-key', withSecond), 800)
      .filter(({ name }) => /^(?:literal|property-name)\./.test(name))
      .map((drawn) => arrivedIn('x-secret-key', withSecond, drawn) ?? '')

    expect(words).toContain('constructor')
    expect(words.filter((word) => word.length >= 12)).toEqual([])
  })
})

describe('the same seed', () => {
  it('draws the same bytes, and another one others', () => {
    const valuesBy = (seed: number): readonly (string | null)[] =>
      casesOf(credentialClasses('x-api-key', withSecond), 300, seed).map((drawn) =>
        arrivedIn('x-api-key', withSecond, drawn),
      )

    expect(valuesBy(7)).toEqual(valuesBy(7))
    expect(valuesBy(7)).not.toEqual(valuesBy(8))
  })
})

function weightOf(classList: readonly CaseClass[]): number {
  return classList.reduce((sum, { weight }) => sum + weight, 0)
}
