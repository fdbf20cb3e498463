import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import type { EndpointRecord, Reason, RuleResult } from '../judge/record.ts'
import { historyText, parsedLine } from '../report/history/history.ts'
import { ruleStatus } from '../run/run.ts'
import { profiles, type ProfileName } from '../settings/profiles.ts'
import { read, settingsOf, target as targetSettings } from '../settings/testing/read.ts'
import type { Waiver } from '../settings/waivers.ts'
import { flawRows, flawless } from '../specification/flaws.ts'
import { ruleOf, specCatalogue, type RuleId, isSelected } from '../specification/rules.ts'
import { assemble, unfinishedVerdict, type RunMetadata, type RunOutcome } from './assemble.ts'
import { historyLine, type HistoryLine } from './history-line.ts'
import { rateExcluded, flawsIn, situations, type Situation } from './power.ts'
import { readVerdictBytes, verdictMistakes } from './read-verdict.ts'
import { findingWith, metadataWith, recordWith, resultWith } from './verdict.testing.ts'
import { ruleWith, targetWith, verdictWith } from './verdict.testing.ts'
import { verdictJson, type Verdict } from './verdict.ts'

const now = new Date('2026-11-20T12:00:00Z')
const today = '2026-11-20'
const head = metadataWith()
const first: RuleId = 'authentication/api-key-missing'
const second: RuleId = 'authentication/secret-key-missing'
const expectation: RuleId = 'tolerance/property-order'
const known = [{ kind: 'waived', text: 'known' }] as const
const agreed = { fingerprint: null, reason: 'known', owner: 'Kim', expires: '2027-01-31' }
const passed = resultWith(first)

/** The verdict of a run in which two rules passed, with changes; validated against the schema. */
function verdictOf(changes: Partial<RunOutcome> = {}, run: Partial<RunMetadata> = {}): Verdict {
  const none = { errors: [], ownErrors: [], cancelled: null, endpoints: [], waivers: [] }
  const outcome = { ...none, catalogue: specCatalogue, today: '2026-11-20', record: recordWith() }
  const results = [passed, resultWith(second)]
  const verdict = assemble({ ...head, ...run }, { results, ...outcome, ...changes })
  expect(verdictMistakes(JSON.parse(JSON.stringify(verdict)))).toEqual([])
  return verdict
}

it('the verdict of a run contains its settings, its requests, and every rule with level and section', () => {
  const verdict = verdictOf()

  const ofThree = { answers: 3, power: { answers: 3, excludes: rateExcluded(3) } }
  const { sent, retried, confirming, byRule, latencyMs, observations } = recordWith()
  const requests = { sent, retried, confirming, budget: 500, byRule }
  const target = targetWith({ endpoints: [] })
  const { rules: _, ...expected } = verdictWith({ target, requests, latencyMs, observations })

  expect(verdict).toMatchObject(expected)
  expect(verdict.rules[0]).toEqual(ruleWith(first, { ...ofThree, durationMs: 42, sample: null }))
})

it('the verdict of a run claims the endpoints that a rule about the service judged, and names the others', () => {
  const otherwise = { kind: 'untested', text: 'why' } as const
  const endpoint = (name: string, ...judgedBy: readonly RuleId[]): EndpointRecord => {
    return { name, fingerprint: `fingerprint of ${name}`, judgedBy, otherwise }
  }
  const endpoints = [endpoint('/a', first), endpoint('POST /b'), endpoint('/c', expectation)]
  const waivers = [{ ...agreed, rule: null, fingerprint: 'fingerprint of POST /b' }]
  const claimed = (profile: ProfileName) => verdictOf({ endpoints, waivers }, { profile }).target
  const open = (name: string) => ({ endpoint: name, because: 'why', fingerprint: `fingerprint of ${name}` })
  const [b, c] = [open('POST /b'), open('/c')]

  expect(claimed('gate')).toEqual(targetWith({ endpoints: ['/a'], notJudged: [b, c] }))
  expect(claimed('acceptance').notJudged).toEqual([{ ...b, waived: 'known (Kim, until 2027-01-31)' }, c])
  expect(unfinishedVerdict(head).target).toMatchObject({ endpoints: [], notJudged: [] })
})

