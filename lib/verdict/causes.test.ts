import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { factNames, flawless } from '../judge/facts.ts'
import { factValues } from '../judge/testing/fact-values.ts'
import { documentedPairs } from '../specification/answers.ts'
import { ruleIds, type RuleId } from '../specification/rules.ts'
import { findingWith } from './verdict.testing.ts'
import { causesOf, severities, type Cause, type JudgedRule } from './causes.ts'
import type { Finding } from '../judge/record.ts'
import { answered, failed, found, served, warned, type Sent } from './testing/causes.ts'

const bypass: RuleId = 'authentication/no-bypass'
const keyMissing: RuleId = 'authentication/api-key-missing'
const noKey = ['apiKey absent']
const noSecret = ['secretKey absent']
const noVersion = ['version absent']
const empty = { difference: 'empty body' }
const atTimes = { ...served, reproduced: '1 of 3' } as const
const unpaired = { difference: 'not a documented pair' }

/** The cases of each cause, in their order. */
function groupsIn(...rules: readonly JudgedRule[]): readonly string[] {
  return causesOf(rules).map(({ cases }) => cases.join(' '))
}

describe('a cause', () => {
  it('is one for all findings that the smallest set of flaws explains, of whatever rules', () => {
    const causes = causesOf([
      failed(bypass, found('a', [...noKey, ...noVersion])),
      failed(keyMissing, found('b', noKey)),
      failed('errors/documented-pairs', found('c', noKey, unpaired)),
    ])

    expect(causes).toEqual([
      {
        sentence:
          'A request without x-api-key: 422 / 1001, documented 400 / 1001 (api key header is missing)',
        severity: 'code',
        warning: false,
        example: 'b',
        rules: [keyMissing, bypass, 'errors/documented-pairs'],
        cases: ['a', 'b', 'c'],
        fingerprints: ['fingerprint of a', 'fingerprint of b', 'fingerprint of c'],
      },
    ])
  })

  const ofAnother = { flaws: noSecret, endpoint: 'GET /api/other' }
  const ofSecond = { flaws: noSecret, client: 'second' } as const
  const ofBoth = { flaws: [...noVersion, ...noSecret], client: 'second' } as const
  const letIn = (name: string, ...sent: readonly (Sent | readonly string[])[]): Finding => {
    const flaws = sent.flatMap((one) => ('length' in one ? one : []))
    return found(name, sent.length === 1 ? sent[0] : flaws, served)
  }
  const unknown = (name: string): Finding => found(name, { flaws: null }, served)
  const ofVersionOne = (name: string): Finding => findingWith({ fingerprint: name, case: name })
  const under = (name: string, ...conditions: readonly string[]): Finding =>
    found(name, { flaws: noVersion, conditions }, served)

  it.each<[string, readonly Finding[], readonly string[]]>([
    ['another status', [found('a', noSecret), found('b', noSecret, answered(500))], ['b', 'a']],
    ['another form', [found('a', noVersion), found('b', noSecret, empty)], ['a', 'b']],
    ['another steadiness', [found('a', noKey, served), found('b', noKey, atTimes)], ['a', 'b']],
    ['the same form at any endpoint', [found('a', noSecret), found('b', ofAnother)], ['a b']],
    ['the same form for any client', [found('a', noSecret), found('b', ofSecond)], ['a b']],
    ['a missing key, whose ever', [found('a', noKey), found('b', { ...ofSecond, flaws: noKey })], ['a b']],
    ['none, unless plain requests fail', [found('a', noKey, served), found('b', {}, served)], ['a', 'b']],
    ['none, as plain requests', [found('a', noKey, served), found('b', { plain: true }, served)], ['a b']],
    [
      'the first of small sets',
      [letIn('a', noVersion), letIn('b', noKey, noVersion), letIn('c', noKey)],
      ['b c', 'a'],
    ],
    ['not known', [unknown('a'), { ...unknown('b'), fingerprint: 'd' }, ofVersionOne('c')], ['a', 'b', 'c']],
    ['a condition', [under('a', 'te: x', 'a: *'), under('b', 'te: x'), under('c', 'x: y')], ['a b', 'c']],
    ['a flaw, under a condition', [under('a', 'te: x'), under('b', 'x: y'), under('c')], ['a b c']],
    ['flawed, not as valid requests', [letIn('a'), letIn('b', ofSecond), letIn('c', ofBoth)], ['b c', 'a']],
    ['covered by a waiver', [found('a', noKey, { waived: 'agreed' }), found('b', noKey)], ['b']],
  ])('groups what is %s', (_, findings, groups) => {
    expect(groupsIn(failed('fuzz/headers', ...findings))).toEqual(groups)
  })

  it('is its own for each rule where it is not known what was sent', () => {
    const [one, other] = [failed('fuzz/headers', ofVersionOne('a')), failed('fuzz/query', ofVersionOne('a'))]

    expect(groupsIn(one, other)).toEqual(['a', 'a'])
  })

  it.each<[string, readonly JudgedRule[], Partial<Cause>]>([
    ['only warns', [warned('fuzz/headers', found('b'))], { warning: true }],
    ['fails', [warned(bypass, found('w', noKey)), failed(keyMissing, found('f', noKey))], { warning: false }],
  ])('counts where one of its rules fails: one %s', (_, rules, cause) => {
    expect(causesOf(rules)).toMatchObject([cause])
  })
})

