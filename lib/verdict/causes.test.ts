import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../judge/record.ts'
import { factValues } from '../judge/testing/fact-values.ts'
import { documentedPairs } from '../specification/answers.ts'
import { factNames, flawless } from '../specification/flaws.ts'
import { ruleIds, type RuleId } from '../specification/rules.ts'
import { causesOf, severities, type Cause, type JudgedRule } from './causes.ts'
import { answered, failed, found, served, warned, type Sent } from './testing/causes.ts'
import { findingWith } from './verdict.testing.ts'

const bypass: RuleId = 'authentication/no-bypass'
const keyMissing: RuleId = 'authentication/api-key-missing'
const noKey = ['apiKey absent']
const noSecret = ['secretKey absent']
const noVersion = ['version absent']
const empty = { difference: 'empty body' }
const atTimes = { ...served, reproduced: '1 of 3' } as const
const unpaired = { difference: 'not a documented pair' }

/** The cases of each cause, in order. */
function groupsIn(...rules: readonly JudgedRule[]): readonly string[] {
  return causesOf(rules).map(({ cases }) => cases.join(' '))
}

describe('a cause', () => {
  it('covers all findings, in any rule, that the smallest set of flaws explains', () => {
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
  const unknownRequests = [unknown('a'), { ...unknown('b'), fingerprint: 'd' }, ofVersionOne('c')]
  const under = (name: string, ...conditions: readonly string[]): Finding =>
    found(name, { flaws: noVersion, conditions }, served)

  it.each<[string, readonly Finding[], readonly string[]]>([
    ['status', [found('a', noSecret), found('b', noSecret, answered(500))], ['b', 'a']],
    ['form', [found('a', noVersion), found('b', noSecret, empty)], ['a', 'b']],
    ['reproducibility', [found('a', noKey, served), found('b', noKey, atTimes)], ['a', 'b']],
    ['form, across endpoints', [found('a', noSecret), found('b', ofAnother)], ['a b']],
    ['form, across clients', [found('a', noSecret), found('b', ofSecond)], ['a b']],
    ['a key, across clients', [found('a', noKey), found('b', { ...ofSecond, flaws: noKey })], ['a b']],
    ['flaw, if no plain request fails', [found('a', noKey, served), found('b', {}, served)], ['a', 'b']],
    ['a failing plain request', [found('a', noKey, served), found('b', { plain: true }, served)], ['a b']],
    [
      'the fewest flaws',
      [letIn('a', noVersion), letIn('b', noKey, noVersion), letIn('c', noKey)],
      ['b c', 'a'],
    ],
    ['nothing, if the request is unknown', unknownRequests, ['a', 'b', 'c']],
    ['condition', [under('a', 'te: x', 'a: *'), under('b', 'te: x'), under('c', 'x: y')], ['a b', 'c']],
    ['flaw, across conditions', [under('a', 'te: x'), under('b', 'x: y'), under('c')], ['a b c']],
    ['flaw, apart from valid requests', [letIn('a'), letIn('b', ofSecond), letIn('c', ofBoth)], ['b c', 'a']],
    ['flaw, unless waived', [found('a', noKey, { waived: 'agreed' }), found('b', noKey)], ['b']],
  ])('groups findings by %s', (_, findings, groups) => {
    expect(groupsIn(failed('fuzz/headers', ...findings))).toEqual(groups)
  })

  it('belongs to a single rule if the request is unknown', () => {
    const [one, other] = [failed('fuzz/headers', ofVersionOne('a')), failed('fuzz/query', ofVersionOne('a'))]

    expect(groupsIn(one, other)).toEqual(['a', 'a'])
  })

  it.each<[string, readonly JudgedRule[], Partial<Cause>]>([
    ['only warns', [warned('fuzz/headers', found('b'))], { warning: true }],
    ['fails', [warned(bypass, found('w', noKey)), failed(keyMissing, found('f', noKey))], { warning: false }],
  ])('is a warning unless one of its rules fails: it %s', (_, rules, cause) => {
    expect(causesOf(rules)).toMatchObject([cause])
  })
})

describe('the example of a cause', () => {
  const every = documentedPairs.map(({ status, errorCode }) => ({ status, errorCode }))
  const simple = found('simple', noKey)
  const other = (more: Partial<Finding> = {}, sent: Sent = {}): Finding =>
    found('other', { flaws: noKey, ...sent }, more)
  const flawed = { flaws: [...noKey, ...noVersion, 'input invalid'] }

  it.each<[string, RuleId, JudgedRule]>([
    ['that counts, not a warning', 'fuzz/headers', failed(keyMissing, other({ warning: true }))],
    ['with fewer flaws', 'fuzz/headers', failed(bypass, other({}, flawed))],
    ['that is listed, not generated', bypass, failed('fuzz/api-key', other())],
    ['that names the documented answer', bypass, failed(keyMissing, other({ allowed: [] }))],
    ['that does not allow every pair', bypass, failed('errors/documented-pairs', other({ allowed: every }))],
    ['in a documented rule, not an implied one', bypass, failed('conventions/json-content-type', other())],
    ['from the target client', bypass, failed(keyMissing, other({}, { client: 'second' }))],
    ['whose case comes first, if all else is equal', bypass, failed(keyMissing, found('tested', noKey))],
    ['in a failing rule, not a warning one', 'fuzz/headers', warned(keyMissing, other())],
    ['in a rule with few other findings', keyMissing, failed(bypass, other(), found('third', noKey))],
  ])('is preferably a finding %s', (_, rule, rival) => {
    const rules = [failed(rule, simple), rival]
    for (const some of [rules, rules.toReversed()])
      expect(causesOf(some)).toMatchObject([{ example: 'simple' }])
  })
})

describe('the severity of a cause', () => {
  const wrongKey = ['apiKey invalid']
  const echoed = { difference: 'secret in the body' }
  const otherOutcome = { difference: 'another outcome than success' }

  it.each<[string, Finding, Cause['severity'], RuleId?]>([
    ['an accepted wrong key', found('a', wrongKey, served), 'security'],
    ['an accepted request without x-version', found('a', noVersion, served), 'code'],
    ['an echoed secret', found('a', {}, echoed), 'security', 'security/no-secret-echo'],
    ['a 500', found('a', {}, answered(500)), 'failure'],
    ['no answer', found('a', {}, { answered: null }), 'failure'],
    ['a wrong code', found('a'), 'code'],
    ['a redirect', found('a', wrongKey, answered(300)), 'code'],
    ['a wrong key, answered with an empty success', found('a', wrongKey, { ...served, ...empty }), 'form'],
    ['several accepted flaws', found('a', [...noVersion, ...noSecret], served), 'security'],
    ['a metamorphic pair', found('a', {}, otherOutcome), 'code'],
    ['an unknown kind', findingWith(), 'form'],
    ['an empty body', found('a', {}, empty), 'form'],
  ])('follows from its finding: %s', (_, finding, severity, id = 'fuzz/query') => {
    expect(causesOf([failed(id, finding)])).toMatchObject([{ severity }])
  })

  it('orders causes, with warnings last', () => {
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

it('causes contain each open finding once and an example from their cases, and are ordered by severity', () => {
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
