import { describe, expect, it } from 'vitest'
import type { Finding, Reason, RuleResult, RunSnapshot } from '../judge/record.ts'
import { rateExcluded } from './power.ts'
import type { Waiver } from '../settings/waivers.ts'
import { specCatalogue } from '../specification/catalogue.ts'
import { ruleIds, type RuleId } from '../specification/rules.ts'
import { read, settingsOf, target as targetSettings } from '../settings/testing/read.ts'
import {
  assemble,
  errorVerdict,
  runMetadata,
  unfinishedVerdict,
  type RunMetadata,
  type RunOutcome,
} from './assemble.ts'
import { readVerdictBytes, verdictMistakes } from './read-verdict.ts'
import { verdictJson } from './verdict-json.ts'
import type { Verdict, VerdictRule } from './verdict.ts'
import { historyLine, type HistoryLine } from './history-line.ts'
import { findingWith } from './verdict.testing.ts'

const head: RunMetadata = {
  suiteVersion: '1.2.3',
  baseUrl: 'https://staging.example',
  embedded: false,
  version: '1',
  label: 'vendor',
  build: '42',
  profile: 'gate',
  strict: false,
  seed: 20260101,
  fuzzCases: 20,
  only: null,
  essential: false,
  maxRequests: 500,
  startedAt: new Date('2026-11-20T02:00:00.000Z'),
  durationMs: 1_834.4,
}
const today = '2026-11-20'
const known = [{ kind: 'waived', text: 'known' }] as const
const first: RuleId = 'authentication/api-key-missing'
const second: RuleId = 'authentication/secret-key-missing'

function record(changes: Partial<RunSnapshot> = {}): RunSnapshot {
  return {
    sent: 10,
    retried: 1,
    confirming: 2,
    byRule: { [first]: 2 },
    retriedFor: {},
    byClient: { target: 9, second: 1 },
    msByRule: { [first]: 41.6 },
    latencyMs: { p50: 1, p95: 2, p99: 3, max: 4 },
    ended: null,
    observations: [{ id: 'flaw-order', value: ['1001'] }],
    ...changes,
  }
}

function passed(id: RuleId, changes: Partial<RuleResult> = {}): RuleResult {
  return { id, status: 'passed', reasons: [], answers: 3, sample: null, findings: [], ...changes }
}

function waiver(changes: Partial<Waiver> = {}): Waiver {
  return { rule: first, fingerprint: null, reason: 'known', owner: 'Kim', expires: '2027-01-31', ...changes }
}

