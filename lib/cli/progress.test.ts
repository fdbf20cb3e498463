import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Progress } from '../report/progress.ts'
import type { Console } from './console.ts'
import { ProgressDisplay } from './progress.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

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
    now: () => new Date(),
  }
  const startedAt = performance.now()
  const progress = (): Progress => {
    const done = Math.floor((performance.now() - startedAt) / 500)
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
