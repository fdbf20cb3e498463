import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Finding, RuleStatus } from '../../judge/record.ts'
import { ruleIds } from '../../specification/rules.ts'
import { serviceRules } from '../../specification/testing/rule-counts.ts'
import { folderWith } from '../../text/folder.testing.ts'
import { historyLine, type HistoryLine } from '../../verdict/history-line.ts'
import { errorVerdict, findingWith, nonconformantVerdict } from '../../verdict/verdict.testing.ts'
import { ruleWith, rulesWith, sentWith, targetWith, verdictWith } from '../../verdict/verdict.testing.ts'
import type { Verdict } from '../../verdict/verdict.ts'
import { night, nights, remembered, type Failing } from '../page/nights.testing.ts'
import { bent } from '../testing/bent.ts'
import { causeChanges, changesBetween, isWorse } from './history.ts'
import { judgedAsMuch, lastJudged, newsSentence, streakOf, type ChangeKind } from './history.ts'
import { appendHistory, historyText, parsedLine, readHistory } from './history.ts'

const list = 'endpoints/list-succeeds'

/** A run with one rule, or without rules. Fingerprints in parentheses are waived. */
function run(status: RuleStatus | null, ...found: readonly string[]): HistoryLine {
  const waived = found.filter((one) => one.startsWith('(')).map((one) => one.slice(1, -1))
  const fingerprints = found.map((one) => one.replaceAll(/[()]/g, ''))
  const of = { id: list, fingerprints, intermittent: [], ...(waived.length === 0 ? {} : { waived }) }
  return { ...historyLine(verdictWith({ rules: [] })), rules: status === null ? [] : [{ ...of, status }] }
}

type Told = readonly [RuleStatus | null, ...string[]]

it.each<[Told, Told, ChangeKind, boolean]>([
  [['passed'], ['passed'], 'unchanged', false],
  [['failed', 'a', 'b'], ['failed', 'b', 'a'], 'unchanged', false],
  [['untested'], ['untested'], 'unchanged', false],

  [['passed'], ['failed', 'a'], 'newly failing', true],
  [['untested'], ['failed', 'a'], 'newly failing', true],
  [['warned', 'a'], ['failed', 'a'], 'newly failing', true],
  [['waived', '(a)'], ['failed', 'a'], 'newly failing', true],
  [[null], ['failed', 'a'], 'newly failing', true],

  [['failed', 'a'], ['failed', 'a', 'b'], 'worse', true],
  [['failed', 'a', '(b)'], ['failed', 'a', 'b'], 'worse', true],
  [['passed'], ['warned', 'a'], 'worse', true],
  [['passed'], ['inconclusive'], 'worse', true],
  [['passed'], ['untested'], 'worse', true],
  [['warned', 'a'], ['inconclusive'], 'worse', true],

  [['passed'], [null], 'vanished', true],
  [['warned', 'a'], [null], 'vanished', true],
  [['failed', 'a'], [null], 'vanished', false],
  [['untested'], [null], 'vanished', false],
  [[null], ['passed'], 'appeared', false],
  [[null], ['inconclusive'], 'appeared', false],

  // A failing rule that is no longer judged is not fixed.
  [['failed', 'a'], ['inconclusive'], 'changed', false],
  [['untested'], ['inconclusive'], 'changed', false],
  // A new waiver makes a rule neither worse nor better.
  [['failed', 'a'], ['waived', '(a)'], 'changed', false],
  [['passed'], ['waived', '(a)'], 'changed', false],
  [['passed'], ['waived'], 'changed', false],
  [['failed', 'a', 'b'], ['failed', 'a', '(b)'], 'changed', false],
  [['waived', '(a)'], ['waived', '(b)'], 'changed', false],

  [['failed', 'a', 'b'], ['failed', 'a'], 'better', false],
  [['failed', 'a', 'b'], ['warned', 'a'], 'better', false],
  [['inconclusive'], ['passed'], 'better', false],
  [['waived'], ['passed'], 'better', false],

  [['failed', 'a'], ['passed'], 'mended', false],
  [['warned', 'a'], ['passed'], 'mended', false],
  [['waived', '(a)'], ['passed'], 'mended', false],
])('the change in a rule from %j to %j is %s', (before, after, kind, worse) => {
  const [change] = changesBetween(run(...before), run(...after))

  expect(change).toMatchObject({ rule: list, kind, before: before[0], after: after[0] })
  expect(change !== undefined && isWorse(change)).toBe(worse)
})

