import { expect, it } from 'vitest'
import { temporaryFolder } from '../settings/testing/read.ts'
import type { RuleId } from '../specification/rules.ts'
import { unfinishedVerdict } from './assemble.ts'
import { VerdictFileError, readVerdict, readVerdictBytes } from './read-verdict.ts'
import { concluded, errorVerdict, exchange, findingWith, waiver as idle } from './verdict.testing.ts'
import { metadataWith, nonconformantVerdict, ruleWith, rulesWith, targetWith } from './verdict.testing.ts'
import { verdictWith } from './verdict.testing.ts'
import { asWritten, verdictJson, type Verdict, type VerdictRule, type VerdictWaiver } from './verdict.ts'

/** A conformant verdict from a gate run. */
const green = verdictWith()
const red = nonconformantVerdict()

it('a verdict can lack optional parts, which get defaults', () => {
  const { rules, ...whole } = red
  const optional = /^(?:specification|endpoints|notJudged|causes|says|sample|examples|curl)$/
  const untimed = { ...whole, rules: rules.map((rule) => ({ ...rule, durationMs: undefined })) }
  const kept = JSON.stringify(untimed, (name, value: unknown) => (optional.test(name) ? undefined : value))
  const ofFinding = { examples: [], curl: null }
  const ofRule = { says: 'not said', durationMs: 0, sample: null }

  expect(readVerdictBytes(Buffer.from(kept))).toMatchObject({
    value: {
      specification: { title: 'not said', version: null, sha256: '0'.repeat(64) },
      target: { endpoints: [], notJudged: [] },
      causes: [],
      rules: rules.map(({ findings }) => ({ ...ofRule, findings: findings.map(() => ofFinding) })),
    },
  })
})

const folder = temporaryFolder({ 'verdict.json': verdictJson(red), 'other.json': '{}' })

it('a file that is read as a verdict is the named file, or verdict.json in a named folder', async () => {
  for (const path of [folder, `${folder}/verdict.json`])
    expect(await readVerdict(path)).toEqual(JSON.parse(verdictJson(red)))
})

const remedy = '; give a verdict.json or its folder'
const noFormat = `is not a verdict: it does not name the format card-switch-conformance/verdict/1${remedy}`

it.each([
  ['other.json', noFormat],
  ['none.json', /^cannot be read: .*; give a verdict\.json or its folder$/],
])('a file that is read as a verdict is refused with its path and a remedy: %s', async (name, says) => {
  const error: unknown = await readVerdict(`${folder}/${name}`).catch((one: unknown) => one)
  const message = error instanceof VerdictFileError ? error.message : ''

  expect(message.replace(`${folder}/${name} `, '')).toMatch(says)
})

const cut = '; it was changed by hand or cut short, so repeat the run'
const other = '{"format":"card-switch-conformance/verdict/2\\u0007"}'
const named = 'has the format "card-switch-conformance/verdict/2\\\\u0007", but this program reads'
const reads = 'card-switch-conformance/verdict/1: use the suite version that wrote it'
const twisted = 'contradicts itself: it says conformant with exit code 1, but by its rules it is conformant'
const changed = '; it was changed by hand, so repeat the run'
const unfit = (says: string): string => `does not match its format: ${says}${cut}`
const words = 'allowed values: ["conformant","nonconformant","incomplete","error"]'
const ofQuota = (changes: Partial<VerdictRule>): object => ({ rules: [ruleWith('quota/exhausted', changes)] })
const notGone = { waivers: [{ ...idle, gone: false }] }

