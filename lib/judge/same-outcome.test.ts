import { describe, expect, it } from 'vitest'
import { sameOutcome } from './same-outcome.ts'
import { answer, exchange, refused, served } from './testing/exchanges.ts'

describe('the same outcome', () => {
  it.each([
    ['two successes, whatever they hold', served, answer(201, [])],
    ['one code under one status, whatever the message', refused(401, '1006'), refused(401, '1006')],
    ['the same wrong answer', answer(500, '<html>a'), answer(500, '<html>b')],
    [
      'one code with more beside it',
      refused(400, '1001'),
      answer(400, { error_code: '1001', error_message: 'b', x: 1 }),
    ],
  ])('is %s', (_, one, other) => {
    expect(sameOutcome(exchange(one), exchange(other))).toEqual({ kind: 'holds' })
    expect(sameOutcome(exchange(other), exchange(one))).toEqual({ kind: 'holds' })
  })

  it.each([
    ['a success and an error', served, refused(401, '1006')],
    ['a success and an error under 200', served, refused(200, '1006')],
    ['two codes', refused(401, '1006'), refused(401, '1007')],
    ['two statuses', refused(401, '1006'), refused(400, '1006')],
    ['two forms', refused(400, '1001'), answer(400, { error_code: '1001' })],
    ['JSON and a page', answer(406, {}), answer(406, '<html>')],
  ])('is not %s', (_, one, other) => {
    expect(sameOutcome(exchange(one), exchange(other)).kind).toBe('violates')
    expect(sameOutcome(exchange(other), exchange(one)).kind).toBe('violates')
  })

  // A part of the fingerprint: waivers hold it.
  it.each([
    [served, 'success'],
    [answer(500, ''), '500//empty body'],
    [refused(401, '1006'), '401/1006/'],
    [answer(400, { error_code: '1001' }), '400/1001/error_message is missing'],
  ])('is called by status, code and flaw: %#', (expected, outcome) => {
    expect(sameOutcome(exchange(expected), exchange(answer(302, '')))).toMatchObject({
      breach: { difference: `another outcome than ${outcome}` },
    })
  })

  it('blames the second answer, and names both', () => {
    expect(sameOutcome(exchange(served), exchange(answer(406, '')))).toEqual({
      kind: 'violates',
      breach: {
        allowed: [],
        answered: { status: 406, errorCode: null, flaw: 'empty body' },
        against: 'outcome',
        difference: 'another outcome than success',
        summary:
          'answered 406, with an empty body, where the same request, but for what must not matter, is answered 200 with JSON',
      },
    })
  })
})
