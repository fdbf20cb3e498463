import { describe, expect, it } from 'vitest'
import type { EndpointRecord, Reason, RuleResult, RuleStatus } from '../judge/record.ts'
import { read, settingsOf, target as targetSettings } from '../settings/testing/read.ts'
import { ruleIds, specCatalogue, type RuleId } from '../specification/rules.ts'
import {
  assemble,
  errorVerdict,
  runMetadata,
  unfinishedVerdict,
  type RunMetadata,
  type RunOutcome,
} from './assemble.ts'
import { historyLine } from './history-line.ts'
import { rateExcluded } from './power.ts'
import { verdictMistakes } from './read-verdict.ts'
import {
  findingWith,
  metadataWith,
  recordWith,
  resultWith,
  targetWith,
  verdictWith,
} from './verdict.testing.ts'
import type { Verdict } from './verdict.ts'

const head = metadataWith()
const first: RuleId = 'authentication/api-key-missing'
const second: RuleId = 'authentication/secret-key-missing'
const expectation: RuleId = 'tolerance/property-order'
const known = [{ kind: 'waived', text: 'known' }] as const
const agreed = { fingerprint: null, reason: 'known', owner: 'Kim', expires: '2027-01-31' }
const passed = resultWith(first)

/** The verdict of a run in which two rules passed, with changes; validated against the schema. */
function verdictOf(changes: Partial<RunOutcome> = {}, run: Partial<RunMetadata> = {}): Verdict {
  const outcome = { errors: [], cancelled: null, waivers: [], today: '2026-11-20', record: recordWith() }
  const results = [passed, resultWith(second)]
  const verdict = assemble({ ...head, ...run }, { results, ...outcome, ...changes })
  expect(verdictMistakes(JSON.parse(JSON.stringify(verdict)))).toEqual([])
  return verdict
}

