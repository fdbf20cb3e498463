import { WriteStream } from 'node:tty'
import { expect, it, afterEach, vi, beforeEach, describe } from 'vitest'
import { fakeTime, now } from '../../../tests/support/virtual-time.ts'
import type { RuleId } from '../../specification/rules.ts'
import { memberNames } from '../../text/members.ts'
import { ruleWith } from '../../verdict/verdict.testing.ts'
import { capturedConsole } from './console.testing.ts'
import { wantsColour } from './console.ts'
import { ProgressDisplay, runProgress } from './progress.ts'
import { endBy } from './signals.ts'

const forced = ['', 'true', '1', '2', '3', 'false', '0', '4', 'no', 'TRUE']

it.each(forced)('colour follows FORCE_COLOR=%j on any output, as in Node', (FORCE_COLOR) => {
  const isColoured = WriteStream.prototype.getColorDepth({ FORCE_COLOR }) > 1

  expect(wantsColour({ FORCE_COLOR }, false)).toBe(isColoured)
  expect(wantsColour({ FORCE_COLOR, TERM: 'dumb' }, true)).toBe(isColoured)
  expect(wantsColour({ FORCE_COLOR, NO_COLOR: '1' }, true)).toBe(isColoured)
})

it.each([
  [{}, true],
  [{ NO_COLOR: '' }, true],
  [{ NO_COLOR: '0' }, false],
  [{ NODE_DISABLE_COLORS: '1' }, false],
  [{ TERM: 'dumb' }, false],
])('colour with %j is %s on a terminal, and is off on other outputs', (env, expected) => {
  expect(wantsColour(env, true)).toBe(expected)
  expect(wantsColour(env, false)).toBe(false)
})

afterEach(() => vi.restoreAllMocks())

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

it.each(memberNames(signals))('after %s, a process exits on Windows with its code, not with 1', (signal) => {
  const exit = vi.spyOn(process, 'exit').mockImplementation(() => {
    throw new Error('ended')
  })

  expect(() => endBy(signal, 'win32')).toThrow('ended')
  expect(exit).toHaveBeenCalledWith(signals[signal])
})

beforeEach(fakeTime)

/** The display of a run with two cases a second, on a terminal of this width, or in a log if null. */
function display(columns: number | null) {
  const written: string[] = []
  const terminal = columns === null ? null : { columns: () => columns }
  const { console } = capturedConsole({ err: (text) => written.push(text), terminal })
  const startedAt = now()
  const text = (): string => `fuzz: ${Math.floor((now() - startedAt) / 500)} of 3,600 cases`
  return { written, text, shown: new ProgressDisplay(console) }
}

/** Work for some seconds. It notes its progress once and waits, or notes it all the time and blocks timers. */
const works: Readonly<Record<string, (seconds: number, of: ReturnType<typeof display>) => void>> = {
  'that waits': (seconds, { shown, text }) => {
    shown.note(text)
    vi.advanceTimersByTime(seconds * 1_000)
  },
  'that blocks timers': (seconds, { shown, text }) => {
    vi.stubGlobal('setInterval', () => ({ unref: () => undefined }))
    for (let step = 0; step < seconds * 10; step += 1) {
      shown.note(text)
      vi.advanceTimersByTime(100)
    }
    vi.unstubAllGlobals()
  },
}

describe.each(Object.entries(works))('the display of work %s', (_, work) => {
  it('rewrites a terminal line in place, at most four times a second and only on changes', () => {
    const of = display(80)
    work(10, of)

    const { written } = of
    expect(written[0]).toBe('\rfuzz: 0 of 3,600 cases\u001B[K')
    expect(written.length).toBeGreaterThan(15)
    expect(written.length).toBeLessThanOrEqual(40)
    expect(new Set(written).size).toBe(written.length)
    for (const text of written) expect(text.replace('\u001B[K', '')).toMatch(/^\rfuzz: [^\r\n]*cases$/)
  })

  it('fits its line into a terminal, and removes it before other output and at the end', () => {
    const of = display(20)
    const { written, shown } = of
    work(2, of)
    expect(written.at(-1)?.replace(/\d/, '#')).toBe('\rfuzz: # of 3,600 ca\u001B[K')
    shown.console.err('interrupted\n')
    expect(written.slice(-2)).toEqual(['\r\u001B[K', 'interrupted\n'])

    work(1, of)
    shown.end()
    shown.end()
    expect(written.at(-1)).toBe('\r\u001B[K')
    expect(written.filter((text) => text === '\r\u001B[K')).toHaveLength(2)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('writes plain lines to a log, the first after ten seconds and under 50 in half an hour', () => {
    const of = display(null)
    const { written } = of
    work(9.9, of)
    expect(written).toEqual([])

    work(51, of)
    expect(written.map((line) => line.split(']')[0]?.replace(/\.\d/, ''))).toEqual(
      ['10 s', '20 s', '30 s', '40 s', '50 s', '1 min 0 s'].map((time) => `[${time}`),
    )
    expect(written[5]).toBe('[1 min 0 s] fuzz: 120 of 3,600 cases\n')

    work(29 * 60, of)
    expect(written.length).toBeLessThan(50)
    expect(written.at(-1)).toMatch(/^\[30 min 0 s\] .*$/m)
    for (const text of written) expect(text.split(/\r|\p{Cc}\[K/u)).toHaveLength(1)
  })

  it('stays empty if the work is quick', () => {
    const of = display(80)
    work(0.2, of)
    of.shown.end()

    expect(of.written).toEqual([])
  })
})

const none = { requests: 0, least: 0, first: 0, allotted: 0, byClient: {}, endpoints: [], untested: null }
const planned = { 'fuzz/path': 10, 'fuzz/api-key': 5, 'quota/exhausted': 1_200 } as const
const rules = memberNames(planned).map((id) => ({ id, cases: planned[id], ...none }))

const four = ['fuzz/path', 'fuzz/path', 'fuzz/path', 'fuzz/api-key'] as const

it.for<readonly [says: string, done: readonly RuleId[], settled: readonly RuleId[], sent?: number]>([
  ['beginning: 0 of 1,215 cases, 0 of at most 10,000 requests', [], []],
  ['fuzz: 8 of 1,215 cases, 2,310 of at most 10,000 requests', four, ['fuzz/api-key'], 2_310],
  ['fuzz: 5 of 1,215 cases, 0 of at most 10,000 requests', Array<RuleId>(30).fill('fuzz/api-key'), []],
])('progress counts the ended cases, and all cases of settled rules: %s', ([says, done, settled, sent]) => {
  const textAfter = runProgress()
  expect(textAfter({ kind: 'planning', done: 1, of: 3 })()).toBe('planning: 1 of 3 rules')
  const text = textAfter({ kind: 'planned', rules, budget: 10_000 })
  for (const rule of done) textAfter({ kind: 'rule-started', rule })
  for (const rule of done) textAfter({ kind: 'case-done', rule })
  for (const id of settled) textAfter({ kind: 'rule-settled', result: { ...ruleWith(id), reasons: [] } })
  if (sent !== undefined) textAfter({ kind: 'request-done', sent })

  expect(text()).toBe(says)
})
