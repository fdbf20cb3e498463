import { describe, expect, it } from 'vitest'
import type { RuleResult, RuleStatus } from '../judge/record.ts'
import type { Waiver } from '../settings/waivers.ts'
import type { RuleId } from '../specification/rules.ts'
import { historyLine, type HistoryLine } from './history-line.ts'
import { findingWith, ruleWith, rulesWith, verdictWith } from './verdict.testing.ts'
import { coversEndpoint, waiversOf, type Circumstances } from './waiver-effects.ts'

const rule: RuleId = 'authentication/api-key-missing'
const other: RuleId = 'authentication/secret-key-missing'
const [today, yesterday] = ['2026-11-20', '2026-11-19']
const { fingerprint } = findingWith()
const waiver: Waiver = { rule, fingerprint: null, reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }
const ofCause = (...fingerprints: readonly string[]): Waiver => ({ ...waiver, rule: null, fingerprints })

function result(status: RuleStatus, changes: Partial<RuleResult> = {}): RuleResult {
  return { id: rule, status, reasons: [], answers: 3, sample: null, findings: [], ...changes }
}

/** A run with this status of the rule, and with the fault if it says how it was reproduced. */
function run(status: RuleStatus, reproduced: string | null = null, name = fingerprint): HistoryLine {
  const findings = reproduced === null ? [] : [findingWith({ reproduced, fingerprint: name })]
  return historyLine(verdictWith({ rules: rulesWith([ruleWith(rule, { status, findings })]) }))
}

const { target, ...line } = historyLine(verdictWith())
const here: Circumstances = { ...line, ...target, only: null, essential: false, suiteVersion: '1.0.0' }
const [met, passed] = [run('waived', '3 of 3'), run('passed')]

interface Given {
  readonly results?: readonly RuleResult[]
  readonly of?: Waiver
  readonly in?: Partial<Circumstances>
}

/** Holds the only waiver of a run against its effect. */
function expectEffect(
  effect: object,
  earlier: readonly HistoryLine[],
  { results = [result('passed')], of = waiver, in: changes }: Given = {},
): void {
  const waivers = waiversOf({ results, waivers: [of], today, earlier }, [], { ...here, ...changes })

  expect(waivers).toEqual([{ ...of, ...effect }])
}

const covers = { used: true, expired: false }
const nothing = { used: false, expired: false }
const gone = { ...nothing, gone: true }

