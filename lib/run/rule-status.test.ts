import { expect, test } from 'vitest'
import type { Reason, RuleResult, RuleStatus } from '../judge/record.ts'
import type { Waiver } from '../settings/waivers.ts'
import { ruleOf, type SpecRuleId } from '../specification/rules.ts'
import { becauseOf } from '../verdict/conclude.ts'
import { findingWith } from '../verdict/verdict.testing.ts'
import { ruleStatus, type RuleOutcome, type StatusTerms } from './rule-status.ts'

const id = 'authentication/api-key-missing'
const implied = 'conventions/header-case-insensitive'
const requested = 'tolerance/no-breaking-change'
const bypass = 'authentication/no-bypass'
const reporting = 'authentication/endpoint-unauthorized'
const finding = findingWith({ fingerprint: 'aaaaaaaaaaaaaaaa' })
const another = findingWith({ fingerprint: 'bbbbbbbbbbbbbbbb' })
const third = findingWith({ fingerprint: 'cccccccccccccccc' })
const both = [finding, another]
const known = 'known (Kim, until 2027-01-31)'
const other = 'other (Kim, until 2027-01-31)'

function waiver(changes: Partial<Waiver> = {}): Waiver {
  return { rule: id, fingerprint: null, reason: 'known', owner: 'Kim', expires: '2027-01-31', ...changes }
}

interface Changes extends Partial<Omit<RuleOutcome, 'id' | 'level' | 'reasons'> & StatusTerms> {
  readonly id?: SpecRuleId
  readonly unjudged?: readonly string[]
  readonly because?: readonly Reason[]
  readonly untested?: string
  readonly cutShort?: string
}

/** The result of a judged rule that holds, with changes. */
function settled(changes: Changes = {}): RuleResult & { readonly because: string | null } {
  const { unjudged = [], because = [], untested, cutShort, id: ruleId = id } = changes
  const { findings = [], answers = 3, strict = false, waivers = [], waivesUntested = false } = changes
  const reasons: readonly Reason[] = [
    ...unjudged.map((text) => ({ kind: 'inconclusive', text }) as const),
    ...because,
    ...(untested === undefined ? [] : [{ kind: 'untested', text: untested } as const]),
    ...(cutShort === undefined ? [] : [{ kind: 'cut-short', text: cutShort } as const]),
  ]
  const outcome = { id: ruleId, level: ruleOf(ruleId).level, findings, answers, reasons }
  const terms = { strict, waivers, today: '2026-11-20', waivesUntested }
  const result = ruleStatus({ ...outcome, sample: finding.exchange }, terms)
  return { ...result, because: becauseOf(result) }
}

test('the result of a rule has its status, reasons, findings, answers and sample', () => {
  const findings = [finding]
  const rest = { id, reasons: [], because: null, answers: 3, sample: finding.exchange, findings }

  expect(settled({ findings })).toEqual({ ...rest, status: 'failed' })
})

/** Other expected parts of the result: its sentence, the waivers of its findings, its reasons. */
interface Expected {
  readonly because?: string | null
  readonly waived?: readonly (string | undefined)[]
  readonly reasons?: readonly Partial<Reason>[]
}

const warning = { ...finding, warning: true } as const
const cutShort = 'the run was interrupted (SIGINT)'
const noClient = 'no such client is given'
const noAnswer = 'the run got no answer that this rule judges'
const oneBreach = { findings: [finding] }
const byFingerprint = waiver({ fingerprint: finding.fingerprint })
const byAnother = waiver({ fingerprint: another.fingerprint })
const cannotTest = { untested: noClient, answers: 0, waivesUntested: true, waivers: [waiver()] }
const stillUntested = { because: noClient }

const text = 'the client is not refused as such a client'
const breach = { rule: reporting, fingerprint: 'd'.repeat(16) } as const
const also = { ...breach, fingerprint: 'e'.repeat(16) }
const elsewhere = { ...breach, rule: bypass } as const
const cause: Partial<Waiver> = { rule: null, fingerprints: [breach.fingerprint] }
const all: Partial<Waiver> = { rule: null, fingerprints: [breach.fingerprint, also.fingerprint] }
const following: Reason = { kind: 'inconclusive', text, follows: [breach] }
const follows = (...reasons: readonly Reason[]): Changes => ({
  because: reasons.length === 0 ? [following] : reasons,
  answers: 0,
  waivers: [waiver(cause)],
})
const follow = `${text}; follows from ${reporting}`

