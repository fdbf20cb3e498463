import { expect, it } from 'vitest'
import { connect, headersOf, outcome } from './testing/ask.ts'
import type { ReferenceClient } from './clients.ts'
import { startReference, type ReferenceOptions, type ReferenceService } from './service.ts'

async function outcomes(
  service: ReferenceService,
  client: ReferenceClient,
  times: number,
): Promise<readonly string[]> {
  const connection = connect(service)
  const found: string[] = []
  for (let asked = 0; asked < times; asked += 1) {
    found.push(outcome(await connection.ask({ headers: headersOf(client) })))
  }
  await connection.close()
  return found
}

async function served<T>(
  options: ReferenceOptions,
  use: (service: ReferenceService) => Promise<T>,
): Promise<T> {
  const service = await startReference(options)
  try {
    return await use(service)
  } finally {
    await service.close()
  }
}

it('serves the disposable client as often as declared, and then refuses it for good', async () => {
  await served({}, async (service) => {
    const { disposable, permitted } = service.clients
    const expected = Array.from({ length: 9 }, (_, index) =>
      index < service.disposableQuota ? '200/-' : '429/1020',
    )

    expect(await outcomes(service, disposable, 9)).toEqual(expected)
    expect(await outcomes(service, permitted, 2)).toEqual(['200/-', '200/-'])
  })
})

it('refuses the exhausted client from the start', async () => {
  await served({}, async (service) => {
    expect(await outcomes(service, service.clients.exhausted, 2)).toEqual(['429/1020', '429/1020'])
  })
})

it('counts anew after midnight UTC, for the exhausted client too', async () => {
  let time = Date.UTC(2031, 4, 6, 23, 59, 59, 999)
  await served({ now: () => time, quotas: { permitted: 1, exhausted: 2 } }, async (service) => {
    const { permitted, exhausted } = service.clients
    expect(await outcomes(service, permitted, 2)).toEqual(['200/-', '429/1020'])
    expect(await outcomes(service, exhausted, 1)).toEqual(['429/1020'])

    time += 1
    expect(await outcomes(service, permitted, 2)).toEqual(['200/-', '429/1020'])
    expect(await outcomes(service, exhausted, 3)).toEqual(['200/-', '200/-', '429/1020'])
  })
})

it('counts no request that is refused before the quota', async () => {
  await served({ quotas: { permitted: 1 } }, async (service) => {
    const { permitted } = service.clients
    const wrong = { apiKey: permitted.apiKey, secretKey: 'wrong' }

    expect(await outcomes(service, wrong, 2)).toEqual(['401/1007', '401/1007'])
    expect(await outcomes(service, permitted, 2)).toEqual(['200/-', '429/1020'])
  })
})
