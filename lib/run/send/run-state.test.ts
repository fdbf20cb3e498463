import { expect, it } from 'vitest'
import { NoAnswer } from '../plan/errors.ts'
import type { ClientChange, ClientState, RunChange, RunState } from './run-state.ts'
import { nextClientState, nextRunState } from './run-state.ts'

const reason = new NoAnswer('ended', 'the service stopped answering')
const running = (failures: number): RunState => ({ kind: 'running', failures })
const probing = (since: number, waitMs: number, probes: number): RunState => {
  return { kind: 'probing', since, waitMs, probes }
}
const ended: RunState = { kind: 'ended', reason }
const responded: RunChange = { kind: 'responded' }
const failed = (sentAt: number, now: number, waitMs = 0): RunChange => {
  return { kind: 'failed', sentAt, now, waitMs }
}

it.each<[string, RunState, RunChange, RunState]>([
  ['begins an outage with the requested wait', running(2), failed(1, 2, 4_000), probing(2, 4_000, 1)],
  ['probes after the requested wait', probing(10, 250, 1), failed(11, 20, 9_000), probing(20, 9_000, 2)],
  ['ignores requests sent before an outage', probing(10, 250, 1), failed(9, 20), probing(10, 250, 1)],
  ['ends for the first reason', ended, { kind: 'ended', reason: new Error('later') }, ended],
  ['stays ended after a failure', ended, failed(1, 2), ended],
  ['stays ended after a response', ended, responded, ended],
])('the state of a run %s', (_, state, change, next) => {
  expect(nextRunState(state, change)).toEqual(next)
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