const otherTarget = targetWith({ baseUrl: 'https://b.example', label: 'other' })
const sameRows: Partial<HistoryLine> = { target: otherTarget, requests: { sent: 1, budget: 7 } }
const ofTwo: Told = ['failed', 'a', 'b']

it.each<[Told, Told, Partial<HistoryLine>, ChangeKind, readonly string[], readonly string[]]>([
  [ofTwo, ['failed', 'a'], { seed: 7 }, 'changed', [], ['b']],
  [ofTwo, ['failed', 'a'], { profile: 'acceptance' }, 'changed', [], ['b']],
  [ofTwo, ['failed', 'a'], { fuzzCases: 5 }, 'changed', [], ['b']],
  [ofTwo, ['failed', 'a'], { suite: { version: '9.9.9' } }, 'changed', [], ['b']],
  [ofTwo, ['failed', 'a'], { selection: { only: ['fuzz/*'] } }, 'changed', [], ['b']],
  [ofTwo, ['failed', 'a'], { selection: { only: null, essential: true } }, 'changed', [], ['b']],
  [ofTwo, ['warned', 'a'], { seed: 7 }, 'changed', [], ['b']],
  [ofTwo, ['passed'], { seed: 7 }, 'better', ['a'], ['b']],
  [ofTwo, ['inconclusive'], { seed: 7 }, 'changed', ['a'], ['b']],
  [ofTwo, ['failed', 'a', 'c'], { seed: 7 }, 'worse', [], ['b']],
  [ofTwo, ['failed', 'a'], sameRows, 'better', ['b'], []],
  [ofTwo, ['passed'], sameRows, 'mended', ['a', 'b'], []],
  // It is not a fix if the only finding was not sent again.
  [['failed', 'b'], ['passed'], { seed: 7 }, 'changed', [], ['b']],
])('from %j, with b under conditions, to %j with %j is %s', (was, is, changes, kind, gone, notAsked) => {
  const before = run(...was)
  const under = { ...before, rules: before.rules.map((one) => ({ ...one, underConditions: ['b'] })) }

  expect(changesBetween(under, { ...run(...is), ...changes })).toMatchObject([{ kind, gone, notAsked }])
})

const leak: Failing = ['security/no-secret-echo']
const path: Failing = ['fuzz/path']
const still = 'fuzz/path: still there'
const fixed = 'fuzz/path: fixed'
const unseen = 'fuzz/path: not seen'

/** The causes in both runs, each with its rule and state. */
function told(before: Verdict, after: Verdict): readonly string[] {
  return causeChanges(remembered(before), after).causes.map(({ rule, state }) => `${rule}: ${state}`)
}

const withFinding = (changes: Partial<Finding>): Verdict => night(1, [['fuzz/path', changes]])

const conformant = { verdict: 'conformant', exitCode: 0, because: [] } as const
const incomplete = { verdict: 'incomplete', exitCode: 3, because: ['the service stopped answering'] } as const

/** A nightly run without a verdict because it did not judge these rules. */
function unjudged(verdict: Verdict, ...ids: readonly string[]): Verdict {
  const open = { status: 'inconclusive', because: 'no answer' } as const
  const rules = verdict.rules.map((rule) => (ids.includes(rule.id) ? { ...rule, ...open } : rule))
  return { ...verdict, ...incomplete, rules }
}

const finding = findingWith({ fingerprint: 'fingerprint of fuzz/path', waived: 'agreed' })
const ofWaived = rulesWith([ruleWith('fuzz/path', { status: 'waived', findings: [finding] })])
const asAgreed = night(1, [], { rules: ofWaived })
const under = withFinding({ sent: sentWith({ conditions: ['accept-language: de'] }) })
const same = { ...night(2), seed: under.seed }

