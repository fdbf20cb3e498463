import { describe, expect, it } from 'vitest'
import type { RuleStatus } from '../judge/record.ts'
import type { ProfileName } from '../settings/profiles.ts'
import { ruleIds, ruleOf, type RuleId } from '../specification/rules.ts'
import { conclude, type Judged, type Mishaps } from './conclude.ts'
import type { VerdictRule, VerdictWord } from './verdict.ts'
import { findingWith, ruleWith, targetWith } from './verdict.testing.ts'

const documented: RuleId = 'authentication/api-key-missing'
const implied: RuleId = 'conventions/json-content-type'
const statuses: readonly RuleStatus[] = ['passed', 'failed', 'warned', 'waived', 'inconclusive', 'untested']
const profiles: readonly ProfileName[] = ['gate', 'acceptance', 'nightly']

function result(id: RuleId, status: RuleStatus, changes: Partial<VerdictRule> = {}): VerdictRule {
  const findings = ['failed', 'warned'].includes(status) ? [findingWith()] : []
  const because = ['inconclusive', 'untested', 'waived'].includes(status) ? `why ${status}` : null
  return ruleWith(id, { status, because, findings, ...changes })
}

interface Run extends Judged, Mishaps {
  readonly filtered: boolean
}

function concluded(changes: Partial<Run> = {}): ReturnType<typeof conclude> {
  const { filtered = false, ended = null, suiteErrors = [], ...judged } = changes
  return conclude(
    {
      profile: 'gate',
      selection: { only: filtered ? ['x/*'] : null },
      target: targetWith(),
      rules: [result(documented, 'passed')],
      waivers: [],
      requests: { sent: 100 },
      ...judged,
    },
    { ended, suiteErrors },
  )
}

function exitOf(changes: Partial<Run>): number {
  return concluded(changes).exitCode
}

describe('an endpoint that is demanded and was not judged', () => {
  it('makes a run incomplete, and says what a waiver for it has to name', () => {
    const because = 'no rule sends to it'
    const notJudged = [
      { endpoint: '/api/a', because, fingerprint: 'aaaaaaaa' },
      { endpoint: '/api/b', because, fingerprint: 'bbbbbbbb' },
      { endpoint: '/api/c', because, fingerprint: 'cccccccc', waived: 'agreed' },
    ]
    const target = targetWith({ notJudged })

    expect(concluded({ profile: 'acceptance', target })).toEqual({
      verdict: 'incomplete',
      exitCode: 3,
      because: [
        '/api/a (fingerprint aaaaaaaa), /api/b (fingerprint bbbbbbbb) must be judged in acceptance: no rule sends to it',
      ],
    })
    expect(concluded({ target }).exitCode).toBe(0)
    expect(concluded({ profile: 'acceptance', target, ended: 'why' }).because).toEqual([
      'the run ended early: why',
    ])
  })
})

describe('one rule beside one that passed', () => {
  /** By level and status: the exit code in the three profiles, for a whole run. */
  const table: readonly (readonly [RuleId, RuleStatus, gate: number, acceptance: number, nightly: number])[] =
    [
      [documented, 'passed', 0, 0, 0],
      [documented, 'failed', 1, 1, 1],
      [documented, 'waived', 0, 0, 0],
      [documented, 'inconclusive', 3, 3, 3],
      [documented, 'untested', 0, 3, 0],
      [implied, 'passed', 0, 0, 0],
      // A breach of an implied rule is `failed` only in a strict run.
      [implied, 'failed', 1, 1, 1],
      [implied, 'warned', 0, 0, 0],
      [implied, 'waived', 0, 0, 0],
      [implied, 'inconclusive', 0, 0, 0],
      [implied, 'untested', 0, 0, 0],
    ]

  it.each(table)('%s %s: %i in gate, %i in acceptance, %i in nightly', (id, status, ...codes) => {
    const rules = [result('versioning/default-version', 'passed'), result(id, status)]

    expect(profiles.map((profile) => exitOf({ profile, rules }))).toEqual(codes)
  })

  it.each(table)(
    '%s %s, only a part selected, is never conformant in acceptance',
    (id, status, gate, acceptance, nightly) => {
      const rules = [result('versioning/default-version', 'passed'), result(id, status)]
      const codes = profiles.map((profile) => exitOf({ profile, rules, filtered: true }))

      expect(codes).toEqual([gate, acceptance === 1 ? 1 : 3, nightly])
    },
  )

  it('is judged alike for every rule of its level', () => {
    for (const id of ruleIds) {
      const other = ruleIds.find((one) => one !== id) ?? id
      const of = (status: RuleStatus): number =>
        exitOf({ rules: [result(other, 'passed'), result(id, status)] })
      expect([of('passed'), of('failed'), of('inconclusive'), of('untested')]).toEqual([
        0,
        ruleOf(id).level === 'expectation' ? 4 : 1,
        ruleOf(id).level === 'documented' ? 3 : 0,
        0,
      ])
    }
  })
})

