import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Finding } from '../judge/record.ts'
import { factValues } from '../judge/testing/fact-values.ts'
import { documentedPairs } from '../specification/answers.ts'
import { factNames, flawRows, flawless } from '../specification/flaws.ts'
import { ruleIds, ruleOf, type RuleId } from '../specification/rules.ts'
import { causesOf, severities, type Cause, type JudgedRule } from './causes.ts'
import { findingWith, answered, failed, found, served, warned, type Sent } from './verdict.testing.ts'

const bypass: RuleId = 'authentication/no-bypass'
const keyMissing: RuleId = 'authentication/api-key-missing'
const noKey = ['apiKey absent']
const noSecret = ['secretKey absent']
const noVersion = ['version absent']
const empty = { difference: 'empty body' }
const atTimes = { ...served, reproduced: '1 of 3' } as const
const unpaired = { difference: 'not a documented pair' }

const documented = 'documented 400 / 1001 (api key header is missing)'

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
        sentence: `A request without x-api-key: 422 / 1001, ${documented}`,
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

const { exchange } = found('any')

function sentences(...rules: readonly JudgedRule[]): readonly string[] {
  return causesOf(rules).map(({ sentence }) => sentence)
}

function sentWith(name: string, value = 'x'): Finding['exchange'] {
  return { ...exchange, request: { ...exchange.request, headers: [[name, value]] } }
}

function sentTo(path: string): Finding['exchange'] {
  return { ...exchange, request: { ...exchange.request, url: `https://cards.example${path}` } }
}

/** An answer without `error_code` in this format. */
function page(status: number, type: string, body = '<h1>Cannot GET</h1>'): Partial<Finding> {
  const response = { status, headers: [['content-type', type]] as const, body, bodyCut: 0 }
  return { difference: 'another answer', ...answered(status), exchange: { ...exchange, response } }
}