it.each<[string, Verdict, Verdict, readonly string[]]>([
  ['new or fixed', night(1, [path]), night(2, [leak]), [`${leak[0]}: new`, fixed]],
  ['still there or fixed', night(1, [path, leak]), night(2, [leak]), [`${leak[0]}: still there`, fixed]],
  ['absent if no rule fails', night(1), night(2), []],
  ['the same if they share a finding', night(1, [path]), withFinding({ summary: 'other' }), [still]],
  ['the same if they share a sentence', night(1, [path]), withFinding({ fingerprint: 'a' }), [still]],
  ['new again once no waiver covers them', asAgreed, night(2, [path]), ['fuzz/path: new']],
  ['not seen if a waiver covers them', night(1, [path]), asAgreed, [unseen]],
  ['not fixed if their requests were not sent again', under, night(2), [unseen]],
  ['fixed if their requests were sent again', under, same, [fixed]],
  ['not judged if their rule was not', night(1, [path]), unjudged(night(2), 'fuzz/path'), [unseen]],
  ['not fixed if they are intermittent', withFinding({ reproduced: '1 of 3' }), night(2), [unseen]],
])('causes since the last run are %s', (_, before, after, changes) => {
  expect(told(before, after)).toEqual(changes)
})

/** `x`: the cause is present, `.`: it is absent, `-`: its rule was not judged. */
it.each([
  ['x', 'x'],
  ['.xx', 'xx'],
  ['x.xx', 'xx'],
  ['xx-x', 'xxx'],
  ['.xx.', 'xx'],
  ['x.xx.-', 'xx'],
  ['.-', ''],
])('causes in the runs %s have the streak %s', (runs, streak) => {
  const lines = [...runs].map((sign, index) => {
    const verdict = night(index + 1, sign === 'x' ? [path] : [])
    return remembered(sign === '-' ? unjudged(verdict, 'fuzz/path') : verdict)
  })
  const [cause] = causeChanges(remembered(night(1)), night(2, [path])).causes
  const found = cause === undefined ? [] : streakOf(cause, lines)

  expect(found.map((line) => runs[lines.indexOf(line)]).join('')).toBe(streak)
  expect(found.at(-1)).toBe(lines[runs.lastIndexOf('x')])
})

/** The sentence for the terminal about the first of these runs, which are given latest first. */
function newsOf(...[today, ...before]: readonly Verdict[]): string | null {
  return today === undefined ? null : newsSentence(today, before.toReversed().map(remembered))
}

const failed = night(1, [path])
const empty = [unjudged(night(3), 'fuzz/path'), unjudged(night(2), ...ruleIds)]
const partly = unjudged(night(2, [leak]), 'fuzz/path')
const untested = (day: number): Verdict => ({ ...unjudged(night(day), 'fuzz/path'), ...conformant })
const withVerdict = 'with a verdict (2026-11-01 02:00 UTC, nonconformant, 2 runs without a verdict since)'

const firstTwo = [night(2, [path]), unjudged(night(1), 'fuzz/path')]
const ofNights =
  'since the last run (2026-11-12 02:00 UTC, nonconformant): 2 new causes, 1 still there, 1 fixed'

it.each<[string | null, readonly Verdict[]]>([
  [ofNights, nights.toReversed().slice(0, 2)],
  [': nothing is new', [night(2), night(1)]],
  [null, [night(2)]],
  [null, [{ ...night(2), rules: [] }, night(1)]],
  // Runs without a verdict in between are skipped.
  [`run ${withVerdict}: 1 still there`, [night(4, [path]), ...empty, failed]],
  [`run ${withVerdict}: 1 fixed`, [night(4), ...empty, failed]],
  [`run ${withVerdict}: 1 new cause, 1 still there`, [night(4, [path, leak]), ...empty, failed]],
  // A run without a verdict counts for the rules that it judged.
  [': 2 still there', [night(3, [leak, path]), partly, failed]],
  [': 1 still there, 1 fixed', [night(3, [path]), partly, failed]],
  // A rule that is no longer judged is reported once, not every night.
  [': 1 not seen this time, 1 rule', [untested(2), failed]],
  [': nothing is new', [untested(3), untested(2), failed]],
  // No other run is known.
  ['run (2026-11-01 02:00 UTC, incomplete): 1 new cause', firstTwo],
])('causes are counted since the last run that judged their rule: %s', (says, verdicts) => {
  expect(newsOf(...verdicts)).toEqual(says === null ? null : expect.stringContaining(says))
})

const folder = await folderWith()

async function fileWith(...lines: readonly (string | HistoryLine)[]): Promise<string> {
  const texts = lines.map((line) => `${typeof line === 'string' ? line : historyText(line)}\n`)
  return join(await folderWith({ 'history.jsonl': texts.join('') }), 'history.jsonl')
}