describe('an expectation that was failedExpectations', () => {
  const id = 'tolerance/added-properties'
  const failedExpectations = (...blames: readonly ('suite' | 'endpoints-file')[]): VerdictRule => ({
    ...result(id, 'failed'),
    findings: blames.map((whose) => findingWith({ blames: whose, summary: 'too strict' })),
  })

  it('blames the endpoints file with 2, the suite with 4, and never the service', () => {
    const rules = [result('versioning/default-version', 'failed')]
    expect(exitOf({ rules: [failedExpectations('endpoints-file'), ...rules] })).toBe(2)
    expect(exitOf({ rules: [failedExpectations('endpoints-file', 'suite'), ...rules] })).toBe(4)
    expect(concluded({ rules: [failedExpectations('endpoints-file')] }).because).toEqual([
      `TARGET_ENDPOINTS expects what the specification does not promise: ${id}: too strict`,
    ])
  })
})

it('an expectation that failed without a finding that is open blames the suite', () => {
  const rules = [result('tolerance/added-properties', 'failed', { findings: [] })]

  expect(concluded({ rules })).toMatchObject({
    exitCode: 4,
    because: ['the suite itself failed: tolerance/added-properties'],
  })
})

describe('requests without an answer', () => {
  it.each([
    [
      20,
      [
        '20 of 100 requests (20 %) had to be sent again: 20 × 503 (a 503 may be a rate limit: try --max-rps): too many for a verdict',
      ],
    ],
    [19, []],
  ])('of 100 requests %i: %j', (count, because) => {
    expect(concluded({ requests: { sent: 100, retriedFor: { '503': count } } }).because).toEqual(because)
  })

  it('add nothing to why a run ended', () => {
    const requests = { sent: 100, retriedFor: { '503': 50 } }

    expect(concluded({ requests, ended: 'unreachable' }).because).toEqual([
      'the run ended early: unreachable',
    ])
  })
})

describe('the precedence', () => {
  it('is 4 over 1 over 3 over 0, over all combinations', () => {
    for (const suiteErrors of [[], ['a test threw']]) {
      for (const ended of [null, 'the quota ran out']) {
        for (const first of statuses) {
          for (const second of statuses) {
            const rules = [result(documented, first), result('versioning/default-version', second)]
            const seen = [first, second]
            const expected =
              suiteErrors.length > 0
                ? 4
                : seen.includes('failed')
                  ? 1
                  : ended !== null || seen.includes('inconclusive')
                    ? 3
                    : null
            const { exitCode } = concluded({ rules, ended, suiteErrors })
            if (expected !== null) expect(exitCode, `${first} ${second} ${ended}`).toBe(expected)
            else expect([0, 3], `${first} ${second}`).toContain(exitCode)
          }
        }
      }
    }
  })

  it('has a word for each code', () => {
    const words: Readonly<Record<number, VerdictWord>> = {
      0: 'conformant',
      1: 'nonconformant',
      3: 'incomplete',
      4: 'error',
    }
    for (const conclusion of [
      concluded(),
      concluded({ rules: [result(documented, 'failed')] }),
      concluded({ ended: 'unreachable' }),
      concluded({ suiteErrors: ['a bug'] }),
    ]) {
      expect(conclusion.verdict).toBe(words[conclusion.exitCode])
    }
  })
})

