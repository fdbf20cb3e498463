import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factNames, factValues, flawless } from '../judge/facts.ts'
import { documentedPairs } from '../specification/answers.ts'
import { ruleIds, type RuleId } from '../specification/rules.ts'
import { findingWith } from '../verdict/verdict.testing.ts'
import { causesOf, severities, type Cause, type JudgedRule } from './causes.ts'
import type { Finding } from '../judge/record.ts'
import { failed, found, served, warned } from './testing/causes.ts'

function casesOf(causes: readonly Cause[]): readonly (readonly string[])[] {
  return causes.map(({ cases }) => cases)
}

describe('a cause', () => {
  it('is one for all findings that the smallest set of flaws explains, of whatever rules', () => {
    const causes = causesOf([
      failed('authentication/no-bypass', found('a', { flaws: ['apiKey absent', 'version absent'] })),
      failed('authentication/api-key-missing', found('b', { flaws: ['apiKey absent'] })),
      failed(
        'errors/documented-pairs',
        found('c', { flaws: ['apiKey absent'] }, { difference: 'not a documented pair' }),
      ),
    ])

    expect(causes).toEqual([
      {
        sentence:
          'A request without x-api-key: 422 / 1001, documented 400 / 1001 (api key header is missing)',
        severity: 'code',
        warning: false,
        example: 'b',
        rules: ['authentication/api-key-missing', 'authentication/no-bypass', 'errors/documented-pairs'],
        cases: ['a', 'b', 'c'],
        fingerprints: ['fingerprint of a', 'fingerprint of b', 'fingerprint of c'],
      },
    ])
  })

  it('is another for another form of the answer, and the same whatever the endpoint and the client, and however often it comes', () => {
    const causes = causesOf([
      failed(
        'authentication/secret-key-missing',
        found('a', { flaws: ['secretKey absent'] }),
        found('b', { flaws: ['secretKey absent'], endpoint: 'GET /api/other' }),
        found('c', { flaws: ['secretKey absent'], client: 'second' }),
        found('d', { flaws: ['secretKey absent'] }, { answered: { status: 500, errorCode: null } }),
        found('e', { flaws: ['secretKey absent'] }, { difference: 'empty body' }),
        found('f', { flaws: ['secretKey absent'] }, { reproduced: '1 of 3' }),
      ),
    ])

    expect(casesOf(causes).map((cases) => cases.length)).toEqual([1, 4, 1])
  })

  it('is the same whose key it is that is missing or wrong: the service cannot tell', () => {
    const rule = failed(
      'authentication/api-key-missing',
      found('a', { flaws: ['apiKey absent'] }),
      found('b', { flaws: ['apiKey absent'], client: 'second' }),
    )

    expect(casesOf(causesOf([rule]))).toEqual([['a', 'b']])
  })

  it('is no flaw at all only where plain valid requests fail alike', () => {
    const flawed = found('a', { flaws: ['apiKey absent'] }, served)
    const unflawed = found('b', {}, served)
    const plain = found('b', { plain: true }, served)

    expect(casesOf(causesOf([failed('fuzz/headers', flawed, unflawed)])).length).toBe(2)
    expect(casesOf(causesOf([failed('fuzz/headers', flawed, plain)]))).toEqual([['a', 'b']])
  })

  it('of equally small sets of flaws is the first in the catalogue', () => {
    const both = found('both', { flaws: ['apiKey absent', 'version absent'] }, served)
    const causes = causesOf([
      failed(
        'authentication/no-bypass',
        found('version', { flaws: ['version absent'] }, served),
        both,
        found('key', { flaws: ['apiKey absent'] }, served),
      ),
    ])

    expect(casesOf(causes).map((cases) => cases.toSorted())).toContainEqual(['both', 'key'])
  })

  it('is its own for a finding of which is not known what was sent', () => {
    const unknown = (fingerprint: string): Finding =>
      found(fingerprint, { flaws: null }, { ...served, fingerprint })
    const ofVersionOne = (fingerprint: string): Finding => findingWith({ fingerprint, case: fingerprint })
    const causes = causesOf([
      failed('fuzz/headers', unknown('a'), unknown('b'), ofVersionOne('c')),
      failed('fuzz/query', ofVersionOne('c'), found('d', {}, served)),
    ])

    expect(causes.length).toBe(5)
  })

  it('folds what is another plus conditions into it', () => {
    const under = (...conditions: readonly string[]): Finding =>
      found(conditions.join(), { flaws: ['version absent'], conditions }, served)
    const rule = failed('fuzz/headers', under('te: x', 'accept: */*'), under('te: x'), under('expect: y'))
    const alone = found('alone', { flaws: ['version absent'] }, served)

    expect(casesOf(causesOf([rule])).map((cases) => cases.length)).toEqual([2, 1])
    expect(causesOf([rule, failed('versioning/version-missing', alone)])).toMatchObject([
      { sentence: 'A request without x-version was let in', example: 'alone' },
    ])
  })

  it('of a valid request explains nothing that has a flaw, and the other way round', () => {
    const causes = causesOf([
      failed(
        'fuzz/headers',
        found('a', {}, served),
        found('b', { flaws: ['secretKey absent'], client: 'second' }, served),
      ),
      failed(
        'fuzz/query',
        found('c', { flaws: ['version absent', 'secretKey absent'], client: 'second' }, served),
      ),
    ])

    expect(casesOf(causes)).toEqual([['b', 'c'], ['a']])
  })

  it('leaves out what waivers cover, and says where no rule fails by it', () => {
    const waived = found('a', {}, { waived: 'agreed' })
    const rules = [failed('fuzz/headers', waived), warned('conventions/accept-optional', found('b'))]

    expect(causesOf(rules)).toMatchObject([{ cases: ['b'], warning: true }])
  })

  it('counts where one of its rules fails, whatever the others do', () => {
    const flawed = { flaws: ['apiKey absent'] }
    const rules = [
      warned('fuzz/api-key', found('w', flawed)),
      failed('authentication/api-key-missing', found('f', flawed)),
    ]

    expect(causesOf(rules)).toMatchObject([{ warning: false, cases: ['w', 'f'] }])
  })
})

