import { expect, it } from 'vitest'
import type { RulePower } from '../judge/power.ts'
import { profiles } from '../settings/profiles.ts'
import { covers, type Waiver } from '../settings/waivers.ts'
import type { Answer } from '../specification/answers.ts'
import { rules } from '../specification/rules.ts'
import { capitalised } from '../text/printable.ts'
import { rateExcluded } from '../verdict/power.ts'
import { findingWith, ruleWith, targetWith, verdictWith, waiver } from '../verdict/verdict.testing.ts'
import { statuses, type Verdict, type VerdictRule, type VerdictWaiver } from '../verdict/verdict.ts'
import { waiverDrafts, waiverLine } from './model/cause-view.ts'
import { askedAddress } from './model/headline.ts'
import { powerView, rulePowerText } from './model/power.ts'
import { htmlPage, legend } from './page/html-page.ts'
import { summaryMarkdown } from './render/summary.ts'
import { terminalSummary } from './render/terminal.ts'
import { alike, failing, unlike, violated } from './testing/verdicts.ts'
import { view } from './view.ts'

// The golden texts show the words for each kind of verdict. These tests cover what they do not show.

const conformant = verdictWith()
const partial: Verdict = { ...conformant, selection: { only: ['endpoints/*'] } }

it.each([conformant, partial])(
  'a headline has a tick and is green only for a complete selection',
  (verdict) => {
    const isGreen = verdict === conformant
    const shown = view(verdict)
    const terminal = terminalSummary(shown, { colour: true, width: 400, reportsDir: '/reports' })

    expect(/<section class="hero[^]*?<\/h1>/.exec(htmlPage(shown))?.[0].includes('icon passed')).toBe(isGreen)
    expect(terminal.includes('\u001B[32m')).toBe(isGreen)
  },
)

const asked = 'https://a.example/prefix/api/customizations/list'
const paths = ['/api/customizations/list', '/api/b', '/api/c', '/api/d', '/api/e']

it.each([
  [paths.slice(0, 1), asked],
  [paths.slice(0, 2), `${asked}, /api/b`],
  [paths, `${asked}, /api/b, /api/c and 2 more endpoints`],
  [[], 'https://a.example/prefix'],
  [['POST /api/b', 'PUT /api/b'], 'POST https://a.example/prefix/api/b, PUT /api/b'],
])('the address in a headline for %j is %s', (endpoints, expected) => {
  for (const baseUrl of ['https://a.example/prefix', 'https://a.example/prefix/'])
    expect(askedAddress(targetWith({ baseUrl, label: null, endpoints }))).toBe(expected)
})

const untested = ruleWith('quota/exhausted', { status: 'untested', because: 'no such client is given' })

const other = { rule: null, fingerprint: 'abcdef12' }
const unjudged = 'its rules were not judged'
const idle = 'COVERED NOTHING in this run: remove it from the RUN_WAIVERS file if its fault is fixed'

it.each<[Partial<VerdictWaiver>, alarm: string, state: string, Partial<Verdict>?]>([
  [{}, 'the waiver for quota/exhausted', idle],
  [other, 'abcdef12', idle],
  [{ gone: true }, 'acceptance fails until then', '', { profile: 'acceptance' }],
  // The run did not judge what the waiver covers.
  [{}, '', unjudged, { rules: [untested] }],
  [{}, '', unjudged, { rules: [ruleWith('fuzz/query')] }],
  [{}, '', unjudged, { rules: [] }],
  [other, '', unjudged, { selection: { only: ['errors/*'] } }],
])('a waiver with %j shows its state, and alarms if somebody must act', (changes, alarm, state, of) => {
  const shown = view(verdictWith({ ...of, waivers: [{ ...waiver, ...changes }] }))

  expect(shown.alarms).toEqual(alarm === '' ? [] : [expect.stringContaining(alarm)])
  expect(shown.waivers[0]?.state).toContain(state)
})

it('the legend explains every status, level and profile once, in one short line', () => {
  const words = legend.map(({ label }) => label)
  const wanted = [
    ...statuses,
    ...Object.values(rules).map(({ level }) => level),
    ...Object.keys(profiles),
    ...'strict finding cause fingerprint power waiver baseline'.split(' '),
  ]

  expect(wanted.filter((word) => !words.includes(word))).toEqual([])
  expect(new Set(words).size).toBe(words.length)
  for (const { value } of legend) expect(value.length).toBeLessThan(110)
})

const causesOf = (...own: readonly VerdictRule[]) => view(violated(...own)).causes

it('the causes of a view show at least one finding each, more if there is room, and count the rest', () => {
  const same = Array.from({ length: 500 }, (_, place) => alike(`${place}`))
  const shown = causesOf(failing('fuzz/path', ...unlike(300, 'path')))
  const [cause] = causesOf(failing('fuzz/path', ...same))

  expect(shown).toHaveLength(300)
  expect(shown.every(({ findings, hidden }) => findings.length === 1 && hidden === 0)).toBe(true)
  expect([cause?.findings.length, cause?.hidden]).toEqual([180, 320])
})

const invalid = '401 / 1006 (invalid api key)'

it.each<[Answer, expected: string, got?: string]>([
  [{ status: 401, errorCode: '1006' }, ruleWith('fuzz/path').says, 'no error_message'],
  [{ status: 400, errorCode: '1006' }, '400 / 1006'],
  [{ status: 401, errorCode: '1001' }, '401 / 1001'],
])('the causes of a view show, if %j is documented, as expected: %s', (answer, expected, got = invalid) => {
  const finding = findingWith({ allowed: [answer], summary: 'no error_message' })

  expect(causesOf(failing('fuzz/path', finding))).toMatchObject([{ expected, got }])
})

it('the causes of a view are linked from the page to its rules and back', () => {
  const two = ['authentication/api-key-missing', 'fuzz/api-key'] as const
  const page = htmlPage(view(violated(...two.map((id) => failing(id, alike(id))))))

  expect(page).toMatch(/<a href="#fuzz\/api-key"\s*><code>fuzz\/api-key<\/code>/)
  expect(page).toContain('<a href="#cause-1">cause<span class="sr"> of fuzz/api-key</span></a>')
})

const could = 'answers could have shown a breach'
const showed = 'requests showed a breach; confirmations are not counted'

/** Answers without a breach, and the rate that they exclude. */
function rated(answers: number, oneIn: number): [RulePower, string, string] {
  const rate = `fewer than one in ${oneIn}`
  const says = `${answers} ${could}: if faults are random, ${rate} answers are faulty (95 % confidence)`
  return [{ answers, excludes: rateExcluded(answers) }, `${rate} faulty`, says]
}

// Rates are rounded so that they never promise too much. A rate needs at least 30 answers and no breach.
it.each<[RulePower, string | null, string]>([
  [{ answers: 0, excludes: rateExcluded(0) }, null, `no answer could have shown a breach`],
  [{ answers: 1, excludes: rateExcluded(1) }, null, '1 answer could have shown a breach'],
  [{ answers: 29, excludes: rateExcluded(29) }, null, `29 ${could}`],
  [{ answers: 480, excludes: null }, null, `480 ${could}`],
  rated(30, 10),
  rated(480, 160),
  [{ answers: 48, excludes: null, faulty: 3 }, '3 of 48 requests showed a breach', `3 of 48 ${showed}`],
  [{ answers: 8, excludes: null, unanswered: 2 }, '2 of 10 requests showed a breach', `2 of 10 ${showed}`],
])('the power of a verdict for %j is %s, and its sentence is: %s', (power, rule, sentence) => {
  expect(rulePowerText(power)).toBe(rule)
  const shown = powerView({ power: { confidence: 0.95, situations: [], ...power } })
  expect(shown?.sentence).toBe(capitalised(sentence))
})

function linesOf(verdict: Verdict): readonly string[] {
  return waiverDrafts(verdict).map((each) => waiverLine(each, verdict))
}

const agreed = '"reason":"","owner":"","expires":"2026-12-20"}'

it('a waiver draft covers all findings of a cause for exactly thirty days', () => {
  const mild = findingWith({ fingerprint: 'mere warning', difference: 'content type' })
  const warning = ruleWith('conventions/json-content-type', { status: 'warned', findings: [mild] })
  const fuzzed = failing('fuzz/api-key', ...['a', 'b', 'b'].map((name) => alike(name)))
  const verdict = violated(failing('authentication/api-key-missing', alike('3f2a9c')), fuzzed, warning)
  const entry: Partial<Waiver> = JSON.parse(linesOf(verdict).join())
  const pasted: Waiver = { rule: null, fingerprint: null, reason: 'r', owner: 'o', expires: '', ...entry }

  expect(linesOf(verdict)).toEqual([`{"fingerprints":["3f2a9c","a","b"],${agreed}`])
  for (const fingerprint of ['3f2a9c', 'a', 'b']) {
    const found = { rule: 'fuzz/api-key', fingerprint } as const
    expect(['2026-12-20', '2026-12-21'].map((day) => covers(pasted, found, day))).toEqual([true, false])
  }
})

/** The summary and the page for a verdict. */
function reportsOf(verdict: Verdict): readonly string[] {
  const shown = view(verdict)
  return [summaryMarkdown(shown), htmlPage(shown).replaceAll('&#34;', '"')]
}

it('the waiver drafts in the summary and the page cover all causes, including those not shown in full', () => {
  const many = violated(failing('fuzz/path', ...unlike(120, 'one')))

  expect(linesOf(many)).toHaveLength(120)
  for (const text of reportsOf(many))
    for (const line of linesOf(many)) expect(text.split(line), line).toHaveLength(2)
})
