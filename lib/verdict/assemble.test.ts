import { describe, expect, it } from 'vitest'
import type { Finding, RuleResult, RunRecord } from '../judge/record.ts'
import type { Waiver } from '../settings/waivers.ts'
import { ruleIds, type RuleId } from '../spec/rules.ts'
import { assemble, errorVerdict, type RunHead, type RunOutcome } from './assemble.ts'
import { verdictMistakes } from './validate-verdict.ts'
import type { Verdict, VerdictRule } from './verdict.ts'
import { historyLine, type HistoryLine } from './history-line.ts'
import { findingWith } from './verdict.testing.ts'

const head: RunHead = {
  suiteVersion: '1.2.3',
  baseUrl: 'https://staging.example',
  embedded: false,
  version: '1',
  label: 'vendor build 42',
  profile: 'gate',
  strict: false,
  seed: 20260101,
  fuzzCases: 20,
  only: null,
  maxRequests: 500,
  startedAt: new Date('2026-11-20T02:00:00.000Z'),
  durationMs: 1_834.4,
}
const today = '2026-11-20'
const first: RuleId = 'authentication/api-key-missing'
const second: RuleId = 'authentication/secret-key-missing'
const implied: RuleId = 'versioning/malformed-version'

function record(changes: Partial<RunRecord> = {}): RunRecord {
  return {
    sent: 10,
    retried: 1,
    confirming: 2,
    byRule: { [first]: 2 },
    latencyMs: { p50: 1, p95: 2, p99: 3, max: 4 },
    ended: null,
    observations: [{ id: 'flaw-order', value: ['1001'] }],
    ...changes,
  }
}

function passed(id: RuleId, changes: Partial<RuleResult> = {}): RuleResult {
  return { id, status: 'passed', because: null, answers: 3, sample: null, findings: [], ...changes }
}

function waiver(changes: Partial<Waiver> = {}): Waiver {
  return { rule: first, fingerprint: null, reason: 'known', owner: 'Kim', expires: '2027-01-31', ...changes }
}

/** The verdict of a run in which every planned rule passed, but for what is given; held against the schema. */
function verdictOf(changes: Partial<RunOutcome> = {}, run: Partial<RunHead> = {}): Verdict {
  const planned = changes.planned ?? [first, second]
  const verdict = assemble(
    { ...head, ...run },
    {
      planned,
      results: planned.map((id) => passed(id)),
      findings: () => [],
      record: record(),
      errors: [],
      cancelled: null,
      waivers: [],
      today,
      ...changes,
    },
  )
  expect(verdictMistakes(JSON.parse(JSON.stringify(verdict)))).toEqual([])
  return verdict
}

function ruleIn(verdict: Verdict, id: RuleId): VerdictRule | undefined {
  return verdict.rules.find((rule) => rule.id === id)
}

function withResults(...results: readonly RuleResult[]): Pick<RunOutcome, 'planned' | 'results'> {
  return { planned: results.map(({ id }) => id), results }
}

/** What was found for a rule that was not judged to its end. */
function foundFor(rule: RuleId, ...findings: readonly Finding[]): Pick<RunOutcome, 'findings'> {
  return { findings: (id) => (id === rule ? findings : []) }
}

describe('the verdict of a run', () => {
  it('holds its settings, what was sent, and every rule with its level and section', () => {
    const verdict = verdictOf()

    expect(verdict).toMatchObject({
      format: 'card-switch-conformance/verdict/1',
      suite: { version: '1.2.3' },
      target: { baseUrl: 'https://staging.example', embedded: false, version: '1', label: 'vendor build 42' },
      profile: 'gate',
      strict: false,
      seed: 20260101,
      fuzzCases: 20,
      selection: { only: null },
      startedAt: '2026-11-20T02:00:00.000Z',
      durationMs: 1_834,
      verdict: 'conformant',
      exitCode: 0,
      because: [],
      requests: { sent: 10, retried: 1, confirming: 2, budget: 500, byRule: { [first]: 2 } },
      latencyMs: { p50: 1, p95: 2, p99: 3, max: 4 },
      observations: [{ id: 'flaw-order', value: ['1001'] }],
    })
    expect(ruleIn(verdict, first)).toEqual({
      ...passed(first),
      level: 'documented',
      section: 'Authentication, rule 2',
    })
    expect(verdict.notCovered.length).toBeGreaterThan(5)
  })

  it('lists the rules in the order of the catalogue, whatever the order in which they ended', () => {
    const verdict = verdictOf({ planned: ruleIds.toReversed() })

    expect(verdict.rules.map(({ id }) => id)).toEqual(ruleIds)
  })

  it('says what was selected', () => {
    const { selection } = verdictOf({}, { only: ['authentication/*'] })

    expect(selection).toEqual({ only: ['authentication/*'] })
    expect(verdictOf({}, { profile: 'acceptance', only: ['*'] })).toMatchObject({ exitCode: 3 })
  })

  it('of a run that ended early is incomplete, and says why', () => {
    const verdict = verdictOf({
      ...withResults(passed(first)),
      record: record({ ended: 'unreachable' }),
    })

    expect(verdict).toMatchObject({ exitCode: 3, because: ['the run ended early: unreachable'] })
  })
})

