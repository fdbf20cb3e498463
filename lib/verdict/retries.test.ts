import { expect, it } from 'vitest'
import { isTooMuchTrouble, troubleSentence } from './retries.ts'

it.each([
  [400, undefined, false, false],
  [0, {}, false, false],
  [400, { '503': 3 }, false, false],
  [400, { '503': 4 }, true, false],
  [400, { '503': 3, '429': 1 }, true, false],
  [400, { '429': 300 }, true, false],
  [400, { '503': 79, '429': 200 }, true, false],
  [400, { '503': 80 }, true, true],
  [400, { '503 (rate limit)': 200 }, true, false],
  [4, { 'refused connection': 4 }, true, true],
] as const)(
  '%i requests with the retries %j: mentioned %s, too many %s',
  (sent, retriedFor, told, isTooMuch) => {
    const requests = { sent, ...(retriedFor === undefined ? {} : { retriedFor }) }

    expect(troubleSentence(requests) !== null).toBe(told)
    expect(isTooMuchTrouble(requests)).toBe(isTooMuch)
  },
)

it('the sentence about trouble counts by kind, most frequent first', () => {
  expect(troubleSentence({ sent: 400, retriedFor: { '503': 84, 'closed connection': 7 } })).toBe(
    '91 of 400 requests (22 %) had to be sent again: 84 × 503, 7 × closed connection (a 503 may be a rate limit: try --max-rps)',
  )
})

it.each(['429', '503 (rate limit)'])('the sentence about trouble suggests --max-rps after a %s', (name) => {
  expect(troubleSentence({ sent: 400, retriedFor: { [name]: 40 } })).toBe(
    `40 of 400 requests (10 %) had to be sent again: 40 × ${name} (the service refused the rate of requests, so the run slowed down: set --max-rps)`,
  )
})
