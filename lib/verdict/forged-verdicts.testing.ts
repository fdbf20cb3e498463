import type { RuleId } from '../specification/rules.ts'
import {
  concluded,
  exchange,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  verdictWith,
  waiver as idle,
} from './verdict.testing.ts'
import type { Verdict, VerdictRule, VerdictWaiver } from './verdict.ts'

/** A conformant verdict from a gate run. */
const green = verdictWith()
/** A conformant verdict from an acceptance run. */
const accepted: Verdict = { ...green, profile: 'acceptance', strict: true }
const strict: Verdict = { ...green, strict: true }
export const red = nonconformantVerdict()
/** A verdict from an unknown version of the suite. */
const newer: Verdict = { ...green, suite: { version: '99.0.0' } }
const because = ['the run ended early: the quota is used up']
const partial: Verdict = { ...green, verdict: 'incomplete', exitCode: 3, because }

const overPassed: Verdict = { ...green, verdict: 'nonconformant', exitCode: 1, because }

const missing: RuleId = 'authentication/api-key-missing'
const open = { findings: [findingWith()] }
const mild = findingWith({ warning: true })
const failed = { status: 'failed', ...open } as const
const unjudged = { because: 'not given', answers: 0, sample: null }

/** A verdict in which one rule has been replaced. */
function ruled(verdict: Verdict, id: RuleId, changes: Partial<VerdictRule>): Verdict {
  return { ...verdict, rules: rulesWith([ruleWith(id, changes)]) }
}

const at = (url: string) => ({ ...exchange, request: { ...exchange.request, url } })

/** A verdict that contains an exchange with this URL. */
function shownAt(url: string): Verdict {
  return ruled(green, 'fuzz/query', { sample: at(url) })
}

const waiver: VerdictWaiver = { ...idle, rule: missing, expires: '2026-11-20', used: true }
const reason = 'agreed (Kim, until 2026-11-20)'

/** A verdict in which a rule is waived. Without changes, its waiver is valid. */
function waived(changes: Partial<VerdictWaiver>, text = reason): Verdict {
  const findings = [findingWith({ waived: text })]
  const verdict = ruled(green, missing, { status: 'waived', because: text, findings })
  return { ...verdict, waivers: [{ ...waiver, ...changes }] }
}

const listed = 'f'.repeat(16)
/** A verdict with a rule that is waived because it follows from a listed breach of a different rule. */
function following(rule: RuleId, { waivers }: Verdict): Verdict {
  const follows = [{ rule, fingerprint: listed }]
  return {
    ...ruled(green, missing, { ...unjudged, status: 'waived', because: reason, follows }),
    waivers: waivers.map((one) => ({ ...one, rule: null })),
  }
}

/** A verdict with a rule that is waived for this reason, because it follows from a waived finding in a different rule. */
function followingFinding(agreed: string): Verdict {
  const follows = [{ rule: 'fuzz/query', fingerprint: listed }] as const
  const found = ruleWith('fuzz/query', {
    status: 'waived',
    because: reason,
    findings: [findingWith({ fingerprint: listed, waived: reason })],
  })
  const rules = rulesWith([
    found,
    ruleWith(missing, { ...unjudged, status: 'waived', because: agreed, follows }),
  ])
  return { ...green, rules, waivers: [{ ...waiver, rule: null, fingerprint: listed }] }
}

/** The verdict of an acceptance run in which an endpoint was not judged, as agreed in a waiver. */
function withoutEndpoint(one: VerdictWaiver): Verdict {
  const notJudged = [{ endpoint: '/api/cards', because: 'x', fingerprint: 'aaaaaaaa', waived: reason }]
  return { ...accepted, target: { ...accepted.target, notJudged }, waivers: [one] }
}

/** A verdict in which a rule was not tested, as permitted by its waiver. */
function untestedAsAgreed(verdict: Verdict, id = missing): Verdict {
  const rule = { status: 'waived', ...unjudged, because: reason } as const
  return { ...ruled(verdict, id, rule), waivers: [{ ...waiver, rule: id }] }
}

/** A verdict from a run that started at this time. */
const startsAt = (startedAt: string): Verdict => ({ ...green, startedAt })
const of = (target: Partial<Verdict['target']>): Verdict => ({
  ...green,
  target: { ...green.target, ...target },
})
const inconclusive = (profile: Verdict['profile'], id: RuleId): Verdict =>
  ruled({ ...green, profile, strict: true }, id, { status: 'inconclusive', ...unjudged })

const faulty = { answers: 4, faulty: 3, excludes: null }
const green0 = green.rules[0]?.id ?? missing

