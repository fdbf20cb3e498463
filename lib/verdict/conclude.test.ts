import { expect, it } from 'vitest'
import type { RuleStatus } from '../judge/record.ts'
import type { RuleId } from '../specification/rules.ts'
import { conclude, troubleIn, type Judged, type Mishaps } from './conclude.ts'
import { findingWith, ruleWith, targetWith, waiver } from './verdict.testing.ts'
import type { ExitCode, VerdictRule, VerdictWord } from './verdict.ts'

const documented: RuleId = 'authentication/api-key-missing'
const implied: RuleId = 'conventions/json-content-type'
const requested: RuleId = 'tolerance/no-breaking-change'
const expectation: RuleId = 'tolerance/added-properties'
const [version, endpoint] = ['versioning/default-version', 'versioning/unknown-endpoint'] as const

function result(id: RuleId, status: RuleStatus, changes: Partial<VerdictRule> = {}): VerdictRule {
  const findings = ['failed', 'warned'].includes(status) ? [findingWith()] : []
  const because = ['inconclusive', 'untested', 'waived'].includes(status) ? `why ${status}` : null
  return ruleWith(id, { status, because, findings, ...changes })
}

/** The conclusion of a gate run in which one rule passed, with changes. */
function concluded(run: Partial<Judged & Mishaps> = {}): ReturnType<typeof conclude> {
  const rules = [result(documented, 'passed')]
  const selection = { only: null }
  const judged = { profile: 'gate', selection, target: targetWith(), rules, waivers: [] } as const
  return conclude({ ...judged, requests: { sent: 100 }, ...run }, { ended: null, ...run })
}

/** The word for each exit code. */
const words: readonly VerdictWord[] = ['conformant', 'nonconformant', 'error', 'incomplete', 'error']
const acceptance = { profile: 'acceptance' } as const
const part = { selection: { only: ['x/*'] } }
const unjudged = { because: 'no rule sends requests to it' }
const open = (name: string) => ({ endpoint: `/api/${name}`, ...unjudged, fingerprint: name.repeat(8) })
const target = targetWith({ notJudged: [open('a'), open('b'), { ...open('c'), waived: 'agreed' }] })
const early = 'the run ended early: unreachable'
const ended = { ended: 'unreachable' }
const bug = { suiteErrors: ['a bug'] }
const bugged = 'the suite itself failed: a bug'
const of503 = (count: number) => ({ requests: { sent: 100, retriedFor: { '503': count } } })
const unsettled = [result(documented, 'inconclusive'), result(version, 'inconclusive')]
const covered = findingWith({ summary: 'covered', waived: 'known (Kim)' })
const wrong = (...whose: readonly ('suite' | 'endpoints-file')[]): VerdictRule => {
  const findings = whose.map((blames) => findingWith({ blames, summary: 'too strict' }))
  return result(expectation, 'failed', { findings })
}
const ofFile = `TARGET_ENDPOINTS expects something that the specification does not promise: ${expectation}: too strict`
const nothing = 'no rule was judged'
const of = (...rules: readonly VerdictRule[]): Partial<Judged> => ({ rules })
const broken = `${version} is violated: ${findingWith().summary}`
const ofSuite = `the suite itself failed: ${expectation}`
const bothNamed = '/api/a (fingerprint aaaaaaaa), /api/b (fingerprint bbbbbbbb)'
const endpointsDemanded = `${bothNamed} must be judged in acceptance: ${unjudged.because}`
const testDemanded = `${documented} must be tested in acceptance: why untested`
const allDemanded = 'only part of the cases was selected, but acceptance needs all of them'
const mayBeRate = '(a 503 may be a rate limit: try --max-rps)'
const tooMany = `20 of 100 requests (20 %) had to be sent again: 20 × 503 ${mayBeRate}: too many for a verdict`
const partlyCovered = result(documented, 'failed', { findings: [covered, findingWith({ summary: 'open' })] })
const untested = of(result(documented, 'untested'), result(version, 'passed'))
const sharing = of(...unsettled, result(endpoint, 'inconclusive', { because: null }))
const alike = `${documented}, ${version} could not be judged: why inconclusive`
const unknown = `${endpoint} could not be judged: no reason is known`
const violated = result(version, 'failed')
const gone = { waivers: [{ ...waiver, gone: true as const }] }
const unneeded = 'is no longer needed, because its fault is gone: remove it from the RUN_WAIVERS file'
const goneWaiver = `the waiver for quota/exhausted (agreed; Kim) ${unneeded}`
const both = of(result(documented, 'inconclusive'), violated)
const notJudged = `${documented} could not be judged: why inconclusive`

