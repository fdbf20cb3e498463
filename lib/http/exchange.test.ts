import { expect, test } from 'vitest'
import { answer, exchange } from '../judge/testing/exchanges.ts'
import { truncateBody, responseFields } from './exchange.ts'

test('a short text is kept unchanged', () => {
  const short = exchange(answer(200, 'short'))

  expect(truncateBody(short)).toBe(short)
})

test('a long text keeps its beginning and its length', () => {
  const { response } = truncateBody(exchange(answer(200, 'ab'.repeat(100_000))))

  expect(response).toMatchObject({ status: 200, text: 'ab'.repeat(32 * 1024), cutFrom: 200_000 })
})

test('fields are found by name in any letter case, in order', () => {
  const response = answer(200, '', {
    fields: ['Set-Cookie', 'x', 'set-cookie'].map((name, at) => [name, `${at}`]),
  })

  expect(responseFields(response, 'SET-COOKIE')).toEqual(['0', '2'])
})
