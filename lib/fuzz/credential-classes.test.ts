import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { valueOf, type Request } from '../http/request.ts'
import { Secret } from '../redact/secret.ts'
import { allowed } from '../judge/allowed.ts'
import { success } from '../specification/answers.ts'
import { credentialOf, type CredentialField } from './case-class.ts'
import { without } from './request-changes.ts'
import { probes } from './header-values.ts'
import { anyCredential, arrivedIn, credentialClasses } from './testing/credentials.ts'
import { baseOf, casesOf, inGate, inputOf, sentBy, type Sent } from './testing/requests.ts'

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

function isServable({ name }: Sent): boolean {
  return /^white-space-(?!inside)/.test(name)
}

function valueIn({ request }: Sent, field: CredentialField): Secret | string | undefined {
  return request.fields.find(({ name }) => name === field)?.value
}

/** The other fields, and the order of all where the field is there. */
function others({ fields: all }: Request, field: CredentialField): unknown {
  const order = all.some(({ name }) => name === field) ? all.map(({ name }) => name) : []
  return [order, all.filter(({ name }) => name !== field)]
}

function isSaid(one: Sent, field: CredentialField): boolean {
  const value = valueIn(one, field)
  if (value instanceof Secret) return one.name.startsWith('other-credential') || one.says === value.name
  return new RegExp(`(?: as|^no|^an empty) ${field}$|^${field} of [\\d,]+ characters?$`).test(one.says)
}

function isUsual({ fields: all }: Request): boolean {
  const size = all.reduce((sum, field) => sum + field.name.length + valueOf(field).length + 4, 0)
  return size < 6_000 && all.every((field) => /^[\t\x20-\x7e]*$/.test(valueOf(field)))
}

type Claim = (one: Sent, field: CredentialField) => boolean

const claims: Readonly<Record<string, Claim>> = {
  'never equals the valid one as it arrives, but with white space around it': (one, field) =>
    isServable(one) ===
    (arrivedIn(field, one.input, one.drawn) === credentialOf(one.input.target, field).reveal()),
  'would never be served, whichever clients there are, but with white space around a valid value': (one) =>
    allowed(one.facts).includes(success) === (isServable(one) && one.base === 'valid'),
  'holds no control character, since it is sent by every client': ({ request }) =>
    request.route === undefined &&
    request.fields.every((field) => /^[\t\x20-\x7e\x80-\xff]*$/.test(valueOf(field))),
  'changes nothing but the field, in its place': (one, field) => {
    const before = baseOf(one.input, one.drawn.mutated)
    const whole = valueIn(one, field) === undefined ? without(field)(before) : before
    return isDeepStrictEqual(others(one.request, field), others(whole, field))
  },
  'is a secret wherever it is made from one, and named by what was done': isSaid,
  'may be refused by the transport where it holds bytes beyond ASCII or goes beyond common limits': ({
    transportMayRefuse,
    request,
  }) => transportMayRefuse || isUsual(request),
}

it('what is invented for a credential keeps every promise, whatever the credentials', () => {
  fc.assert(
    fc.property(anyInput, fc.constantFrom(...fields), seeds, (input, field, seed) => {
      for (const one of sentBy(credentialClasses(field, input), input, 100, seed))
        for (const [claim, holds] of Object.entries(claims))
          expect(holds(one, field), `${one.name}: ${one.says}: ${claim}`).toBe(true)
    }),
  )
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

  it.each(fields)('is sent by a gate within 20 cases, but no whole injection string: %s', (field) => {
    const rule = field === 'x-api-key' ? 'fuzz/api-key' : 'fuzz/secret-key'
    const gate = inGate(rule, credentialClasses(field, withSecond))
    const values = casesOf(gate, 2_000).map((drawn) => arrivedIn(field, withSecond, drawn) ?? '')

    expect(new Set(casesOf(gate, 20).map(({ of }) => of)).size).toBe(gate.length)
    expect(values.filter((value) => probes.some((probe) => value.includes(probe)))).toEqual([])
  })

  it('leaves half of a gate to near misses', () => {
    const near =
      /^(?:changed|dropped|added)-character$|^(?:cut|rearranged|letter-case|other-credential|quoted-or-encoded)$/
    const found = credentialClasses('x-api-key', withSecond).filter(({ name }) => near.test(name))

    expect(found.reduce((sum, { weight }) => sum + weight, 0)).toBe(10)
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
