import { afterAll, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest'
import { now, timeByTurns } from '../../../tests/support/virtual-time.ts'
import type { ReferenceClient } from './clients.ts'
import { furtherReading } from './described.ts'
import type { Fault } from './fault.ts'
import { type ReferenceOptions, type ReferenceService, startReference } from './service.ts'
import { askOnce, connect, headersOf, outcome, type Question } from './testing/ask.ts'
import type { Variant } from './variant.ts'

let service: ReferenceService
beforeAll(async () => {
  service = await startReference()
})
afterAll(() => service.close())

/** The valid headers, with these values by name. Null removes a header. */
function headers(changes: Readonly<Record<string, string | null>> = {}): readonly string[] {
  const { apiKey, secretKey } = service.clients.permitted
  const all = { 'x-api-key': apiKey, 'x-secret-key': secretKey, 'x-version': '1', ...changes }
  return Object.entries(all).flatMap(([name, value]) => (value === null ? [] : [name, value]))
}

async function answers(question?: Question): Promise<string> {
  return outcome(await askOnce(service, question))
}

describe('the list', () => {
  it('is JSON, labelled as JSON, with its length', async () => {
    const reply = await askOnce(service)

    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.body)))
    expect(JSON.parse(reply.body)).toMatchObject({
      customizations: [{ palette: { primary: '#1f2a44' } }, { name: 'Daylight' }, {}],
      total: 3,
    })
  })

  it('is cut to the limit, with an unchanged total', async () => {
    const { body } = await askOnce(service, { target: '/api/customizations/list?limit=1' })

    expect(JSON.parse(body)).toMatchObject({ customizations: [{ name: 'Evening' }], total: 3 })
    expect(JSON.parse(body)).toHaveProperty('customizations.length', 1)
  })

  it('is served to the second client, with or without accept, with names in any case and order', async () => {
    const { apiKey, secretKey } = service.clients.second
    expect(await answers({ headers: headersOf(service.clients.second) })).toBe('200/-')
    expect(await answers({ headers: [...headers(), 'accept', 'application/json'] })).toBe('200/-')
    expect(
      await answers({ headers: ['X-VERSION', '1', 'x-SeCrEt-KeY', secretKey, 'X-Api-Key', apiKey] }),
    ).toBe('200/-')
  })

  it('is served for HEAD without a body', async () => {
    const reply = await askOnce(service, { method: 'HEAD' })

    expect([reply.status, reply.body]).toEqual([200, ''])
    expect(Number(reply.headers['content-length'])).toBeGreaterThan(100)
  })
})

it('an error consists only of the documented object', async () => {
  const reply = await askOnce(service, { headers: [] })

  expect(JSON.parse(reply.body)).toEqual({ error_code: '1001', error_message: 'api key header is missing' })
  expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
})

it('the service waits for the given delay, and an intervention may answer instead', async () => {
  onTestFinished(timeByTurns())
  const slow = await startReference({
    latencyMs: 300,
    intervene: ({ url }, response) => {
      if (url !== '/mine') return false
      response.writeHead(418).end('short and stout')
      return true
    },
  })
  const start = now()
  expect(outcome(await askOnce(slow))).toBe('200/-')
  expect(now() - start).toBeGreaterThanOrEqual(300)
  expect(now() - start).toBeLessThan(1_000)
  expect(await askOnce(slow, { target: '/mine' })).toMatchObject({ status: 418, body: 'short and stout' })
  expect(slow.requests()).toBe(2)
  await slow.close()
})

describe('a service with faults and variants', () => {
  async function bent(options: ReferenceOptions): Promise<readonly string[]> {
    const one = await startReference(options)
    onTestFinished(() => one.close())
    const replies = [await askOnce(one), await askOnce(one, { headers: headers({ 'x-api-key': null }) })]
    return replies.map(outcome)
  }

  it('can have a fault and a variant at once', async () => {
    const fault: Fault = {
      name: 'missing-api-key-teapot',
      about: 'A missing key is answered 418.',
      rules: ['authentication/api-key-missing'],
      bend: () => ({ answer: (answer) => (answer.refusal === '1001' ? { ...answer, status: 418 } : answer) }),
    }
    const variant: Variant = {
      name: 'success-with-299',
      about: 'A success has the status 299.',
      manner: () => ({ writing: { successStatus: 299 } }),
    }

    expect(await bent({ faults: [fault], variant })).toEqual(['299/-', '418/1001'])
  })
})

/** A service that ends with the test, and the outcomes of repeated requests by a client on one connection. */
async function served(options: ReferenceOptions = {}) {
  const one = await startReference(options)
  onTestFinished(() => one.close())
  const outcomes = async (client: ReferenceClient, times: number): Promise<readonly string[]> => {
    const connection = connect(one)
    const found: string[] = []
    for (let asked = 0; asked < times; asked += 1)
      found.push(outcome(await connection.ask({ headers: headersOf(client) })))
    await connection.close()
    return found
  }
  return { ...one.clients, quota: one.disposableQuota, outcomes }
}

it('the service serves the disposable client up to the declared quota, then always refuses it', async () => {
  const { disposable, permitted, exhausted, quota, outcomes } = await served()
  const expected = Array.from({ length: 9 }, (_, index) => (index < quota ? '200/-' : '429/1020'))

  expect(await outcomes(disposable, 9)).toEqual(expected)
  expect(await outcomes(permitted, 2)).toEqual(['200/-', '200/-'])
  expect(await outcomes(exhausted, 2)).toEqual(['429/1020', '429/1020'])
})

it('the service restarts its counts at midnight UTC, even for the exhausted client', async () => {
  let time = Date.UTC(2031, 4, 6, 23, 59, 59, 999)
  const quotas = { permitted: 1, exhausted: 2 }
  const { permitted, exhausted, outcomes } = await served({ now: () => time, quotas })

  expect(await outcomes(permitted, 2)).toEqual(['200/-', '429/1020'])
  expect(await outcomes(exhausted, 1)).toEqual(['429/1020'])
  time += 1
  expect(await outcomes(permitted, 2)).toEqual(['200/-', '429/1020'])
  expect(await outcomes(exhausted, 3)).toEqual(['200/-', '200/-', '429/1020'])
})

it('a request that is refused for another reason does not use the quota', async () => {
  const { permitted, outcomes } = await served({ quotas: { permitted: 1 } })
  const wrong = { apiKey: permitted.apiKey, secretKey: 'wrong' }

  expect(await outcomes(wrong, 2)).toEqual(['401/1007', '401/1007'])
  expect(await outcomes(permitted, 2)).toEqual(['200/-', '429/1020'])
})

const Id = { type: 'integer', maximum: 9 }
const reading = await furtherReading([
  {
    method: 'GET',
    path: '/api/cards/{id}',
    pathParameters: { id: { schema: { $ref: '#/definitions/Id', definitions: { Id } } } },
  },
  { method: 'GET', path: '/api/cards/all', success: { type: 'array', items: {} } },
])

test.each([
  ['/api/cards/all', true, '[{}]'],
  ['/api/cards/9', true, '{}'],
  ['/api/cards/10', false, '{}'],
])('%s is read by the entry with the best matching path', (path, isValid, text) => {
  const asked = { method: 'GET', path, query: '', hasMark: false, body: '', httpVersion: '1.1', arrival: 1 }
  const read = reading({ ...asked, headers: {}, rawHeaders: [], connection: {} })

  expect([read?.isValidQuery?.(''), read?.list?.('').text]).toEqual([isValid, text])
})
