import type { RuleId } from '../specification/rules.ts'
import type { Verdict, VerdictRule, VerdictWaiver } from './verdict.ts'
import {
  concluded,
  exchange,
  findingWith,
  nonconformantVerdict,
  ruleWith,
  rulesWith,
  verdictWith,
} from './verdict.testing.ts'

/** A conformant verdict of a gate. */
const green = verdictWith()
/** One of an acceptance. */
const accepted: Verdict = { ...green, profile: 'acceptance', strict: true }
/** A nonconformant one. */
export const red = nonconformantVerdict()
/** One by a version of the suite that is not known here. */
const newer: Verdict = { ...green, suite: { version: '99.0.0' } }
const because = ['the run ended early: the quota is used up']
/** An incomplete one. */
const partial: Verdict = { ...green, verdict: 'incomplete', exitCode: 3, because }

const missing: RuleId = 'authentication/api-key-missing'
const open = { findings: [findingWith()] }
const unjudged = { because: 'not given', answers: 0, sample: null }

/** A verdict of which one rule is another. */
function ruled(verdict: Verdict, id: RuleId, changes: Partial<VerdictRule>): Verdict {
  return { ...verdict, rules: rulesWith([ruleWith(id, changes)]) }
}

/** A verdict that shows an exchange with this address. */
function shownAt(url: string): Verdict {
  return ruled(green, 'fuzz/query', { sample: { ...exchange, request: { ...exchange.request, url } } })
}

const waiver: VerdictWaiver = {
  rule: missing,
  fingerprint: null,
  reason: 'agreed',
  owner: 'Kim',
  expires: '2026-11-20',
  expired: false,
  used: true,
}
const reason = 'agreed (Kim, until 2026-11-20)'

/** A verdict in which a rule is waived; without changes, its waiver holds. */
function waived(changes: Partial<VerdictWaiver>, text = reason): Verdict {
  const findings = [findingWith({ waived: text })]
  const verdict = ruled(green, missing, { status: 'waived', because: text, findings })
  return { ...verdict, waivers: [{ ...waiver, ...changes }] }
}

const listed = 'f'.repeat(16)
/** A verdict whose rule is waived, because it follows from a breach of another one that a waiver lists. */
function following(rule: RuleId, { waivers }: Verdict): Verdict {
  const follows = [{ rule, fingerprint: listed }]
  return {
    ...ruled(green, missing, { ...unjudged, status: 'waived', because: reason, follows }),
    waivers: waivers.map((one) => ({ ...one, rule: null })),
  }
}

/** A verdict whose rule is waived for this reason, because it follows from a waived finding of another one. */
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

/** An acceptance in which an endpoint was not judged, and is waived. */
function unjudgedAsAgreed(waivers: readonly VerdictWaiver[]): Verdict {
  const notJudged = [{ endpoint: '/api/cards', because: 'x', fingerprint: 'aaaaaaaa', waived: reason }]
  return { ...accepted, target: { ...accepted.target, notJudged }, waivers }
}

/** A verdict of a run that began at this time. */
const startsAt = (startedAt: string): Verdict => ({ ...green, startedAt })
const of = (target: Partial<Verdict['target']>): Verdict => ({
  ...green,
  target: { ...green.target, ...target },
})
const untested = (id: RuleId): Verdict => ruled(accepted, id, { status: 'untested', ...unjudged })
const inconclusive = (profile: Verdict['profile'], id: RuleId): Verdict =>
  ruled({ ...green, profile, strict: true }, id, { status: 'inconclusive', ...unjudged })

type Forged = readonly [what: string, says: string, verdict: Verdict]