/** A run that began at this minute of the day. */
function runAt(minute: number, changes: Partial<Verdict> = {}): HistoryLine {
  const startedAt = new Date(Date.UTC(2026, 10, 20, 2, minute)).toISOString()
  return historyLine(verdictWith({ startedAt, rules: [ruleWith(list)], ...changes }))
}

const broken = ruleWith('tolerance/property-order', { status: 'failed', findings: [findingWith()] })
const sent = sentWith({ conditions: ['accept-language: de'] })
const conditional = [findingWith({ fingerprint: 'a' }), findingWith({ fingerprint: 'b', sent })]
const conditioned = { rules: [ruleWith(list, { status: 'failed', findings: conditional })] }
const elsewhere = 'abcdabcdabcdabcd'
const following = (status: RuleStatus): Partial<Verdict> => {
  const follows = [{ rule: 'fuzz/query', fingerprint: elsewhere }] as const
  return { rules: [ruleWith('fuzz/path', { status, because: 'why', follows })] }
}

it.each<[string, Partial<Verdict>, object]>([
  ['an expectation about the suite if it failed', { rules: [broken] }, { rules: [{ status: 'failed' }] }],
  ['no other expectation', {}, { rules: { length: serviceRules } }],
  ['the breaches that a rule follows from', following('waived'), { rules: [{ follows: [elsewhere] }] }],
  ['the findings under conditions', conditioned, { rules: [{ underConditions: ['b'] }] }],
])('the history line of a run contains %s', (_, changes, expected) => {
  expect(parsedLine(historyText(historyLine(verdictWith(changes))))).toMatchObject(expected)
})

it('the history line of a run can be read back, names no waived breach, and has no exchange', () => {
  const line = { ...historyLine(nonconformantVerdict()), digest: 'ab'.repeat(32) }

  expect(parsedLine(historyText(line))).toEqual(line)
  expect(historyLine(verdictWith(following('inconclusive'))).rules[0]).not.toHaveProperty('follows')
})

it('adding to the history creates the file, ends a line that a crash cut short, and loses nothing', async () => {
  const error = historyLine({ ...errorVerdict(), startedAt: '2026-11-20T02:02:00.000Z' })
  const lines = [runAt(1), error] as const
  const made = join(folder, 'made', 'history.jsonl')
  for (const line of lines) await appendHistory(made, line)
  const [first, second] = lines.map(historyText)
  const cut = join(await folderWith({ cut: `${first}\n${first?.slice(0, 100)}` }), 'cut')
  await appendHistory(cut, lines[1])

  for (const file of [made, cut]) expect(await readHistory(file)).toEqual(lines)
  expect(await readFile(cut, 'utf8')).toBe(`${first}\n${first?.slice(0, 100)}\n${second}\n`)
})

const good = runAt(1)
const stored: Readonly<Record<string, unknown>> = JSON.parse(historyText(good))
const old = '{"format":"card-switch-conformance/history/2","suite":{}}'

const later = JSON.stringify({ ...stored, weather: 'fair' })
const wrong = [JSON.stringify([stored]), 'null', '', '{"format"', 'null\u0000', old]
const long = Array.from({ length: 2_000 }, (_, minute) => runAt(minute))
const unsorted = [2, 1, 3].map((minute) => runAt(minute))
const sorted = unsorted.toSorted((one, two) => one.startedAt.localeCompare(two.startedAt))

it.each<[string, lines: readonly (string | HistoryLine)[], runs: readonly HistoryLine[]]>([
  ['skips invalid lines and accepts fields from later versions', [...wrong, good, '', later], [good, good]],
  ['sorts runs by start time, because an earlier run can end later', unsorted, sorted],
  ['returns only the last thousand of two thousand runs', long, long.slice(1_000)],
  ['finds no run in an empty file', [], []],
])('reading the history %s', async (_, lines, runs) => {
  expect(await readHistory(await fileWith(...lines))).toMatchObject(runs)
})

const current = runAt(10)
const { target } = current
const other = targetWith({ baseUrl: 'https://other.example', label: null })
const unnamed = { ...target, label: null }
const at = (port: number) => ({ ...unnamed, embedded: true, baseUrl: `http://127.0.0.1:${port}` })
const findings = [findingWith()]
const rules = [ruleWith(list, { status: 'failed', findings })]
const unlike = { seed: 7, fuzzCases: 5, target: { ...target, build: '41' }, rules }

