import { describe, expect, it } from 'vitest'
import type { Finding, Reason, RuleResult, RuleStatus } from '../../judge/record.ts'
import { becauseOf } from '../../verdict/conclude.ts'
import { findingWith } from '../../verdict/verdict.testing.ts'
import type { Waiver } from '../../settings/waivers.ts'
import { ruleOf, type SpecRuleId } from '../../specification/rules.ts'
import { ruleStatus, type RuleOutcome, type StatusTerms } from './rule-status.ts'

const id = 'authentication/api-key-missing'
const implied = 'conventions/header-case-insensitive'
const requested = 'tolerance/no-breaking-change'
const today = '2026-11-20'
const finding = findingWith({ fingerprint: 'aaaaaaaaaaaaaaaa' })
const another = findingWith({ fingerprint: 'bbbbbbbbbbbbbbbb' })

function waiver(changes: Partial<Waiver> = {}): Waiver {
  return { rule: id, fingerprint: null, reason: 'known', owner: 'Kim', expires: '2027-01-31', ...changes }
}

type Changes = Partial<Omit<RuleOutcome, 'id' | 'level' | 'reasons'> & StatusTerms> & {
  readonly id?: SpecRuleId
  readonly unjudged?: readonly string[]
  readonly because?: readonly Reason[]
  readonly untested?: string
  readonly cutShort?: string
}

/** The status of a judged rule that holds, with changes. */
function settled({
  unjudged = [],
  because = [],
  untested,
  cutShort,
  ...changes
}: Changes = {}): RuleResult & {
  readonly because: string | null
} {
  const { strict = false, waivers = [], waivesUntested = false } = changes
  const reasons: readonly Reason[] = [
    ...unjudged.map((text) => ({ kind: 'inconclusive', text }) as const),
    ...because,
    ...(untested === undefined ? [] : [{ kind: 'untested', text: untested } as const]),
    ...(cutShort === undefined ? [] : [{ kind: 'cut-short', text: cutShort } as const]),
  ]
  const { findings = [], answers = 3, id: ruleId = id } = changes
  const outcome = { id: ruleId, level: ruleOf(ruleId).level, findings, answers, reasons }
  const result = ruleStatus(
    { ...outcome, sample: finding.exchange },
    { strict, waivers, today, waivesUntested },
  )
  return { ...result, because: becauseOf(result) }
}

function statusOf(changes: Changes): RuleStatus {
  return settled(changes).status
}

describe('what becomes of a rule', () => {
  it('is all that is known of it', () => {
    expect(settled({ findings: [finding] })).toEqual({
      id,
      status: 'failed',
      reasons: [],
      because: null,
      answers: 3,
      sample: finding.exchange,
      findings: [finding],
    })
  })

  it('is a pass where answers were judged and nothing was wrong', () => {
    expect(settled()).toMatchObject({ status: 'passed', reasons: [], findings: [] })
  })

  it.each<[SpecRuleId, boolean, RuleStatus]>([
    [id, false, 'failed'],
    [id, true, 'failed'],
    [requested, false, 'failed'],
    [requested, true, 'failed'],
    [implied, false, 'warned'],
    [implied, true, 'failed'],
  ])('with a breach of %s, strict %s: %s', (broken, strict, status) => {
    expect(settled({ id: broken, findings: [finding], strict })).toMatchObject({ status, reasons: [] })
  })

  it.each<[RuleStatus, readonly (true | undefined)[]]>([
    ['warned', [true, true]],
    ['failed', [true, undefined]],
    ['failed', [undefined]],
  ])('is %s with breaches that are warnings: %o', (status, warnings) => {
    const findings = warnings.map((warning) => ({ ...finding, ...(warning === true ? { warning } : {}) }))

    expect(statusOf({ findings })).toBe(status)
  })

  it('is inconclusive where cases could not be judged, and says why, once each', () => {
    expect(
      settled({ unjudged: ['the budget was used up', 'the rate was refused', 'the budget was used up'] }),
    ).toMatchObject({
      status: 'inconclusive',
      because: 'the budget was used up; the rate was refused',
    })
    expect(statusOf({ unjudged: ['a'], answers: 0 })).toBe('inconclusive')
    expect(statusOf({ unjudged: ['a'], untested: 'b' })).toBe('inconclusive')
  })

  it('is untested where the settings do not allow it, and says why', () => {
    expect(settled({ untested: 'no such client is given', answers: 0 })).toMatchObject({
      status: 'untested',
      because: 'no such client is given',
    })
  })

  it('is untested where no answer of the run was one that it speaks of: no pass without an answer', () => {
    expect(settled({ answers: 0 })).toMatchObject({
      status: 'untested',
      because: 'no answer of the run was one that this rule speaks of',
      reasons: [{ kind: 'untested' }],
    })
  })

  it('is a breach, whatever else could not be judged or tested', () => {
    expect(statusOf({ findings: [finding], unjudged: ['a'], untested: 'b', answers: 0 })).toBe('failed')
    expect(statusOf({ findings: [finding], unjudged: ['a'], id: implied })).toBe('warned')
  })
})

