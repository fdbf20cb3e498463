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
const inconclusive = (id: RuleId): Verdict => ruled(accepted, id, { status: 'inconclusive', ...unjudged })

const faulty = { answers: 4, faulty: 3, excludes: null }
const [yesterday, noDay] = ['2026-11-19', '2027-02-30'].map((expires) =>
  waived({ expires }, `agreed (Kim, until ${expires})`),
)
const lee = 'agreed (Lee, until 2026-11-20)'
const byLee = waived({ fingerprint: listed })
const elsewhere = 'but exchanges are with another address ('
const unlisted = 'no listed waiver covers its exceptions on the day of the run ('
const unfit = 'does not follow from their findings'
const long = 'must NOT have more than '
const prod = findingWith({ exchange: at('https://prod.example/') })
const onlyWaived = ruled(red, missing, { status: 'failed', findings: [findingWith({ waived: reason })] })
const order: RuleId = 'tolerance/property-order'
const full = { verdict: 'error', exitCode: 4, because: ['the disk is full'] } as const

/** Verdicts that no run would leave, each with its description and clause. */
export const forged: readonly (readonly [what: string, says: string, verdict: Verdict])[] = [
  ['a rule with faulty answers', 'breaches, but', ruled(green, missing, { power: faulty })],
  [
    'a run with faulty answers',
    'breaches, but',
    { ...green, power: { confidence: 0.95, situations: [], ...faulty } },
  ],
  ['a cause of a removed finding', 'it names a cause without a finding', { ...green, causes: red.causes }],
  ['an address of another kind', 'judged answers, but names no address', of({ baseUrl: 'javascript:1' })],
  [
    'an end of validity that is not a date',
    'its end of validity is an invalid time',
    { ...green, validUntil: '2099-99-99T99:99:99.999Z' },
  ],
  ['a failed rule', 'is nonconformant', ruled(green, missing, failed)],
  ['an error without a reason', 'is nonconformant', { ...red, verdict: 'error', exitCode: 4, because: [] }],
  ['an error with exit code 1', 'is nonconformant', { ...red, verdict: 'error' }],
  ['no rules from a newer version', 'is incomplete (no rule was judged)', { ...newer, rules: [] }],
  ['conformant with exit code 1', 'says conformant with exit code 1', { ...green, exitCode: 1 }],
  ['incomplete with exit code 4', 'says incomplete with exit code 4', { ...partial, exitCode: 4 }],
  ['an error with exit code 3', 'says error with exit code 3', { ...partial, verdict: 'error' }],
  ['nonconformant despite passed rules', 'is incomplete', overPassed],
  ['nonconformant without a reason', 'its reasons do not follow from its rules', { ...red, because: [] }],
  ['incomplete without a reason', 'is conformant', { ...partial, because: [] }],
  [
    'a host with the same beginning',
    elsewhere,
    shownAt('https://staging.example.com.evil.example/cards/api'),
  ],
  ['another user', elsewhere, shownAt('https://staging.example.com@evil.example/cards/api')],
  ['another host in a finding', elsewhere, ruled(red, missing, { ...failed, findings: [prod] })],
  ['another path on the same host', elsewhere, shownAt('https://staging.example.com/other/api')],
  ['a path with the same beginning', elsewhere, shownAt('https://staging.example.com/cards2/api')],
  ['another target', elsewhere, of({ baseUrl: 'https://vendor.example' })],
  ['no target', 'judges no address', of({ baseUrl: null })],
  ['one case per rule', 'only part', { ...accepted, selection: { only: null, essential: true } }],
  ['a waiver that is not listed', unlisted, { ...waived({}), waivers: [] }],
  ['a waiver that expired yesterday', unlisted, yesterday ?? green],
  ['a waiver until no day', unlisted, noDay ?? green],
  ['a waiver marked as expired', unlisted, waived({ expired: true })],
  ['a waiver marked as covering nothing', unlisted, waived({ used: false })],
  ['a waiver for another rule', unlisted, waived({ rule: 'authentication/secret-key-missing' })],
  ['a waiver for another finding', unlisted, waived({ fingerprint: 'ffffffffffffffff' })],
  ['a waiver with another reason', unlisted, waived({}, lee)],
  ['a waiver for an untested rule in a gate run', unlisted, untestedAsAgreed(green)],
  ['a waiver for an untested implied rule', unlisted, untestedAsAgreed(accepted, 'fuzz/headers')],
  ['a waiver that does not cover the endpoint', unlisted, withoutEndpoint(waiver)],
  ['a rule that follows from another exception', unlisted, followingFinding(lee)],
  ['a rule that follows from itself', unlisted, following(missing, byLee)],
  ['a rule that follows from a missing finding', unlisted, following('fuzz/query', byLee)],
  ['a rule that follows from a missing rule', unlisted, following('acme/none', byLee)],
  ['a failed expectation in an incomplete run', 'is error', ruled(partial, order, failed)],
  [
    'an error of the user instead of the suite',
    'is error',
    { ...ruled(green, order, failed), ...full, exitCode: 2 },
  ],
  ['a missing rule', 'lacks rules', { ...green, rules: green.rules.slice(1) }],
  ['a repeated rule', 'a rule twice', { ...green, rules: [...green.rules, ...green.rules.slice(0, 1)] }],
  ['a rule that failed only by a waived finding', unfit, { ...waived({}), ...onlyWaived }],
  [
    'a failed rule marked as waived',
    unfit,
    ruled(green, missing, { ...unjudged, status: 'waived', ...open }),
  ],
  [
    'a failed rule marked as untested',
    unfit,
    ruled(green, missing, { ...unjudged, status: 'untested', ...open }),
  ],
  ['a documented rule that only warns', unfit, ruled(green, missing, { status: 'warned', findings: [mild] })],
  ['a warning in a strict run', unfit, ruled(strict, 'fuzz/headers', { status: 'warned', ...open })],
  [
    'a failed implied rule in a run marked as not strict',
    unfit,
    concluded(ruled(green, 'fuzz/headers', failed)),
  ],
  [
    'answers without requests',
    'nothing was sent, but answers were judged',
    { ...green, requests: { ...green.requests, sent: 0 } },
  ],
  [
    'a rule with another level',
    'a different level',
    ruled(green, missing, { level: 'implied', status: 'warned', ...open }),
  ],
  ['a start slightly too late', 'began in the future', startsAt('2026-11-20T12:05:00.001Z')],
  ['a start on an impossible date', 'start time is invalid', startsAt('2026-99-99T00:00:00.000Z')],
  ['an overlong label', `/target/label ${long}200`, of({ label: 'x'.repeat(201) })],
  ['an overlong version', `/target/version ${long}200`, of({ version: '1'.repeat(201) })],
  ['an overlong address', `/target/baseUrl ${long}`, of({ baseUrl: 'x'.repeat(10_001) })],
  [
    'an overlong selection',
    `/selection/only/0 ${long}`,
    { ...green, selection: { only: ['*'.repeat(10_001)] } },
  ],
]

