import { expect, test } from 'vitest'
import type { Reason, RuleStatus } from '../judge/record.ts'
import type { Waiver } from '../settings/waivers.ts'
import { ruleOf, type SpecRuleId } from '../specification/rules.ts'
import { findingWith } from '../verdict/verdict.testing.ts'
import { ruleStatus } from './run.ts'

const id = 'authentication/api-key-missing'
const implied = 'conventions/header-case-insensitive'
const [bypass, reporting] = ['authentication/no-bypass', 'authentication/endpoint-unauthorized'] as const
const finding = findingWith({ fingerprint: 'a'.repeat(16) })
const another = findingWith({ fingerprint: 'b'.repeat(16) })
const third = findingWith({ fingerprint: 'c'.repeat(16) })
const known = 'known (Kim, until 2027-01-31)'
const other = 'other (Kim, until 2027-01-31)'

const byKim = { rule: id, fingerprint: null, reason: 'known', owner: 'Kim', expires: '2027-01-31' } as const
const waiver = (changes: Partial<Waiver> = {}): Waiver => ({ ...byKim, ...changes })

type Given = Parameters<typeof ruleStatus>

interface Changes extends Partial<Omit<Given[0], 'id' | 'level' | 'reasons'> & Given[1]> {
  readonly id?: SpecRuleId
  readonly unjudged?: readonly string[]
  readonly because?: readonly Reason[]
  readonly untested?: string
  readonly cutShort?: string
}

const sample = finding.exchange
const broken = { findings: [finding] }
const brokenTwice = { findings: [finding, another] }
const rule = { id, findings: [], answers: 3, sample } as const
const terms = { strict: false, waivers: [], today: '2026-11-20', waivesUntested: false }

/** The result of a judged rule that holds, with changes; also its sentence and the waivers of its findings. */
function settled({ unjudged = [], because = [], untested, cutShort: cut, ...changes }: Changes = {}) {
  const reasonsOf = (kind: Reason['kind'], texts: readonly (string | undefined)[]) =>
    texts.flatMap((text): Reason[] => (text === undefined ? [] : [{ kind, text }]))
  const ended = [...reasonsOf('untested', [untested]), ...reasonsOf('cut-short', [cut])]
  const reasons = [...reasonsOf('inconclusive', unjudged), ...because, ...ended]
  const outcome = { ...rule, ...changes, level: ruleOf(changes.id ?? id).level, reasons }
  const result = ruleStatus(outcome, { ...terms, ...changes })
  const told = result.reasons.map(({ text }) => text).join('; ')
  return { ...result, because: told || null, waived: result.findings.map((one) => one.waived) }
}

test('the result of a rule has its status, reasons, findings, answers and sample', () => {
  const rest = { ...rule, reasons: [], because: null, ...broken }

  expect(settled(broken)).toEqual({ ...rest, status: 'failed', waived: [undefined] })
})

/** Other expected parts of the result. */
type Expected = Partial<Record<'because' | 'waived' | 'reasons', unknown>>

const waivers = [waiver()]
const byWaiver = { kind: 'waived', text: known } as const
const waived = { ...broken, waivers }
const byFingerprint = [waiver({ fingerprint: finding.fingerprint })]
const byAnother = [waiver({ fingerprint: another.fingerprint })]
const otherReason = waiver({ fingerprint: another.fingerprint, reason: 'other' })
const warning = { ...finding, warning: true } as const
const cut = { cutShort: 'the run was interrupted (SIGINT)' }
const noClient = 'no such client is given'
const noAnswer = 'the run got no answer that this rule judges'
const silent = { answers: 0, waivesUntested: true, waivers }
const cannotTest = { ...silent, untested: noClient }
const stillUntested = { because: noClient }
const budget = { unjudged: ['the budget'] }
const often = { unjudged: ['the budget', 'the rate', 'the budget'] }

const text = 'the client is not refused as such a client'
const breach = { rule: reporting, fingerprint: 'd'.repeat(16) } as const
const also = { ...breach, fingerprint: 'e'.repeat(16) }
const elsewhere = { ...breach, rule: bypass } as const
const cause: Partial<Waiver> = { rule: null, fingerprints: [breach.fingerprint] }
const all: Partial<Waiver> = { rule: null, fingerprints: [breach.fingerprint, also.fingerprint] }
const following: Reason = { kind: 'inconclusive', text, follows: [breach] }
const followingAlso: Reason = { ...following, follows: [also] }
const everywhere: Reason = { ...following, follows: [breach, also, elsewhere] }
const follows = (...[first = following, ...more]: readonly Reason[]): Changes => {
  return { because: [first, ...more], answers: 0, waivers: [waiver(cause)] }
}
const follow = `${text}; follows from ${reporting}`
const byRules = [waiver({ ...all, rule: reporting }), waiver({ rule: bypass, reason: 'other' })]
const ofOne = { ...broken, waivers: byFingerprint }
const ofTwo = { ...brokenTwice, waivers: byAnother }
const ofImplied = { id: implied, waivers: [waiver({ rule: implied })] } as const
const openAndKnown = { because: 'the budget', waived: [known] }
const ofThree = { findings: [finding, another, third], waivers: [otherReason, waiver()] }

