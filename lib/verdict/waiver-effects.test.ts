import { describe, expect, it } from 'vitest'
import type { Finding, RuleResult, RuleStatus } from '../judge/record.ts'
import type { Waiver } from '../settings/waivers.ts'
import type { RuleId } from '../specification/rules.ts'
import { historyLine, type HistoryLine } from './history-line.ts'
import { findingWith, resultWith, ruleWith, rulesWith, verdictWith, found } from './verdict.testing.ts'
import { coversEndpoint, waiversOf, type Circumstances } from './waiver-effects.ts'

const rule: RuleId = 'authentication/api-key-missing'
const other: RuleId = 'authentication/secret-key-missing'
const [today, yesterday] = ['2026-11-20', '2026-11-19']
const { fingerprint } = findingWith()
const third = 'f'.repeat(16)
const waiver: Waiver = { rule, fingerprint: null, reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }
const ofCause = (...fingerprints: readonly string[]): Waiver => ({ ...waiver, rule: null, fingerprints })

const result = (status: RuleStatus, changes: Partial<RuleResult> = {}): RuleResult =>
  resultWith(rule, { status, ...changes })

/** A run with this status of the rule. It saw the fault if there is a finding. */
function run(status: RuleStatus, ...seen: readonly Partial<Finding>[]): HistoryLine {
  const findings = seen.map((changes) => findingWith(changes))
  return historyLine(verdictWith({ rules: rulesWith([ruleWith(rule, { status, findings })]) }))
}

const { target, ...line } = historyLine(verdictWith())
const here: Circumstances = { ...line, ...target, only: null, essential: false, suiteVersion: '1.0.0' }
const [met, passed] = [run('waived', {}), run('passed')]

interface Given {
  readonly results?: readonly RuleResult[]
  readonly of?: Waiver
  readonly in?: Partial<Circumstances>
}

/** Checks the effect of the only waiver in a run. */
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
    ['for a violated rule', broken, {}, covers],
    ['for its fingerprint', broken, { rule: null, fingerprint }, covers],
    ['that expired yesterday', broken, { expires: yesterday }, { used: false, expired: true }],
    ['for a rule that could not be tested', untested, {}, covers],
    ['for a fingerprint in an untested rule', untested, { fingerprint: 'a' }, nothing],
    ['for a rule that passed', result('passed'), {}, nothing],
    ['for an untested rule that is not waived', notWaived, {}, nothing],
    ['for a breach that the rule follows from', following, ofCause('eeeeeeeeeeeeeeee'), covers],
    ['for a rule that is waived with another', following, {}, nothing],
  ])('%s covers only what it names', (_, now, changes, effect) => {
    expectEffect(effect, [], { results: [now], of: { ...waiver, ...changes } })
  })

  const list: RuleId = 'endpoints/list-succeeds'

  it.each<[string, Partial<Waiver>, boolean]>([
    ['its rule and fingerprint', { rule: list }, true],
    ['its fingerprint', { rule: null }, true],
    ['only a whole rule', { rule: list, fingerprint: null }, false],
    ['another endpoint', { rule: list, fingerprint: 'aaaaaaaaaaaaaaaa' }, false],
    ['it, but is expired', { rule: list, expires: yesterday }, false],
  ])(
    'covers an endpoint that was not judged only if it names its fingerprint and is valid: it names %s',
    (_, changes, expected) => {
      const of = { ...waiver, fingerprint, ...changes }
      const notJudged = [{ endpoint: '/api/own', because: 'why', fingerprint }]
      const [effect] = waiversOf({ results: [], waivers: [of], today }, notJudged, here)

      expect(coversEndpoint(of, fingerprint, today)).toBe(expected)
      expect(effect?.used).toBe(expected)
    },
  )

  const now = (status: RuleStatus): Given => ({ results: [result(status)] })
  const of = (changes: Partial<Waiver>): Given => ({ of: { ...waiver, ...changes } })
  const embedded = { ...met, target: { ...target, embedded: true, baseUrl: 'x' } }
  const conditioned = run('waived', found('a', { conditions: ['accept-language: de'] }, { fingerprint }))
  const byOther = { suite: { version: '0.0.1' } }
  const ofBoth = { of: ofCause(fingerprint, third) }
  const two = [met, run('waived', { fingerprint: third })]
  const ofOther = (name: string): RuleResult =>
    result('waived', { id: other, reasons, findings: [{ ...finding, fingerprint: name }] })
  const withOther = (name: string): Partial<Given> => ({ results: [result('passed'), ofOther(name)] })
  const partly = { goneFingerprints: [fingerprint] }

  it.each<[string, object, readonly HistoryLine[], Given?]>([
    ['that every run saw, and whose rule now passed', gone, [met]],
    ['that the last two runs saw', gone, [passed, met, met]],
    ['that was already gone, as long as the waiver is listed', gone, [met, passed, passed]],
    ['whose rule failed', nothing, [met], now('failed')],
    ['whose rule warned', nothing, [met], now('warned')],
    ['whose rule is untested', nothing, [met], now('untested')],
    ['whose rule was not selected', nothing, [met], { results: [] }],
    ['without earlier runs', nothing, []],
    ['that no run saw', nothing, [passed, run('untested'), run('waived')]],
    ['that was seen in two of three attempts', nothing, [met, run('waived', { reproduced: '2 of 3' }), met]],
    ['that was seen once and never confirmed', nothing, [run('failed', { reproduced: '1 of 1' })]],
    ['that was gone once and came back', nothing, [met, passed, met]],
    ['that was not judged in between', gone, [met, run('inconclusive'), met]],
    ['with the named fingerprint', gone, [met], of({ rule: null, fingerprint })],
    ['with another fingerprint', nothing, [met], of({ fingerprint: 'another' })],
    ['in another rule', nothing, [met], of({ rule: 'quota/exhausted' })],
    ['whose waiver expired', { used: false, expired: true }, [met], of({ expires: yesterday })],
    ['another rule shows', covers, [met], { ...of({ rule: null, fingerprint }), ...withOther(fingerprint) }],
    ['with one named fingerprint of a cause', gone, [met], { of: ofCause(fingerprint) }],
    ['with no named fingerprint of a cause', nothing, [met], { of: ofCause('another') }],
    ['with every named fingerprint of a cause', gone, two, ofBoth],
    ['with one named fingerprint of a cause and one never seen', { ...nothing, ...partly }, [met], ofBoth],
    [
      'of a cause that another rule shows',
      { ...covers, ...partly },
      [met],
      { ...ofBoth, ...withOther(third) },
    ],
    ['under a condition', gone, [conditioned]],
    ['under a condition that another version sent', nothing, [{ ...conditioned, ...byOther }]],
    ['that another version saw', gone, [{ ...met, ...byOther }]],
    ['in the embedded service on any port', gone, [embedded], { in: { embedded: true } }],
    ['from a run with a selection', nothing, [{ ...met, selection: { only: ['quota/*'] } }]],
    ['from an essential run', nothing, [{ ...met, selection: { only: null, essential: true } }]],
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
    ].map((changes): [string, object, readonly HistoryLine[], Given] => {
      return [`from a run that differs in ${JSON.stringify(changes)}`, nothing, [met], { in: changes }]
    }),
  ])('reports its fault as gone only if runs prove it: a fault %s', (_, effect, earlier, given) => {
    expectEffect(effect, earlier, given)
  })
})
