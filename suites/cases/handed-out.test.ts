import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import type { Exchange } from '../../lib/http/exchange.ts'
import { fieldsOf } from '../../lib/http/request.ts'
import { suiteContext } from '../../lib/run/plan/suite-context.ts'
import type { TestRequest } from '../../lib/run/plan/test-request.ts'
import { read, settingsOf, target } from '../../lib/settings/testing/read.ts'
import { handedOut } from './left-behind.ts'

const { list, target: client } = suiteContext(settingsOf(await read(target)), 'card-switch-conformance/test')
const token = '0f9a6c1e-44d2-4b7e'

/** A success with these fields. */
function success(...fields: Exchange['response']['fields']): Exchange {
  const body = { kind: 'json', value: {} } as const
  const response = { status: 200, reason: 'OK', fields, text: '{}', body, trailers: [] }
  return { request: list.request.request, response, durationMs: 1, reused: false }
}

function returnedTo(exchange: Exchange): readonly TestRequest[] {
  return handedOut(exchange, client).map(({ back }) => back(list.request))
}

function valuesIn(requests: readonly TestRequest[], name: string): readonly string[] {
  return requests.flatMap(({ request }) => fieldsOf(request, name))
}

it('the suite sends cookies back together, without attributes or deleted cookies', () => {
  const cookies = ['session=8f3a; Path=/; HttpOnly', 'lb=node-2; Max-Age=60', 'empty=; Max-Age=0'] as const
  const requests = returnedTo(success(...cookies.map((value) => ['Set-Cookie', value] as const)))

  expect(valuesIn(requests, 'cookie')).toEqual(['session=8f3a; lb=node-2'])
})

it('the suite sends an entity tag back as a condition', () => {
  const exchange = success(['ETag', 'W/"33a"'])

  expect(valuesIn(returnedTo(exchange), 'if-none-match')).toEqual(['W/"33a"'])
  expect(handedOut(exchange, client).map(({ field }) => field)).toEqual(['if-none-match'])
  expect(handedOut(success(), client)).toEqual([])
})

it('the suite sends a token back under its own name and as a bearer', () => {
  const requests = returnedTo(success(['X-Auth-Token', token]))

  expect(valuesIn(requests, 'x-auth-token')).toEqual([token])
  expect(valuesIn(requests, 'authorization')).toEqual([`Bearer ${token}`])
})

it.for([
  ['x-author', token],
  ['x-auth-cache', 'hit'],
  ['www-authenticate', 'Basic realm="staging"'],
  ['x-session-expires', 'Fri, 20 Nov 2026 02:00:00 GMT'],
  ['x-auth-token', client.secretKey.reveal()],
  ['etag', `"${client.apiKey.reveal()}"`],
] as const)('the suite does not send %s back: %s', ([name, value]) => {
  expect(returnedTo(success([name, value]))).toEqual([])
})

it('the suite never prints a value that was handed out', () => {
  const requests = returnedTo(success(['set-cookie', `session=${token}`], ['x-auth-token', token]))

  expect(requests).toHaveLength(3)
  expect(`${JSON.stringify(requests)} ${inspect(requests, { depth: null })}`).not.toContain(token)
})