describe('the example', () => {
  const flawed = { flaws: ['apiKey absent'] }
  const every = documentedPairs.map(({ status, errorCode }) => ({ status, errorCode }))

  const threeFlaws = { flaws: ['apiKey absent', 'version absent', 'input invalid'] }
  const bypass = 'authentication/no-bypass'
  const keyMissing = 'authentication/api-key-missing'
  const implied = 'conventions/json-content-type'

  /** In whichever order the findings of these rules are met. */
  function expectSimple(one: JudgedRule, other: JudgedRule): void {
    expect(causesOf([one, other])).toMatchObject([{ example: 'simple' }])
    expect(causesOf([other, one])).toMatchObject([{ example: 'simple' }])
  }

  it.each<[string, RuleId, RuleId, Finding]>([
    ['that counts, before a warning', 'fuzz/headers', keyMissing, found('other', flawed, { warning: true })],
    ['with fewer flaws', 'fuzz/headers', bypass, found('other', threeFlaws)],
    ['that is listed, before a generated one', bypass, 'fuzz/api-key', found('other', flawed)],
    ['that says what is documented', bypass, keyMissing, found('other', flawed, { allowed: [] })],
    [
      'that allows not every pair',
      bypass,
      'errors/documented-pairs',
      found('other', flawed, { allowed: every }),
    ],
    ['of a documented rule, before an implied one', bypass, implied, found('other', flawed)],
    ['of the target client', bypass, keyMissing, found('other', { ...flawed, client: 'second' })],
    [
      'whose case comes first by its name, where all else is equal',
      bypass,
      keyMissing,
      found('tested', flawed),
    ],
  ])('is one %s', (_, simple, rule, other) => {
    expectSimple(failed(simple, found('simple', flawed)), failed(rule, other))
  })

  it('is one of a rule that fails, before one that warns', () => {
    expectSimple(failed('fuzz/headers', found('simple', flawed)), warned(keyMissing, found('other', flawed)))
  })

  it('is one of a rule that found little else', () => {
    const others = failed(bypass, found('other', flawed), found('third', flawed))
    expectSimple(failed(keyMissing, found('simple', flawed)), others)
  })
})

