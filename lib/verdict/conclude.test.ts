import { expect, it } from 'vitest'
import type { RuleStatus } from '../judge/record.ts'
import type { ProfileName } from '../settings/profiles.ts'
import { ruleIds, ruleOf, type RuleId } from '../specification/rules.ts'
import { conclude, type Judged, type Mishaps } from './conclude.ts'
import { statuses, type ExitCode, type VerdictRule, type VerdictWord } from './verdict.ts'
import { findingWith, ruleWith, targetWith } from './verdict.testing.ts'

const documented: RuleId = 'authentication/api-key-missing'
const implied: RuleId = 'conventions/json-content-type'
const expectation: RuleId = 'tolerance/added-properties'
const [version, endpoint] = ['versioning/default-version', 'versioning/unknown-endpoint'] as const
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

const words: Readonly<Record<ExitCode, VerdictWord>> = {
  0: 'conformant',
  1: 'nonconformant',
  2: 'error',
  3: 'incomplete',
  4: 'error',
}
const acceptance = { profile: 'acceptance' } as const
const unjudged = { because: 'no rule sends to it' }
const notJudged = [
  { endpoint: '/api/a', ...unjudged, fingerprint: 'aaaaaaaa' },
  { endpoint: '/api/b', ...unjudged, fingerprint: 'bbbbbbbb' },
  { endpoint: '/api/c', ...unjudged, fingerprint: 'cccccccc', waived: 'agreed' },
]
const target = targetWith({ notJudged })
const early = 'the run ended early: unreachable'
const ended = { ended: 'unreachable' }
const bug = { suiteErrors: ['a bug'] }
const bugged = 'the suite itself failed: a bug'
const of503 = (count: number) => ({ requests: { sent: 100, retriedFor: { '503': count } } })
const { summary } = findingWith()
const open = [result(documented, 'inconclusive'), result(version, 'inconclusive')]
const covered = findingWith({ summary: 'covered', waived: 'known (Kim)' })
const wrong = (...whose: readonly ('suite' | 'endpoints-file')[]): VerdictRule =>
  result(expectation, 'failed', {
    findings: whose.map((blames) => findingWith({ blames, summary: 'too strict' })),
  })
const ofFile = `TARGET_ENDPOINTS expects what the specification does not promise: ${expectation}: too strict`
const nothing = 'no rule was judged'

