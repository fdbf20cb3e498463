import { expect, it } from 'vitest'
import {
  afterFailure,
  nextClientState,
  RunLifecycle,
  type ClientChange,
  type ClientState,
  type RunState,
} from './pace.ts'

const running = (failures: number): RunState => ({ kind: 'running', failures })
const probing = (since: number, waitMs: number, probes: number): RunState => {
  return { kind: 'probing', since, waitMs, probes }
}
type Failure = Parameters<typeof afterFailure>[1]
const failed = (sentAt: number, now: number, waitMs = 0): Failure => ({ sentAt, now, waitMs })

it.each<[string, RunState, Failure, RunState]>([
  ['begins an outage with the requested wait', running(2), failed(1, 2, 4_000), probing(2, 4_000, 1)],
  ['probes after the requested wait', probing(10, 250, 1), failed(11, 20, 9_000), probing(20, 9_000, 2)],
  ['ignores requests sent before an outage', probing(10, 250, 1), failed(9, 20), probing(10, 250, 1)],
])('after a failure, a run %s', (_, state, failure, next) => {
  expect(afterFailure(state, failure)).toEqual(next)
})

it('a run ends once, for the first reason', () => {
  const cancelling = new AbortController()
  const run = new RunLifecycle(cancelling.signal)
  const reason = run.end('the service stopped answering')
  cancelling.abort(new Error('later'))

  expect([run.end('later'), run.signal.reason]).toEqual([reason, reason])
  expect(reason.message).toBe('the service stopped answering')
})

const unknown = (rejections: number): ClientState => ({ kind: 'unknown', rejections })
const serving = (rejections: number): ClientState => ({ kind: 'serving', rejections })
const exhausted: ClientState = { kind: 'exhausted' }
const lockedOut: ClientState = { kind: 'locked-out' }

it.each<[ClientChange, ...(readonly ClientState[])]>([
  ['served', serving(0), serving(0), exhausted, serving(0)],
  ['rejected', unknown(4), serving(4), exhausted, lockedOut],
  ['checked', unknown(0), serving(0), exhausted, lockedOut],
  ['exhausted', exhausted, exhausted, exhausted, exhausted],
  ['locked-out', unknown(3), lockedOut, exhausted, lockedOut],
])('a client changes from each state to the next when it is %s', (change, ...next) => {
  const from = [unknown(3), serving(3), exhausted, lockedOut]

  expect(from.map((state) => nextClientState(state, change))).toEqual(next)
})
