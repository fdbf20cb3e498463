import { describe, expect, it } from 'vitest'
import { troubleGrade, troubleSentence } from './retries.ts'

describe('the trouble in a run', () => {
  it.each([
    [400, undefined, 'none'],
    [400, {}, 'none'],
    [0, {}, 'none'],
    [400, { '503': 3 }, 'none'],
    [400, { '503': 4 }, 'told'],
    [400, { '503': 3, '429': 1 }, 'told'],
    [400, { '429': 300 }, 'told'],
    [400, { '503': 19 }, 'told'],
    [400, { '503': 15, 'closed connection': 5 }, 'warned'],
    [400, { '503': 79, '429': 200 }, 'warned'],
    [400, { '503': 80 }, 'incomplete'],
    [400, { '503 (rate limit)': 200 }, 'told'],
    [4, { 'refused connection': 4 }, 'incomplete'],
  ] as const)('with %i requests and the retries %j is %s', (sent, retriedFor, grade) => {
    expect(troubleGrade({ sent, ...(retriedFor === undefined ? {} : { retriedFor }) })).toBe(grade)
  })
})

describe('the sentence about trouble', () => {
  it('counts by kind, most frequent first', () => {
    expect(troubleSentence({ sent: 400, retriedFor: { '503': 84, 'closed connection': 7 } })).toBe(
      '91 of 400 requests (22 %) had to be sent again: 84 × 503, 7 × closed connection (a 503 may be a rate limit: try --max-rps)',
    )
  })

  it.each(['429', '503 (rate limit)'])('suggests --max-rps after a %s', (name) => {
    expect(troubleSentence({ sent: 400, retriedFor: { [name]: 40 } })).toBe(
      `40 of 400 requests (10 %) had to be sent again: 40 × ${name} (the service refused the rate of requests, so the run slowed down: set --max-rps)`,
    )
  })

  it('is left out below one percent', () => {
    expect(troubleSentence({ sent: 1_000, retriedFor: { '503': 9 } })).toBeNull()
    expect(troubleSentence({ sent: 1_000, retriedFor: { '503': 10 } })).not.toBeNull()
  })
})