describe('the sentence of a cause', () => {
  const rare = { reproduced: '1 of 3' } as const
  const allowed = [
    { status: '2xx', errorCode: null },
    { status: 400, errorCode: '1030' },
  ] as const
  const quota = [{ status: 429, errorCode: '1020' }] as const
  const rarely = { ...served, ...rare }
  const blankUnknown = ['apiKey blank', 'endpoint unknown']
  const cgi = '; CGI servers map _ and - to the same name'
  const underscored = { exchange: sentWith('X_Api_Key') }
  const ofSecond = { client: 'second' } as const
  const uncertain = ['input uncertain']
  const [either, usedUp] = ['success or 400 / 1030', '429 / 1020 (daily quota limit exceeded)']
  const altered = { ...served, summary: 'answered 200; sent: TARGET_API_KEY followed by the byte a0' }
  const spelled = { flaws: ['apiKey absent'], conditions: ['x_api_key'] }
  const underTwo = { flaws: ['apiKey invalid'], conditions: ['?debug=true', 'accept: */*'] }
  const underOne = { flaws: noVersion, conditions: ['accept-language: fr-FR'] }

  it.each<[string, Sent | readonly string[], Partial<Finding>]>([
    ['A request with a wrong secret key was accepted (only sometimes)', ['secretKey nobodys'], rarely],
    [`A plain valid request: ${findingWith().summary}`, { plain: true }, { ...answered(500), allowed: [] }],
    [`A request with an empty x-api-key, to an unknown path: 422 / 1001, ${documented}`, blankUnknown, {}],
    [`A request without x-version with accept-language: fr-FR: 422 / 1001, ${documented}`, underOne, {}],
    ['The valid API key followed by the byte a0 was accepted', ['apiKey invalid'], altered],
    [`A request without x-api-key with x_api_key: 422 / 1001, ${documented}${cgi}`, spelled, underscored],
    ['A request with a wrong API key with ?debug=true and accept: */* was accepted', underTwo, served],
    [`A valid request with te: x: 422 / 1001, ${documented}`, { conditions: ['te: x'] }, {}],
    ['answered oddly', { flaws: null }, { summary: 'answered oddly' }],
    // Valid, but not in the plain form.
    [`A valid request (fuzz/headers) from the client second: 422 / 1001, ${documented}`, ofSecond, {}],
    [`A request without x-version: 302, ${documented}`, noVersion, answered(302)],
    [`A request without x-version: no answer, ${documented}`, noVersion, { answered: null }],
    [`A request with undocumented parameters: 422 / 1001, documented ${either}`, uncertain, { allowed }],
    [`A plain valid request: 200, documented ${usedUp}`, { plain: true }, { ...served, allowed: quota }],
  ])('is: %s', (sentence, sent, more) => {
    expect(sentences(failed('fuzz/headers', found('fuzz/headers:1:a', sent, more)))).toEqual([sentence])
  })

  it('is the summary of a finding about several requests', () => {
    const ofSeveral = findingWith({ summary: 'answered oddly', ...rare })

    expect(sentences(failed('fuzz/headers', ofSeveral))).toEqual(['answered oddly (only sometimes)'])
  })

  it.each(flawRows)('describes $id: $phrase', ({ id, phrase }) => {
    const finding = found('a', { flaws: [id], client: 'second' }, served)

    expect(phrase).toMatch(/^(?:with|without|to|from|of) /)
    expect(sentences(failed('fuzz/headers', finding))).toEqual([`A request ${phrase} was accepted`])
  })

  it.each<[string, Partial<Finding>, string?]>([
    ['404 with HTML', page(404, 'text/html; charset=utf-8'), 'body is not JSON'],
    ['404 with plain text', page(404, 'text/plain'), 'body is not JSON'],
    ['404 with XML', page(404, 'application/problem+xml'), 'body is not JSON'],
    ['404 with a body that is not JSON', page(404, 'application/json'), 'body is not JSON'],
    ['404 with an empty body', page(404, 'text/html', ''), 'empty body'],
    ['404 without error_code', page(404, 'application/json', '{}'), 'error_code is missing'],
    ['404 with JSON that is not an object', page(404, 'application/json', '[]'), 'body is not an object'],
    ['302', page(302, 'text/html')],
    ['304', page(304, 'text/html', '')],
  ])('describes the answer: %s', (got, answer, difference = 'another answer') => {
    const unknown = found('a', ['endpoint unknown'], { ...answer, difference })

    expect(sentences(failed('versioning/unknown-endpoint', unknown))).toEqual([
      `A request to an unknown path: ${got}, ${documented}`,
    ])
  })

  it('takes the documented answer from another rule if its own finding names no answer', () => {
    const html = { ...page(500, 'text/html'), difference: 'body is not JSON' }
    const any = failed('conventions/json-response', found('a', noVersion, { ...html, allowed: [] }))
    const fuzzed = failed('fuzz/headers', found('b', noVersion, html))

    expect(sentences(any, fuzzed)).toEqual([`A request without x-version: 500 with HTML, ${documented}`])
  })

  it.each<[string, readonly Finding['exchange'][]]>([
    [', with version: 1', [sentWith('VERSION', '1'), sentWith('version', '1')]],
    [', with an empty te', [sentWith('te', '')]],
    [', with the byte b2 in x-version', [sentWith('x-version', '\xb2'), sentWith('x-version', '\xc2\xb2')]],
    [', which cannot be decoded', [sentTo('/api/a/%ff'), sentTo('/api/%'), sentTo('/api/%zz?a=1')]],
    // No trigger: a missing field, another value, another byte, a decodable path, fields that every request has.
    ['', [sentWith('version', '1'), sentWith('x-version', '1')]],
    ['', [sentWith('version', '1'), sentWith('version', '2')]],
    ['', [sentWith('x-version', '\xb2'), sentWith('x-version', '\xb3')]],
    ['', [sentTo('/api/%'), sentTo('/api/%41')]],
    ['', [sentWith('x-version', '1'), sentWith('Accept', '*/*')]],
  ])('names what all its requests have in addition: "%s"', (trigger, exchanges) => {
    const findings = exchanges.map((one, place) => found(`${place}`, noVersion, { exchange: one }))

    expect(sentences(failed('fuzz/headers', ...findings))).toEqual([
      `A request without x-version${trigger}: 422 / 1001, ${documented}`,
    ])
  })

  it('is the sentence of a user-defined rule', () => {
    const own = { ...ruleOf('fuzz/query'), section: 'ours', says: 'each card has wings' }
    const finding = found('a', {}, { summary: 'answered 200 with JSON, but it has no wings', allowed: [] })

    expect(causesOf([failed('own/wings', finding)], new Map([['own/wings', own]]))).toMatchObject([
      { sentence: 'The rule "each card has wings" is broken: answered 200 with JSON, but it has no wings' },
    ])
  })

  it('names no value if several were accepted', () => {
    const findings = ['in upper case', 'with x after its last character'].map((how) => {
      const summary = `answered 200; sent: TARGET_SECRET_KEY ${how}`
      return found(how, ['secretKey nobodys'], { ...served, summary })
    })

    expect(sentences(failed('fuzz/secret-key', ...findings))).toEqual([
      'A request with a wrong secret key was accepted',
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