const power = { confidence: 0.95, answers: 300, excludes: 0.01, situations: [] }
const blamed = [
  { findings: [`${first} aaaaaaaa`], faulty: 3, unanswered: 1 },
  { findings: [`${first} aaaaaaaa`, `${second} bbbbbbbb`], faulty: 2, unanswered: 0 },
  { findings: [`${second} dropped`, 'fuzz/query of another rule'], faulty: 7, unanswered: 7 },
]
const anew = [findingWith({ fingerprint: 'bbbbbbbb' })]
const warned = resultWith(second, { status: 'warned', findings: anew })
const ofWaived = [findingWith({ fingerprint: 'aaaaaaaa', waived: 'known' })]
const waived = resultWith(first, { status: 'waived', reasons: known, findings: ofWaived })
const why = 'the rule was not judged completely'
const cutShort = resultWith(second, { status: 'inconclusive', reasons: [{ kind: 'cut-short', text: why }] })
const interrupted = 'the run was interrupted (SIGINT)'
const cut = { ended: interrupted }
const early = { verdict: 'incomplete', exitCode: 3, because: [`the run ended early: ${interrupted}`] }
const suiteFailed = { exitCode: 4, because: ['the suite itself failed: a rule threw'] }
const threw = { results: [passed, cutShort], errors: ['a rule threw'] }
const byExpectation = [{ findings: [`${expectation} aaaaaaaa`], faulty: 3, unanswered: 1 }]
const ofExpectation = recordWith({ power, blamed: byExpectation })
const ofFailed = { status: 'failed', findings: [findingWith({ fingerprint: 'aaaaaaaa' })] } as const
const failed = { results: [resultWith(expectation, ofFailed)], record: ofExpectation }
const breached = (faulty: number, unanswered: number) => ({ power: { faulty, unanswered, excludes: null } })
const judging = (...results: readonly RuleResult[]): Partial<RunOutcome> => {
  return { results, record: recordWith({ power, blamed }) }
}
const two = { faulty: 2, unanswered: 1 }
const ofRules = [{ power: { answers: 3, ...two, excludes: null } }, { power: { answers: 3 } }]
const blamedRule = { ...warned, blamed: two }
const some = new Map([...specCatalogue].filter(([id]) => [first, second].includes(id)))