it.each<[string, HistoryLine, boolean, of?: HistoryLine['target']]>([
  ['cannot have another target', runAt(5, { target: other }), false],
  ['cannot have another label', runAt(5, { target: { ...target, label: 'another' } }), false],
  ['can have another address with the same label', runAt(5, { target: { ...target, baseUrl: 'x' } }), true],
  ['can have the same address without a label', runAt(5, { target: unnamed }), true, unnamed],
  ['cannot have another address without a label', runAt(5, { target: other }), false, unnamed],
  ['can have another port if it is the embedded service', runAt(5, { target: at(1) }), true, at(2)],
  ['cannot have another API version', runAt(5, { target: { ...target, version: '2' } }), false],
  ['cannot have another profile', runAt(5, { profile: 'nightly' }), false],
  ['cannot have only some rules', runAt(5, { selection: { only: ['quota/*'] } }), false],
  ['cannot have one case per rule', runAt(5, { selection: { only: null, essential: true } }), false],
  ['cannot have ended in an error', runAt(5, { verdict: 'error', exitCode: 4 }), false],
  ['cannot have begun at the same time', runAt(10), false],
  ['cannot have begun later', runAt(11), false],
  ['can have another seed, build and number of cases', runAt(9, unlike), true],
])('the previous run %s', (_, line, isOne, of = target) => {
  const first = runAt(1, { target: of })
  const now = { ...current, target: of }

  expect(lastJudged([first, line], now)).toEqual({ run: isOne ? line : first, without: [] })
})

const less = { rules: [ruleWith(list, { status: 'inconclusive' })] }

it.each<[string, readonly HistoryLine[]]>([
  ['that judged as much', [runAt(8)]],
  ['before one that judged less', [runAt(7), runAt(8, less)]],
  ['before one without a verdict', [runAt(7), runAt(8, { verdict: 'incomplete', exitCode: 3 })]],
  ['before one of another target', [runAt(7), runAt(8, { target: other })]],
])('the history is read up to the last run %s', async (_, runs) => {
  const file = await fileWith(runAt(5), runAt(6), ...runs)

  expect(await readHistory(file, (one) => judgedAsMuch(one, current))).toEqual(runs)
})

it('reading the history finds no run in a missing file or a folder', async () => {
  for (const file of [join(folder, 'missing'), folder]) expect(await readHistory(file)).toEqual([])
})

const full = { ...historyLine(nonconformantVerdict()), digest: 'ab', exceptions: 1 }
const wholeLine: unknown = JSON.parse(historyText({ ...full, selection: { only: ['*'], essential: true } }))
const mayBeNull = /^\/(?:target\/(?:baseUrl|label|build)|selection\/only|latencyMs)$/
const isFree = /^\/(?:connection|validUntil)/

const kinds: readonly unknown[] = [null, 'x', 7, true, [7], { a: 7 }]

/** Values of another kind than this part of the line. */
function othersOf(value: unknown, place: string): readonly unknown[] {
  const isSame = (one: unknown): boolean =>
    one === null
      ? mayBeNull.test(place)
      : typeof one === typeof value && Array.isArray(one) === Array.isArray(value)
  return kinds.filter((one) => !isSame(one) || (typeof one === 'object' && one !== null))
}

it('an invalid history line is not read if a value at any place has another type', () => {
  const lines = [...bent(wholeLine, othersOf)].filter(([place]) => !isFree.test(place))
  const read = lines.filter(([, line]) => parsedLine(JSON.stringify(line)) !== null)

  expect(parsedLine(JSON.stringify(wholeLine))).not.toBeNull()
  expect(read.map(([place]) => place)).toEqual([])
})

it.each([
  ['profile', 'daily'],
  ['verdict', 'fine'],
  ['exitCode', 5],
  ['startedAt', 'yesterday'],
  ['format', 'card-switch-conformance/history/2'],
  ['causes', [{ ...full.causes[0], severity: 'grave' }]],
  ['rules', [{ id: 'fuzz/path', status: 'fine', fingerprints: [], intermittent: [] }]],
])('an invalid history line is not read with %s %j', (name, value) => {
  expect(parsedLine(JSON.stringify(Object.assign({ ...Object(wholeLine) }, { [name]: value })))).toBeNull()
})
