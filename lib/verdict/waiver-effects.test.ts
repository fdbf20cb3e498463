import { expect, it } from 'vitest'
import type { Finding, RuleStatus } from '../judge/record.ts'
import type { Waiver } from '../settings/waivers.ts'
import type { RuleId } from '../specification/rules.ts'
import { waiversOf } from './conclude.ts'
import { historyLine, type Circumstances, type HistoryLine } from './history-line.ts'
import { findingWith, ruleWith, rulesWith, verdictWith, found } from './verdict.testing.ts'
import type { VerdictRule } from './verdict.ts'

const rule: RuleId = 'authentication/api-key-missing'
const other: RuleId = 'authentication/secret-key-missing'
const [today, yesterday] = ['2026-11-20', '2026-11-19']
const { fingerprint } = findingWith()
const third = 'f'.repeat(16)
const waiver: Waiver = { rule, fingerprint: null, reason: 'agreed', owner: 'Kim', expires: '2027-01-31' }
const ofCause = (...fingerprints: readonly string[]): Waiver => ({ ...waiver, rule: null, fingerprints })

const result = (status: RuleStatus, changes: Partial<VerdictRule> = {}): VerdictRule =>
  ruleWith(rule, { status, ...changes })

/** A run with this status of the rule. It saw the fault if there is a finding. */
function run(status: RuleStatus, ...seen: readonly Partial<Finding>[]): HistoryLine {
  const findings = seen.map((changes) => findingWith(changes))
  return historyLine(verdictWith({ rules: rulesWith([ruleWith(rule, { status, findings })]) }))
}

const { target, ...line } = historyLine(verdictWith())
const here: Circumstances = { ...line, target }
const [met, passed] = [run('waived', {}), run('passed')]

const covers = { used: true, expired: false }
const nothing = { used: false, expired: false }
const expired = { used: false, expired: true }
const gone = { ...nothing, gone: true }
const partly = { goneFingerprints: [fingerprint] }

const finding = findingWith({ waived: 'agreed' })
const breach = { rule: other, fingerprint: 'eeeeeeeeeeeeeeee' } as const
const broken = result('waived', { findings: [finding] })
const untested = result('waived', { answers: 0 })
const following = result('waived', { follows: [breach] })
const notWaived = result('untested', { because: 'not given' })

interface Given {
  readonly rules?: readonly VerdictRule[]
  readonly notJudged?: Circumstances['target']['notJudged']
  readonly of?: Waiver
  readonly in?: Partial<Circumstances>
}

const now = (...rules: readonly VerdictRule[]): Given => ({ rules })
const of = (changes: Partial<Waiver>): Given => ({ of: { ...waiver, ...changes } })
const ofThis = of({ rule: null, fingerprint })
const ofBreach = { of: ofCause('eeeeeeeeeeeeeeee') }
const ofBoth = { of: ofCause(fingerprint, third) }
const two = [met, run('waived', { fingerprint: third })]
const ofOther = { ...broken, id: other }
const shownByOther = (name: string) => ({ ...ofOther, findings: [{ ...finding, fingerprint: name }] })
const withOther = (name: string) => now(result('passed'), shownByOther(name))
const list: RuleId = 'endpoints/list-succeeds'
const notJudged = [{ endpoint: '/api/own', because: 'why', fingerprint }]
const ofEndpoint = (changes: Partial<Waiver>): Given => {
  return { ...now(), notJudged, ...of({ rule: list, fingerprint, ...changes }) }
}
const ofEmbedded = { ...target, embedded: true }
const onOtherPort = { ...met, target: { ...ofEmbedded, baseUrl: 'x' } }
const conditioned = run('waived', found('a', { conditions: ['accept-language: de'] }, { fingerprint }))
const byOther = { suite: { version: '0.0.1' } }

