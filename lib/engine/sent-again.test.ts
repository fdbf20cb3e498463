import { describe, expect, it } from 'vitest'
import { answer, exchange, refused } from '../judge/testing/exchanges.ts'
import { gatewayTrouble, isGatewayTrouble } from './sent-again.ts'

const bodies = ['', '<html>Request Timeout</html>', '{}', '{"error_code":1001,"error_message":"a"}']

describe('a 408 without the documented error object', () => {
  it.each(bodies)('is trouble like a closed connection where that was used before: %j', (body) => {
    const idle = { ...exchange(answer(408, body)), reused: true }

    expect(isGatewayTrouble(idle)).toBe(true)
    expect(gatewayTrouble(idle)).toMatchObject({
      kind: 'connection-closed',
      message:
        'a connection that was used before was given up with 408 (Request Timeout) and without the documented error object',
    })
  })

  it.each(bodies)('is an answer on a connection of its own: %j', (body) => {
    expect(isGatewayTrouble(exchange(answer(408, body)))).toBe(false)
  })
})

it('a 408 with the error object is an answer wherever it comes', () => {
  expect(isGatewayTrouble({ ...exchange(refused(408, '1001')), reused: true })).toBe(false)
})

it.each([400, 404, 500])('a bare %i is an answer on a connection that was used before, too', (status) => {
  expect(isGatewayTrouble({ ...exchange(answer(status, '')), reused: true })).toBe(false)
})
