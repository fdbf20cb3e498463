import { beforeEach, expect, it } from 'vitest'
import { fakeTime } from '../../../tests/support/virtual-time.ts'
import type { Response } from '../../http/exchange.ts'
import { credentials, exchange, refused, served } from '../../judge/testing/exchanges.ts'
import type { TargetModel } from '../../judge/target-model.ts'
import { Inconclusive } from '../plan/errors.ts'
import { requestOf, through } from '../testing/layers.ts'
import { meets } from '../testing/meets.ts'
import { Lockouts } from './lockouts.ts'
import { Availability } from '../send/availability.ts'
import { OtherLockouts } from './other-lockouts.ts'

beforeEach(fakeTime)

const model: TargetModel = {
  clients: [{ name: 'second', credentials }],
  endpoints: [],
  unsupportedVersion: '999',
}
const plain = requestOf({ client: 'second', plain: true })
const wrong = refused(401, '1007')

/** What comes of a valid pair of the second client that was answered so, one answer after the other, and what waits slept. */
async function outcomesOf(
  answered: readonly Response[],
  alone: readonly Response[],
  wereSentFor = true,
  request = plain,
): Promise<{ readonly outcomes: readonly unknown[]; readonly pauses: readonly number[] }> {
  const { run, ask } = meets(alone)
  const pauses: number[] = []
  const limiter = { pause: (ms: number) => void pauses.push(ms), limitRate: () => () => {} }
  const guesses = { wereSentFor: () => wereSentFor, lockedOut: () => {}, maySuspend: false }
  const findings = { clientIs: () => {} }
  const pausesMs = [15_000, 46_000]
  const availability = new Availability()
  const lockouts = new Lockouts({ ask, run, limiter, availability, findings, guesses, plain, pausesMs })
  const plains = new Map([['second' as const, plain]])
  const others = new OtherLockouts({ ask, lockouts, guesses, model, plains })
  const outcomes: unknown[] = []
  for (const one of answered)
    outcomes.push(await through(Promise.resolve(others.recovers(request, exchange(one, request.request)))))
  return { outcomes, pauses }
}

it('is waited for where it is called wrong alone, too, and answered anew where it is served afterwards', async () => {
  expect(await outcomesOf([wrong], [wrong, served])).toEqual({ outcomes: [true], pauses: [15_000] })
})

it('is judged at once where it is served alone', async () => {
  expect(await outcomesOf([wrong], [served])).toEqual({ outcomes: [false], pauses: [] })
})

it('is judged where no wrong secret was sent for its key', async () => {
  expect(await outcomesOf([served, wrong], [wrong], false)).toEqual({ outcomes: [false, false], pauses: [] })
})

it('leaves open what stays locked, if it was known before', async () => {
  const { outcomes } = await outcomesOf([served, wrong], [wrong])

  expect(outcomes).toEqual([false, expect.any(Inconclusive)])
})

it('is judged where it was never known, after one wait', async () => {
  expect(await outcomesOf([wrong, wrong], [wrong])).toEqual({
    outcomes: [false, false],
    pauses: [15_000, 46_000],
  })
})

it.each([refused(401, '1012'), refused(400, '1010'), refused(429, '1020')])(
  'is judged where another code is answered: %#',
  async (other) => {
    expect(await outcomesOf([other], [wrong])).toEqual({ outcomes: [false], pauses: [] })
  },
)

it('is waited for four times at most', async () => {
  const turns = Array.from({ length: 4 }, () => [wrong, served]).flat()
  const { outcomes } = await outcomesOf(
    [served, ...Array.from({ length: 5 }, () => wrong)],
    [...turns, wrong],
  )

  expect(outcomes).toEqual([false, true, true, true, true, expect.any(Inconclusive)])
})

it('says nothing of the target, and of a wrong pair', async () => {
  const target = requestOf({ client: 'target', plain: true })
  const guess = plain.with('x-secret-key', 'another')

  expect((await outcomesOf([wrong], [wrong], true, target)).outcomes).toEqual([false])
  expect((await outcomesOf([wrong], [wrong], true, guess)).outcomes).toEqual([false])
})
