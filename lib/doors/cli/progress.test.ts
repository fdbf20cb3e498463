import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeTime, now } from '../../../tests/support/virtual-time.ts'
import type { Console } from './console.ts'
import { casesDone, planningText, ProgressDisplay, progressText, type Progress } from './progress.ts'

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
  const progress = (): Progress => {
    const done = Math.floor((now() - startedAt) / 500)
    return { area: 'fuzz', cases: { done, planned: 3_600 }, requests: { sent: done * 2, budget: 10_000 } }
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

describe('how far a run has come', () => {
  const plan = [
    { id: 'a/a', cases: 10 },
    { id: 'a/b', cases: 5 },
    { id: 'b/a', cases: 0 },
  ]

  it('counts the cases that ended, and all cases of rules that ended', () => {
    expect(casesDone(plan, new Set(), {})).toEqual({ done: 0, planned: 15 })
    expect(casesDone(plan, new Set(['a/b']), { 'a/a': 3, 'a/b': 1 })).toEqual({ done: 8, planned: 15 })
    expect(casesDone(plan, new Set(), { 'a/a': 30, 'c/c': 9 }), 'never more than there are').toEqual({
      done: 10,
      planned: 15,
    })
  })

  it('reads as a line', () => {
    const progress = {
      area: 'fuzz',
      cases: { done: 1_204, planned: 8_410 },
      requests: { sent: 2_310, budget: 10_000 },
    }
    expect(progressText(progress)).toBe('fuzz: 1,204 of 8,410 cases, 2,310 of at most 10,000 requests')
    expect(progressText({ ...progress, area: null })).toBe(
      'beginning: 1,204 of 8,410 cases, 2,310 of at most 10,000 requests',
    )
  })
})