/** Verdicts that no run would leave, grouped by clause, each with a description. */
const forgedBySaying: Readonly<Record<string, readonly (readonly [what: string, verdict: Verdict])[]>> = {
  'breaches, but': [
    ['a rule with faulty answers', ruled(green, green0, { power: faulty })],
    ['a run with faulty answers', { ...green, power: { confidence: 0.95, situations: [], ...faulty } }],
  ],
  'it names a cause without a finding': [
    ['a cause of a finding that was removed', { ...green, causes: nonconformantVerdict().causes }],
  ],
  'it judged answers, but names no address': [
    ['an address of another kind', of({ baseUrl: 'javascript:1' })],
  ],
  'its end of validity is an invalid time': [
    ['an end of validity that is not a date', { ...green, validUntil: '2099-99-99T99:99:99.999Z' }],
  ],
  'no listed waiver covers its exceptions on the day of the run (': [
    ['a waiver marked as covering nothing', waived({ used: false })],
    ['a waiver until no day', waived({ expires: '2027-02-30' }, 'agreed (Kim, until 2027-02-30)')],
  ],
  'is nonconformant': [
    ['a failed rule', ruled(green, missing, failed)],
    ['two failed rules', { ...red, verdict: 'conformant', exitCode: 0, because: [] }],
    ['incomplete despite a failed rule', { ...red, verdict: 'incomplete', exitCode: 3 }],
    ['an error without a reason', { ...red, verdict: 'error', exitCode: 4, because: [] }],
    ['an error with exit code 1', { ...red, verdict: 'error' }],
  ],
  'is incomplete (no rule was judged)': [['no rules from a newer version', { ...newer, rules: [] }]],
  'says conformant with exit code 1': [['conformant with exit code 1', { ...green, exitCode: 1 }]],
  'says nonconformant with exit code 0': [['nonconformant with exit code 0', { ...red, exitCode: 0 }]],
  'says incomplete with exit code 4': [['incomplete with exit code 4', { ...partial, exitCode: 4 }]],
  'says error with exit code 3': [['an error with exit code 3', { ...partial, verdict: 'error' }]],
  'is incomplete': [['nonconformant despite passed rules', overPassed]],
  'its reasons do not follow from its rules': [['nonconformant without a reason', { ...red, because: [] }]],
  'is conformant': [['incomplete without a reason', { ...partial, because: [] }]],
  'but exchanges are with another address (': [
    ['a host with the same beginning', shownAt('https://staging.example.com.evil.example/cards/api')],
    ['another user', shownAt('https://staging.example.com@evil.example/cards/api')],
    [
      'another host only in a finding',
      ruled(red, missing, { ...failed, findings: [findingWith({ exchange: at('https://prod.example/') })] }),
    ],
    ['another path on the same host', shownAt('https://staging.example.com/other/api/customizations/list')],
    ['a path with the same beginning', shownAt('https://staging.example.com/cards2/api')],
    ['another target', of({ baseUrl: 'https://vendor.example' })],
  ],
  'judges no address': [['no target', of({ baseUrl: null })]],
  'could not be judged': [['an inconclusive rule', inconclusive('gate', missing)]],
  'only part': [['one case a rule', { ...accepted, selection: { only: null, essential: true } }]],
  'no listed waiver': [
    ['a waiver that is not listed', { ...waived({}), waivers: [] }],
    ['a waiver that expired yesterday', waived({ expires: '2026-11-19' }, 'agreed (Kim, until 2026-11-19)')],
    ['a waiver marked as expired', waived({ expired: true })],
    ['a waiver for another rule', waived({ rule: 'authentication/secret-key-missing' })],
    ['a waiver for another finding', waived({ fingerprint: 'ffffffffffffffff' })],
    ['a waiver with another reason', waived({}, 'agreed (Lee, until 2026-11-20)')],
    ['a waiver for an untested rule in a gate run', untestedAsAgreed(green)],
    ['a waiver for an untested implied rule', untestedAsAgreed(accepted, 'fuzz/headers')],
    ['a waiver that does not cover the endpoint', withoutEndpoint(waiver)],
    ['a rule that follows from another exception', followingFinding('agreed (Lee, until 2026-11-20)')],
    ['a rule that follows from itself', following(missing, waived({ fingerprint: listed }))],
    ['a rule that follows from a missing finding', following('fuzz/query', waived({ fingerprint: listed }))],
    ['a rule that follows from a missing rule', following('acme/none', waived({ fingerprint: listed }))],
  ],
  'is error': [
    ['a failed expectation in an incomplete run', ruled(partial, 'tolerance/property-order', failed)],
    ['nonconformant with only a failed expectation', ruled(overPassed, 'tolerance/property-order', failed)],
  ],
  'lacks rules': [['a missing rule', { ...green, rules: green.rules.slice(1) }]],
  'a rule twice': [['a repeated rule', { ...green, rules: [...green.rules, ...green.rules.slice(0, 1)] }]],
  'does not follow from their findings': [
    [
      'a rule that failed only by a waived finding',
      {
        ...waived({}),
        ...ruled(red, missing, { status: 'failed', findings: [findingWith({ waived: reason })] }),
      },
    ],
    ['a failed rule marked as waived', ruled(green, missing, { status: 'waived', because: reason, ...open })],
    [
      'a failed rule marked as untested',
      ruled(green, missing, { status: 'untested', because: 'x', ...open }),
    ],
    ['a documented rule that only warns', ruled(green, missing, { status: 'warned', findings: [mild] })],
    ['a warning in a strict run', ruled(strict, 'fuzz/headers', { status: 'warned', ...open })],
    ['a failed implied rule in a run marked as not strict', concluded(ruled(green, 'fuzz/headers', failed))],
  ],
  'nothing was sent, but answers were judged': [
    ['answers without requests', { ...green, requests: { ...green.requests, sent: 0 } }],
  ],
  'a different level': [
    ['a rule with another level', ruled(green, missing, { level: 'implied', status: 'warned', ...open })],
  ],
  'began in the future': [['a start slightly too late', startsAt('2026-11-20T12:05:00.001Z')]],
  'start time is invalid': [['a start on an impossible date', startsAt('2026-99-99T00:00:00.000Z')]],
  '/target/label must NOT have more than 200': [['an overlong label', of({ label: 'x'.repeat(201) })]],
  '/target/version must NOT have more than 200': [['an overlong version', of({ version: '1'.repeat(201) })]],
  '/target/baseUrl must NOT have more': [
    ['an overlong address', of({ baseUrl: `${green.target.baseUrl}/${'x'.repeat(10_000)}` })],
  ],
  '/selection/only/0 must NOT have more': [
    ['an overlong selection', { ...green, selection: { only: ['*'.repeat(10_001)] } }],
  ],
}

