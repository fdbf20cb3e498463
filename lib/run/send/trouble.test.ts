import { describe, expect, it } from 'vitest'
import { TransportError } from '../../http/transport-error.ts'
import { answer, exchange } from '../../judge/testing/exchanges.ts'
import { Availability, GatewayError, gatewayFailure } from './trouble.ts'

const closed = new TransportError('connection-closed', 'closed')
const timeout = new TransportError('timeout', 'late')
const unavailable = gatewayFailure(exchange(answer(503, '<html>'))) ?? closed

/** What is known after this many answers and failures. */
function known(answers: number, failures: number): Availability {
  const availability = new Availability()
  for (let count = 0; count < answers; count += 1) availability.answered([])
  for (let count = 0; count < failures; count += 1) availability.failed([closed])
  return availability
}

/** Whether plain requests must show more after these outcomes, asked after each. */
function asked(availability: Availability, outcomes: string): readonly boolean[] {
  return [...outcomes].map((outcome) => {
    availability.attempted(outcome === '+')
    return availability.isSuspicious()
  })
}

it('failures are counted by name, those before an answer included', () => {
  const availability = new Availability()
  availability.answered([unavailable, closed])
  availability.failed([unavailable, timeout, unavailable])
  availability.intercepted(exchange(answer(429, 'slow down')))

  expect(availability.summary.byKind).toEqual({ '503': 3, 'closed connection': 1, timeout: 1, '429': 1 })
})

it('what is not JSON and no answer of the service is a bare 429, and what a gateway says at first', () => {
  const html = { fields: [['content-type', 'text/html']] } as const
  const page = new GatewayError(exchange(answer(503, '<html>', html)))
  const availability = new Availability()
  availability.intercepted(new GatewayError(exchange(answer(503, { message: 'starting' }))))
  availability.intercepted(exchange(answer(429, { message: 'slow down' })))
  expect([...availability.summary.notJson]).toEqual([])

  availability.intercepted(page)
  availability.intercepted(exchange(answer(429, '', { fields: [] })))
  availability.answered([])
  availability.intercepted(new GatewayError(exchange(answer(502, '<html>', html))))
  expect(Object.fromEntries(availability.summary.notJson)).toEqual({
    '503 before the first answer':
      'a body that is not JSON (text/html), although every body is documented as JSON',
    '429 without 1020': 'an empty body, although every body is documented as JSON',
  })
})

describe('attempts that prove a missing response', () => {
  it.each([
    // Nothing but this request met trouble.
    [0, 0, 0],
    [300, 0, 0],
    [300, 1, 3],
    [300, 6, 4],
    [300, 30, 6],
    [300, 75, 9],
    [200, 80, 12],
    [200, 100, null],
    // Few answers prove little.
    [3, 1, null],
  ])('after %i answers and %i failures: %j', (answers, failures, expected) => {
    expect(known(answers, failures).attemptsOfProof).toBe(expected)
  })

  it('make a coincidence rarer than one in a million, however often others fail', () => {
    for (let failures = 1; failures < 300; failures += 1) {
      const attempts = known(300, failures).attemptsOfProof
      if (attempts !== null) expect((failures / (300 + failures)) ** attempts).toBeLessThan(1e-6)
    }
  })
})

describe('plain requests must show more', () => {
  const often = '-+-+-+-'.repeat(8)

  // The places at which they must: after four failures among twelve attempts that began anew three times, three times in a run.
  it.each<[string, readonly number[]]>([
    ['-+++-+++-++-', [11]],
    [often, [6, 13, 20]],
    ['-+++-+++-+++-+++-+++', []],
    ['-+-+-', []],
    ['++++++++++++', []],
    ['+++--------++---+++', []],
  ])('after %s at %o', (outcomes, places) => {
    const is = asked(new Availability(), outcomes)

    expect(is.flatMap((must, place) => (must ? [place] : []))).toEqual(places)
  })

  it('but not for failures whose reason is known', () => {
    const availability = new Availability()
    asked(availability, '-+-+-')
    availability.explained()

    expect(asked(availability, '-+-+-')).not.toContain(true)
  })
})