describe('a waiver', () => {
  it.each<[string, Partial<Waiver>]>([
    ['a rule', {}],
    ['a fingerprint', { rule: null, fingerprint: finding.fingerprint }],
    ['both', { fingerprint: finding.fingerprint }],
  ])('by %s covers a breach, and says who answers for it until when', (_, changes) => {
    const result = settled({ findings: [finding], waivers: [waiver(changes)] })

    expect(result).toMatchObject({ status: 'waived', because: 'known (Kim, until 2027-01-31)' })
    expect(result.reasons).toEqual([{ kind: 'waived', text: 'known (Kim, until 2027-01-31)' }])
    expect(result.findings).toEqual([{ ...finding, waived: 'known (Kim, until 2027-01-31)' }])
  })

  it.each<[string, Partial<Waiver>]>([
    ['another rule', { rule: 'authentication/no-bypass' }],
    ['another fingerprint', { rule: null, fingerprint: another.fingerprint }],
    ['another fingerprint of the same rule', { fingerprint: another.fingerprint }],
    [
      'another rule with the same fingerprint',
      { rule: 'authentication/no-bypass', fingerprint: finding.fingerprint },
    ],
    ['nothing at all', { rule: null, fingerprint: null }],
  ])('by %s covers nothing', (_, changes) => {
    const result = settled({ findings: [finding], waivers: [waiver(changes)] })

    expect(result).toMatchObject({ status: 'failed', findings: [finding] })
  })

  it('covers through the day on which it expires, and not after it', () => {
    const until = (expires: string): RuleStatus =>
      statusOf({ findings: [finding], waivers: [waiver({ expires })] })

    expect(until('2026-11-20')).toBe('waived')
    expect(until('2026-11-19')).toBe('failed')
  })

  it('leaves a rule failed of whose breaches it covers only some, and marks those', () => {
    const { status, findings } = settled({
      findings: [finding, another],
      waivers: [waiver({ fingerprint: another.fingerprint })],
    })

    expect(status).toBe('failed')
    expect(findings.map(({ waived }: Finding) => waived)).toEqual([
      undefined,
      'known (Kim, until 2027-01-31)',
    ])
  })

  it('covers with others of its kind, each reason said once', () => {
    const result = settled({
      findings: [finding, another, findingWith({ fingerprint: 'cccccccccccccccc' })],
      waivers: [waiver({ fingerprint: another.fingerprint, reason: 'other' }), waiver()],
    })

    expect(result).toMatchObject({
      status: 'waived',
      because: 'known (Kim, until 2027-01-31); other (Kim, until 2027-01-31)',
    })
  })

  it('takes the warning from an implied rule, too', () => {
    expect(statusOf({ findings: [finding], id: implied, waivers: [waiver({ rule: implied })] })).toBe(
      'waived',
    )
  })

  it('does not cover what could not be judged', () => {
    expect(statusOf({ unjudged: ['a'], waivers: [waiver()], waivesUntested: true })).toBe('inconclusive')
  })
})