const followed = followingFinding(reason)
const ofAuthentication = {
  selection: { only: ['authentication/*'] },
  rules: followed.rules.filter(({ id }) => id !== 'fuzz/query'),
}

/** Unusual verdicts that a run may leave, each with a description. */
export const honest: readonly (readonly [what: string, verdict: Verdict])[] = [
  ['a conformant verdict', green],
  ['a conformant acceptance verdict', accepted],
  ['a nonconformant verdict', red],
  ['an incomplete verdict', partial],
  ['a waiver on its last day', waived({})],
  ['a clock that is five minutes ahead', startsAt('2026-11-20T12:05:00.000Z')],
  ['a newer version, which can judge other rules', { ...newer, rules: green.rules.slice(0, 3) }],
  ['a verdict on some rules', { ...green, selection: { only: ['x'] }, rules: green.rules.slice(0, 3) }],
  ['an error without its waivers', { ...waived({}), ...full, waivers: [] }],
  ['an error with failed rules', { ...red, ...full }],
  ['an error with a failed expectation', { ...ruled(green, order, failed), ...full }],
  ['an inconclusive implied rule', inconclusive('fuzz/headers')],
  ['a waiver that no longer covers anything', { ...accepted, waivers: [{ ...waiver, used: false }] }],
  [
    'an endpoint that was not judged, as agreed',
    withoutEndpoint({ ...waiver, rule: null, fingerprint: 'aaaaaaaa' }),
  ],
  ['a rule that was not tested, as agreed', untestedAsAgreed(accepted)],
  ['a rule that follows from a waived finding', followingFinding(reason)],
  ['a rule that follows from a rule outside the selection', { ...followed, ...ofAuthentication }],
  ['an address with a hidden part', shownAt('https://<part of TARGET_API_KEY>/api')],
  ['a masked address', shownAt('https://<TARGET_API_KEY>.example.com/cards/api')],
  ['a target that is not a path', shownAt('https://staging.example.com/cards http://other.example/')],
]