it.each<[string, Partial<Run>, exitCode: ExitCode, ...because: readonly string[]]>([
  ['a rule that passed', {}, 0],
  [
    'endpoints that are demanded and were not judged, with what a waiver has to name',
    { ...acceptance, target },
    3,
    '/api/a (fingerprint aaaaaaaa), /api/b (fingerprint bbbbbbbb) must be judged in acceptance: no rule sends to it',
  ],
  ['endpoints that are not demanded', { target }, 0],
  ['endpoints of a run that ended', { ...acceptance, target, ...ended }, 3, early],
  ['an expectation of the endpoints file', { rules: [wrong('endpoints-file')] }, 2, ofFile],
  [
    'an expectation of the endpoints file, beside a breach',
    { rules: [wrong('endpoints-file'), result(version, 'failed')] },
    2,
    ofFile,
    `${version} is violated: ${summary}`,
  ],
  [
    'expectations of the file and the suite',
    { rules: [wrong('endpoints-file', 'suite')] },
    4,
    `the suite itself failed: ${expectation}: too strict`,
    ofFile,
  ],
  [
    'an expectation without an open finding',
    { rules: [wrong()] },
    4,
    `the suite itself failed: ${expectation}`,
  ],
  [
    'a fifth of requests without an answer',
    of503(20),
    3,
    '20 of 100 requests (20 %) had to be sent again: 20 × 503 (a 503 may be a rate limit: try --max-rps): too many for a verdict',
  ],
  ['fewer without an answer', of503(19), 0],
  ['many without an answer, in a run that ended', { ...of503(50), ...ended }, 3, early],
  ['no rules', { rules: [] }, 3, nothing],
  ['untested rules', { rules: [result(documented, 'untested'), result(implied, 'untested')] }, 3, nothing],
  ['an inconclusive implied rule', { rules: [result(implied, 'inconclusive')] }, 3, nothing],
  ['an untested rule that is waived', { rules: [result(documented, 'waived', { answers: 0 })] }, 3, nothing],
  // The breach is covered: the rule was judged, and nothing is violated.
  ['a broken rule that is waived', { rules: [result(documented, 'waived', { findings: [covered] })] }, 0],
  ['a warning', { rules: [result(implied, 'warned')] }, 0],
  [
    'violated rules, with what no waiver covers',
    {
      rules: [
        result(documented, 'failed', { findings: [covered, findingWith({ summary: 'open' })] }),
        result(version, 'failed'),
      ],
    },
    1,
    `${documented} is violated: open`,
    `${version} is violated: ${summary}`,
  ],
  [
    'an untested rule that is demanded',
    { ...acceptance, rules: [result(documented, 'untested'), result(version, 'passed')] },
    3,
    `${documented} must be tested in acceptance: why untested`,
  ],
  [
    'rules that share a reason, and one without any',
    { rules: [...open, result(endpoint, 'inconclusive', { because: null })] },
    3,
    `${documented}, ${version} could not be judged: why inconclusive`,
    `${endpoint} could not be judged: no reason is known`,
  ],
  [
    'a part that is not enough',
    { ...acceptance, filtered: true },
    3,
    'only part of the cases was selected, but acceptance needs all of them',
  ],
  [
    'a breach, and what could not be judged',
    { rules: [result(documented, 'failed'), result(version, 'inconclusive')] },
    1,
    `${documented} is violated: ${summary}`,
    `${version} could not be judged: why inconclusive`,
  ],
  ['what a run left at its end', { rules: open, ...ended }, 3, early],
  ['what an error of the suite left', { rules: open, ...bug }, 4, bugged],
  [
    'all at once: the suite, then breaches, then what is missing',
    { rules: [result(documented, 'inconclusive'), result(version, 'failed')], ...ended, ...bug },
    4,
    bugged,
    `${version} is violated: ${summary}`,
    early,
  ],
])('%s is concluded: %o', (_, run, exitCode, ...because) => {
  expect(concluded(run)).toEqual({ verdict: words[exitCode], exitCode, because })
})

/** By level and status of one rule beside one that passed: the exit code in the three profiles, for a whole run. */
const byStatus: readonly (readonly [
  RuleId,
  RuleStatus,
  gate: number,
  acceptance: number,
  nightly: number,
])[] = [
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

it.each(byStatus)(
  '%s %s: %i in gate, %i in acceptance, %i in nightly, and never 0 of a part in acceptance',
  (id, status, ...codes) => {
    const rules = [result(version, 'passed'), result(id, status)]
    const ofPart = codes.map((code, at) => (profiles[at] === 'acceptance' && code === 0 ? 3 : code))

    expect(profiles.map((profile) => exitOf({ profile, rules }))).toEqual(codes)
    expect(profiles.map((profile) => exitOf({ profile, rules, filtered: true }))).toEqual(ofPart)
  },
)

it('every rule is concluded by its level', () => {
  for (const id of ruleIds) {
    const other = ruleIds.find((one) => one !== id) ?? id
    const of = (status: RuleStatus): number =>
      exitOf({ rules: [result(other, 'passed'), result(id, status)] })
    const { level } = ruleOf(id)

    expect(statuses.map(of), id).toEqual([
      0,
      0,
      level === 'expectation' ? 4 : 1,
      0,
      level === 'documented' ? 3 : 0,
      0,
    ])
  }
})

it('4 goes over 1 over 3 over 0 in every profile, and all but 0 has a reason', () => {
  for (const profile of profiles)
    for (const mishap of [{}, ended, bug])
      for (const first of statuses)
        for (const second of statuses) {
          const rules = [result(documented, first), result(version, second)]
          const { exitCode, because, verdict } = concluded({ profile, rules, ...mishap })
          const seen = [first, second]
          const expected =
            mishap === bug
              ? [4]
              : seen.includes('failed')
                ? [1]
                : mishap === ended || seen.includes('inconclusive')
                  ? [3]
                  : [0, 3]
          expect(expected, `${profile} ${first} ${second}`).toContain(exitCode)
          expect([verdict, because.length > 0]).toEqual([words[exitCode], exitCode !== 0])
        }
})
