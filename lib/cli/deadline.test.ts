import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Deadline } from './deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test.each([
  [60, 'the run took longer than 60 minutes (RUN_MAX_MINUTES)'],
  [1, 'the run took longer than 1 minute (RUN_MAX_MINUTES)'],
  [0.05, 'the run took longer than 0.05 minutes (RUN_MAX_MINUTES)'],
])('after %d minutes the run is ended, not before', (minutes, reason) => {
  const cancel = vi.fn<() => void>()
  const deadline = new Deadline(minutes)
  deadline.ends(cancel)

  vi.advanceTimersByTime(minutes * 60_000 - 1)
  expect([deadline.reason, cancel.mock.calls.length]).toEqual([null, 0])
  vi.advanceTimersByTime(1)
  expect([deadline.reason, cancel.mock.calls.length]).toEqual([reason, 1])
})

test('what begins after the deadline is ended at once', () => {
  const cancel = vi.fn<() => void>()
  const deadline = new Deadline(1)
  vi.advanceTimersByTime(60_000)
  deadline.ends(cancel)

  expect(cancel).toHaveBeenCalledOnce()
})

test('one that is cleared ends nothing', () => {
  const cancel = vi.fn<() => void>()
  const deadline = new Deadline(1)
  deadline.ends(cancel)
  deadline.clear()
  vi.advanceTimersByTime(120_000)

  expect([deadline.reason, cancel.mock.calls.length, vi.getTimerCount()]).toEqual([null, 0, 0])
})