/** Verdicts that no run leaves: what each is, what is said of it, and it. */
export const forged: readonly Forged[] = [
  [
    'a failed rule',
    'with exit code 0, and by its rules it is nonconformant (authentication/api-key-missing is violated: ',
    ruled(green, missing, { status: 'failed', ...open }),
  ],
  [
    'a failed implied rule',
    'is nonconformant',
    ruled(accepted, 'fuzz/headers', { status: 'failed', ...open }),
  ],
  ['two failed rules', 'is nonconformant', { ...red, verdict: 'conformant', exitCode: 0, because: [] }],
  ['incomplete over a failed rule', 'is nonconformant', { ...red, verdict: 'incomplete', exitCode: 3 }],

  ['no rules', 'is incomplete (no rule was judged)', { ...green, rules: [] }],
  ['no rules of a newer version', 'is incomplete (no rule was judged)', { ...newer, rules: [] }],
  [
    'untested rules alone',
    'is incomplete (no rule was judged)',
    { ...green, rules: green.rules.map((rule) => ({ ...rule, status: 'untested', ...unjudged })) },
  ],

  ['conformant with 1', 'says conformant with exit code 1', { ...green, exitCode: 1 }],
  ['nonconformant with 0', 'says nonconformant with exit code 0', { ...red, exitCode: 0 }],
  ['incomplete with 4', 'says incomplete with exit code 4', { ...partial, exitCode: 4 }],
  ['an error with 3', 'says error with exit code 3', { ...partial, verdict: 'error' }],

  ['conformant with a reason', 'is incomplete', { ...green, because }],
  ['nonconformant without one', 'its reasons are not those of its rules', { ...red, because: [] }],
  ['incomplete without one', 'is conformant', { ...partial, because: [] }],
  [
    'nonconformant over passed rules',
    'is incomplete',
    { ...green, verdict: 'nonconformant', exitCode: 1, because },
  ],

  [
    'another host',
    'it judges https://staging.example.com/cards, and exchanges are with another address (fuzz/query)',
    shownAt('https://prod.example.com/cards/api/customizations/list'),
  ],
  [
    'a host that begins alike',
    'another address',
    shownAt('https://staging.example.com.evil.example/cards/api'),
  ],
  [
    'another port',
    'another address',
    shownAt('https://staging.example.com:8443/cards/api/customizations/list'),
  ],
  ['another scheme', 'another address', shownAt('http://staging.example.com/cards/api/customizations/list')],
  ['another user', 'another address', shownAt('https://staging.example.com@evil.example/cards/api')],
  [
    'another host in a finding alone',
    'another address',
    ruled(red, missing, {
      status: 'failed',
      findings: [
        findingWith({
          exchange: { ...exchange, request: { ...exchange.request, url: 'https://prod.example/' } },
        }),
      ],
    }),
  ],
  [
    'another path of the same host',
    'another address',
    shownAt('https://staging.example.com/other/api/customizations/list'),
  ],
  ['a path that begins alike', 'another address', shownAt('https://staging.example.com/cards2/api')],
  ['another target', 'another address', of({ baseUrl: 'https://vendor.example' })],
  ['no target', 'judges no address', of({ baseUrl: null })],

  ['an inconclusive rule', 'could not be judged', inconclusive('gate', missing)],
  ['one of a night', 'could not be judged', inconclusive('nightly', 'fuzz/query')],
  ['one of an acceptance', 'could not be judged', inconclusive('acceptance', 'quota/exhausted')],
  [
    'too much trouble',
    'got no answer',
    { ...green, requests: { ...green.requests, retriedFor: { '503': 150 } } },
  ],

  ['an untested rule in acceptance', 'must be tested', untested(missing)],
  ['a quota that was not tested', 'must be tested', untested('quota/exhausted')],
  ['a fuzz rule that was not tested', 'must be tested', untested('fuzz/path')],
  [
    'a waiver whose fault is gone',
    'not needed',
    { ...accepted, waivers: [{ ...waiver, used: false, gone: true }] },
  ],
  ['a selection', 'only a part', { ...accepted, selection: { only: ['authentication/*'] } }],
  ['one case a rule', 'only a part', { ...accepted, selection: { only: null, essential: true } }],
  [
    'an endpoint that was not judged',
    'must be judged',
    {
      ...accepted,
      target: {
        ...accepted.target,
        notJudged: [{ endpoint: '/api/cards', because: 'x', fingerprint: 'aaaaaaaa' }],
      },
    },
  ],

  ['a waiver that is not listed', 'no listed waiver', { ...waived({}), waivers: [] }],
  [
    'a waiver of yesterday',
    'no listed waiver',
    waived({ expires: '2026-11-19' }, 'agreed (Kim, until 2026-11-19)'),
  ],
  ['a waiver that says it expired', 'no listed waiver', waived({ expired: true })],
  ['a waiver of another rule', 'no listed waiver', waived({ rule: 'authentication/secret-key-missing' })],
  ['a waiver of another finding', 'no listed waiver', waived({ fingerprint: 'ffffffffffffffff' })],
  ['a waiver for another reason', 'no listed waiver', waived({}, 'agreed (Lee, until 2026-11-20)')],
  [
    'a waiver for what was not tested in a gate',
    'no listed waiver',
    { ...ruled(green, missing, { status: 'waived', ...unjudged, because: reason }), waivers: [waiver] },
  ],

  [
    'a waiver for an implied rule that was not tested',
    'no listed waiver',
    {
      ...ruled(accepted, 'fuzz/headers', { status: 'waived', ...unjudged, because: reason }),
      waivers: [{ ...waiver, rule: 'fuzz/headers' }],
    },
  ],
  ['a waiver for an endpoint that is not listed', 'no listed waiver', unjudgedAsAgreed([waiver])],
  [
    'what follows from a finding for another reason',
    'no listed waiver',
    followingFinding('agreed (Lee, until 2026-11-20)'),
  ],
  ['what follows from itself', 'no listed waiver', following(missing, waived({ fingerprint: listed }))],
  [
    'what follows from a finding that is none',
    'no listed waiver',
    following('fuzz/query', waived({ fingerprint: listed })),
  ],
  [
    'what follows from a rule that is none',
    'no listed waiver',
    following('acme/none', waived({ fingerprint: listed })),
  ],

  [
    'a failed expectation',
    'is error',
    ruled(green, 'tolerance/property-order', { status: 'failed', ...open }),
  ],
  [
    'one in an incomplete run',
    'is error',
    ruled(partial, 'tolerance/property-order', { status: 'failed', ...open }),
  ],
  [
    'nonconformant over one alone',
    'is error',
    {
      ...ruled(green, 'tolerance/property-order', { status: 'failed', ...open }),
      verdict: 'nonconformant',
      exitCode: 1,
      because,
    },
  ],
  [
    'one beside a failed rule',
    'is error',
    {
      ...red,
      rules: red.rules.map((rule) =>
        rule.level === 'expectation' ? { ...rule, status: 'failed', ...open } : rule,
      ),
    },
  ],

  ['a rule fewer', 'lacks rules', { ...green, rules: green.rules.slice(1) }],
  ['one rule alone', 'lacks rules', { ...green, rules: green.rules.slice(0, 1) }],
  [
    'failed rules fewer',
    'lacks rules',
    { ...green, rules: red.rules.filter(({ status }) => status === 'passed') },
  ],
  [
    'two rules of a rule set that nobody knows',
    'lacks rules',
    Object.assign({ ...green, rules: green.rules.slice(0, 2) }, { ruleSet: '9' }),
  ],
  ['a rule twice', 'a rule twice', { ...green, rules: [...green.rules, ...green.rules.slice(0, 1)] }],

  [
    'one that failed by what is waived',
    'findings do not make',
    {
      ...red,
      rules: rulesWith([
        ...red.rules.filter(({ status }) => status === 'failed').slice(1),
        ruleWith(missing, { status: 'failed', findings: [findingWith({ waived: reason })] }),
      ]),
      waivers: [waiver],
    },
  ],
  [
    'a failed rule that is said to warn',
    'findings do not make',
    ruled(green, missing, { status: 'warned', ...open }),
  ],
  [
    'one that is said to be waived',
    'findings do not make',
    ruled(green, missing, { status: 'waived', because: reason, ...open }),
  ],
  [
    'one that is said to be untested',
    'findings do not make',
    ruled(green, missing, { status: 'untested', because: 'x', ...open }),
  ],
  [
    'a documented rule that warns by a mark of its finding',
    'findings do not make',
    ruled(green, missing, { status: 'warned', findings: [findingWith({ warning: true })] }),
  ],
  [
    'a warning of a gate that is said to be strict',
    'findings do not make',
    { ...ruled(green, 'fuzz/headers', { status: 'warned', ...open }), strict: true },
  ],
  [
    'a failed implied rule of a run that is said not to be strict',
    'findings do not make',
    {
      ...concluded({ rules: rulesWith([ruleWith('fuzz/headers', { status: 'failed', ...open })]) }),
      profile: 'acceptance',
    },
  ],
  [
    'answers where nothing was sent',
    'nothing was sent, and answers were judged',
    { ...green, requests: { ...green.requests, sent: 0 } },
  ],
  [
    'one of another level',
    'another level',
    ruled(green, missing, { level: 'implied', status: 'warned', ...open }),
  ],

  ['a start in two days', 'began in the future', startsAt('2026-11-22T02:00:00.000Z')],
  ['a start a moment too late', 'began in the future', startsAt('2026-11-20T12:05:00.001Z')],
  ['a start in ten hours', 'began in the future', startsAt('2026-11-20T22:00:00.000Z')],
  ['a start in another age', 'began in the future', startsAt('9999-12-31T00:00:00.000Z')],
  ['a start on no day', 'at a time that is none', startsAt('2026-99-99T00:00:00.000Z')],

  ['a label without end', '/target/label must NOT have more than 200', of({ label: 'x'.repeat(201) })],
  ['a version without end', '/target/version must NOT have more than 200', of({ version: '1'.repeat(201) })],
  [
    'an address without end',
    '/target/baseUrl must NOT have more',
    of({ baseUrl: `${green.target.baseUrl}/${'x'.repeat(10_000)}` }),
  ],
  [
    'a selection without end',
    '/selection/only/0 must NOT have more',
    { ...green, selection: { only: ['*'.repeat(10_001)] } },
  ],
]

