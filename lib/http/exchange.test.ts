import { expect, test } from 'vitest'
import { truncateBody, responseFields, type Exchange } from './exchange.ts'

function exchangeWith(text: string): Exchange {
  return {
    request: { method: 'GET', target: '/', fields: [] },
    response: {
      status: 200,
      reason: 'OK',
      fields: [
        ['Set-Cookie', 'a'],
        ['set-cookie', 'b'],
        ['x', 'c'],
      ],
      text,
      body: { kind: 'json', value: [] },
      trailers: [],
    },
    durationMs: 1,
    reused: false,
  }
}

test('a short text is kept as it is', () => {
  const exchange = exchangeWith('short')

  expect(truncateBody(exchange)).toBe(exchange)
})

test('of a long text the beginning is kept, and how long it was', () => {
  const { response } = truncateBody(exchangeWith('ab'.repeat(100_000)))

  expect(response.text).toBe('ab'.repeat(32 * 1024))
  expect(response.cutFrom).toBe(200_000)
  expect(response.status).toBe(200)
})

test('fields are found whatever the letter case of their names, in order', () => {
  expect(responseFields(exchangeWith('').response, 'SET-COOKIE')).toEqual(['a', 'b'])
})