describe('a waiver', () => {
  const finding = findingWith({ waived: 'agreed' })
  const reasons = [{ kind: 'waived', text: 'agreed' }] as const
  const broken = result('waived', { reasons, findings: [finding] })
  const untested = result('waived', { reasons, answers: 0 })
  const breach = { rule: other, fingerprint: 'eeeeeeeeeeeeeeee' } as const
  const following = result('waived', { reasons: [{ ...reasons[0], follows: [breach] }] })
  const notWaived = result('untested', { reasons: [{ kind: 'untested', text: 'not given' }] })

  it.each<[string, RuleResult, Partial<Waiver>, object]>([
    ['of a rule that is broken', broken, {}, covers],
    ['of its fingerprint', broken, { rule: null, fingerprint }, covers],
    ['of both', broken, { fingerprint }, covers],
    ['of another rule', broken, { rule: other }, nothing],
    ['of another fingerprint', broken, { fingerprint: 'bbbbbbbbbbbbbbbb' }, nothing],
    ['that expires today', broken, { expires: today }, covers],
    ['that expired yesterday', broken, { expires: yesterday }, { used: false, expired: true }],
    ['of a rule that could not be tested', untested, {}, covers],
    ['of a fingerprint, for an untested rule', untested, { fingerprint: 'a' }, nothing],
    ['of a rule that holds', result('passed'), {}, nothing],
    ['of a rule that is untested and not waived', notWaived, {}, nothing],
    ['of a fingerprint of a cause', broken, ofCause('x', fingerprint), covers],
    ['of other fingerprints', broken, ofCause('x', 'y'), nothing],
    ['of a breach that the rule follows from', following, ofCause('eeeeeeeeeeeeeeee'), covers],
    ['of a rule that is waived with another', following, {}, nothing],
  ])('%s covers what it names: %o', (_, now, changes, effect) => {
    expectEffect(effect, [], { results: [now], of: { ...waiver, ...changes } })
  })

  const list: RuleId = 'endpoints/list-succeeds'

  it.each<[string, Partial<Waiver>, boolean]>([
    ['its rule and fingerprint', { rule: list }, true],
    ['its fingerprint', { rule: null }, true],
    ['a rule as a whole, which says nothing of what is not judged', { rule: list, fingerprint: null }, false],
    ['another endpoint', { rule: list, fingerprint: 'aaaaaaaaaaaaaaaa' }, false],
    ['it, and expired', { rule: list, expires: yesterday }, false],
  ])('covers an endpoint that was not judged, where it names %s: %o', (_, changes, expected) => {
    const of = { ...waiver, fingerprint, ...changes }
    const notJudged = [{ endpoint: '/api/own', because: 'why', fingerprint }]
    const [effect] = waiversOf({ results: [], waivers: [of], today }, notJudged, here)

    expect(coversEndpoint(of, fingerprint, today)).toBe(expected)
    expect(effect?.used).toBe(expected)
  })

  const now = (status: RuleStatus): Given => ({ results: [result(status)] })
  const of = (changes: Partial<Waiver>): Given => ({ of: { ...waiver, ...changes } })
  const ofAnotherRule = result('waived', { id: other, reasons, findings: [finding] })
  const embedded = { ...met, target: { ...target, embedded: true, baseUrl: 'x' } }
  const conditioned = historyLine(
    verdictWith({
      rules: rulesWith([
        ruleWith(rule, {
          status: 'waived',
          findings: [
            findingWith({
              sent: {
                endpoint: 'GET /',
                client: 'target',
                plain: false,
                flaws: [],
                requests: 1,
                conditions: ['accept-language: de'],
              },
            }),
          ],
        }),
      ]),
    }),
  )
  const byOther = { suite: { version: '0.0.1' } }
  const two = [run('waived', '3 of 3'), run('waived', '3 of 3', 'ffffffffffffffff')]
  const stillOther = [
    result('waived', { reasons, findings: [{ ...finding, fingerprint: 'ffffffffffffffff' }] }),
  ]

  it.each<[string, object, readonly HistoryLine[], Given?]>([
    ['that every run met, and whose rule now passed', gone, [met]],
    ['that the last two runs met', gone, [passed, met, met]],
    ['that was gone before: said as long as the waiver is there', gone, [met, passed, passed]],
    ['whose rule failed', nothing, [met], now('failed')],
    ['whose rule warned', nothing, [met], now('warned')],
    ['whose rule is waived', nothing, [met], now('waived')],
    ['whose rule is inconclusive', nothing, [met], now('inconclusive')],
    ['whose rule is untested', nothing, [met], now('untested')],
    ['whose rule was not selected', nothing, [met], { results: [] }],
    ['of which no run is known', nothing, []],
    ['that no run met', nothing, [passed, run('untested'), run('waived')]],
    ['that was met two times of three', nothing, [met, run('waived', '2 of 3'), met]],
    ['that was met once, and never confirmed', nothing, [run('failed', '1 of 1')]],
    ['that was gone once, and came back', nothing, [met, passed, met]],
    ['that was not judged between, which is not gone', gone, [met, run('inconclusive'), met]],
    ['of its fingerprint', gone, [met], of({ rule: null, fingerprint })],
    ['of another fingerprint', nothing, [met], of({ fingerprint: 'another' })],
    ['of another rule', nothing, [met], of({ rule: 'quota/exhausted' })],
    ['that expired', { used: false, expired: true }, [met], of({ expires: yesterday })],
    [
      'that another rule shows now',
      covers,
      [met],
      { ...of({ rule: null, fingerprint }), results: [result('passed'), ofAnotherRule] },
    ],
    ['of one fingerprint of a cause', gone, [met], { of: ofCause(fingerprint) }],
    ['of no fingerprint of a cause', nothing, [met], { of: ofCause('another') }],
    ['of each fingerprint of a cause', gone, two, { of: ofCause(fingerprint, 'ffffffffffffffff') }],
    [
      'of one fingerprint of a cause, and another that was never met',
      { ...nothing, goneFingerprints: [fingerprint] },
      [met],
      { of: ofCause(fingerprint, 'never met') },
    ],
    [
      'of one rule of a cause that another rule still shows',
      { ...covers, goneFingerprints: [fingerprint] },
      [met],
      {
        of: ofCause(fingerprint, 'ffffffffffffffff'),
        results: [result('passed'), ...stillOther.map((one) => ({ ...one, id: other }))],
      },
    ],
    ['under a condition', gone, [conditioned]],
    ['under a condition that another version sent', nothing, [{ ...conditioned, ...byOther }]],
    ['that another version met', gone, [{ ...met, ...byOther }]],
    ['of the embedded service, whatever its port', gone, [embedded], { in: { embedded: true } }],
    ['of a run of a part', nothing, [{ ...met, selection: { only: ['quota/*'] } }]],
    ['of an essential run', nothing, [{ ...met, selection: { only: null, essential: true } }]],
    ...[
      { label: 'another' },
      { label: null },
      { embedded: true },
      { version: '2' },
      { profile: 'acceptance' as const },
      { seed: 1 },
      { fuzzCases: 1 },
      { only: ['*'] },
      { essential: true },
    ].map((changes): [string, object, readonly HistoryLine[], Given] => [
      `of a run that differs from this one in ${JSON.stringify(changes)}`,
      nothing,
      [met],
      { in: changes },
    ]),
  ])('has an effect by its fault: one %s: %o', (_, effect, earlier, given) => {
    expectEffect(effect, earlier, given)
  })
})
