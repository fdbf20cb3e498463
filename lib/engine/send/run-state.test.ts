import { beforeEach, describe, expect, it, vi } from 'vitest'
import { fakeTime } from '../../../tests/support/virtual-time.ts'
import { ClientLockedOut, RunEnded } from '../plan/errors.ts'
import {
  nextClientState,
  nextRunState,
  RunLifecycle,
  type ClientChange,
  type ClientState,
  type RunChange,
  type RunState,
} from './run-state.ts'

const reason = new RunEnded('the service stopped answering')
const running = (failures: number): RunState => ({ kind: 'running', failures })
const probing = (since: number, waitMs: number, probes: number): RunState => ({
  kind: 'probing',
  since,
  waitMs,
  probes,
})
const ended: RunState = { kind: 'ended', reason }
const responded: RunChange = { kind: 'responded' }
const failed = (sentAt: number, now: number, waitMs = 0): RunChange => ({
  kind: 'failed',
  sentAt,
  now,
  waitMs,
})

beforeEach(fakeTime)

describe('the state of a run', () => {
  it.each<[string, RunState, RunChange, RunState]>([
    ['a first failure is counted', running(0), failed(1, 2), running(1)],
    ['a second failure is counted', running(1), failed(1, 2), running(2)],
    ['a third failure in a row is an outage', running(2), failed(1, 2), probing(2, 250, 1)],
    ['an outage begins with the wait asked for', running(2), failed(1, 2, 4_000), probing(2, 4_000, 1)],
    ['a response ends a row of failures', running(2), responded, running(0)],
    ['a failed probe waits longer', probing(10, 250, 1), failed(10, 20), probing(20, 750, 2)],
    ['a third probe waits longest', probing(20, 750, 2), failed(21, 30), probing(30, 1_500, 3)],
    ['no probe waits longer than that', probing(30, 1_500, 3), failed(31, 40), probing(40, 1_500, 4)],
    ['a probe waits as long as asked', probing(10, 250, 1), failed(11, 20, 9_000), probing(20, 9_000, 2)],
    ['a failure sent before the outage is no news', probing(10, 250, 1), failed(9, 20), probing(10, 250, 1)],
    ['a response ends an outage', probing(10, 250, 1), responded, running(0)],
    ['a run ends', running(1), { kind: 'ended', reason }, ended],
    ['a run ends in an outage', probing(10, 250, 1), { kind: 'ended', reason }, ended],
    ['the first end counts', ended, { kind: 'ended', reason: new Error('later') }, ended],
    ['nothing follows an end: a failure', ended, failed(1, 2), ended],
    ['nothing follows an end: a response', ended, responded, ended],
  ])('%s', (_, state, change, next) => {
    expect(nextRunState(state, change)).toEqual(next)
  })
})

describe('the state of a client', () => {
  const unknown = (rejections: number): ClientState => ({ kind: 'unknown', rejections })
  const serving = (rejections: number): ClientState => ({ kind: 'serving', rejections })
  const exhausted: ClientState = { kind: 'exhausted' }
  const lockedOut: ClientState = { kind: 'locked-out' }

  it.each<[ClientChange, ClientState, ClientState]>([
    ['served', unknown(3), serving(0)],
    ['served', serving(3), serving(0)],
    ['served', exhausted, exhausted],
    ['served', lockedOut, serving(0)],
    ['rejected', unknown(3), unknown(4)],
    ['rejected', serving(3), serving(4)],
    ['rejected', exhausted, exhausted],
    ['rejected', lockedOut, lockedOut],
    ['checked', unknown(3), unknown(0)],
    ['checked', serving(3), serving(0)],
    ['checked', exhausted, exhausted],
    ['checked', lockedOut, lockedOut],
    ['exhausted', unknown(3), exhausted],
    ['exhausted', serving(3), exhausted],
    ['exhausted', exhausted, exhausted],
    ['exhausted', lockedOut, exhausted],
    ['locked-out', unknown(3), unknown(3)],
    ['locked-out', serving(3), lockedOut],
    ['locked-out', exhausted, exhausted],
    ['locked-out', lockedOut, lockedOut],
  ])('%s, after %o: %o', (change, from, to) => {
    expect(nextClientState(from, change)).toEqual(to)
  })
})

describe('a run', () => {
  const never = new AbortController().signal

  it('goes on at first, and knows no client', () => {
    const run = new RunLifecycle(never)

    expect(run.state).toEqual(running(0))
    expect(run.client('target')).toEqual({ kind: 'unknown', rejections: 0 })
    expect(run.signal.aborted).toBe(false)
  })

  it('follows the table, for each client apart', () => {
    const run = new RunLifecycle(never)
    run.changeClient('target', 'served')
    run.changeClient('target', 'rejected')
    run.changeClient('second', 'exhausted')

    expect(run.change(failed(1, 2))).toEqual(running(1))
    expect(run.state).toEqual(running(1))
    expect(run.client('target')).toEqual({ kind: 'serving', rejections: 1 })
    expect(run.client('second')).toEqual({ kind: 'exhausted' })
  })

  it('ends once, for the first reason, and all that sleep are told', async () => {
    const run = new RunLifecycle(never)
    const asleep = run.sleep(1_000_000)

    expect(run.end(reason)).toBe(reason)
    expect(run.end(new ClientLockedOut('later'))).toBe(reason)
    expect(run.state).toEqual(ended)
    expect(run.signal.reason).toBe(reason)
    await expect(asleep).rejects.toBe(reason)
    await expect(run.sleep(0)).rejects.toBe(reason)
  })

  it('does not give up what is in flight when it ends', () => {
    const run = new RunLifecycle(never)
    run.end(reason)

    expect(run.cancelled.aborted).toBe(false)
  })

  it.each([
    ['before it began', true],
    ['later', false],
  ])('that is cancelled %s ends for that reason', async (_, early) => {
    const cancelling = new AbortController()
    const why = new Error('interrupted')
    if (early) cancelling.abort(why)
    const run = new RunLifecycle(cancelling.signal)
    cancelling.abort(why)

    expect(run.state).toEqual({ kind: 'ended', reason: why })
    await expect(run.sleep(1)).rejects.toBe(why)
  })

  it('that is cancelled without an error says so', () => {
    const run = new RunLifecycle(AbortSignal.abort('interrupted'))

    expect(run.state).toMatchObject({ kind: 'ended', reason: { message: 'aborted' } })
  })

  it('sleeps as long as asked, and not at all for nothing', async () => {
    const run = new RunLifecycle(never)
    const woken: number[] = []
    for (const waitMs of [20, 0, -5]) void run.sleep(waitMs).then(() => woken.push(waitMs))
    await vi.advanceTimersByTimeAsync(0)
    expect(woken).toEqual([0, -5])

    await vi.advanceTimersByTimeAsync(19)
    expect(woken).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(1)
    expect(woken).toHaveLength(3)
  })
})