it.each<[string, says: string, given: string | Buffer | object]>([
  ['nothing', `is not JSON${cut}`, ''],
  ['half a verdict', `is not JSON${cut}`, verdictJson(green).slice(0, -10)],
  ['another encoding', `is not JSON${cut}`, Buffer.from(verdictJson(green), 'utf16le')],
  ['deep nesting', `is nested deeper than 200 levels, unlike any verdict${remedy}`, '['.repeat(1_000)],
  ['null', noFormat, 'null'],
  ['a text', noFormat, '"format"'],
  ['an invalid format', noFormat, '{"format":7}'],
  ['another format', `${named} ${reads}`, other],
  ['no rules', unfit("the verdict must have required property 'rules'"), { rules: undefined }],
  ['several mistakes', unfit("/rules/0 must have required property 'id'"), { rules: [{}, {}] }],
  ['a waiver that is not gone', unfit('/waivers/0/gone must be equal to constant: true'), notGone],
  ['an unknown word', unfit(`/verdict must be equal to one of the ${words}`), { verdict: 'fine' }],
  ['a pass without an answer', unfit('/rules/0/answers must be >= 1'), ofQuota({ answers: 0 })],
  ['no finding', unfit('/rules/0/findings must NOT have fewer than 1 items'), ofQuota({ status: 'failed' })],
  ['no reason', unfit('/rules/0/because must be string'), ofQuota({ status: 'untested' })],
  ['a contradiction', `${twisted}${changed}`, { exitCode: 1 }],
])('bytes that are not a verdict are refused with a reason and a remedy: %s', (_, says, given) => {
  const isBytes = typeof given === 'string' || given instanceof Buffer
  const read = readVerdictBytes(Buffer.from(isBytes ? given : JSON.stringify({ ...green, ...given })))

  expect(read.kind === 'wrong' ? read.wrong + read.remedy : null).toBe(says)
})

const labelled = (label: string): Verdict => verdictWith({ target: targetWith({ label }) })

it('half characters are replaced in a written verdict and in its reports', () => {
  const [whole, half] = [labelled('build 😀'), labelled('build \ud83d')]

  expect(asWritten(whole)).toBe(whole)
  expect(asWritten(half).target.label).toBe('build \ufffd')
  expect(verdictJson(asWritten(half))).toBe(verdictJson(half))
})

/** The time at which verdicts are read. */
const now = new Date('2026-11-20T12:00:00Z')

/** The reason why readers refuse a verdict, or null. */
function refusalOf(verdict: Verdict): string | null {
  const read = readVerdictBytes(Buffer.from(verdictJson(verdict)), now)
  return read.kind === 'wrong' ? read.wrong : null
}

/** A conformant verdict from an acceptance run. */
const accepted: Verdict = { ...green, profile: 'acceptance', strict: true }
/** A verdict from an unknown version of the suite. */
const newer: Verdict = { ...green, suite: { version: '99.0.0' } }
const because = ['the run ended early: the quota is used up']
const partial: Verdict = { ...green, verdict: 'incomplete', exitCode: 3, because }
const full = { verdict: 'error', exitCode: 4, because: ['the disk is full'] } as const

const missing: RuleId = 'authentication/api-key-missing'
const order: RuleId = 'tolerance/property-order'
const open = { findings: [findingWith()] }
const warned = { status: 'warned', ...open } as const
const failed = { status: 'failed', ...open } as const
const silent = { answers: 0, sample: null }
const unjudged = { because: 'not given', ...silent }

/** A verdict in which one rule has been replaced. */
function ruled(changes: Partial<VerdictRule>, id = missing, verdict = green): Verdict {
  return { ...verdict, rules: rulesWith([ruleWith(id, changes)]) }
}

const site = 'https://staging.example.com'
const at = (url: string) => ({ ...exchange, request: { ...exchange.request, url } })
/** A verdict that contains an exchange with this URL. */
const shownAt = (url: string): Verdict => ruled({ sample: at(url) }, 'fuzz/query')
/** A verdict from a run that started at this time. */
const startsAt = (startedAt: string): Verdict => ({ ...green, startedAt })
const of = (target: Partial<Verdict['target']>): Verdict => verdictWith({ target: targetWith(target) })

const waiver: VerdictWaiver = { ...idle, rule: missing, expires: '2026-11-20', used: true }
const reason = 'agreed (Kim, until 2026-11-20)'
const lee = 'agreed (Lee, until 2026-11-20)'
const listed = 'f'.repeat(16)

/** A verdict in which a rule is waived. Without changes, its waiver is valid. */
function waived(one: Partial<VerdictWaiver>, text = reason, more: Partial<VerdictRule> = {}): Verdict {
  const findings = [findingWith({ waived: text })]
  const verdict = ruled({ status: 'waived', because: text, findings, ...more })
  return { ...verdict, waivers: [{ ...waiver, ...one }] }
}

/** A verdict in which a rule was not tested, as permitted by its waiver. */
function untestedAsAgreed(verdict: Verdict, id = missing): Verdict {
  const untested = ruled({ status: 'waived', ...silent, because: reason }, id, verdict)
  return { ...untested, waivers: [{ ...waiver, rule: id }] }
}

