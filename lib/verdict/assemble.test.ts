import { describe, expect, it } from 'vitest'
import type { EndpointRecord, Reason, RuleResult, RuleStatus, RunSnapshot } from '../judge/record.ts'
import { read, settingsOf, target as targetSettings } from '../settings/testing/read.ts'
import type { Waiver } from '../settings/waivers.ts'
import { specCatalogue } from '../specification/catalogue.ts'
import { ruleIds, type RuleId } from '../specification/rules.ts'
import { assemble, errorVerdict, runMetadata, unfinishedVerdict } from './assemble.ts'
import type { RunMetadata, RunOutcome } from './assemble.ts'
import { historyLine } from './history-line.ts'
import { rateExcluded } from './power.ts'
import { readVerdictBytes, verdictMistakes } from './read-verdict.ts'
import { verdictJson } from './verdict-json.ts'
import { findingWith, metadataWith, targetWith, verdictWith } from './verdict.testing.ts'
import type { Verdict, VerdictRule } from './verdict.ts'

const head = metadataWith()
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
    ['some rules of the suites', [first, second], [first, second]],
  ])('with %s states its selection and can be read back', (_, ids, only) => {
    const catalogue = new Map([...specCatalogue].filter(([id]) => ids.includes(id)))
    const verdict = verdictOf({ catalogue, results: ids.map((id) => passed(id)) })

    expect(verdict.selection).toEqual({ only })
    expect(readVerdictBytes(Buffer.from(verdictJson(verdict)))).toMatchObject({ kind: 'value' })
    expect(verdictJson(verdict)).not.toMatch(/"(?:ruleSet|notScored|shard)"/)
  })

  it('contains its settings, its requests, and every rule with level and section', () => {
    const verdict = verdictOf()

    const { sent, retried, confirming, byRule, latencyMs, observations } = record()
    const requests = { sent, retried, confirming, budget: 500, byRule }
    const target = targetWith({ endpoints: [] })
    const { rules: _, ...expected } = verdictWith({ target, requests, latencyMs, observations })

    expect(verdict).toMatchObject(expected)
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
  })

  it('claims the endpoints that a rule about the service judged, and names the others', () => {
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
})

const power = { confidence: 0.95, answers: 300, excludes: 0.01, situations: [] }
const blamed = [
  { findings: [`${first} aaaaaaaa`], faulty: 3, unanswered: 1 },
  { findings: [`${first} aaaaaaaa`, `${second} bbbbbbbb`], faulty: 2, unanswered: 0 },
  { findings: [`${second} dropped`, 'fuzz/query of another rule'], faulty: 7, unanswered: 7 },
]
const found = (id: RuleId, status: RuleStatus, fingerprint: string, waived?: string): RuleResult => {
  const finding = findingWith({ fingerprint, ...(waived === undefined ? {} : { waived }) })
  return passed(id, { status, reasons: waived === undefined ? [] : known, findings: [finding] })
}
const warned = found(second, 'warned', 'bbbbbbbb')
const cutShort = passed(second, {
  status: 'inconclusive',
  reasons: [{ kind: 'cut-short', text: 'the rule was not judged completely' }],
})
const ended = 'the run was interrupted (SIGINT)'
const because = [`the run ended early: ${ended}`]
const suiteFailed = { exitCode: 4, because: ['the suite itself failed: a rule threw'] }
const expectation = 'tolerance/property-order'
const ofExpectation = [{ findings: [`${expectation} aaaaaaaa`], faulty: 3, unanswered: 1 }]
const waived = found(first, 'waived', 'aaaaaaaa', 'known')
const breached = (faulty: number, unanswered: number) => ({ faulty, unanswered, excludes: null })
const judging = (...results: readonly RuleResult[]): Partial<RunOutcome> => ({
  results,
  record: record({ power, blamed }),
})