const bothReasons = { because: `untested (${noClient}); waived: ${known}`, reasons: [{ kind: 'waived' }] }
const asWaived = `${follow}, waived: ${known}`
const withBreach = { because: asWaived, reasons: [{ kind: 'waived', follows: [breach] }] }
const sameWords = { ...follows(following, followingAlso), waivers: [waiver(all)] }
const withBoth = { reasons: [{ follows: [breach, also] }] }
const fromEach = { ...follows(everywhere), waivers: byRules }
const eachOnce = { because: `${follow}, ${bypass}, waived: ${known}; ${other}` }
const alsoOwn = { ...follows(), findings: [another], waivers: [waiver(cause), otherReason] }
const ownFirst = { because: `${other}; ${asWaived}` }

test.each<[claim: string, given: Changes, status: RuleStatus, expected?: Expected]>([
  ['passes if answers were judged and nothing was wrong', {}, 'passed', { reasons: [], waived: [] }],
  ['fails with a breach', broken, 'failed', { reasons: [] }],
  ['that was requested fails with a breach', { ...broken, id: 'tolerance/no-breaking-change' }, 'failed'],
  ['that is implied warns with a breach', { ...broken, id: implied }, 'warned', { reasons: [] }],
  ['that is implied fails in a strict run', { ...broken, id: implied, strict: true }, 'failed'],
  ['warns if all breaches are warnings', { findings: [warning, warning] }, 'warned'],
  ['fails if one breach is not a warning', { findings: [warning, finding] }, 'failed'],
  ['is inconclusive with each reason once', often, 'inconclusive', { because: 'the budget; the rate' }],
  ['is inconclusive without an answer', { ...budget, answers: 0 }, 'inconclusive'],
  ['is inconclusive if it is also untested', { ...budget, untested: 'b' }, 'inconclusive'],
  ['is untested for the given reason', { untested: noClient, answers: 0 }, 'untested', stillUntested],
  ['is open if silent', { answers: 0 }, 'untested', { because: noAnswer, reasons: [{ kind: 'untested' }] }],
  ['fails whatever is left open', { ...broken, ...budget, untested: 'b', answers: 0 }, 'failed'],
  ['warns even if other cases could not be judged', { ...broken, ...budget, id: implied }, 'warned'],

  ['is waived with its owner', waived, 'waived', { because: known, reasons: [byWaiver], waived: [known] }],
  ['is not waived for others', { ...broken, waivers: byAnother }, 'failed', { waived: [undefined] }],
  ['fails if only some are waived', ofTwo, 'failed', { waived: [undefined, known] }],
  ['is waived by several waivers, each reason once', ofThree, 'waived', { because: `${known}; ${other}` }],
  ['is unwaived if unjudged', { ...budget, waivers, waivesUntested: true }, 'inconclusive'],

  ['that was cut short is inconclusive', { ...cut, answers: 0 }, 'inconclusive', { because: cut.cutShort }],
  ['that was cut short still fails', { ...broken, ...cut }, 'failed', { because: null, waived: [undefined] }],
  ['that was cut short is inconclusive if waived', { ...ofOne, ...cut }, 'inconclusive'],
  ['that was cut short marks a waived one', { ...ofTwo, ...cut }, 'failed', { waived: [undefined, known] }],

  ['that is untested is waived by a waiver for the rule', cannotTest, 'waived', bothReasons],
  ['without a judged answer is waived', silent, 'waived'],
  ['is untested if a profile allows it', { ...cannotTest, waivesUntested: false }, 'untested', stillUntested],
  ['is untested if a breach is waived', { ...cannotTest, waivers: byFingerprint }, 'untested', stillUntested],
  ['that is untested and implied is not waived', { ...cannotTest, ...ofImplied }, 'untested', stillUntested],

  ['is waived with the breach that it follows from', follows(), 'waived', withBreach],
  ['that follows from an unwaived breach is inconclusive', { ...follows(), waivers }, 'inconclusive'],
  ['is left open by an unwaived breach', follows({ ...following, follows: [breach, also] }), 'inconclusive'],
  ['is inconclusive if it has another reason', { ...follows(), ...budget }, 'inconclusive'],
  // The same reason also occurs without a breach.
  ['is inconclusive without a breach', follows(following, { kind: 'inconclusive', text }), 'inconclusive'],
  ['is inconclusive if one of several is unwaived', follows(following, followingAlso), 'inconclusive'],
  ['is waived if all breaches with the same words are waived', sameWords, 'waived', withBoth],
  ['names each rule that it follows from and each waiver once', fromEach, 'waived', eachOnce],
  ['still fails with its own breach', { ...follows(), findings: [another] }, 'failed'],
  ['gives both reasons if its own breach is waived, too', alsoOwn, 'waived', ownFirst],
  ['is untested if some cases could not be tested', { ...follows(), untested: noClient }, 'untested'],

  // Other cases may show another breach.
  ['is inconclusive if a waiver names its breach', { ...ofOne, ...budget }, 'inconclusive', openAndKnown],
  ['is waived if any breach is', { ...waived, ...budget }, 'waived'],
  ['that was cut short is inconclusive if any is waived', { ...waived, ...budget, ...cut }, 'inconclusive'],
])('a rule %s', (_, given, status, expected = {}) => {
  expect(settled(given)).toMatchObject({ status, ...expected })
})