test.each<[claim: string, given: Changes, status: RuleStatus, expected?: Expected]>([
  ['passes if answers were judged and nothing was wrong', {}, 'passed', { reasons: [], waived: [] }],
  ['fails with a breach', oneBreach, 'failed', { reasons: [] }],
  ['that was requested fails with a breach', { ...oneBreach, id: requested }, 'failed'],
  ['that is implied warns with a breach', { ...oneBreach, id: implied }, 'warned', { reasons: [] }],
  ['that is implied fails in a strict run', { ...oneBreach, id: implied, strict: true }, 'failed'],
  ['warns if all breaches are warnings', { findings: [warning, warning] }, 'warned'],
  ['fails if one breach is not a warning', { findings: [warning, finding] }, 'failed'],
  [
    'is inconclusive if cases could not be judged, and gives each reason once',
    { unjudged: ['the budget was used up', 'the rate was refused', 'the budget was used up'] },
    'inconclusive',
    { because: 'the budget was used up; the rate was refused' },
  ],
  ['is inconclusive without an answer', { unjudged: ['a'], answers: 0 }, 'inconclusive'],
  ['is inconclusive if it is also untested', { unjudged: ['a'], untested: 'b' }, 'inconclusive'],
  ['is untested for the given reason', { untested: noClient, answers: 0 }, 'untested', stillUntested],
  ['is open if silent', { answers: 0 }, 'untested', { because: noAnswer, reasons: [{ kind: 'untested' }] }],
  ['fails whatever is left open', { ...oneBreach, unjudged: ['a'], untested: 'b', answers: 0 }, 'failed'],
  ['warns even if other cases could not be judged', { ...oneBreach, unjudged: ['a'], id: implied }, 'warned'],

  [
    'is waived, and names the owner and the expiry date',
    { ...oneBreach, waivers: [waiver()] },
    'waived',
    { because: known, reasons: [{ kind: 'waived', text: known }], waived: [known] },
  ],
  ['is not waived for others', { ...oneBreach, waivers: [byAnother] }, 'failed', { waived: [undefined] }],
  [
    'fails if only some breaches are waived, and marks those',
    { findings: both, waivers: [byAnother] },
    'failed',
    { waived: [undefined, known] },
  ],
  [
    'is waived by several waivers, and gives each reason once',
    { findings: [...both, third], waivers: [{ ...byAnother, reason: 'other' }, waiver()] },
    'waived',
    { because: `${known}; ${other}` },
  ],
  ['is unwaived if unjudged', { unjudged: ['a'], waivers: [waiver()], waivesUntested: true }, 'inconclusive'],

  ['that was interrupted is inconclusive', { cutShort, answers: 0 }, 'inconclusive', { because: cutShort }],
  [
    'that was interrupted still fails with a breach',
    { ...oneBreach, cutShort },
    'failed',
    { because: null, waived: [undefined] },
  ],
  [
    'that was interrupted is inconclusive with a waived breach',
    { ...oneBreach, cutShort, waivers: [byFingerprint] },
    'inconclusive',
  ],
  [
    'that was interrupted marks a waived breach among others',
    { findings: both, cutShort, waivers: [byFingerprint] },
    'failed',
    { waived: [known, undefined] },
  ],

  [
    'that is untested is waived by a waiver for the rule, and gives both reasons',
    cannotTest,
    'waived',
    { because: `untested (${noClient}); waived: ${known}`, reasons: [{ kind: 'waived' }] },
  ],
  ['without a judged answer is waived', { answers: 0, waivesUntested: true, waivers: [waiver()] }, 'waived'],
  [
    'that is untested is not waived if the profile does not demand every rule',
    { ...cannotTest, waivesUntested: false },
    'untested',
    stillUntested,
  ],
  [
    'that is untested is not waived by a waiver for one breach',
    { ...cannotTest, waivers: [byFingerprint] },
    'untested',
    stillUntested,
  ],
  [
    'that is untested and implied is not waived',
    { ...cannotTest, id: implied, waivers: [waiver({ rule: implied })] },
    'untested',
    stillUntested,
  ],

  [
    'is waived with the breach that it follows from',
    follows(),
    'waived',
    { because: `${follow}, waived: ${known}`, reasons: [{ kind: 'waived', follows: [breach] }] },
  ],
  [
    'is inconclusive if it follows from an unwaived breach, even if its own breaches are waived',
    { ...follows(), waivers: [waiver()] },
    'inconclusive',
  ],
  ['is left open by an unwaived breach', follows({ ...following, follows: [breach, also] }), 'inconclusive'],
  ['is inconclusive if it has another reason', { ...follows(), unjudged: ['the budget'] }, 'inconclusive'],
  [
    'is inconclusive if the same reason also occurs without a breach',
    follows(following, { kind: 'inconclusive', text }),
    'inconclusive',
  ],
  [
    'is inconclusive if one of several breaches with the same words is not waived',
    follows(following, { ...following, follows: [also] }),
    'inconclusive',
  ],
  [
    'is waived if all breaches with the same words are waived',
    { ...follows(following, { ...following, follows: [also] }), waivers: [waiver(all)] },
    'waived',
    { reasons: [{ follows: [breach, also] }] },
  ],
  [
    'names each rule that it follows from and each waiver once',
    {
      ...follows({ ...following, follows: [breach, also, elsewhere] }),
      waivers: [waiver({ ...all, rule: reporting }), waiver({ rule: bypass, reason: 'other' })],
    },
    'waived',
    { because: `${follow}, ${bypass}, waived: ${known}; ${other}` },
  ],
  ['still fails with its own breach', { ...follows(), findings: [another] }, 'failed'],
  [
    'gives both reasons if its own breach is waived, too',
    { ...follows(), findings: [another], waivers: [waiver(cause), { ...byAnother, reason: 'other' }] },
    'waived',
    { because: `${other}; ${follow}, waived: ${known}` },
  ],
  ['is untested if some cases could not be tested', { ...follows(), untested: noClient }, 'untested'],

  [
    'is inconclusive if a waiver names its breach, since other cases may show another',
    { ...oneBreach, unjudged: ['the budget'], waivers: [byFingerprint] },
    'inconclusive',
    { because: 'the budget', waived: [known] },
  ],
  ['is waived if any breach is', { ...oneBreach, unjudged: ['the budget'], waivers: [waiver()] }, 'waived'],
  [
    'that was interrupted is inconclusive even if any breach is waived',
    { ...oneBreach, unjudged: ['the budget'], waivers: [waiver()], cutShort },
    'inconclusive',
  ],
])('a rule %s', (_, given, status, { because, waived, reasons } = {}) => {
  const result = settled(given)

  expect(result.status).toBe(status)
  if (because !== undefined) expect(result.because).toBe(because)
  if (waived !== undefined) expect(result.findings.map((one) => one.waived)).toEqual(waived)
  if (reasons !== undefined) expect(result.reasons).toMatchObject(reasons)
})
