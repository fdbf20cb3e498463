import { isMainThread } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { MachineTooBusy, within, WorkStopped } from './within.ts'

const endless = (): void => {
  for (;;);
}
let spent = 0
/** The clock of an idle machine: any limit is used up between two readings. */
const idle = { isOwn: true, now: () => (spent += 60_000) }
/** Takes time, but no processor time. */
const asleep = (): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
/** Recurses endlessly. */
const deep = (): unknown => [deep()]

test('work within its time limit returns its result, which cannot be a promise', () => {
  const value = { list: [1] }

  expect(within(1_000, () => value)).toBe(value)
  // @ts-expect-error -- it would be returned before it is settled
  expect(within(1_000, () => Promise.resolve(1))).toBeInstanceOf(Promise)
})

const thrown: readonly unknown[] = [new TypeError('of the work'), null, 'a text', 7, undefined]
test.each(thrown)('work within its time limit passes on whatever it throws: %s', async (one) => {
  const throws = (): void => {
    throw one
  }

  await expect((async () => within(1_000, throws))()).rejects.toBe(one)
})

test('work that exceeds its time limit is stopped even in a worker thread', () => {
  expect(isMainThread).toBe(false)
  expect(() => within(100, endless)).toThrow(/^it takes longer than 0\.1 s$|^this machine was too busy/)
  expect(new WorkStopped('why').name).toBe('WorkStopped')
})

test.each([
  ['an endless loop', endless],
  ['a pattern with nested repetition', () => /^(a+)+$/.test(`${'a'.repeat(50)}!`)],
])('work that exceeds its time limit %s is reported with its limit', (_, work) => {
  expect(() => within(50, work, idle)).toThrow(new WorkStopped('it takes longer than 0.05 s'))
})

test('work that exceeds its time limit is reported if it overflows the stack', () => {
  expect(() => within(10_000, deep)).toThrow(/^it is too large or too deep/)
  expect(() => within(10_000, deep)).toThrow(WorkStopped)
})

test('work that exceeds its time limit ends without ending the work around it', () => {
  const outer = within(10_000, () => {
    expect(() => within(20, endless, idle)).toThrow('0.02 s')
    return 'whole'
  })

  expect(outer).toBe('whole')
})

test('work that exceeds its time limit ends with the work around it, and cannot catch the error', () => {
  let seen: unknown = null
  const inner = (): void => {
    try {
      within(60_000, endless)
    } catch (error) {
      seen = error
    }
  }

  expect(() => within(50, inner, idle)).toThrow('0.05 s')
  expect(seen).toBeNull()
  expect(within(10_000, () => 3)).toBe(3)
})

const tooSlow = new WorkStopped('it takes longer than 0.02 s')
const tooBusy = new MachineTooBusy(200)

test.each([
  ['takes too long if it used most of its limit', true, [16], tooSlow],
  ['gets a second attempt if it used less', true, [15, 16], tooSlow],
  ['has too little time in three attempts', true, [15, 15, 15], tooBusy],
  ['gets ten times the limit at once if it got almost no time', true, [1, 1], tooBusy],
  ['gets a second attempt if another thread may have used the time', false, [20, 20], tooSlow],
  ['has too little time in both later attempts', false, [20, 15, 15], tooBusy],
] as const)('work stopped by its timer %s', (_, isOwn, used, error) => {
  const times = used.flatMap((ms) => [0, ms])

  expect(() => within(20, asleep, { isOwn, now: () => times.shift() ?? Number.NaN })).toThrow(error)
  expect(times).toEqual([])
})

test('work stopped by its timer gets no second attempt if the work around it is also out of time', () => {
  const attempts: number[] = []
  const inner = (): void => {
    attempts.push(1)
    endless()
  }
  const outer = (): void => within(20, inner, { isOwn: true, now: () => 0 })

  // On a busy machine the time may be up before the first attempt.
  for (let calls = 0; attempts.length === 0 && calls < 100; calls += 1)
    expect(() => within(20, outer, idle)).toThrow(tooSlow)
  expect(attempts).toHaveLength(1)
})
