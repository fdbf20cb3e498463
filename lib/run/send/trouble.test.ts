import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Response } from '../../http/exchange.ts'
import { TransportError, type TransportErrorKind } from '../../http/transport-error.ts'
import { answer, exchange, refused } from '../../judge/testing/exchanges.ts'
import { afterFailure, type Availability, type Failures, gatewayFailure } from './trouble.ts'
import { mayBeTheRequestsFault, openAvailability, retryAfterMs } from './trouble.ts'

const closed = new TransportError('connection-closed', 'closed')

/** The availability after this many answers and failures. */
function known(answers: number, failures: number): Availability {
  const availability = openAvailability(() => {})
  for (let count = 0; count < answers; count += 1) availability.answered([])
  for (let count = 0; count < failures; count += 1) availability.failed([closed])
  return availability
}

/** Whether plain requests are needed, asked after each of these outcomes. */
function asked(availability: Availability, outcomes: string): readonly boolean[] {
  return [...outcomes].map((outcome) => {
    availability.attempted(outcome === '+')
    return availability.isSuspicious()
  })
}

const bodies = ['', '<html>', '{}', '{"error_code":1001,"error_message":"a"}']
const answersWith = (status: number) => bodies.map((body) => answer(status, body))
const answersOf = (...all: readonly number[]) => all.flatMap(answersWith)
const inPlace = /^a gateway answered 5\d\d in place of the service$/
const byGateway = { kind: 'gateway', message: expect.stringMatching(inPlace) }
const givenUp = { kind: 'connection-closed', message: expect.stringContaining('was closed with 408') }
const documented = [502, 503, 504, 408].map((status) => refused(status, '1006'))
const others = [500, 501, 505, 404, 400].map((status) => answer(status, ''))

it.each<[string, readonly Response[], reused: boolean, object | null]>([
  ['an answer from a gateway', answersOf(502, 503, 504, 520, 527, 530), false, byGateway],
  ['an idle connection that was closed', answersOf(408), true, givenUp],
  ['not a 408 on a new connection', answersOf(408), false, null],
  ['not an answer with a documented code', documented, true, null],
  ['not an answer with any other status', others, true, null],
])('a failure instead of an answer is %s', (_, responses, reused, failure) => {
  for (const response of responses) {
    const found = gatewayFailure({ ...exchange(response), reused })
    if (failure === null) expect(found).toBeNull()
    else expect(found).toMatchObject(failure)
  }
})

it.each([
  [7_000, ['7', 'Fri, 20 Nov 2026 00:00:07 GMT']],
  [0, ['0', 'Thu, 19 Nov 2026 23:59:00 GMT']],
  [60_000, ['60', '3600', 'Sat, 20 Nov 2027 00:00:00 GMT']],
  [null, ['', 'soon', 'tomorrow']],
])('a wait of %j ms is requested by %j', (expected, fields) => {
  vi.setSystemTime(Date.UTC(2026, 10, 20))
  onTestFinished(() => void vi.useRealTimers())
  const sent = fields.map((field) => exchange(answer(429, '', { fields: [['Retry-After', field]] })))

  expect(sent.map((one) => retryAfterMs(one, 60_000))).toEqual(fields.map(() => expected))
})

it.each<readonly [boolean, readonly TransportErrorKind[]]>([
  [true, ['timeout', 'connection-closed', 'not-http', 'answer-too-large', 'gateway']],
  [false, ['connection-refused', 'host-not-found', 'connect-timeout', 'unreachable']],
  [false, ['tls', 'proxy', 'undecodable']],
])('a failure may be the fault of one request only after a connection: %s for %o', (expected, kinds) => {
  expect(kinds.map(mayBeTheRequestsFault)).toEqual(kinds.map(() => expected))
})

const failed = (count: number, since: number, waitMs: number): Failures => ({ count, since, waitMs })

it.each<[string, before: Failures, sentAt: number, now: number, askedMs: number, after: Failures]>([
  ['counts', failed(1, 0, 0), 1, 2, 4_000, failed(2, 0, 0)],
  ['begins an outage with the requested wait', failed(2, 0, 0), 1, 2, 4_000, failed(3, 2, 4_000)],
  ['probes after the requested wait', failed(3, 10, 250), 11, 20, 9_000, failed(4, 20, 9_000)],
  ['waits longer for each probe', failed(4, 10, 750), 11, 20, 0, failed(5, 20, 1_500)],
  ['ignores requests sent before an outage', failed(3, 10, 250), 9, 20, 0, failed(3, 10, 250)],
])('after a failure, a run %s', (_, before, sentAt, at, askedMs, after) => {
  expect(afterFailure(before, sentAt, at, askedMs)).toEqual(after)
})

describe('attempts that prove a missing response', () => {
  it.each([
    // Only this request ran into trouble.
    [0, 0, 0],
    [300, 0, 0],
    [300, 30, 6],
    [200, 80, 12],
    [200, 100, null],
    // Few answers prove little.
    [3, 1, null],
  ])('after %i answers and %i failures: %j', (answers, failures, expected) => {
    expect(known(answers, failures).attemptsOfProof()).toBe(expected)
  })

  it('make a coincidence rarer than one in a million, however often other requests fail', () => {
    for (let failures = 1; failures < 300; failures += 1) {
      const attempts = known(300, failures).attemptsOfProof()
      if (attempts !== null) expect((failures / (300 + failures)) ** attempts).toBeLessThan(1e-6)
    }
  })
})

const often = '-+-+-+-'.repeat(8)

// The places at which they are needed: after four failures among twelve attempts that began anew three times, three times in a run.
it.each<[string, readonly number[]]>([
  ['-+++-+++-++-', [11]],
  [often, [6, 13, 20]],
  ['-+++-+++-+++-+++-+++', []],
  ['+++--------++---+++', []],
])('plain requests are needed after %s at %o', (outcomes, places) => {
  const is = asked(known(0, 0), outcomes)

  expect(is.flatMap((must, place) => (must ? [place] : []))).toEqual(places)
})

it('plain requests are needed except after failures with a known reason', () => {
  const availability = known(0, 0)
  asked(availability, '-+-+-')
  availability.explained()

  expect(asked(availability, '-+-+-')).not.toContain(true)
})
