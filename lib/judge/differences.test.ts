import { describe, expect, it } from 'vitest'
import { success } from '../specification/answers.ts'
import { answeredBy } from './answered.ts'
import { describeAllowed, describeAnswered, explain, outcomeOf } from './differences.ts'
import { answer, damaged, exchange, refused, served } from './testing/exchanges.ts'

describe('an answer in words', () => {
  it.each([
    [served, '200 with JSON'],
    [refused(401, '1006'), '401 / 1006'],
    [refused(500, '1006'), '500 / 1006'],
    [refused(200, '1006'), '200 / 1006, which is a documented error under a success status,'],
    [answer(404, ''), '404, with an empty body,'],
    [answer(502, '<html>'), '502, with a body that is not JSON,'],
    [
      damaged(400, 'labelled gzip and is not gzip'),
      '400, with a body that is labelled gzip and is not gzip,',
    ],
    [answer(400, []), '400, with JSON that is not an object,'],
    [answer(400, {}), '400, without error_code,'],
    [answer(400, { error_code: 1001, error_message: 'a' }), '400, with an error_code that is not a string,'],
    [answer(400, { error_code: '1001' }), '400 / 1001, without error_message,'],
    [
      answer(400, { error_code: '1001', error_message: 1 }),
      '400 / 1001, with an error_message that is not a string,',
    ],
    [answer(200, { error_code: 'x' }), '200 / x'],
  ])('%#', (response, words) => {
    expect(describeAnswered(answeredBy(response))).toBe(words)
  })

  it('keeps a made-up code short, and on one line', () => {
    expect(describeAnswered(answeredBy(refused(400, 'é\n<b>')))).toBe(String.raw`400 / "é\n<b>"`)
    expect(describeAnswered(answeredBy(refused(400, '')))).toBe('400 / ""')
  })

  it.each([
    ['x'.repeat(40), 'x'.repeat(40)],
    ['x'.repeat(41), `"${'x'.repeat(40)}…"`],
    ['x'.repeat(5_000), `"${'x'.repeat(40)}…"`],
    ['E_17.b-2', 'E_17.b-2'],
    ['1006 ', '"1006 "'],
    [' 1006', '" 1006"'],
  ])('writes the code %j as %s', (code, written) => {
    expect(describeAnswered(answeredBy(refused(400, code)))).toBe(`400 / ${written}`)
  })
})

describe('what came, in a word', () => {
  it.each([
    [served, 'success'],
    [answer(200, '<html>'), '200'],
    [refused(200, '1006'), '200'],
    [answer(302, ''), '302'],
    [answer(399, ''), '399'],
    [answer(400, ''), '400 without error_code'],
    [answer(414, '<html>'), '414 without error_code'],
    [answer(400, { error_code: 1001, error_message: 'a' }), '400 without error_code'],
    [refused(401, '1006'), '401 / 1006'],
    [refused(500, 'two words'), '500 / "two words"'],
  ])('%#: %s', (response, outcome) => {
    expect(outcomeOf(exchange(response))).toBe(outcome)
  })
})

describe('what is allowed in words', () => {
  it('names every answer', () => {
    expect(describeAllowed([{ status: 400, errorCode: '1001' }])).toBe('400 / 1001')
    expect(describeAllowed([success, { status: 400, errorCode: '1030' }])).toBe('success or 400 / 1030')
  })
})

describe('a difference', () => {
  it('is the flaw of the answer, or that it is another one', () => {
    const of = (response: Parameters<typeof answeredBy>[0]): string =>
      explain([success], answeredBy(response)).difference

    expect(of(answer(200, ''))).toBe('empty body')
    expect(of(damaged(200, 'labelled gzip and is not gzip'))).toBe('body is not in its content coding')
    expect(of(refused(401, '1006'))).toBe('another answer')
    expect(of(refused(200, '1006'))).toBe('documented error under success')
  })

  it('is told in one sentence', () => {
    expect(explain([success], answeredBy(refused(401, '1006'))).summary).toBe(
      'answered 401 / 1006 where success is documented',
    )
  })
})