it.each<[string, object, Partial<RunOutcome>, Partial<RunMetadata>?]>([
  ['with a validity in days', { validUntil: '2026-12-20T02:00:00.000Z' }, {}, { validDays: 30 }],
  ['with mistakes in user-defined rules', { exitCode: 2, because: ['own'] }, { ownErrors: ['own'] }],
  ['with a suite error', suiteFailed, { errors: ['a rule threw'] }],
  [
    'with a rule that was cut short',
    { ...suiteFailed, rules: [{}, { because: 'the rule was not judged completely' }] },
    { results: [passed(first), cutShort], errors: ['a rule threw'] },
  ],
  ['that ended early', { verdict: 'incomplete', exitCode: 3, because }, { record: record({ ended }) }],
  [
    'that was cancelled, without blaming anyone',
    { verdict: 'incomplete', exitCode: 3, because },
    { results: [passed(first), cutShort], errors: ['aborted'], cancelled: ended },
  ],
  ['with a selection', { exitCode: 0, selection: { only: ['fuzz/*'] } }, {}, { only: ['fuzz/*'] }],
  ['with a selection, in acceptance', { exitCode: 3 }, {}, { profile: 'acceptance', only: ['*'] }],
  ['that is conformant', { power: { faulty: 0, excludes: 0.01 } }, judging(passed(first), passed(second))],
  ['that is incomplete', { power: { excludes: null } }, { record: record({ power, ended }) }],
  ['with a waived breach and a warning', { exitCode: 0, power: breached(5, 1) }, judging(waived, warned)],
  ['with a warning', { power: breached(2, 0) }, judging(passed(first), warned)],
  [
    'with a failed expectation, without blaming an answer',
    { exitCode: 4, power: breached(0, 0) },
    { results: [found(expectation, 'failed', 'aaaaaaaa')], record: record({ power, blamed: ofExpectation }) },
  ],
  [
    'with the power of its rules',
    {
      rules: [{ power: { answers: 3, faulty: 2, unanswered: 1, excludes: null } }, { power: { answers: 3 } }],
    },
    judging({ ...warned, blamed: { faulty: 2, unanswered: 1 } }, passed('fuzz/query')),
  ],
])('the verdict of a run %s: %o', (_, expected, outcome, run) => {
  expect(verdictOf(outcome, run)).toMatchObject(expected)
})

it('a verdict has no end of validity without days, and its expectations have no power', () => {
  const verdict = verdictOf({ results: [passed(expectation)] }, { validDays: null })

  expect(verdict).not.toHaveProperty('validUntil')
  expect(verdict.rules[0]).not.toHaveProperty('power')
})

it('a waiver whose fault is gone makes acceptance incomplete, but not a gate run', () => {
  const fault = passed(first, { status: 'waived', reasons: known, findings: [findingWith()] })
  const met = historyLine(verdictOf({ results: [fault] }))
  const after = (profile: 'gate' | 'acceptance'): Verdict =>
    verdictOf({ waivers: [waiver], earlier: [{ ...met, profile }] }, { profile })

  expect(after('gate')).toMatchObject({ exitCode: 0, because: [], waivers: [{ used: false, gone: true }] })
  expect(after('acceptance')).toMatchObject({
    verdict: 'incomplete',
    exitCode: 3,
    because: [
      `the waiver for ${first} (known; Kim) is no longer needed, because its fault is gone: remove it from the RUN_WAIVERS file`,
    ],
  })
})

it('a rule names the breaches that it is waived with, or that alone make it inconclusive', () => {
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

it('the metadata of a run contains its settings, and its connection if there is one', async () => {
  const run = { suiteVersion: '1.2.3', startedAt: head.startedAt, durationMs: 1 }
  const given = { ...targetSettings, TARGET_LABEL: 'vendor', TARGET_BUILD: '42', RUN_SEED: '7' }
  const settings = settingsOf(await read(given))
  const connection = { proxy: 'http://proxy.example', caFiles: [], certFile: '/client.pem' }
  const metadata = runMetadata(settings, { ...run, connection: null })

  expect(metadata).toMatchObject({
    ...run,
    baseUrl: given.TARGET_BASE_URL,
    seed: 7,
    label: 'vendor',
    build: '42',
  })
  expect(metadata).not.toHaveProperty('connection')
  expect(runMetadata(settings, { ...run, connection })).toMatchObject({ connection })
})

it.each([2, 4] as const)('the verdict of a failed run has exit code %i and claims nothing', (exitCode) => {
  const why = ['TARGET_BASE_URL: expected an address']
  const verdict = errorVerdict(head, exitCode, why)
  const requests = { sent: 0, retried: 0, confirming: 0, budget: 500, byRule: {} }
  const nothing = { requests, latencyMs: null, rules: [], waivers: [], observations: [] }

  expect(verdictMistakes(JSON.parse(JSON.stringify(verdict)))).toEqual([])
  expect(verdict).toMatchObject({ verdict: 'error', exitCode, because: why, ...nothing })
})
