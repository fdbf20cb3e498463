import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeTime, now } from '../../../tests/support/virtual-time.ts'
import type { RuleId } from '../../specification/rules.ts'
import { ruleWith } from '../../verdict/verdict.testing.ts'
import type { Console } from './console.ts'
import { planningText, ProgressDisplay, RunProgress } from './progress.ts'

beforeEach(fakeTime)

/** A display on a terminal of so many columns, or in a log, for a run that ends two cases a second. */
function display(columns: number | null) {
  const written: string[] = []
  const console: Console = {
    out: () => {},
    err: (text) => written.push(text),
    env: {},
    cwd: '/',
    colour: false,
    width: 100,
    terminal: columns === null ? null : { columns: () => columns },
    canAsk: false,
    ending: {},
    now: () => new Date(),
  }
  const startedAt = now()
  const progress = (): string => {
    const done = Math.floor((now() - startedAt) / 500)
    return `fuzz: ${done} of 3,600 cases, ${done * 2} of at most 10,000 requests`
  }
  return { written, progress, shown: new ProgressDisplay(console) }
}

describe('on a terminal', () => {
  it('one line is rewritten in place, at most four times a second, and only when it changes', () => {
    const { written, progress, shown } = display(80)
    shown.watch(progress)
    vi.advanceTimersByTime(10_000)

    expect(written.length).toBeGreaterThan(15)
    expect(written.length).toBeLessThanOrEqual(40)
    expect(new Set(written).size).toBe(written.length)
    for (const text of written) {
      expect(text.startsWith('\rfuzz: ') && text.endsWith('\u001B[K'), JSON.stringify(text)).toBe(true)
      expect(text.slice(1)).not.toMatch(/[\r\n]/)
    }
  })

  it('fits into it', () => {
    const { written, progress, shown } = display(20)
    shown.watch(progress)
    vi.advanceTimersByTime(2_000)

    expect(written.at(-1)).toBe('\rfuzz: 4 of 3,600 ca\u001B[K')
  })

  it('is taken away before anything else is said, and at the end', () => {
    const { written, progress, shown } = display(80)
    shown.watch(progress)
    vi.advanceTimersByTime(1_000)
    shown.console.err('interrupted\n')
    expect(written.slice(-2)).toEqual(['\r\u001B[K', 'interrupted\n'])

    vi.advanceTimersByTime(1_000)
    shown.end()
    expect(written.at(-1)).toBe('\r\u001B[K')
    expect(vi.getTimerCount()).toBe(0)
    shown.end()
    expect(written.filter((text) => text === '\r\u001B[K')).toHaveLength(2)
  })
})

describe('a step that lets no timer fire', () => {
  const plan = (shown: ProgressDisplay, seconds: number): void => {
    for (let done = 0; done <= seconds * 10; done += 1) {
      shown.note(planningText({ kind: 'planning', done, of: seconds * 10 }))
      vi.advanceTimersByTime(100)
    }
  }

  it('rewrites one line, at most four times a second, from the first quarter of a second on', () => {
    const { written, shown } = display(80)
    plan(shown, 2)

    expect(written[0]).toBe('\rplanning: 3 of 20 rules\u001B[K')
    expect(written.length).toBeGreaterThan(4)
    expect(written.length).toBeLessThanOrEqual(8)
    shown.end()
    expect(written.at(-1)).toBe('\r\u001B[K')
  })

  it('says nothing if it is quick', () => {
    const { written, shown } = display(80)
    plan(shown, 0.2)
    shown.end()

    expect(written).toEqual([])
  })

  it('writes a line into a log after ten seconds', () => {
    const { written, shown } = display(null)
    plan(shown, 15)

    expect(written).toEqual([expect.stringMatching(/^\[10 s\] planning: \d+ of 150 rules\n$/)])
  })
})

describe('in a log', () => {
  it('plain lines come, the first after ten seconds, and half an hour stays readable', () => {
    const { written, progress, shown } = display(null)
    shown.watch(progress)
    vi.advanceTimersByTime(9_900)
    expect(written).toEqual([])

    vi.advanceTimersByTime(51_000)
    expect(written.map((line) => line.split(']')[0])).toEqual([
      '[10 s',
      '[20 s',
      '[30 s',
      '[40 s',
      '[50 s',
      '[1 min 0 s',
    ])
    expect(written[5]).toBe('[1 min 0 s] fuzz: 120 of 3,600 cases, 240 of at most 10,000 requests\n')

    vi.advanceTimersByTime(29 * 60_000)
    expect(written.length).toBeLessThan(50)
    expect(written.at(-1)).toMatch(/^\[30 min 0 s\] .*$/m)
    for (const text of written) {
      expect(text).not.toContain('\r')
      expect(text).not.toContain('\u001B')
    }
    shown.end()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('a short run says nothing', () => {
    const { written, progress, shown } = display(null)
    shown.watch(progress)
    vi.advanceTimersByTime(5_000)
    shown.end()

    expect(written).toEqual([])
  })
})

const none = { requests: 0, least: 0, first: 0, allotted: 0, byClient: {}, endpoints: [], untested: null }
const rules = [
  { id: 'fuzz/path', cases: 10, ...none },
  { id: 'fuzz/api-key', cases: 5, ...none },
  { id: 'quota/exhausted', cases: 1_200, ...none },
] as const

it.for<readonly [says: string, done: readonly RuleId[], settled: readonly RuleId[], sent?: number]>([
  ['beginning: 0 of 1,215 cases, 0 of at most 10,000 requests', [], []],
  [
    'fuzz: 8 of 1,215 cases, 2,310 of at most 10,000 requests',
    ['fuzz/path', 'fuzz/path', 'fuzz/path', 'fuzz/api-key'],
    ['fuzz/api-key'],
    2_310,
  ],
  ['fuzz: 5 of 1,215 cases, 0 of at most 10,000 requests', Array<RuleId>(30).fill('fuzz/api-key'), []],
])(
  'a run has come as far as its cases ended, and all of rules that ended: %s',
  ([says, done, settled, sent]) => {
    const progress = new RunProgress()
    progress.note({ kind: 'planned', rules, budget: 10_000 })
    for (const rule of done) progress.note({ kind: 'rule-started', rule })
    for (const rule of done) progress.note({ kind: 'case-done', rule })
    for (const id of settled)
      progress.note({ kind: 'rule-settled', result: { ...ruleWith(id), reasons: [] } })
    if (sent !== undefined) progress.note({ kind: 'request-done', sent })

    expect(progress.text).toBe(says)
  },
)
