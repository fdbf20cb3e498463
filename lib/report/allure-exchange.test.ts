import { expect, it } from 'vitest'
import { allureExchange } from './allure-exchange.ts'
import { exchange } from '../verdict/verdict.testing.ts'

it('tells a reason phrase of its own and the fields behind the body, in printable characters', () => {
  const { response } = exchange
  if (response === null) throw new Error('an answer was expected')
  const told = allureExchange({
    ...exchange,
    response: { ...response, reason: 'not\u202Eso', trailers: [['x-sum', 'a\u001B[1m']] },
  })

  expect(told.response).toMatchObject({
    statusText: String.raw`not\u202eso`,
    trailers: [{ name: 'x-sum', value: String.raw`a\u001b[1m` }],
  })
  expect(allureExchange(exchange).response).not.toHaveProperty('statusText')
  expect(allureExchange(exchange).response).not.toHaveProperty('trailers')
})