it.each<[string, Partial<Judged & Mishaps>, exitCode: ExitCode, ...because: readonly string[]]>([
  ['a rule that passed', {}, 0],
  ['endpoints that must be judged, named for a waiver', { ...acceptance, target }, 3, endpointsDemanded],
  ['unjudged endpoints that are not demanded', { target }, 0],
  ['unjudged endpoints in a run that ended early', { ...acceptance, target, ...ended }, 3, early],
  ['a mistake in the endpoints file', of(wrong('endpoints-file')), 2, ofFile],
  ['a mistake in the file, and a breach', of(wrong('endpoints-file'), violated), 2, ofFile, broken],
  ['mistakes in both', of(wrong('endpoints-file', 'suite')), 4, `${ofSuite}: too strict`, ofFile],
  ['a failed expectation without an open finding', of(wrong()), 4, ofSuite],
  ['a fifth of the requests without an answer', of503(20), 3, tooMany],
  ['fewer requests without an answer', of503(19), 0],
  ['many requests without an answer, in a run that ended early', { ...of503(50), ...ended }, 3, early],
  ['no rules', of(), 3, nothing],
  ['untested rules', of(result(documented, 'untested'), result(implied, 'untested')), 3, nothing],
  ['an inconclusive implied rule', of(result(implied, 'inconclusive')), 3, nothing],
  ['an untested rule that is waived', of(result(documented, 'waived', { answers: 0 })), 3, nothing],
  // The breach is covered: the rule was judged, and nothing is violated.
  ['a violated rule that is waived', of(result(documented, 'waived', { findings: [covered] })), 0],
  ['a warning', of(result(implied, 'warned')), 0],
  ['what no waiver covers', of(partlyCovered), 1, `${documented} is violated: open`],
  ['an untested rule that is demanded', { ...acceptance, ...untested }, 3, testDemanded],
  ['unjudged rules that share a reason, and one without a reason', sharing, 3, alike, unknown],
  ['a selection in acceptance', { ...acceptance, ...part }, 3, allDemanded],
  ['a waiver whose fault is gone', gone, 0],
  ['a waiver whose fault is gone, in acceptance', { ...acceptance, ...gone }, 3, goneWaiver],
  ['a breach and an inconclusive rule', both, 1, broken, notJudged],
  ['rules left open by a run that ended early', { rules: unsettled, ...ended }, 3, early],
  ['rules left open by a suite error', { rules: unsettled, ...bug }, 4, bugged],
  ['everything', { ...both, ...ended, ...bug }, 4, bugged, broken, early],
])('%s: the verdict has the right exit code and reasons', (_, run, exitCode, ...because) => {
  expect(concluded(run)).toEqual({ verdict: words[exitCode], exitCode, because })
})

// Exit codes of a full run in the three profiles, by level and status of one rule next to one that passed. A selection never gives 0 in acceptance.
it.each<[RuleId, RuleStatus, gate: number, acceptance: number, nightly: number]>([
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
  [requested, 'failed', 1, 1, 1],
  [requested, 'inconclusive', 0, 0, 0],
  [requested, 'untested', 0, 0, 0],
  [expectation, 'failed', 4, 4, 4],
  [expectation, 'inconclusive', 0, 0, 0],
])('%s %s: exit %i in gate, %i in acceptance, %i in nightly', (id, status, ...codes) => {
  const rules = [result(version, 'passed'), result(id, status)]
  const exits = (run: Partial<Judged>): readonly number[] =>
    (['gate', 'acceptance', 'nightly'] as const).map((profile) => concluded({ ...run, profile }).exitCode)

  expect(exits({ rules })).toEqual(codes)
  expect(exits({ rules, ...part })).toEqual([codes[0], codes[1] === 0 ? 3 : codes[1], codes[2]])
})

const again = 'requests (10 %) had to be sent again: 40 ×'
const slowed = 'the service refused the rate of requests, so the run slowed down: set --max-rps'
const mixed = `91 of 400 requests (22 %) had to be sent again: 84 × 503, 7 × closed connection ${mayBeRate}`
const some: unknown = expect.any(String)

it.each<[number, Readonly<Record<string, number>> | undefined, says: unknown, isTooMuch: boolean]>([
  [400, undefined, null, false],
  [0, {}, null, false],
  [400, { '503': 3 }, null, false],
  [400, { '503': 4 }, some, false],
  [400, { '503': 3, '429': 1 }, some, false],
  [400, { '429': 300 }, some, false],
  [400, { '503': 79, '429': 200 }, some, false],
  [400, { '503': 80 }, some, true],
  [400, { '503 (rate limit)': 200 }, some, false],
  [4, { 'refused connection': 4 }, some, true],
  [400, { '503': 84, 'closed connection': 7 }, mixed, true],
  [400, { '429': 40 }, `40 of 400 ${again} 429 (${slowed})`, false],
  [400, { '503 (rate limit)': 40 }, `40 of 400 ${again} 503 (rate limit) (${slowed})`, false],
])('%i requests with the retries %j: %s, too many: %s', (sent, retriedFor, says, isTooMuch) => {
  const requests = { sent, ...(retriedFor === undefined ? {} : { retriedFor }) }

  expect(troubleIn(requests)).toEqual({ says, isTooMuch })
})