const failed = { verdict: 'error', exitCode: 4, because: ['the disk is full'] } as const

/** Verdicts that a run may leave, though they look odd: what each is, and it. */
export const honest: readonly (readonly [what: string, verdict: Verdict])[] = [
  ['a conformant one', green],
  ['an accepted one', accepted],
  ['a nonconformant one', red],
  ['an incomplete one', partial],
  ['one with a waiver that holds for its last day', waived({})],
  ['one whose clock is five minutes ahead', startsAt('2026-11-20T12:05:00.000Z')],
  ['one of a newer version, which may judge other rules', { ...newer, rules: green.rules.slice(0, 3) }],
  ['one of some rules', { ...green, selection: { only: ['x'] }, rules: green.rules.slice(0, 3) }],
  ['an error without its waivers', { ...waived({}), ...failed, waivers: [] }],
  ['an error over failed rules', { ...red, ...failed }],
  [
    'an error over a failed expectation',
    { ...ruled(green, 'tolerance/property-order', { status: 'failed', ...open }), ...failed },
  ],
  ['one with an inconclusive implied rule', inconclusive('acceptance', 'fuzz/headers')],
  [
    'one with a waiver that covers nothing, and did before',
    { ...accepted, waivers: [{ ...waiver, used: false }] },
  ],
  [
    'one of an endpoint that was not judged, as agreed',
    unjudgedAsAgreed([{ ...waiver, rule: null, fingerprint: 'aaaaaaaa' }]),
  ],
  [
    'one of a rule that was not tested, as agreed',
    { ...ruled(accepted, missing, { status: 'waived', ...unjudged, because: reason }), waivers: [waiver] },
  ],
  ['one of a rule that follows from a waived finding', followingFinding(reason)],
  [
    'one of some rules, of which one follows from another',
    {
      ...followingFinding(reason),
      selection: { only: ['authentication/*'] },
      rules: followingFinding(reason).rules.filter(({ id }) => id !== 'fuzz/query'),
    },
  ],
  [
    'one whose only judged rule is broken and waived',
    {
      ...waived({}),
      rules: waived({}).rules.map((rule) =>
        rule.id === missing ? rule : { ...rule, status: 'untested', ...unjudged },
      ),
    },
  ],
  ['an address with a part that was hidden', shownAt('https://<part of TARGET_API_KEY>/api')],
  ['an address that was masked', shownAt('https://<TARGET_API_KEY>.example.com/cards/api')],
  ['a target that is no path', shownAt('https://staging.example.com/cards http://other.example/')],
]