it.each<[string, object, Partial<RunOutcome>, Partial<RunMetadata>?]>([
  ['with all rules', { selection: { only: null } }, {}],
  ['with some rules of the suites', { selection: { only: [first, second] } }, { catalogue: some }],
  ['with a validity in days', { validUntil: '2026-12-20T02:00:00.000Z' }, {}, { validDays: 30 }],
  ['with mistakes in user-defined rules', { exitCode: 2, because: ['own'] }, { ownErrors: ['own'] }],
  ['with a suite error', { ...suiteFailed, rules: [{}, { because: why }] }, threw],
  ['that ended early', early, { record: recordWith({ ended: interrupted }) }],
  ['that was cancelled, without blaming anyone', early, { ...threw, cancelled: interrupted }],
  ['with a selection, in acceptance', { exitCode: 3 }, {}, { profile: 'acceptance', only: ['*'] }],
  ['that is conformant', { power: { faulty: 0, excludes: 0.01 } }, judging(passed, resultWith(second))],
  ['that is incomplete', { power: { excludes: null } }, { record: recordWith({ power, ...cut }) }],
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

it('a rule names the breaches that it is waived with, or that alone make it inconclusive', () => {
  const breach = { rule: second, fingerprint: 'eeeeeeeeeeeeeeee' } as const
  const ofResult = (status: 'waived' | 'inconclusive', ...reasons: readonly Reason[]): unknown => {
    const result = resultWith(first, { status, reasons, findings: [findingWith()] })
    return verdictOf({ results: [result] }).rules[0]?.follows
  }
  const follows = { kind: 'inconclusive', text: 'why', follows: [breach] } as const

  expect(ofResult('waived', { kind: 'waived', text: 'follows', follows: [breach] })).toEqual([breach])
  expect(ofResult('waived', ...known)).toBeUndefined()
  expect(ofResult('inconclusive', follows)).toEqual([breach])
  expect(ofResult('inconclusive', follows, { kind: 'inconclusive', text: 'the budget' })).toBeUndefined()
})

it('the verdict of a run contains no other settings, and its connection if there is one', async () => {
  const { target, run } = settingsOf(await read({ ...targetSettings, TARGET_LABEL: 'vendor' }))
  const connection = { proxy: 'http://proxy.example', caFiles: [], certFile: '/client.pem' }
  const verdict = verdictOf({}, { ...target, ...run, connection })

  expect(Object.keys(verdict.target)).toEqual(Object.keys(targetWith()))
  expect(verdict).toMatchObject({ target: { label: 'vendor' }, connection })
  expect(verdictOf()).not.toHaveProperty('connection')
})

const own: RuleId = 'acme/own'
const fingerprints = ['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'] as const

/** Areas whose rules may warn. Rules supplied by the user may also warn. */
const mayWarn = /^(?:acme|fuzz|quota|tolerance|versioning)\//

const atMostTwo = { maxLength: 2 }
const blames = fc.constantFrom('suite', 'endpoints-file', 'service')
const drawnFinding = fc.record({ fingerprint: fc.constantFrom(...fingerprints), warns: fc.boolean(), blames })
const ofKind = fc.constantFrom('inconclusive', 'untested', 'ended', 'cut-short')
const saying = fc.constantFrom('the budget', 'no answer')
const drawnReason = fc.record({ kind: ofKind, text: saying, follows: fc.array(fc.nat(), atMostTwo) })

/** The result of a rule, and its place among the rules. */
const course = fc.record({
  place: fc.nat(),
  answers: fc.nat({ max: 3 }),
  findings: fc.uniqueArray(drawnFinding, { ...atMostTwo, selector: (one) => one.fingerprint }),
  reasons: fc.array(drawnReason, atMostTwo),
})

const drawnWaiver = fc.record({
  place: fc.option(fc.nat()),
  names: fc.subarray([...fingerprints]),
  owner: fc.constantFrom('Kim', 'Lee \uD800'),
  expires: fc.constantFrom('2026-11-19', '2026-11-20', '2027-01-31'),
})

/** Usually the first value, and only rarely one of the others. */
function seldom<Usual, Other>(usual: Usual, ...others: readonly Other[]): fc.Arbitrary<Usual | Other> {
  const [often, rarely] = [fc.constant(usual), fc.constantFrom(...others)] as const
  return fc.oneof({ weight: 9, arbitrary: often }, { weight: 1, arbitrary: rarely })
}

/** The events in a run and its settings. Most rules pass. */
const drawnRun = fc.record({
  profile: fc.constantFrom<ProfileName>('gate', 'acceptance', 'nightly'),
  strict: fc.boolean(),
  ownLevel: fc.constantFrom(null, 'documented', 'implied', 'requested', 'expectation'),
  only: seldom(null, ['authentication/*'], ['acme/*', 'fuzz/*']),
  essential: seldom(false, true),
  courses: fc.array(course, { maxLength: 4 }),
  nothing: seldom(false, true),
  before: fc.option(fc.array(course, { maxLength: 5 })),
  waivers: fc.array(drawnWaiver, { maxLength: 3 }),
  ended: seldom(null, 'the quota is used up'),
  cancelled: seldom(null, 'interrupted (SIGINT)'),
  errors: seldom([], ['a rule threw']),
  ownErrors: seldom([], ['acme/own threw']),
  lost: seldom(0, 8),
  endpoints: fc.array(seldom(true, false), { maxLength: 2 }),
})

type DrawnRun = typeof drawnRun extends fc.Arbitrary<infer Run> ? Run : never

/** The verdict for a randomly drawn run, with statuses determined by the engine's own functions. */
function verdictOfRun({ ownLevel, nothing, ...run }: DrawnRun): Verdict {
  const { profile, only, ended, cancelled, errors } = run
  const strict = run.strict || profile === 'acceptance'
  const entry = ownLevel === null ? [] : [[own, { ...ruleOf('fuzz/query'), level: ownLevel }] as const]
  const catalogue = new Map([...specCatalogue, ...entry])
  const ids = [...catalogue.keys()].filter((id) => isSelected(only, id))
  const idAt = (place: number): RuleId => ids[place % ids.length] ?? own
  const waivers = run.waivers.map(({ place, names: [one, ...others], owner, expires }): Waiver => {
    const several = one === undefined || others.length === 0 ? {} : { fingerprints: [one, ...others] }
    const rule = place === null && one !== undefined ? null : idAt(place ?? 0)
    const fingerprint = others.length === 0 ? (one ?? null) : null
    return { rule, fingerprint, ...several, reason: 'agreed', owner, expires }
  })
  const hasEnded = ended !== null || cancelled !== null
  const isCut = cancelled !== null || errors.length > 0
  const mayBe: Readonly<Record<string, boolean>> = { ended: hasEnded, 'cut-short': isCut }
  const resultsOf = (courses: DrawnRun['courses']): readonly RuleResult[] => {
    const courseOf = (id: RuleId) => courses.find(({ place }) => idAt(place) === id)
    // A reason follows from something that was found, possibly by a rule that was not selected.
    const all = ids
      .flatMap((rule) => (courseOf(rule)?.findings ?? []).map(({ fingerprint }) => ({ rule, fingerprint })))
      .concat(only === null ? [] : [{ rule: 'endpoints/list-succeeds', fingerprint: fingerprints[0] }])
    return ids.map((id) => {
      const { level = 'documented' } = catalogue.get(id) ?? {}
      const met = courseOf(id)
      const findings = (met?.findings ?? []).map(({ fingerprint, warns, blames: whom }) => ({
        ...findingWith({ fingerprint }),
        ...(warns && mayWarn.test(id) ? { warning: true as const } : {}),
        ...(level === 'expectation' && whom !== 'service' ? { blames: whom } : {}),
      }))
      const untested = [{ kind: 'untested', text: 'not given', follows: [] }] as const
      const reasons = (nothing ? untested : (met?.reasons ?? []))
        .filter(({ kind }) => mayBe[kind] ?? true)
        .map(({ kind, text, follows }): Reason => {
          const breaches = follows.flatMap((place) => all[place % all.length] ?? [])
          return { kind, text, ...(breaches.length === 0 ? {} : { follows: breaches }) }
        })
      const answers = met?.answers ?? (nothing ? 0 : 3)
      const terms = { strict, waivers, today, waivesUntested: profiles[profile].demandsEveryRule }
      return ruleStatus({ id, level, findings, answers, sample: null, reasons }, terms)
    })
  }
  const endpoints = run.endpoints.map((isJudged, index) => ({
    name: `/api/${index}`,
    fingerprint: fingerprints[index] ?? '',
    judgedBy: isJudged ? ['fuzz/query' as const] : [],
    otherwise: { kind: hasEnded ? 'ended' : 'untested', text: 'no rule sends requests to it' } as const,
  }))
  const record = recordWith({ ended, retriedFor: run.lost === 0 ? {} : { '503': run.lost } })
  const assembled = (courses: DrawnRun['courses'], earlier: readonly HistoryLine[]): Verdict => {
    const outcome = { results: resultsOf(courses), catalogue, record, endpoints, waivers, today, earlier }
    return assemble(metadataWith({ ...run, strict, startedAt: now }), { ...run, ...outcome })
  }
  return assembled(run.courses, run.before === null ? [] : [historyLine(assembled(run.before, []))])
}

it('readers accept the verdict of a run, whatever happened in the run', () => {
  const met = new Set<string>()
  const property = fc.property(drawnRun, (run) => {
    const verdict = verdictOfRun(run)
    met.add(`${verdict.verdict} ${verdict.profile}`)
    for (const { status } of verdict.rules) met.add(status)
    for (const { gone } of verdict.waivers) if (gone === true) met.add('gone')

    expect(parsedLine(historyText(historyLine(verdict)))).not.toBeNull()
    // The verdict that a run writes if a file cannot be written.
    const unwritten = { ...verdict, verdict: 'error', exitCode: 4, because: ['the disk is full'] } as const
    for (const one of [verdict, unwritten, { ...unwritten, rules: [], waivers: [] }])
      expect(readVerdictBytes(Buffer.from(verdictJson(one)), now)).toMatchObject({ kind: 'value' })
  })
  fc.assert(property, { numRuns: 100 })
  const words = ['conformant', 'nonconformant', 'incomplete', 'error']
  const outcomes = Object.keys(profiles).flatMap((profile) => words.map((word) => `${word} ${profile}`))
  const wanted = [...outcomes, 'gone', 'failed', 'warned', 'waived', 'inconclusive', 'untested']
  expect(wanted.filter((what) => !met.has(what))).toEqual([])
})

it('correct answers exclude the fault rate at which one run in twenty has only such answers', () => {
  expect(rateExcluded(0)).toBeNull()
  for (const answers of [1, 20, 3_000])
    expect((1 - (rateExcluded(answers) ?? Number.NaN)) ** answers).toBeCloseTo(0.05, 9)
})

it('situations name every possible flaw once', () => {
  const named = flawRows.flatMap(({ fact, value }) => flawsIn({ ...flawless, [fact]: value }))
  expect(named).toEqual(flawRows)
  expect(new Set(named.map(({ name }) => name)).size).toBe(flawRows.length)
  expect(situations.flaw.map(({ name }) => name)).toEqual(named.map(({ name }) => name))
})

const pairs = new Map<string, Situation>(situations.pair.map((pair) => [pair.name, pair]))

it.each([
  ['no x-api-key + no x-version', [], true],
  ['wrong x-secret-key + inactive', ['inactive'], true],
  ['no x-version + inactive', ['inactive'], true],
  ['blank x-version + inactive', ['inactive'], true],
  ['no x-version + quota used up', ['exhausted'], true],
  ['blank x-version + quota used up', ['exhausted'], false],
])('the situation %s states what it needs and whether a profile sends it', (name, needs, isSent) => {
  expect(pairs.get(name)).toMatchObject({ needs, isSent })
})

it.each([
  'no x-api-key + wrong x-api-key',
  'wrong x-api-key + inactive',
  'inactive + not permitted',
  'unknown endpoint + invalid input',
])('situations do not pair flaws that exclude each other: %s', (name) => {
  expect(pairs.has(name)).toBe(false)
  expect(pairs.size).toBe(situations.pair.length)
})