describe('a rule that was interrupted', () => {
  const cutShort = 'the run was interrupted (SIGINT)'
  const elsewhere = findingWith({ fingerprint: 'bbbbbbbbbbbbbbbb' })

  it('is inconclusive', () => {
    expect(settled({ cutShort, answers: 0 })).toMatchObject({ status: 'inconclusive', because: cutShort })
  })

  it.each<[SpecRuleId, boolean, RuleStatus]>([
    [id, false, 'failed'],
    [implied, false, 'warned'],
    [implied, true, 'failed'],
  ])('counts the breach of %s that it met, strict %s: %s', (broken, strict, status) => {
    expect(settled({ cutShort, id: broken, strict, findings: [finding] })).toMatchObject({
      status,
      because: null,
      findings: [finding],
    })
  })

  it('is inconclusive with a breach that a waiver covers, and marks that among others', () => {
    const waivers = [waiver({ fingerprint: finding.fingerprint })]
    const both = settled({ cutShort, findings: [finding, elsewhere], waivers })

    expect(settled({ cutShort, findings: [finding], waivers })).toMatchObject({ status: 'inconclusive' })
    expect(both.status).toBe('failed')
    expect(both.findings.map((one) => one.waived)).toEqual(['known (Kim, until 2027-01-31)', undefined])
  })
})

describe('a waiver of a rule that cannot be tested', () => {
  const untested = { untested: 'no such client is given', answers: 0, waivesUntested: true } as const

  it('covers a documented one by its rule, and says both why', () => {
    expect(settled({ ...untested, waivers: [waiver()] })).toMatchObject({
      status: 'waived',
      because: 'untested (no such client is given); waived: known (Kim, until 2027-01-31)',
      reasons: [{ kind: 'waived' }],
    })
  })

  it('covers one of whose answers none came up', () => {
    expect(statusOf({ answers: 0, waivesUntested: true, waivers: [waiver()] })).toBe('waived')
  })

  it.each<[string, Changes]>([
    ['where the profile does not demand every rule', { waivers: [waiver()], waivesUntested: false }],
    ['by a fingerprint', { waivers: [waiver({ rule: null, fingerprint: finding.fingerprint })] }],
    ['by rule and fingerprint', { waivers: [waiver({ fingerprint: finding.fingerprint })] }],
    ['of another rule', { waivers: [waiver({ rule: 'authentication/no-bypass' })] }],
    ['when it has expired', { waivers: [waiver({ expires: '2026-11-19' })] }],
    ['that is implied', { id: implied, waivers: [waiver({ rule: implied })] }],
  ])('covers nothing %s', (_, changes) => {
    expect(settled({ ...untested, ...changes })).toMatchObject({
      status: 'untested',
      because: 'no such client is given',
    })
  })
})