/** A verdict with a rule that is waived for this reason, because it follows from a listed breach of a rule. */
function following(from: RuleId, text = reason): Verdict {
  const follows = [{ rule: from, fingerprint: listed }]
  return waived({ rule: null, fingerprint: listed }, text, { ...silent, findings: [], follows })
}

/** Like {@link following}, but the breach is a waived finding in the verdict. */
function followingFinding(text: string): Verdict {
  const findings = [findingWith({ fingerprint: listed, waived: reason })]
  const found = ruleWith('fuzz/query', { status: 'waived', because: reason, findings })
  const verdict = following(found.id, text)
  return { ...verdict, rules: verdict.rules.map((one) => (one.id === found.id ? found : one)) }
}

/** The verdict of an acceptance run in which an endpoint was not judged, as agreed in a waiver. */
function withoutEndpoint(one: VerdictWaiver): Verdict {
  const notJudged = [{ endpoint: '/api/cards', because: 'x', fingerprint: 'aaaaaaaa', waived: reason }]
  return { ...accepted, target: targetWith({ notJudged }), waivers: [one] }
}

const faulty = { answers: 4, faulty: 3, excludes: null }
const mild = { status: 'warned', findings: [findingWith({ warning: true })] } as const
const until = (expires: string): Verdict => waived({ expires }, `agreed (Kim, until ${expires})`)
const elsewhere = 'but exchanges are with another address ('
const unlisted = 'no listed waiver covers its exceptions on the day of the run ('
const unfitting = 'does not follow from their findings'
const long = 'must NOT have more than '
const toProd = [findingWith({ exchange: at('https://prod.example/') })]
const ofProd = { status: 'failed', findings: toProd } as const
const onlyWaived = { status: 'failed', findings: [findingWith({ waived: reason })] } as const
const waivedWarning = { ...onlyWaived, status: 'warned' } as const
const ofOnly = (only: string): Verdict => ({ ...green, selection: { only: [only] } })
const essential = { ...accepted, selection: { only: null, essential: true } }