describe('a rule of which no status came', () => {
  const lacking = { results: [passed(first)] }

  it('is a failure of the suite, and stands in the verdict all the same', () => {
    const verdict = verdictOf(lacking)

    expect(verdict).toMatchObject({
      verdict: 'error',
      exitCode: 4,
      because: [`the suite itself failed: no status came for ${second}`],
    })
    expect(ruleIn(verdict, second)).toMatchObject({ status: 'inconclusive', answers: 0, findings: [] })
  })

  it('is a failure of the suite that is told by what went wrong, where that is known', () => {
    const verdict = verdictOf({ ...lacking, errors: ['a rule threw'] })

    expect(verdict.exitCode).toBe(4)
    expect(verdict.because[0]).toBe('the suite itself failed: a rule threw')
    expect(verdict.because.join()).not.toContain('no status came')
  })

  it('is a failure of the suite also where every rule has passed but something went wrong besides', () => {
    expect(verdictOf({ ...withResults(passed(first)), errors: ['an unhandled error'] }).exitCode).toBe(4)
  })

  it('is a failure of the suite even where all others are', () => {
    expect(verdictOf({ results: [] })).toMatchObject({
      exitCode: 4,
    })
  })
})

describe('a run that was interrupted', () => {
  const cut = {
    results: [passed(first)],
    errors: ['a request was aborted'],
    cancelled: 'the run was interrupted (SIGINT)',
  }

  it('is incomplete, and blames nobody for what was cut short', () => {
    const verdict = verdictOf(cut)

    expect(verdict).toMatchObject({
      verdict: 'incomplete',
      exitCode: 3,
      because: ['the run ended early: the run was interrupted (SIGINT)'],
    })
    expect(ruleIn(verdict, second)).toMatchObject({
      status: 'inconclusive',
      because: 'the run was interrupted (SIGINT)',
    })
  })

  it('is nonconformant where a breach was met before, by a rule that ended or by one that did not', () => {
    const finding = findingWith()
    const verdict = verdictOf({
      ...cut,
      ...foundFor(second, finding),
      record: record({ sent: 20 }),
    })

    expect(verdict).toMatchObject({ verdict: 'nonconformant', exitCode: 1, requests: { sent: 20 } })
    expect(ruleIn(verdict, second)).toMatchObject({ status: 'failed', because: null, findings: [finding] })
    expect(ruleIn(verdict, first)?.status).toBe('passed')
  })

  it('believes what a rule told at its end rather than what was told before', () => {
    const verdict = verdictOf({ ...cut, ...foundFor(first, findingWith()) })

    expect(ruleIn(verdict, first)).toMatchObject({ status: 'passed', findings: [] })
  })

  it.each([
    [false, 'warned', 3],
    [true, 'failed', 1],
  ] as const)('with a breach of an implied rule, strict %s: %s', (strict, status, exitCode) => {
    const verdict = verdictOf(
      {
        ...cut,
        planned: [first, implied],
        ...foundFor(implied, findingWith()),
      },
      { strict },
    )

    expect(ruleIn(verdict, implied)?.status).toBe(status)
    expect(verdict.exitCode).toBe(exitCode)
  })

  it('is not nonconformant for a breach that a waiver covers', () => {
    const finding = findingWith({ fingerprint: 'aaaaaaaaaaaaaaaa' })
    const covered = { ...cut, ...foundFor(second, finding) }
    const exitWith = (...waivers: readonly Waiver[]): number => verdictOf({ ...covered, waivers }).exitCode

    expect(exitWith()).toBe(1)
    expect(exitWith(waiver({ rule: second }))).toBe(3)
    expect(exitWith(waiver({ rule: null, fingerprint: 'aaaaaaaaaaaaaaaa' }))).toBe(3)
    expect(exitWith(waiver({ rule: second, expires: '2026-11-19' }))).toBe(1)
    expect(exitWith(waiver({ rule: first }))).toBe(1)
  })
})

describe('a finding of a rule that was cut short', () => {
  it('shows as waived where a waiver covers it, and is not what is violated', () => {
    const known = findingWith({ fingerprint: 'aaaaaaaaaaaaaaaa', summary: 'the known one' })
    const open = findingWith({ fingerprint: 'bbbbbbbbbbbbbbbb', summary: 'another one' })
    const verdict = verdictOf({
      results: [passed(first)],
      cancelled: 'the run was interrupted (SIGINT)',
      ...foundFor(second, known, open),
      waivers: [waiver({ rule: second, fingerprint: 'aaaaaaaaaaaaaaaa' })],
    })

    expect(ruleIn(verdict, second)?.findings.map((one) => one.waived)).toEqual([
      'known (Kim, until 2027-01-31)',
      undefined,
    ])
    expect(verdict.because).toContain(`${second} is violated: another one`)
  })
})

