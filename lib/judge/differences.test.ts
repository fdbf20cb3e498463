import { expect, test } from 'vitest'
import { success } from '../specification/answers.ts'
import { answeredBy } from './answered.ts'
import { describeAllowed, describeAnswered, outcomeOf } from './differences.ts'
import { violates } from './judge.ts'
import { answer, damaged, exchange, refused, served } from './testing/exchanges.ts'

const uncoded = damaged(400, 'labelled gzip and is not gzip')
const long = 'x'.repeat(40)

test.each([
  [served, '200 with JSON'],
  [refused(401, '1006'), '401 / 1006'],
  [refused(500, '1006'), '500 / 1006'],
  [refused(200, '1006'), '200 / 1006, which is a documented error under a success status,'],
  [answer(404, ''), '404, with an empty body,'],
  [answer(502, '<html>'), '502, with a body that is not JSON,'],
  [uncoded, '400, with a body that is labelled gzip and is not gzip,'],
  [answer(400, []), '400, with JSON that is not an object,'],
  [answer(400, {}), '400, without error_code,'],
  [answer(400, { error_code: 1, error_message: 'a' }), '400, with an error_code that is not a string,'],
  [answer(400, { error_code: '1' }), '400 / 1, without error_message,'],
  [
    answer(400, { error_code: '1', error_message: 1 }),
    '400 / 1, with an error_message that is not a string,',
  ],
  [answer(200, { error_code: 'x' }), '200 / x'],
  // A made-up code stays short and on one line.
  [refused(400, 'é\n<b>'), String.raw`400 / "é\n<b>"`],
  [refused(400, ''), '400 / ""'],
  [refused(400, long), `400 / ${long}`],
  [refused(400, `${long}x`), `400 / "${long}…"`],
  [refused(400, long.repeat(100)), `400 / "${long}…"`],
  [refused(400, 'E_17.b-2'), '400 / E_17.b-2'],
  [refused(400, '1006 '), '400 / "1006 "'],
  [refused(400, ' 1006'), '400 / " 1006"'],
])('an answer is described in words: %#', (response, words) => {
  expect(describeAnswered(answeredBy(response))).toBe(words)
})

test.each([
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
])('an outcome has a short name: %#', (response, outcome) => {
  expect(outcomeOf(exchange(response))).toBe(outcome)
})

test('allowed answers are named in full', () => {
  expect(describeAllowed([{ status: 400, errorCode: '1001' }])).toBe('400 / 1001')
  expect(describeAllowed([success, { status: 400, errorCode: '1030' }])).toBe('success or 400 / 1030')
})

test.each([
  [answer(200, ''), 'empty body'],
  [damaged(200, 'labelled gzip and is not gzip'), 'body is not in its content coding'],
  [refused(401, '1006'), 'another answer'],
  [refused(200, '1006'), 'documented error under success'],
])(
  'a difference is the flaw of the answer, or "another answer" if it has none: %#',
  (response, difference) => {
    const answered = answeredBy(response)
    const summary = `answered ${describeAnswered(answered)} where success is documented`

    expect(violates([success], answered)).toMatchObject({ breach: { difference, summary } })
  },
)