// No run would leave these verdicts.
it.each<[what: string, says: string, verdict: Verdict]>([
  ['a rule with faulty answers', 'breaches, but', ruled({ power: faulty })],
  ['an address of another kind', elsewhere, of({ baseUrl: 'javascript:1' })],
  ['a failed rule', 'is nonconformant', ruled(failed)],
  ['an error without a reason', 'is nonconformant', { ...red, verdict: 'error', exitCode: 4, because: [] }],
  ['an error with exit code 1', 'is nonconformant', { ...red, verdict: 'error' }],
  ['no rules from a newer version', 'is incomplete (no rule was judged)', { ...newer, rules: [] }],
  ['conformant with exit code 1', 'says conformant with exit code 1', { ...green, exitCode: 1 }],
  ['incomplete with exit code 4', 'says incomplete with exit code 4', { ...partial, exitCode: 4 }],
  ['an error with exit code 3', 'says error with exit code 3', { ...partial, verdict: 'error' }],
  ['nonconformant, but all passed', 'is incomplete', { ...partial, verdict: 'nonconformant', exitCode: 1 }],
  ['nonconformant without a reason', 'its reasons do not follow from its rules', { ...red, because: [] }],
  ['incomplete without a reason', 'is conformant', { ...partial, because: [] }],
  ['a host with the same beginning', elsewhere, shownAt(`${site}.evil.example/cards/api`)],
  ['another user', elsewhere, shownAt(`${site}@evil.example/cards/api`)],
  ['another host in a finding', elsewhere, ruled(ofProd, missing, red)],
  ['another path on the same host', elsewhere, shownAt(`${site}/other/api`)],
  ['a path with the same beginning', elsewhere, shownAt(`${site}/cards2/api`)],
  ['another target', elsewhere, of({ baseUrl: 'https://vendor.example' })],
  ['no target', 'judges no address', of({ baseUrl: null })],
  ['one case per rule', 'only part', essential],
  ['a waiver that is not listed', unlisted, { ...waived({}), waivers: [] }],
  ['a waiver that expired yesterday', unlisted, until('2026-11-19')],
  ['a waiver marked as expired', unlisted, waived({ expired: true })],
  ['a waiver marked as covering nothing', unlisted, waived({ used: false })],
  ['a waiver for another rule', unlisted, waived({ rule: 'authentication/secret-key-missing' })],
  ['a waiver for another finding', unlisted, waived({ fingerprint: listed })],
  ['a waiver with another reason', unlisted, waived({}, lee)],
  ['a waiver for an untested rule in a gate run', unlisted, untestedAsAgreed(green)],
  ['a waiver for an untested implied rule', unlisted, untestedAsAgreed(accepted, 'fuzz/headers')],
  ['a waiver that does not cover the endpoint', unlisted, withoutEndpoint(waiver)],
  ['a rule that follows from another exception', unlisted, followingFinding(lee)],
  ['a failed expectation in an incomplete run', 'is error', ruled(failed, order, partial)],
  ['an error of the user, not of the suite', 'is error', { ...ruled(failed, order), ...full, exitCode: 2 }],
  ['a missing rule', 'lacks rules', { ...green, rules: green.rules.slice(1) }],
  ['a repeated rule', 'a rule twice', { ...green, rules: [...green.rules, ...green.rules.slice(0, 1)] }],
  ['a rule that failed only by a waived finding', unfitting, ruled(onlyWaived, missing, red)],
  ['a failed rule marked as waived', unfitting, ruled({ ...unjudged, status: 'waived', ...open })],
  ['a failed rule marked as untested', unfitting, ruled({ ...unjudged, status: 'untested', ...open })],
  ['a documented rule that only warns', unfitting, ruled(mild)],
  ['a rule that warns only by a waived finding', unfitting, ruled(waivedWarning, 'fuzz/headers')],
  ['a warning in a strict run', unfitting, ruled(warned, 'fuzz/headers', { ...green, strict: true })],
  ['a failed implied rule in a lenient run', unfitting, concluded(ruled(failed, 'fuzz/headers'))],
  ['a rule with another level', 'a different level', ruled({ level: 'implied', ...warned })],
  ['a start slightly too late', 'began in the future', startsAt('2026-11-20T12:05:00.001Z')],
  ['a start on an impossible date', 'start time is invalid', startsAt('2026-99-99T00:00:00.000Z')],
  ['an overlong label', `/target/label ${long}200`, of({ label: 'x'.repeat(201) })],
  ['an overlong version', `/target/version ${long}200`, of({ version: '1'.repeat(201) })],
  ['an overlong address', `/target/baseUrl ${long}`, of({ baseUrl: 'x'.repeat(10_001) })],
  ['an overlong selection', `/selection/only/0 ${long}`, ofOnly('*'.repeat(10_001))],
])('an unusual verdict is refused if no run can produce it: %s', (_, says, verdict) => {
  expect(refusalOf(verdict)).toContain(says)
})

const followed = followingFinding(reason)
const authentication = { only: ['authentication/*'] }
const ofAuthentication = followed.rules.filter(({ id }) => id !== 'fuzz/query')
const some = green.rules.slice(0, 3)

it.each<[what: string, verdict: Verdict]>([
  ['a conformant verdict', green],
  ['a clock that is five minutes ahead', startsAt('2026-11-20T12:05:00.000Z')],
  ['a newer version, which can judge other rules', { ...newer, rules: some }],
  ['a verdict on some rules', { ...ofOnly('x'), rules: some }],
  ['an unjudged endpoint, as agreed', withoutEndpoint({ ...waiver, rule: null, fingerprint: 'aaaaaaaa' })],
  ['an error without its waivers', { ...waived({}), ...full, waivers: [] }],
  ['a rule that was not tested, as agreed', untestedAsAgreed(accepted)],
  ['a rule that follows from a waived finding', followed],
  ['a rule outside of the selection', { ...followed, selection: authentication, rules: ofAuthentication }],
  ['an address with a hidden part', shownAt('https://<part of TARGET_API_KEY>/api')],
  ['a masked address', shownAt('https://<TARGET_API_KEY>.example.com/cards/api')],
  ['a target that is not a path', shownAt(`${site}/cards http://other.example/`)],
  ['a run that never finished', unfinishedVerdict(metadataWith({ startedAt: now }))],
  ['a run that never began', errorVerdict()],
])('an unusual verdict is accepted if a run can produce it: %s', (_, verdict) => {
  expect(refusalOf(verdict)).toBeNull()
})