/** Verdicts that no run would leave, each with its description and clause. */
export const forged = Object.entries(forgedBySaying).flatMap(([says, rows]) =>
  rows.map(([what, verdict]) => [what, says, verdict] as const),
)

const full = { verdict: 'error', exitCode: 4, because: ['the disk is full'] } as const

/** Unusual verdicts that a run may leave, each with a description. */
export const honest: readonly (readonly [what: string, verdict: Verdict])[] = [
  ['a conformant verdict', green],
  ['a conformant acceptance verdict', accepted],
  ['a nonconformant verdict', red],
  ['an incomplete verdict', partial],
  ['a waiver on its last day', waived({})],
  ['a clock that is five minutes ahead', startsAt('2026-11-20T12:05:00.000Z')],
  [
    'a verdict from a newer version, which can judge other rules',
    { ...newer, rules: green.rules.slice(0, 3) },
  ],
  ['a verdict on some rules', { ...green, selection: { only: ['x'] }, rules: green.rules.slice(0, 3) }],
  ['an error without its waivers', { ...waived({}), ...full, waivers: [] }],
  ['an error with failed rules', { ...red, ...full }],
  ['an error with a failed expectation', { ...ruled(green, 'tolerance/property-order', failed), ...full }],
  ['an inconclusive implied rule', inconclusive('acceptance', 'fuzz/headers')],
  ['a waiver that no longer covers anything', { ...accepted, waivers: [{ ...waiver, used: false }] }],
  [
    'an endpoint that was not judged, as agreed',
    withoutEndpoint({ ...waiver, rule: null, fingerprint: 'aaaaaaaa' }),
  ],
  ['a rule that was not tested, as agreed', untestedAsAgreed(accepted)],
  ['a rule that follows from a waived finding', followingFinding(reason)],
  [
    'a rule that follows from a rule outside the selection',
    {
      ...followingFinding(reason),
      selection: { only: ['authentication/*'] },
      rules: followingFinding(reason).rules.filter(({ id }) => id !== 'fuzz/query'),
    },
  ],
  [
    'a verdict whose only judged rule is violated and waived',
    {
      ...waived({}),
      rules: waived({}).rules.map((rule) =>
        rule.id === missing ? rule : { ...rule, status: 'untested', ...unjudged },
      ),
    },
  ],
  ['an address with a hidden part', shownAt('https://<part of TARGET_API_KEY>/api')],
  ['a masked address', shownAt('https://<TARGET_API_KEY>.example.com/cards/api')],
  ['a target that is not a path', shownAt('https://staging.example.com/cards http://other.example/')],
]