/** The verdict of a run in which every planned rule passed, with changes; validated against the schema. */
function verdictOf(changes: Partial<RunOutcome> = {}, run: Partial<RunMetadata> = {}): Verdict {
  const verdict = assemble(
    { ...head, ...run },
    {
      results: [passed(first), passed(second)],
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

describe('the verdict of a run', () => {
  it.each<[string, readonly RuleId[], readonly RuleId[] | null]>([
    ['all suites', ruleIds, null],
    ['a part of the suites', [first, second], [first, second]],
  ])('of %s names what was judged, and is read again by this version', (_, ids, only) => {
    const catalogue = new Map([...specCatalogue].filter(([id]) => ids.includes(id)))
    const verdict = verdictOf({ catalogue, results: ids.map((id) => passed(id)) }, { suiteVersion: '1.0.0' })

    expect(verdict.selection).toEqual({ only })
    expect(readVerdictBytes(Buffer.from(verdictJson(verdict)))).toMatchObject({ kind: 'value' })
    expect(verdictJson(verdict)).not.toMatch(/"(?:ruleSet|notScored|shard)"/)
  })

  it('holds its settings, what was sent, and every rule with its level and section', () => {
    const verdict = verdictOf()

    expect(verdict).toMatchObject({
      format: 'card-switch-conformance/verdict/1',
      suite: { version: '1.2.3' },
      target: {
        baseUrl: 'https://staging.example',
        embedded: false,
        version: '1',
        label: 'vendor',
        build: '42',
      },
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
      id: first,
      level: 'documented',
      section: 'Authentication, rule 2',
      says: 'a request without x-api-key is refused with 400 and 1001',
      status: 'passed',
      because: null,
      answers: 3,
      durationMs: 42,
      power: { answers: 3, excludes: rateExcluded(3) },
      sample: null,
      findings: [],
    })
    expect(verdict.notCovered.length).toBeGreaterThan(5)
  })

  it('says until when it holds, where a number of days was set', () => {
    expect(verdictOf({}, { validDays: 30 }).validUntil).toBe('2026-12-20T02:00:00.000Z')
    expect(verdictOf({}, { validDays: null })).not.toHaveProperty('validUntil')
  })

  it('says of a rule about the service alone what rate its answers exclude', () => {
    const ids = [first, 'fuzz/query', 'tolerance/property-order'] as const
    const { rules } = verdictOf({ results: ids.map((id) => passed(id)) })

    expect(rules.map(({ power }) => power?.answers)).toEqual([3, 3, undefined])
  })

  it('blames no answer for an expectation that failed', () => {
    const id = 'tolerance/property-order'
    const blamed = [{ findings: [`${id} aaaaaaaa`], faulty: 3, unanswered: 1 }]
    const power = { confidence: 0.95, answers: 300, excludes: 0.01, situations: [] }
    const result = passed(id, { status: 'failed', findings: [findingWith({ fingerprint: 'aaaaaaaa' })] })

    expect(verdictOf({ results: [result], record: record({ power, blamed }) })).toMatchObject({
      exitCode: 4,
      power: { faulty: 0, unanswered: 0, excludes: null },
    })
  })

  it('is an error for mistakes in rules of one’s own', () => {
    expect(verdictOf({ ownErrors: ['acme/own threw'] })).toMatchObject({
      exitCode: 2,
      because: ['acme/own threw'],
    })
  })

  it('excludes a rate only where it is green', () => {
    const power = { confidence: 0.95, answers: 300, excludes: 0.01, situations: [] }
    expect(verdictOf({ record: record({ power }) }).power?.excludes).toBe(0.01)
    expect(verdictOf({ record: record({ power, ended: 'the target is gone' }) }).power?.excludes).toBeNull()
  })

  it('counts the answers that the findings of its rules blame, and excludes no rate beside one', () => {
    const power = { confidence: 0.95, answers: 300, excludes: 0.01, situations: [] }
    const blamed = [
      { findings: [`${first} aaaaaaaa`], faulty: 3, unanswered: 1 },
      { findings: [`${first} aaaaaaaa`, `${second} bbbbbbbb`], faulty: 2, unanswered: 0 },
      { findings: [`${second} dropped`, 'fuzz/query of another rule'], faulty: 7, unanswered: 7 },
    ]
    const waived = passed(first, {
      status: 'waived',
      reasons: known,
      findings: [findingWith({ fingerprint: 'aaaaaaaa', waived: 'known' })],
    })
    const warned = passed(second, { status: 'warned', findings: [findingWith({ fingerprint: 'bbbbbbbb' })] })
    const of = (...results: readonly RuleResult[]): Verdict =>
      verdictOf({ results, record: record({ power, blamed }) })

    expect(of(waived, warned).power).toMatchObject({ faulty: 5, unanswered: 1, excludes: null })
    expect(of(passed(first), warned).power).toMatchObject({ faulty: 2, unanswered: 0, excludes: null })
    expect(of(passed(first), passed(second)).power).toMatchObject({ faulty: 0, excludes: 0.01 })
    expect(of({ ...warned, blamed: { faulty: 2, unanswered: 1 } }).rules[0]?.power).toEqual({
      answers: 3,
      faulty: 2,
      unanswered: 1,
      excludes: null,
    })
  })

  it('claims the endpoints of which a rule about the service judged an answer, and names the others', () => {
    const otherwise = { kind: 'untested', text: 'no rule sends to it' } as const
    const endpoints = [
      { name: '/api/customizations/list', fingerprint: 'aaaaaaaa', judgedBy: [first], otherwise },
      { name: 'POST /api/cards', fingerprint: 'bbbbbbbb', judgedBy: [], otherwise },
      {
        name: '/api/own',
        fingerprint: 'cccccccc',
        judgedBy: ['tolerance/property-order' as const],
        otherwise,
      },
    ]
    const { target } = verdictOf({ endpoints })

    expect(target.endpoints).toEqual(['/api/customizations/list'])
    expect(target.notJudged).toEqual([
      { endpoint: 'POST /api/cards', because: 'no rule sends to it', fingerprint: 'bbbbbbbb' },
      { endpoint: '/api/own', because: 'no rule sends to it', fingerprint: 'cccccccc' },
    ])
    expect(unfinishedVerdict(head).target).toMatchObject({ endpoints: [], notJudged: [] })
  })

  it('says what was selected', () => {
    const { selection } = verdictOf({}, { only: ['authentication/*'] })

    expect(selection).toEqual({ only: ['authentication/*'] })
    expect(verdictOf({}, { profile: 'acceptance', only: ['*'] })).toMatchObject({ exitCode: 3 })
  })

  it('of a run that ended early is incomplete, and says why', () => {
    const verdict = verdictOf({
      record: record({ ended: 'unreachable' }),
    })

    expect(verdict).toMatchObject({ exitCode: 3, because: ['the run ended early: unreachable'] })
  })
})

describe('a rule that was interrupted', () => {
  const cutShort = passed(second, {
    status: 'inconclusive',
    reasons: [{ kind: 'cut-short', text: 'the rule was not judged to its end' }],
  })

  it('is inconclusive, and the suite is what failed', () => {
    const verdict = verdictOf({ results: [passed(first), cutShort], errors: ['a rule threw'] })

    expect(verdict).toMatchObject({
      verdict: 'error',
      exitCode: 4,
      because: ['the suite itself failed: a rule threw'],
    })
    expect(ruleIn(verdict, second)?.because).toBe('the rule was not judged to its end')
  })

  it('blames nobody if the run was cancelled', () => {
    const cancelled = 'the run was interrupted (SIGINT)'
    const verdict = verdictOf({ results: [passed(first), cutShort], errors: ['aborted'], cancelled })

    expect(verdict).toMatchObject({
      verdict: 'incomplete',
      exitCode: 3,
      because: [`the run ended early: ${cancelled}`],
    })
  })
})

it('is an error if every rule has passed and something else failed', () => {
  expect(verdictOf({ errors: ['an unhandled error'] }).exitCode).toBe(4)
})

describe('a waiver whose fault is gone for certain', () => {
  const met = historyLine(
    verdictOf({
      results: [passed(first, { status: 'waived', reasons: known, findings: [findingWith()] })],
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

  describe('in part', () => {
    const both = (findings: readonly Finding[], rules: readonly RuleResult[] = []): readonly RuleResult[] => [
      passed(first, findings.length === 0 ? {} : { status: 'waived', reasons: known, findings }),
      ...rules,
    ]
    const elsewhere = findingWith({ fingerprint: 'ffffffffffffffff', waived: 'known' })
    const still = passed(second, { status: 'waived', reasons: known, findings: [elsewhere] })
    const earlier = [historyLine(verdictOf({ results: both([findingWith()], [still]) }))]
    const names = [findingWith().fingerprint, elsewhere.fingerprint]
    const cause = [waiver({ rule: null, fingerprints: names })]

    it('is said by fingerprint, and stops no acceptance as long as it covers anything', () => {
      const results = both([], [still])
      const lines = earlier.map((line) => like(line, 'acceptance'))
      const verdict = verdictOf({ results, waivers: cause, earlier: lines }, { profile: 'acceptance' })

      expect(verdict).toMatchObject({
        exitCode: 0,
        waivers: [{ used: true, goneFingerprints: [findingWith().fingerprint] }],
      })
      expect(verdict.waivers[0]).not.toHaveProperty('gone')
    })

    it('becomes in whole where every fault is gone', () => {
      const verdict = verdictOf({ results: both([], [passed(second)]), waivers: cause, earlier })

      expect(verdict.waivers).toMatchObject([{ used: false, gone: true }])
      expect(verdict.waivers[0]).not.toHaveProperty('goneFingerprints')
    })

    it('is not said of a fingerprint that was never met', () => {
      const ofThree = [waiver({ rule: null, fingerprints: [...names, 'never met'] })]
      const verdict = verdictOf({ results: both([], [passed(second)]), waivers: ofThree, earlier })

      expect(verdict.waivers).toMatchObject([{ used: false, goneFingerprints: names }])
      expect(verdict.waivers[0]).not.toHaveProperty('gone')
    })
  })

  it('is not known of conditions that another version of the suite sent', () => {
    const sent = { endpoint: 'GET /', client: 'target', plain: false, flaws: [], requests: 1 } as const
    const finding = findingWith({ sent: { ...sent, conditions: ['accept-language: de'] } })
    const results = [passed(first, { status: 'waived', reasons: known, findings: [finding] })]
    const line = historyLine(verdictOf({ results }))
    const waiverAfter = (earlier: HistoryLine): unknown =>
      verdictOf({ waivers, earlier: [earlier] }).waivers[0]

    expect(waiverAfter(line)).toMatchObject({ used: false, gone: true })
    expect(waiverAfter({ ...line, suite: { version: '0.0.1' } })).not.toHaveProperty('gone')
    expect(waiverAfter({ ...line, seed: 1 })).not.toHaveProperty('gone')
    expect(waiverAfter({ ...met, suite: { version: '0.0.1' } })).toMatchObject({ gone: true })
  })

  it('is not said of one that expired, or that covers another rule now', () => {
    const finding = findingWith({ waived: 'known' })
    const results = [passed(first), passed(second, { status: 'waived', reasons: known, findings: [finding] })]
    const named = [waiver({ rule: null, fingerprint: finding.fingerprint })]
    const stale = verdictOf({ waivers: [waiver({ expires: '2026-11-19' })], earlier: [met] })

    expect(stale.waivers).toEqual([{ ...waiver({ expires: '2026-11-19' }), used: false, expired: true }])
    expect(verdictOf({ results, waivers: named, earlier: [met] }).waivers).toEqual([
      { ...named[0], used: true, expired: false },
    ])
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
  const broken = passed(first, { status: 'waived', reasons: known, findings: [finding] })
  const untested = passed(first, { status: 'waived', reasons: known, answers: 0 })

  const breach = { rule: second, fingerprint: 'eeeeeeeeeeeeeeee' } as const
  const following = passed(first, {
    status: 'waived',
    reasons: [{ kind: 'waived', text: 'follows', follows: [breach] }],
    answers: 0,
  })
  const ofCause = (fingerprints: readonly string[]): Waiver => waiver({ rule: null, fingerprints })

  it('name the breaches that a rule is waived with, or alone inconclusive by', () => {
    const reasons = [{ kind: 'inconclusive', text: 'why', follows: [breach] }] as const
    const inconclusive = (more: readonly Reason[]): RuleResult =>
      passed(first, { status: 'inconclusive', reasons: [...reasons, ...more], answers: 0 })
    const followsOf = (result: RuleResult): unknown =>
      ruleIn(verdictOf({ results: [result] }), first)?.follows

    expect(followsOf(following)).toEqual([breach])
    expect(followsOf(inconclusive([]))).toEqual([breach])
    expect(followsOf(inconclusive([{ kind: 'inconclusive', text: 'the budget' }]))).toBeUndefined()
    expect(followsOf(broken)).toBeUndefined()
  })

  const notGiven = [{ kind: 'untested', text: 'not given' }] as const
  const notWaived = passed(first, { status: 'untested', reasons: notGiven, answers: 0 })

  it('stand in the verdict as they were given', () => {
    expect(verdictOf({ waivers: [waiver()] }).waivers).toEqual([{ ...waiver(), used: false, expired: false }])
  })

  it('are used for an endpoint that was not judged', () => {
    const otherwise = { kind: 'untested', text: 'no rule sends to it' } as const
    const endpoints = [{ name: '/api/own', fingerprint: 'cccccccc', judgedBy: [], otherwise }]
    const waivers = ['cccccccc', 'dddddddd'].map((fingerprint) => waiver({ rule: null, fingerprint }))

    expect(verdictOf({ endpoints, waivers }).waivers.map(({ used }) => used)).toEqual([true, false])
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
    ['of a fingerprint, for an untested rule', untested, waiver({ fingerprint: 'a' }), false, false],
    ['of a rule that holds', passed(first), waiver(), false, false],
    ['of a rule that is untested and not waived', notWaived, waiver(), false, false],
    ['of a fingerprint of a cause', broken, ofCause(['x', 'aaaaaaaaaaaaaaaa']), true, false],
    ['of other fingerprints', broken, ofCause(['x', 'y']), false, false],
    ['of a breach that the rule follows from', following, ofCause(['eeeeeeeeeeeeeeee']), true, false],
    ['of a rule that is waived with another', following, waiver(), false, false],
  ])('%s', (_, result, one, used, expired) => {
    const [found] = verdictOf({ results: [result], waivers: [one] }).waivers

    expect([found?.used, found?.expired]).toEqual([used, expired])
  })
})

describe('what a verdict says of the settings', () => {
  const run = { suiteVersion: '1.2.3', startedAt: head.startedAt, durationMs: 1 }

  it('is what was set, without what was not', async () => {
    const settings = settingsOf(
      await read({ ...targetSettings, TARGET_LABEL: 'vendor', TARGET_BUILD: '42', RUN_SEED: '7' }),
    )
    const metadata = runMetadata(settings, { ...run, connection: null })

    expect(metadata).toMatchObject({
      ...run,
      baseUrl: 'https://staging.example',
      label: 'vendor',
      build: '42',
      seed: 7,
    })
    expect(metadata).not.toHaveProperty('connection')
  })

  it('is the proxy, where there is one', async () => {
    const settings = settingsOf(await read(targetSettings))
    const connection = { proxy: 'http://proxy.example', caFiles: [], certFile: '/client.pem' }

    expect(runMetadata(settings, { ...run, connection })).toMatchObject({
      connection,
    })
  })
})

describe('the verdict of a run that came to nothing', () => {
  it('is an error that says what to do where it never finished', () => {
    expect(unfinishedVerdict(head)).toMatchObject({ verdict: 'error', exitCode: 4 })
    expect(unfinishedVerdict(head).because).toEqual([expect.stringContaining('make the run again')])
  })

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
