import { beforeEach, expect, it } from 'vitest'
import { fakeTime } from '../../../tests/support/virtual-time.ts'
import { answer, refused, served } from '../../judge/testing/exchanges.ts'
import { BudgetSpent, ClientLockedOut } from '../plan/errors.ts'
import type { Occurrence } from '../record/finding-recorder.ts'
import { requestOf, through } from '../testing/layers.ts'
import { failure, meets, plain, quota, type Met } from '../testing/meets.ts'
import type { Confirmation } from './accuser.ts'
import { served as servedBetween } from './confirm.ts'
import { Lockouts } from './lockouts.ts'
import { Availability } from '../send/availability.ts'
import { measureSingleRefusal } from './single-refusal.ts'

beforeEach(fakeTime)

const wrong = requestOf({}, { fields: [{ name: 'x-secret-key', value: 'invented' }] })
const locked = refused(401, '1007')

/** Measures with these outcomes in turn, the last one repeatedly. */
async function measured(outcomes: readonly Met[]): Promise<{
  readonly outcome: unknown
  readonly accused: readonly { readonly found: Occurrence; readonly how: Confirmation }[]
  readonly leftOut: boolean
  /** The requests, `wrong` or `plain`. */
  readonly sent: readonly string[]
  readonly paused: readonly number[]
}> {
  const { run, ask, sent } = meets(outcomes)
  const [accused, paused]: [{ found: Occurrence; how: Confirmation }[], number[]] = [[], []]
  let leftOut = false
  const limiter = { pause: (ms: number) => void paused.push(ms), limitRate: () => () => {} }
  const guesses = { lockedOut: () => {}, maySuspend: false, leaveOut: () => void (leftOut = true) }
  const parts = { run, ask, plain, guesses }
  const findings = { clientIs: () => {} }
  const lockouts = new Lockouts({
    ...parts,
    limiter,
    availability: new Availability(),
    findings,
    pausesMs: [15_000, 46_000],
  })
  const accuser = {
    accuse: (found: Occurrence, how: Confirmation) => {
      accused.push({ found, how })
      return Promise.resolve(servedBetween)
    },
  }
  const outcome = await through(measureSingleRefusal({ ...parts, lockouts, accuser, wrong }))
  const names = sent.map(({ request }) => (request === wrong ? 'wrong' : 'plain'))
  return { outcome, accused, leftOut, sent: names, paused }
}

it('a client that is served after a wrong secret is asked once', async () => {
  const { outcome, accused, leftOut, sent } = await measured([locked, served])

  expect([outcome, accused, leftOut, sent]).toEqual([undefined, [], false, ['wrong', 'plain']])
})

/** A wrong secret, a refused valid request, and so many more until the client is served. */
function onceMore(refusals: number): readonly Met[] {
  return [locked, ...Array.from({ length: refusals }, () => locked), served]
}

it('a client that is refused after a wrong secret three times is a breach, and gets no further one', async () => {
  const { outcome, accused, leftOut, sent, paused } = await measured([
    ...onceMore(1),
    ...onceMore(2),
    ...onceMore(3),
  ])

  expect([outcome, leftOut, paused]).toEqual([undefined, true, [15_000, 15_000, 46_000]])
  expect(sent.filter((one) => one === 'wrong')).toHaveLength(3)
  expect(accused).toMatchObject([
    {
      found: {
        request: plain,
        context: { rule: 'endpoints/list-succeeds' },
        breach: {
          answered: { status: 401, errorCode: '1007' },
          difference: 'refused after a single wrong secret',
        },
      },
      how: { kind: 'known', reproduced: { seen: 3, of: 3 } },
    },
  ])
})

it.each([
  ['is served the third time', [locked, locked, served, locked, locked, served, locked, served]],
  ['gets the page of a firewall', [locked, answer(403, '<html>')]],
  ['gets no answer', [locked, failure]],
  ['gets a bare 429', [locked, answer(429, '')]],
  ['gets 1020', [locked, quota]],
  ['gets a code that blames no client', [locked, refused(400, '1010')]],
  ['could not be asked, since the wrong secret got no answer', [failure]],
  ['is not asked, since no request is left', [new BudgetSpent(1, 'health-check')]],
])('nobody is blamed where the client %s', async (_, outcomes) => {
  const { outcome, accused, leftOut } = await measured(outcomes)

  expect([outcome, accused, leftOut]).toEqual([undefined, [], false])
})

it('a client that is not served again in a minute ends the run, and blames nobody', async () => {
  const { outcome, accused, paused } = await measured([locked])

  expect(outcome).toBeInstanceOf(ClientLockedOut)
  expect([accused, paused]).toEqual([[], [15_000, 46_000]])
})
