import { describe, expect, it } from 'vitest'
import type { EndpointRecord, Reason, RuleResult, RunSnapshot } from '../judge/record.ts'
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
import { historyLine } from './history-line.ts'
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

const waiver: Waiver = {
  rule: first,
  fingerprint: null,
  reason: 'known',
  owner: 'Kim',
  expires: '2027-01-31',
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
    const endpoint = (name: string, ...judgedBy: readonly RuleId[]): EndpointRecord => ({
      name,
      fingerprint: `fingerprint of ${name}`,
      judgedBy,
      otherwise: { kind: 'untested', text: 'why' },
    })
    const endpoints = [endpoint('/a', first), endpoint('POST /b'), endpoint('/c', 'tolerance/property-order')]
    const agreed = { ...waiver, rule: null, fingerprint: 'fingerprint of POST /b' }
    const claimed = (profile: 'gate' | 'acceptance'): Verdict['target'] =>
      verdictOf({ endpoints, waivers: [agreed] }, { profile }).target
    const [b, c] = ['POST /b', '/c'].map((name) => ({
      endpoint: name,
      because: 'why',
      fingerprint: `fingerprint of ${name}`,
    }))

    expect(claimed('gate')).toMatchObject({ endpoints: ['/a'], notJudged: [b, c] })
    expect(claimed('gate').notJudged[0]).not.toHaveProperty('waived')
    expect(claimed('acceptance').notJudged).toEqual([{ ...b, waived: 'known (Kim, until 2027-01-31)' }, c])
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

it('a waiver whose fault is gone keeps acceptance from being conformant, and stops no gate', () => {
  const fault = passed(first, { status: 'waived', reasons: known, findings: [findingWith()] })
  const met = historyLine(verdictOf({ results: [fault] }))
  const after = (profile: 'gate' | 'acceptance'): Verdict =>
    verdictOf({ waivers: [waiver], earlier: [{ ...met, profile }] }, { profile })

  expect(after('gate')).toMatchObject({ exitCode: 0, because: [], waivers: [{ used: false, gone: true }] })
  expect(after('acceptance')).toMatchObject({
    verdict: 'incomplete',
    exitCode: 3,
    because: [
      `the waiver for ${first} (known; Kim) is not needed any more, for its fault is gone: remove it from the file of RUN_WAIVERS`,
    ],
  })
})

it('a rule names the breaches that it is waived with, or alone inconclusive by', () => {
  const breach = { rule: second, fingerprint: 'eeeeeeeeeeeeeeee' } as const
  const ofResult = (status: 'waived' | 'inconclusive', ...reasons: readonly Reason[]): unknown =>
    ruleIn(verdictOf({ results: [passed(first, { status, reasons, findings: [findingWith()] })] }), first)
      ?.follows
  const follows = { kind: 'inconclusive', text: 'why', follows: [breach] } as const

  expect(ofResult('waived', { kind: 'waived', text: 'follows', follows: [breach] })).toEqual([breach])
  expect(ofResult('waived', ...known)).toBeUndefined()
  expect(ofResult('inconclusive', follows)).toEqual([breach])
  expect(ofResult('inconclusive', follows, { kind: 'inconclusive', text: 'the budget' })).toBeUndefined()
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
