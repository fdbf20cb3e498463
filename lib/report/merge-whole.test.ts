import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Finding, RuleResult } from '../judge/record.ts'
import { elsewhere } from '../judge/untested.ts'
import { settle } from '../session/settle.ts'
import { profiles, type ProfileName } from '../settings/profiles.ts'
import type { Waiver } from '../settings/waivers.ts'
import { ruleOf, type RuleId } from '../spec/rules.ts'
import { conclude } from './conclude.ts'
import { merged } from './merge.ts'
import { validVerdict } from './merge.testing.ts'
import { findingWith, ruleWith, verdictWith } from './verdict.testing.ts'
import type { Verdict } from './verdict.ts'

const ids = [
  'authentication/api-key-missing',
  'endpoints/list-succeeds',
  'versioning/malformed-version',
  'security/no-secret-echo',
] as const satisfies readonly RuleId[]
const waiver: Waiver = {
  rule: null,
  fingerprint: 'waived-fault',
  reason: 'known',
  owner: 'Kim',
  expires: '2999-12-31',
}
const ofRule: Waiver = { ...waiver, rule: 'endpoints/list-succeeds', fingerprint: null }

/** What became of one case of a rule. */
type Outcome =
  | { readonly kind: 'holds' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'unjudged' | 'untested'; readonly because: string }
  | { readonly kind: 'breach'; readonly fingerprint: string; readonly warning: boolean }

interface Played {
  readonly id: RuleId
  readonly shard: number
  readonly outcome: Outcome
}

interface Run {
  readonly profile: ProfileName
  readonly strict: boolean
  readonly waivers: readonly Waiver[]
}

/** A rule as a run settles it that has these of its cases; a shard may have none. */
function settled(id: RuleId, cases: readonly Played[], run: Run): RuleResult {
  const outcomes = cases.map(({ outcome }) => outcome)
  const reasons = (kind: 'unjudged' | 'untested'): readonly string[] =>
    outcomes.flatMap((one) => (one.kind === kind && 'because' in one ? [one.because] : []))
  return settle({
    id,
    level: ruleOf(id).level,
    strict: run.strict,
    findings: findingsOf(outcomes),
    answers: outcomes.filter(({ kind }) => kind === 'holds' || kind === 'breach').length,
    sample: null,
    untested: cases.length === 0 ? elsewhere : (reasons('untested')[0] ?? null),
    unjudged: [...new Set(reasons('unjudged'))],
    waivers: run.waivers,
    today: '2026-11-20',
    waivesUntested: profiles[run.profile].demandsEveryRule,
  })
}

function findingsOf(outcomes: readonly Outcome[]): readonly Finding[] {
  const breaches = outcomes.flatMap((one) => (one.kind === 'breach' ? [one] : []))
  return [...new Set(breaches.map(({ fingerprint }) => fingerprint))].map((fingerprint) => {
    const same = breaches.filter((one) => one.fingerprint === fingerprint)
    const warns = same.every(({ warning }) => warning)
    return findingWith({ fingerprint, count: same.length, ...(warns ? { warning: true } : {}) })
  })
}

/** The verdict of a run, or of one of its shards, that played these cases. */
function verdictOf(cases: readonly Played[], run: Run, ended: string | null, part: string | null): Verdict {
  const results = ids.map((id) =>
    settled(
      id,
      cases.filter((one) => one.id === id),
      run,
    ),
  )
  const filtered = part !== null
  return verdictWith({
    profile: run.profile,
    strict: run.strict,
    selection: { only: null, shard: part },
    rules: results.map((result) => ruleWith(result.id, result)),
    ...conclude({ profile: run.profile, filtered, rules: results, ended, mishaps: [] }),
  })
}

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({ kind: 'holds' } as const) },
  fc.constant({ kind: 'silent' } as const),
  fc.record({ kind: fc.constant('unjudged' as const), because: fc.constantFrom('trouble', 'the budget') }),
  fc.record({ kind: fc.constant('untested' as const), because: fc.constant('no endpoint is like that') }),
  // Whether a breach only warns is a matter of what it is, not of the case that met it.
  fc
    .constantFrom('waived-fault', 'a-breach', 'a-warning')
    .map((fingerprint) => ({ kind: 'breach' as const, fingerprint, warning: fingerprint === 'a-warning' })),
)
const run: fc.Arbitrary<Run> = fc.record({
  profile: fc.constantFrom<ProfileName>('gate', 'acceptance', 'nightly'),
  strict: fc.boolean(),
  waivers: fc.subarray([waiver, ofRule]),
})

function unjudged(shard: number, because: string) {
  return {
    id: 'versioning/malformed-version' as const,
    shard,
    outcome: { kind: 'unjudged' as const, because },
  }
}

const gate: Run = { profile: 'gate', strict: false, waivers: [] }

/** A shard that has two reasons for a rule, of which another shard has one. */
const severalReasons = {
  of: 2,
  cases: [unjudged(1, 'the budget'), unjudged(1, 'trouble'), unjudged(2, 'trouble')],
  ends: [null, null],
  run: gate,
}

describe('the shards of any run', () => {
  it('joined are the run: statuses, reasons, answers, findings, word, exit code', () => {
    const split = fc.integer({ min: 1, max: 4 }).chain((of) =>
      fc.record({
        of: fc.constant(of),
        cases: fc.array(
          fc.record({ id: fc.constantFrom(...ids), shard: fc.integer({ min: 1, max: of }), outcome }),
          { maxLength: 12 },
        ),
        ends: fc.array(fc.constantFrom(null, null, 'unreachable'), { minLength: of, maxLength: of }),
        run,
      }),
    )
    fc.assert(
      fc.property(split, ({ of, cases: drawn, ends, run: how }) => {
        // Every rule of a run has a case.
        const cases = [...drawn, ...ids.map((id): Played => ({ id, shard: 1, outcome: { kind: 'silent' } }))]
        const ended = ends.includes('unreachable') ? 'unreachable' : null
        const whole = verdictOf(cases, how, ended, null)
        const shards = ends.map((end, at) => ({
          path: `${at + 1}`,
          verdict: verdictOf(
            cases.filter((one) => one.shard === at + 1),
            how,
            end,
            `${at + 1}/${of}`,
          ),
        }))

        const joined = validVerdict(merged(shards.toReversed()))
        expect(plain(joined)).toEqual(plain(whole))
      }),
      { numRuns: 300, examples: [[severalReasons]] },
    )
  })
})

/** What must be the same of a run and of its shards joined; reasons and findings in an order of their own. */
function plain({ verdict, exitCode, selection, rules, because }: Verdict) {
  return {
    verdict,
    exitCode,
    selection,
    because: because.flatMap(withoutReason).toSorted(),
    rules: rules
      .map(({ id, status, because: why, answers, findings }) => ({
        id,
        status,
        because: why?.split('; ').toSorted(),
        answers,
        findings: findings.map(({ fingerprint, count }) => `${fingerprint} ${count}`).toSorted(),
      }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  }
}

/** Which rules share a sentence depends on the order of their reasons. */
function withoutReason(sentence: string): readonly string[] {
  const said = sentence.replace(/: .*/, '')
  const [, rules = '', what = ''] = /^(.+) (could not be judged|must be tested in .+)$/.exec(said) ?? []
  return rules === '' ? [said] : rules.split(', ').map((rule) => `${rule} ${what}`)
}