describe('the verdict of a run', () => {
  it.each<[string, readonly RuleId[], readonly RuleId[] | null]>([
    ['all suites', ruleIds, null],
    ['some rules of the suites', [first, second], [first, second]],
  ])('with %s states its selection', (_, ids, only) => {
    const catalogue = new Map([...specCatalogue].filter(([id]) => ids.includes(id)))

    expect(verdictOf({ catalogue, results: ids.map((id) => resultWith(id)) }).selection).toEqual({ only })
  })

  it('contains its settings, its requests, and every rule with level and section', () => {
    const verdict = verdictOf()

    const { sent, retried, confirming, byRule, latencyMs, observations } = recordWith()
    const requests = { sent, retried, confirming, budget: 500, byRule }
    const target = targetWith({ endpoints: [] })
    const { rules: _, ...expected } = verdictWith({ target, requests, latencyMs, observations })

    expect(verdict).toMatchObject(expected)
    expect(verdict.rules[0]).toEqual({
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
    const endpoint = (name: string, ...judgedBy: readonly RuleId[]): EndpointRecord => {
      return {
        name,
        fingerprint: `fingerprint of ${name}`,
        judgedBy,
        otherwise: { kind: 'untested', text: 'why' },
      }
    }
    const endpoints = [endpoint('/a', first), endpoint('POST /b'), endpoint('/c', expectation)]
    const waivers = [{ ...agreed, rule: null, fingerprint: 'fingerprint of POST /b' }]
    const claimed = (profile: 'gate' | 'acceptance'): Verdict['target'] =>
      verdictOf({ endpoints, waivers }, { profile }).target
    const open = (name: string) => ({ endpoint: name, because: 'why', fingerprint: `fingerprint of ${name}` })
    const [b, c] = [open('POST /b'), open('/c')]

    expect(claimed('gate')).toEqual(targetWith({ endpoints: ['/a'], notJudged: [b, c] }))
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
  const findings = [findingWith({ fingerprint, ...(waived === undefined ? {} : { waived }) })]
  return resultWith(id, { status, reasons: waived === undefined ? [] : known, findings })
}
const warned = found(second, 'warned', 'bbbbbbbb')
const waived = found(first, 'waived', 'aaaaaaaa', 'known')
const why = 'the rule was not judged completely'
const cutShort = resultWith(second, { status: 'inconclusive', reasons: [{ kind: 'cut-short', text: why }] })
const ended = 'the run was interrupted (SIGINT)'
const early = { verdict: 'incomplete', exitCode: 3, because: [`the run ended early: ${ended}`] }
const suiteFailed = { exitCode: 4, because: ['the suite itself failed: a rule threw'] }
const errors = ['a rule threw']
const ofExpectation = recordWith({
  power,
  blamed: [{ findings: [`${expectation} aaaaaaaa`], faulty: 3, unanswered: 1 }],
})
const failed = { results: [found(expectation, 'failed', 'aaaaaaaa')], record: ofExpectation }
const breached = (faulty: number, unanswered: number) => ({ power: { faulty, unanswered, excludes: null } })
const judging = (...results: readonly RuleResult[]): Partial<RunOutcome> => {
  return { results, record: recordWith({ power, blamed }) }
}
const ofRules = [
  { power: { answers: 3, faulty: 2, unanswered: 1, excludes: null } },
  { power: { answers: 3 } },
]
const blamedRule = { ...warned, blamed: { faulty: 2, unanswered: 1 } }

it.each<[string, object, Partial<RunOutcome>, Partial<RunMetadata>?]>([
  ['with a validity in days', { validUntil: '2026-12-20T02:00:00.000Z' }, {}, { validDays: 30 }],
  ['with mistakes in user-defined rules', { exitCode: 2, because: ['own'] }, { ownErrors: ['own'] }],
  [
    'with a suite error',
    { ...suiteFailed, rules: [{}, { because: why }] },
    { results: [passed, cutShort], errors },
  ],
  ['that ended early', early, { record: recordWith({ ended }) }],
  [
    'that was cancelled, without blaming anyone',
    early,
    { results: [passed, cutShort], errors, cancelled: ended },
  ],
  ['with a selection, in acceptance', { exitCode: 3 }, {}, { profile: 'acceptance', only: ['*'] }],
  ['that is conformant', { power: { faulty: 0, excludes: 0.01 } }, judging(passed, resultWith(second))],
  ['that is incomplete', { power: { excludes: null } }, { record: recordWith({ power, ended }) }],
  ['with a waived breach and a warning', { exitCode: 0, ...breached(5, 1) }, judging(waived, warned)],
  ['with a warning', breached(2, 0), judging(passed, warned)],
  ['with a failed expectation, without blaming an answer', { exitCode: 4, ...breached(0, 0) }, failed],
  ['with the power of its rules', { rules: ofRules }, judging(blamedRule, resultWith('fuzz/query'))],
])('the verdict of a run %s: %o', (_, expected, outcome, run) => {
  expect(verdictOf(outcome, run)).toMatchObject(expected)
})

it('a verdict has no end of validity without days, and its expectations have no power', () => {
  const verdict = verdictOf({ results: [resultWith(expectation)] }, { validDays: null })

  expect(verdict).not.toHaveProperty('validUntil')
  expect(verdict.rules[0]).not.toHaveProperty('power')
})

it('a waiver whose fault is gone makes acceptance incomplete, but not a gate run', () => {
  const met = historyLine(verdictOf({ results: [waived] }))
  const after = (profile: 'gate' | 'acceptance'): Verdict =>
    verdictOf({ waivers: [{ ...agreed, rule: first }], earlier: [{ ...met, profile }] }, { profile })

  expect(after('gate')).toMatchObject({ exitCode: 0, waivers: [{ used: false, gone: true }] })
  expect(after('acceptance')).toMatchObject({
    exitCode: 3,
    because: [
      `the waiver for ${first} (known; Kim) is no longer needed, because its fault is gone: remove it from the RUN_WAIVERS file`,
    ],
  })
})

it('a rule names the breaches that it is waived with, or that alone make it inconclusive', () => {
  const breach = { rule: second, fingerprint: 'eeeeeeeeeeeeeeee' } as const
  const ofResult = (status: 'waived' | 'inconclusive', ...reasons: readonly Reason[]): unknown =>
    verdictOf({ results: [resultWith(first, { status, reasons, findings: [findingWith()] })] }).rules[0]
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
  const named = { label: 'vendor', build: '42', baseUrl: given.TARGET_BASE_URL }

  expect(metadata).toMatchObject({ ...run, ...named, seed: 7 })
  expect(metadata).not.toHaveProperty('connection')
  expect(runMetadata(settings, { ...run, connection })).toMatchObject({ connection })
})

it.each([2, 4] as const)('the verdict of a failed run has exit code %i and claims nothing', (exitCode) => {
  const because = ['TARGET_BASE_URL: expected an address']
  const verdict = errorVerdict(head, exitCode, because)
  const nothing = { latencyMs: null, rules: [], waivers: [], observations: [] }

  expect(verdictMistakes(JSON.parse(JSON.stringify(verdict)))).toEqual([])
  expect(verdict).toMatchObject({ verdict: 'error', exitCode, because, requests: { sent: 0 }, ...nothing })
})