describe('a rule that is inconclusive because of a breach', () => {
  const reporting = 'authentication/endpoint-unauthorized'
  const breach = { rule: reporting, fingerprint: 'dddddddddddddddd' } as const
  const text = 'the client is not refused as such a client'
  const following: Reason = { kind: 'inconclusive', text, follows: [breach] }
  const also = { ...breach, fingerprint: 'eeeeeeeeeeeeeeee' }
  const cause: Partial<Waiver> = { rule: null, fingerprint: null, fingerprints: [breach.fingerprint] }
  const waivers = [waiver(cause)]

  it.each<[string, Partial<Waiver>]>([
    ['its fingerprint', { rule: null, fingerprint: breach.fingerprint }],
    ['its fingerprint among those of a cause', cause],
    ['the rule that reports it', { rule: reporting }],
    ['both', { rule: reporting, fingerprint: breach.fingerprint }],
  ])('is waived with it by %s, and names the waiver and that rule', (_, changes) => {
    const result = settled({ because: [following], answers: 0, waivers: [waiver(changes)] })

    expect(result).toMatchObject({
      status: 'waived',
      because: `${text}; follows from ${reporting}, waived: known (Kim, until 2027-01-31)`,
      reasons: [{ kind: 'waived', follows: [breach] }],
    })
  })

  it.each<[string, Changes]>([
    ['where nothing covers it', { because: [following], waivers: [] }],
    ['by a waiver of itself', { because: [following], waivers: [waiver()] }],
    ['by an expired one', { because: [following], waivers: [waiver({ ...cause, expires: '2026-11-19' })] }],
    ['by one of another rule', { because: [following], waivers: [waiver({ ...cause, rule: id })] }],
    ['where it follows from another breach, too', { because: [{ ...following, follows: [breach, also] }] }],
    ['for another reason, too', { because: [following], unjudged: ['the budget was used up'] }],
    ['for the same reason without a breach, too', { because: [following, { kind: 'inconclusive', text }] }],
    ['where it was interrupted', { because: [following], cutShort: 'interrupted' }],
  ])('stays so %s', (_, changes) => {
    expect(statusOf({ waivers, ...changes })).toBe('inconclusive')
  })

  it('follows from all breaches with the same words', () => {
    const both = [following, { ...following, follows: [also] }]
    const all = [waiver({ ...cause, fingerprints: [breach.fingerprint, also.fingerprint] })]

    expect(statusOf({ because: both, waivers })).toBe('inconclusive')
    expect(settled({ because: both, waivers: all })).toMatchObject({
      status: 'waived',
      reasons: [{ follows: [breach, also] }],
    })
  })

  it('names every rule that it follows from, and every waiver, each once', () => {
    const elsewhere = { rule: 'authentication/no-bypass', fingerprint: breach.fingerprint } as const
    const because = [{ ...following, follows: [breach, also, elsewhere] }]
    const all = [
      waiver({ ...cause, rule: reporting, fingerprints: [breach.fingerprint, also.fingerprint] }),
      waiver({ rule: elsewhere.rule, reason: 'other' }),
    ]

    expect(settled({ because, waivers: all }).because).toBe(
      `${text}; follows from ${reporting}, ${elsewhere.rule}, waived: known (Kim, until 2027-01-31); other (Kim, until 2027-01-31)`,
    )
  })

  it('fails by its own breach all the same', () => {
    expect(statusOf({ because: [following], findings: [another], waivers })).toBe('failed')
  })

  it('says both where its own breach is waived, too', () => {
    const own = waiver({ reason: 'other', fingerprint: another.fingerprint })

    expect(settled({ because: [following], findings: [another], waivers: [...waivers, own] })).toMatchObject({
      status: 'waived',
      because: `other (Kim, until 2027-01-31); ${text}; follows from ${reporting}, waived: known (Kim, until 2027-01-31)`,
    })
  })

  it('is untested where some of its cases could not be tested', () => {
    expect(statusOf({ because: [following], untested: 'no such client is given', waivers })).toBe('untested')
  })
})

describe('a rule with a waived breach and cases that could not be judged', () => {
  const unjudged = ['the budget was used up']

  it('is inconclusive where the waiver names its fingerprint: other cases may show another breach', () => {
    const waivers = [waiver({ fingerprint: finding.fingerprint })]

    expect(settled({ unjudged, findings: [finding], waivers })).toMatchObject({
      status: 'inconclusive',
      because: 'the budget was used up',
      findings: [{ waived: 'known (Kim, until 2027-01-31)' }],
    })
  })

  it('is waived where the waiver covers any breach of the rule, unless it was interrupted', () => {
    const covered = { unjudged, findings: [finding], waivers: [waiver()] }

    expect(statusOf(covered)).toBe('waived')
    expect(statusOf({ ...covered, cutShort: 'interrupted' })).toBe('inconclusive')
  })
})