describe('a waiver whose fault is gone for certain', () => {
  const met = historyLine(
    verdictOf({
      ...withResults(passed(first, { status: 'waived', because: 'known', findings: [findingWith()] })),
    }),
  )
  const waivers = [waiver()]
  const like = (line: HistoryLine, profile: 'gate' | 'acceptance'): HistoryLine => ({ ...line, profile })

  it('keeps acceptance from being conformant, says how to mend that, and blames nobody', () => {
    const verdict = verdictOf({ waivers, earlier: [like(met, 'acceptance')] }, { profile: 'acceptance' })

    expect(verdict).toMatchObject({
      verdict: 'incomplete',
      exitCode: 3,
      waivers: [{ used: false, gone: true }],
    })
    expect(verdict.because).toEqual([
      `the waiver for ${first} (known; Kim) is not needed any more, for its fault is gone: remove it from the file of RUN_WAIVERS`,
    ])
  })

  it('stops no gate', () => {
    const verdict = verdictOf({ waivers, earlier: [met] })

    expect(verdict).toMatchObject({ exitCode: 0, because: [], waivers: [{ used: false, gone: true }] })
  })

  it('is not known where nothing is known of earlier runs, or they were made otherwise', () => {
    for (const earlier of [[], [met], [{ ...like(met, 'acceptance'), seed: 1 }]]) {
      const verdict = verdictOf({ waivers, earlier }, { profile: 'acceptance' })
      expect(verdict).toMatchObject({ exitCode: 0, waivers: [{ used: false }] })
      expect(verdict.waivers[0]).not.toHaveProperty('gone')
    }
  })
})

describe('the waivers of a run', () => {
  const finding = findingWith({ fingerprint: 'aaaaaaaaaaaaaaaa', waived: 'known' })
  const broken = passed(first, { status: 'waived', because: 'known', findings: [finding] })
  const untested = passed(first, { status: 'waived', because: 'untested; waived: known', answers: 0 })

  function usedAndExpired(
    result: RuleResult,
    one: Waiver,
  ): readonly [boolean | undefined, boolean | undefined] {
    const [found] = verdictOf({ ...withResults(result), waivers: [one] }).waivers
    return [found?.used, found?.expired]
  }

  it('stand in the verdict as they were given', () => {
    expect(verdictOf({ waivers: [waiver()] }).waivers).toEqual([{ ...waiver(), used: false, expired: false }])
  })

  it.each<[string, RuleResult, Waiver, boolean, boolean]>([
    ['of a rule that is broken', broken, waiver(), true, false],
    ['of its fingerprint', broken, waiver({ rule: null, fingerprint: 'aaaaaaaaaaaaaaaa' }), true, false],
    ['of both', broken, waiver({ fingerprint: 'aaaaaaaaaaaaaaaa' }), true, false],
    ['of another rule', broken, waiver({ rule: second }), false, false],
    ['of another fingerprint', broken, waiver({ fingerprint: 'bbbbbbbbbbbbbbbb' }), false, false],
    ['that expires today', broken, waiver({ expires: today }), true, false],
    ['that expired yesterday', broken, waiver({ expires: '2026-11-19' }), false, true],
    ['of a rule that could not be tested', untested, waiver(), true, false],
    [
      'of a fingerprint, for a rule that could not be tested',
      untested,
      waiver({ fingerprint: 'a' }),
      false,
      false,
    ],
    ['of a rule that holds', passed(first), waiver(), false, false],
    [
      'of a rule that is untested and not waived',
      passed(first, { status: 'untested', because: 'not given', answers: 0 }),
      waiver(),
      false,
      false,
    ],
  ])('%s', (_, result, one, used, expired) => {
    expect(usedAndExpired(result, one)).toEqual([used, expired])
  })
})

describe('the verdict of a run that came to nothing', () => {
  it.each([2, 4] as const)('is an error with exit code %i, and claims nothing', (exitCode) => {
    const verdict = errorVerdict(head, exitCode, ['TARGET_BASE_URL: expected an address'])

    expect(verdictMistakes(JSON.parse(JSON.stringify(verdict)))).toEqual([])
    expect(verdict).toMatchObject({
      verdict: 'error',
      exitCode,
      because: ['TARGET_BASE_URL: expected an address'],
      requests: { sent: 0, retried: 0, confirming: 0, budget: 500, byRule: {} },
      latencyMs: null,
      rules: [],
      waivers: [],
      observations: [],
    })
  })
})