describe('the severity', () => {
  const wrongKey = { flaws: ['apiKey invalid'] }
  const twoFlaws = { flaws: ['version absent', 'secretKey absent'] }
  const emptySuccess = { ...served, difference: 'empty body' }
  const otherOutcome = { difference: 'another outcome than success' }

  it.each<[string, Finding, RuleId, Cause['severity']]>([
    ['a wrong key let in', found('a', wrongKey, served), 'fuzz/api-key', 'security'],
    ['another version let in', found('a', { flaws: ['version absent'] }, served), 'fuzz/version', 'code'],
    ['an echo', found('a', {}, { difference: 'secret in the body' }), 'security/no-secret-echo', 'security'],
    ['a 500', found('a', {}, { answered: { status: 500, errorCode: null } }), 'fuzz/query', 'failure'],
    ['no answer', found('a', {}, { answered: null }), 'fuzz/query', 'failure'],
    ['another code', found('a'), 'fuzz/query', 'code'],
    [
      'a redirect',
      found('a', wrongKey, { answered: { status: 300, errorCode: null } }),
      'fuzz/query',
      'code',
    ],
    ['a wrong key let in without success', found('a', wrongKey, emptySuccess), 'fuzz/query', 'form'],
    ['several flaws let in', found('a', twoFlaws, served), 'fuzz/query', 'security'],
    ['a metamorphic pair', found('a', {}, otherOutcome), 'fuzz/query', 'code'],
    ['no known kind', findingWith(), 'fuzz/query', 'form'],
    ['an empty body', found('a', {}, { difference: 'empty body' }), 'fuzz/query', 'form'],
  ])('of %s', (_, finding, id, severity) => {
    expect(causesOf([failed(id, finding)])).toMatchObject([{ severity }])
  })

  it('orders, after whether the verdict depends on it', () => {
    const leak = warned('authentication/no-bypass', found('w', { flaws: ['version absent'] }, served))
    const others = [
      failed('fuzz/query', found('form', {}, { difference: 'empty body' }), found('code')),
      failed('fuzz/api-key', found('in', wrongKey, served)),
      failed('fuzz/path', found('many'), found('more', {}, { difference: 'not a documented pair' })),
    ]
    const order = (rules: readonly JudgedRule[]): readonly (readonly unknown[])[] =>
      causesOf(rules).map(({ example, warning, cases }) => [example, warning, cases.length])

    const expected = [
      ['in', false, 1],
      ['code', false, 3],
      ['form', false, 1],
      ['w', true, 1],
    ]
    expect(order([leak, ...others])).toEqual(expected)
    expect(order([...others, leak])).toEqual(expected)
  })
})

const flaws = fc.uniqueArray(
  fc.constantFrom(
    ...factNames.flatMap((name) =>
      factValues[name].filter((value) => value !== flawless[name]).map((value) => `${name} ${value}`),
    ),
  ),
  { maxLength: 3, selector: (flaw) => flaw.split(' ')[0] },
)
const findings = fc.array(
  fc.record({
    rule: fc.constantFrom(...ruleIds),
    flaws: fc.option(flaws),
    plain: fc.boolean(),
    answered: fc.option(fc.constantFrom(...documentedPairs, { status: 500, errorCode: null })),
    difference: fc.constantFrom('another answer', 'empty body', 'not a documented pair'),
    reproduced: fc.constantFrom('3 of 3', '1 of 3'),
    waived: fc.option(fc.constant('agreed'), { nil: undefined }),
  }),
  { maxLength: 30 },
)

it('has each finding that counts exactly once, an example among its cases, and the order of severities', () => {
  fc.assert(
    fc.property(findings, (given) => {
      const rules = given.map(({ rule, flaws: own, plain, answered, waived, ...more }, index) =>
        failed(
          rule,
          found(
            `${index}`,
            { flaws: own, plain: plain && own?.length === 0 },
            {
              ...more,
              answered: answered === null ? null : { status: answered.status, errorCode: answered.errorCode },
              ...(waived === undefined ? {} : { waived }),
            },
          ),
        ),
      )
      const causes = causesOf(rules)

      const open = given.flatMap(({ waived }, index) => (waived === undefined ? [`${index}`] : []))
      expect(casesOf(causes).flat().toSorted()).toEqual(open.toSorted())
      for (const { cases, example } of causes) expect(cases).toContain(example)
      const order = causes.map(({ severity }) => severities.indexOf(severity))
      expect(order).toEqual(order.toSorted((a, b) => a - b))
      expect(causesOf(rules.toReversed()).length).toBe(causes.length)
    }),
  )
})