describe('the example', () => {
  const every = documentedPairs.map(({ status, errorCode }) => ({ status, errorCode }))
  const simple = found('simple', noKey)
  const other = (more: Partial<Finding> = {}, sent: Sent = {}): Finding =>
    found('other', { flaws: noKey, ...sent }, more)
  const flawed = { flaws: [...noKey, ...noVersion, 'input invalid'] }

  it.each<[string, RuleId, JudgedRule]>([
    ['that counts, before a warning', 'fuzz/headers', failed(keyMissing, other({ warning: true }))],
    ['with fewer flaws', 'fuzz/headers', failed(bypass, other({}, flawed))],
    ['that is listed, before a generated one', bypass, failed('fuzz/api-key', other())],
    ['that says what is documented', bypass, failed(keyMissing, other({ allowed: [] }))],
    ['that allows not every pair', bypass, failed('errors/documented-pairs', other({ allowed: every }))],
    ['of a documented rule, before an implied one', bypass, failed('conventions/json-content-type', other())],
    ['of the target client', bypass, failed(keyMissing, other({}, { client: 'second' }))],
    ['whose case comes first, where all else is equal', bypass, failed(keyMissing, found('tested', noKey))],
    ['of a rule that fails, before one that warns', 'fuzz/headers', warned(keyMissing, other())],
    ['of a rule that found little else', keyMissing, failed(bypass, other(), found('third', noKey))],
  ])('is one %s', (_, rule, rival) => {
    const rules = [failed(rule, simple), rival]
    for (const some of [rules, rules.toReversed()])
      expect(causesOf(some)).toMatchObject([{ example: 'simple' }])
  })
})

describe('the severity', () => {
  const wrongKey = ['apiKey invalid']
  const otherOutcome = { difference: 'another outcome than success' }

  it.each<[string, Finding, Cause['severity'], RuleId?]>([
    ['a wrong key let in', found('a', wrongKey, served), 'security'],
    ['another version let in', found('a', noVersion, served), 'code'],
    ['an echo', found('a', {}, { difference: 'secret in the body' }), 'security', 'security/no-secret-echo'],
    ['a 500', found('a', {}, answered(500)), 'failure'],
    ['no answer', found('a', {}, { answered: null }), 'failure'],
    ['another code', found('a'), 'code'],
    ['a redirect', found('a', wrongKey, answered(300)), 'code'],
    ['a wrong key let in without success', found('a', wrongKey, { ...served, ...empty }), 'form'],
    ['several flaws let in', found('a', [...noVersion, ...noSecret], served), 'security'],
    ['a metamorphic pair', found('a', {}, otherOutcome), 'code'],
    ['no known kind', findingWith(), 'form'],
    ['an empty body', found('a', {}, empty), 'form'],
  ])('of %s', (_, finding, severity, id = 'fuzz/query') => {
    expect(causesOf([failed(id, finding)])).toMatchObject([{ severity }])
  })

  it('orders, after whether the verdict depends on it', () => {
    const leak = warned(bypass, found('w', noVersion, served))
    const others = [
      failed('fuzz/query', found('form', {}, empty), found('code')),
      failed('fuzz/api-key', found('in', wrongKey, served)),
      failed('fuzz/path', found('many'), found('more', {}, unpaired)),
    ]

    expect(groupsIn(leak, ...others)).toEqual(['in', 'code many more', 'form', 'w'])
    expect(groupsIn(...others, leak)).toEqual(['in', 'code many more', 'form', 'w'])
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
const drawn = fc.record({
  rule: fc.constantFrom(...ruleIds),
  flaws: fc.option(flaws),
  plain: fc.boolean(),
  answer: fc.option(fc.constantFrom(...documentedPairs, { status: 500, errorCode: null })),
  difference: fc.constantFrom('another answer', 'empty body', 'not a documented pair'),
  reproduced: fc.constantFrom('3 of 3', '1 of 3'),
  isWaived: fc.boolean(),
})

it('has each finding that counts exactly once, an example among its cases, and the order of severities', () => {
  fc.assert(
    fc.property(fc.array(drawn, { maxLength: 30 }), (given) => {
      const rules = given.map(({ rule, flaws: own, plain, answer, isWaived, ...more }, index) => {
        const came = answer === null ? { answered: null } : answered(answer.status, answer.errorCode)
        const waiver = isWaived ? { waived: 'agreed' } : {}
        const sent = { flaws: own, plain: plain && own?.length === 0 }
        return failed(rule, found(`${index}`, sent, { ...more, ...came, ...waiver }))
      })
      const causes = causesOf(rules)

      const open = given.flatMap(({ isWaived }, index) => (isWaived ? [] : [`${index}`]))
      expect(causes.flatMap(({ cases }) => cases).toSorted()).toEqual(open.toSorted())
      for (const { cases, example } of causes) expect(cases).toContain(example)
      const order = causes.map(({ severity }) => severities.indexOf(severity))
      expect(order).toEqual(order.toSorted((a, b) => a - b))
      expect(causesOf(rules.toReversed()).length).toBe(causes.length)
    }),
  )
})