it.each<[string, object, readonly HistoryLine[], Given?]>([
  ['a violated rule', covers, [], now(broken)],
  ['its fingerprint', covers, [], { ...now(broken), ...ofThis }],
  ['it, but expired yesterday', expired, [], { ...now(broken), ...of({ expires: yesterday }) }],
  ['a rule that could not be tested', covers, [], now(untested)],
  ['a fingerprint in an untested rule', nothing, [], { ...now(untested), ...of({ fingerprint: 'a' }) }],
  ['a rule that passed', nothing, []],
  ['an untested rule that is not waived', nothing, [], now(notWaived)],
  ['a breach that the rule follows from', covers, [], { ...now(following), ...ofBreach }],
  ['a rule that is waived with another', nothing, [], now(following)],
  ['an unjudged endpoint by rule and fingerprint', covers, [], ofEndpoint({})],
  ['an unjudged endpoint by its fingerprint', covers, [], ofEndpoint({ rule: null })],
  ['the whole rule about endpoints', nothing, [], ofEndpoint({ fingerprint: null })],
  ['another endpoint', nothing, [], ofEndpoint({ fingerprint: 'aaaaaaaaaaaaaaaa' })],
  ['an unjudged endpoint, but is expired', expired, [], ofEndpoint({ expires: yesterday })],
  ['a fault that every run saw, and whose rule now passed', gone, [met]],
  ['a fault that the last two runs saw', gone, [passed, met, met]],
  ['a fault that was already gone, as long as the waiver is listed', gone, [met, passed, passed]],
  ['a fault whose rule failed', nothing, [met], now(result('failed'))],
  ['a fault whose rule warned', nothing, [met], now(result('warned'))],
  ['a fault whose rule is untested', nothing, [met], now(result('untested'))],
  ['a fault whose rule was not selected', nothing, [met], now()],
  ['a fault without earlier runs', nothing, []],
  ['a fault that no run saw', nothing, [passed, run('untested'), run('waived')]],
  ['a fault seen in two of three attempts', nothing, [met, run('waived', { reproduced: '2 of 3' }), met]],
  ['a fault that was seen once and never confirmed', nothing, [run('failed', { reproduced: '1 of 1' })]],
  ['a fault that was gone once and came back', nothing, [met, passed, met]],
  ['a fault that was not judged in between', gone, [met, run('inconclusive'), met]],
  ['a fault with the named fingerprint', gone, [met], ofThis],
  ['a fault with another fingerprint', nothing, [met], of({ fingerprint: 'another' })],
  ['a fault in another rule', nothing, [met], of({ rule: 'quota/exhausted' })],
  ['a fault, but expired', expired, [met], of({ expires: yesterday })],
  ['a fault that another rule shows', covers, [met], { ...ofThis, ...withOther(fingerprint) }],
  ['a cause with one fingerprint', gone, [met], { of: ofCause(fingerprint) }],
  ['a cause without a fingerprint that was seen', nothing, [met], { of: ofCause('another') }],
  ['a cause of which every fingerprint was seen', gone, two, ofBoth],
  ['a cause with one fingerprint that was never seen', { ...nothing, ...partly }, [met], ofBoth],
  ['a cause that another rule shows', { ...covers, ...partly }, [met], { ...ofBoth, ...withOther(third) }],
  ['a fault under a condition', gone, [conditioned]],
  ['a fault under a condition that another version sent', nothing, [{ ...conditioned, ...byOther }]],
  ['a fault that another version saw', gone, [{ ...met, ...byOther }]],
  ['a fault in the embedded service on any port', gone, [onOtherPort], { in: { target: ofEmbedded } }],
  ['a fault from a run with a selection', nothing, [{ ...met, selection: { only: ['quota/*'] } }]],
  ['a fault from an essential run', nothing, [{ ...met, selection: { only: null, essential: true } }]],
  ...[
    { target: { ...target, label: 'another' } },
    { target: { ...target, label: null } },
    { target: ofEmbedded },
    { target: { ...target, version: '2' } },
    { profile: 'acceptance' as const },
    { seed: 1 },
    { fuzzCases: 1 },
    { selection: { only: ['*'] } },
    { selection: { only: null, essential: true } },
  ].map((changes): [string, object, readonly HistoryLine[], Given] => {
    return [`a fault from a run that differs in ${JSON.stringify(changes)}`, nothing, [met], { in: changes }]
  }),
])('a waiver has the effect that this and earlier runs prove: for %s', (_, effect, earlier, given = {}) => {
  const { rules = [result('passed')], of: named = waiver, notJudged: endpoints = [], in: changes } = given
  const circumstances = { ...here, ...changes }
  const outcome = { waivers: [named], today, earlier }

  const judged = { ...circumstances, rules, target: { ...circumstances.target, notJudged: endpoints } }
  expect(waiversOf(outcome, judged)).toEqual([{ ...named, ...effect }])
})