describe('a run that judged no rule', () => {
  it.each<[string, readonly VerdictRule[]]>([
    ['without any', []],
    ['with only untested ones', [result(documented, 'untested'), result(implied, 'untested')]],
    ['with only inconclusive implied ones', [result(implied, 'inconclusive')]],
    ['with only an untested one that is waived', [result(documented, 'waived', { answers: 0 })]],
  ])('%s never ends in 0', (_, rules) => {
    for (const profile of profiles) expect(exitOf({ profile, rules })).toBe(3)
    expect(concluded({ rules }).because.length).toBeGreaterThan(0)
  })

  // The breach is covered by a waiver: the rule was judged, and nothing is violated.
  it('is not one whose only rule is broken and waived', () => {
    const waived = result(documented, 'waived', { findings: [findingWith({ waived: 'known (Kim)' })] })

    expect(concluded({ rules: [waived] })).toEqual({ verdict: 'conformant', exitCode: 0, because: [] })
  })

  it('is not one with a warning', () => {
    expect(exitOf({ rules: [result(implied, 'warned')] })).toBe(0)
  })
})

describe('the reasons', () => {
  it('are none for a conformant run', () => {
    expect(concluded()).toEqual({ verdict: 'conformant', exitCode: 0, because: [] })
  })

  it('name each violated rule with what was met and no waiver covers', () => {
    const failed = result(documented, 'failed', {
      findings: [
        findingWith({ summary: 'covered', waived: 'known' }),
        findingWith({ summary: 'answered 401 / 1006 where 400 / 1001 is documented' }),
      ],
    })
    const { because } = concluded({ rules: [failed, result('versioning/default-version', 'failed')] })

    expect(because).toEqual([
      'authentication/api-key-missing is violated: answered 401 / 1006 where 400 / 1001 is documented',
      'versioning/default-version is violated: answered 401 / 1006 where 400 / 1001 is documented',
    ])
  })

  it('name each rule that could not be judged, and why', () => {
    expect(concluded({ rules: [result(documented, 'inconclusive')] }).because).toEqual([
      'authentication/api-key-missing could not be judged: why inconclusive',
    ])
    expect(concluded({ profile: 'acceptance', rules: [result(documented, 'untested')] }).because).toEqual([
      'authentication/api-key-missing must be tested in acceptance: why untested',
    ])
  })

  it('name rules that share a reason together, and one without any as such', () => {
    const rules = [
      result(documented, 'inconclusive'),
      result('versioning/default-version', 'inconclusive'),
      result('versioning/unknown-endpoint', 'inconclusive', { because: null }),
    ]

    expect(concluded({ rules }).because).toEqual([
      'authentication/api-key-missing, versioning/default-version could not be judged: why inconclusive',
      'versioning/unknown-endpoint could not be judged: no reason is known',
    ])
    expect(concluded({ profile: 'acceptance', filtered: true }).because).toEqual([
      'only a part was selected, and acceptance judges the whole',
    ])
  })

  it.each<Partial<Run>>([{ ended: 'unreachable' }, { suiteErrors: ['a bug'] }])(
    'say once what stopped a run, not again for every rule that it left: %o',
    (mishap) => {
      const rules = [result(documented, 'inconclusive'), result('versioning/default-version', 'inconclusive')]

      expect(concluded({ rules, ...mishap }).because).toHaveLength(1)
    },
  )

  it('of a violation come before those of what is missing, and those of the suite before all', () => {
    const { because } = concluded({
      rules: [result(documented, 'inconclusive'), result('versioning/default-version', 'failed')],
      ended: 'unreachable',
      suiteErrors: ['a bug'],
    })

    expect(because.map((sentence) => sentence.split(':')[0])).toEqual([
      'the suite itself failed',
      'versioning/default-version is violated',
      'the run ended early',
    ])
  })

  it('are given by every run that is not conformant', () => {
    for (const profile of profiles) {
      for (const filtered of [false, true]) {
        for (const status of statuses) {
          const { verdict, because } = concluded({ profile, filtered, rules: [result(documented, status)] })
          expect(because.length > 0, `${profile} ${status}`).toBe(verdict !== 'conformant')
        }
      }
    }
  })
})
