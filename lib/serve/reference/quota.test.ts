import { expect, it, onTestFinished } from 'vitest'
import type { ReferenceClient } from './clients.ts'
import { startReference, type ReferenceOptions } from './service.ts'
import { connect, headersOf, outcome } from './testing/ask.ts'

/** A service that ends with the test, and the outcomes of repeated requests by a client on one connection. */
async function served(options: ReferenceOptions = {}) {
  const service = await startReference(options)
  onTestFinished(() => service.close())
  const outcomes = async (client: ReferenceClient, times: number): Promise<readonly string[]> => {
    const connection = connect(service)
    const found: string[] = []
    for (let asked = 0; asked < times; asked += 1)
      found.push(outcome(await connection.ask({ headers: headersOf(client) })))
    await connection.close()
    return found
  }
  return { ...service.clients, quota: service.disposableQuota, outcomes }
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
