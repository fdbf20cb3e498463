import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factNames, factValues, flawless } from '../oracle/facts.ts'
import { documentedPairs } from '../spec/answers.ts'
import { ruleIds, type RuleId } from '../spec/rules.ts'
import { findingWith } from '../verdict/verdict.testing.ts'
import { causesOf, severities, type Cause, type JudgedRule } from './causes.ts'
import type { Finding } from './record.ts'

const list = 'GET /api/customizations/list'

interface Sent {
  readonly flaws?: readonly string[] | null
  readonly plain?: boolean
  readonly endpoint?: string
  readonly client?: NonNullable<Finding['sent']>['client']
}

/** A finding of a request with these flaws, answered 422 / 1001. */
function found(
  name: string,
  { flaws = [], plain = false, endpoint = list, client = 'target' }: Sent = {},
  more: Partial<Finding> = {},
): Finding {
  return findingWith({
    case: name,
    fingerprint: `fingerprint of ${name}`,
    difference: 'another answer',
    answered: { status: 422, errorCode: '1001' },
    allowed: [{ status: 400, errorCode: '1001' }],
    sent: { endpoint, client, plain, flaws },
    ...more,
  })
}

function failed(id: RuleId, ...findings: readonly Finding[]): JudgedRule {
  return { id, status: 'failed', findings }
}

const served: Partial<Finding> = { answered: { status: 200, errorCode: null } }

function sentences(...rules: readonly JudgedRule[]): readonly string[] {
  return causesOf(rules).map(({ sentence }) => sentence)
}

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
      },
    ])
  })

  it('is another for another endpoint, client, answer, difference, and for what comes only sometimes', () => {
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

    expect(casesOf(causes).map((cases) => cases.length)).toEqual([1, 1, 1, 1, 1, 1])
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
    const flawed = found('a', { flaws: ['apiKey absent'] })
    const unflawed = found('b')
    const plain = found('b', { plain: true })

    expect(casesOf(causesOf([failed('fuzz/headers', flawed, unflawed)])).length).toBe(2)
    expect(casesOf(causesOf([failed('fuzz/headers', flawed, plain)]))).toEqual([['a', 'b']])
  })

  it('of equally small sets of flaws is the first in the catalogue', () => {
    const both = found('both', { flaws: ['apiKey absent', 'version absent'] })
    const causes = causesOf([
      failed(
        'authentication/no-bypass',
        found('version', { flaws: ['version absent'] }),
        both,
        found('key', { flaws: ['apiKey absent'] }),
      ),
    ])

    expect(casesOf(causes).map((cases) => cases.toSorted())).toContainEqual(['both', 'key'])
  })

  it('leaves out what waivers cover, and says where no rule fails by it', () => {
    const waived = found('a', {}, { waived: 'agreed' })
    const warned: JudgedRule = {
      id: 'conventions/accept-optional',
      status: 'warned',
      findings: [found('b')],
    }

    expect(causesOf([failed('fuzz/headers', waived), warned])).toMatchObject([
      { cases: ['b'], warning: true },
    ])
  })

  it('names what several have in common', () => {
    const status = (name: string, errorCode: '1001' | '1002'): Finding =>
      found(
        name,
        { flaws: [`${errorCode === '1001' ? 'apiKey' : 'secretKey'} absent`] },
        { answered: { status: 422, errorCode }, allowed: [{ status: 400, errorCode }] },
      )
    const alone = failed('authentication/no-bypass', status('a', '1001'))

    expect(causesOf([alone])[0]).not.toHaveProperty('pattern')
    expect(
      causesOf([alone, failed('authentication/secret-key-missing', status('b', '1002'))]).map(
        ({ pattern }) => pattern,
      ),
    ).toEqual(['422 in the place of 400', '422 in the place of 400'])
  })
})

describe('the sentence', () => {
  it.each<[string, Finding, string]>([
    [
      'let in',
      found('a', { flaws: ['apiKey invalid'] }, served),
      'A request with a wrong API key was let in',
    ],
    [
      'sometimes',
      found('a', { flaws: ['secretKey nobodys'] }, { ...served, reproduced: '1 of 3' }),
      'A request with a wrong secret key was let in (only sometimes)',
    ],
    [
      'plain',
      found('a', { plain: true }, { answered: { status: 500, errorCode: null }, allowed: [] }),
      'A plain valid request: answered 401 / 1006 where 400 / 1001 is documented',
    ],
    [
      'several',
      found('a', { flaws: ['apiKey blank', 'endpoint unknown'] }),
      'A request with an empty x-api-key, to an unknown path: 422 / 1001, documented 400 / 1001 (api key header is missing)',
    ],
    ['not known', found('a', { flaws: null }, { summary: 'answered oddly' }), 'answered oddly'],
  ])('of what was %s', (_, finding, sentence) => {
    expect(sentences(failed('fuzz/headers', finding))).toEqual([sentence])
  })

  it('has words for every flaw', () => {
    for (const name of factNames) {
      for (const value of factValues[name].filter((one) => one !== flawless[name])) {
        const [sentence] = sentences(failed('fuzz/headers', found('a', { flaws: [`${name} ${value}`] })))

        expect(sentence).toMatch(/^A request (?:with|without|to|of) /)
      }
    }
  })
})

describe('the severity', () => {
  it.each<[string, Finding, RuleId, Cause['severity']]>([
    ['a wrong key let in', found('a', { flaws: ['apiKey invalid'] }, served), 'fuzz/api-key', 'security'],
    ['another version let in', found('a', { flaws: ['version absent'] }, served), 'fuzz/version', 'code'],
    ['an echo', found('a', {}, { difference: 'secret in the body' }), 'security/no-secret-echo', 'security'],
    ['a 500', found('a', {}, { answered: { status: 500, errorCode: null } }), 'fuzz/query', 'failure'],
    ['no answer', found('a', {}, { answered: null }), 'fuzz/query', 'failure'],
    ['another code', found('a'), 'fuzz/query', 'code'],
    ['an empty body', found('a', {}, { difference: 'empty body' }), 'fuzz/query', 'form'],
  ])('of %s', (_, finding, id, severity) => {
    expect(causesOf([failed(id, finding)])).toMatchObject([{ severity }])
  })

  it('orders, after whether the verdict depends on it', () => {
    const warned: JudgedRule = {
      id: 'authentication/no-bypass',
      status: 'warned',
      findings: [found('w', { flaws: ['apiKey invalid'] }, served)],
    }
    const causes = causesOf([
      warned,
      failed('fuzz/query', found('form', {}, { difference: 'empty body' }), found('code')),
      failed('fuzz/api-key', found('in', { flaws: ['apiKey invalid'] }, served)),
    ])

    expect(causes.map(({ example, warning }) => [example, warning])).toEqual([
      ['in', false],
      ['code', false],
      ['form', false],
    ])
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
