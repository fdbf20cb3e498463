import { describe } from 'vitest'
import type { ReferenceService } from '../lib/reference/service.ts'
import { expectIncomplete } from './expected.ts'
import { settingsFor } from './program.ts'
import { run, test } from './program-test.ts'

const impatient = ['--timeout-ms', '300'] as const

describe.concurrent('a service that starts well', () => {
  test('and hangs from the fortieth request on', async ({ reference, expect }) => {
    const service: ReferenceService = await reference({ intervene: () => service.requests() > 40 })

    const result = await run(impatient, { env: settingsFor(service) })

    expectIncomplete(expect, result, [
      'stopped answering plain valid requests',
      'no answer came within 300 ms',
    ])
  })

  test('and resets from the fortieth request on', async ({ reference, expect }) => {
    const service: ReferenceService = await reference({
      intervene: (_, response) => {
        if (service.requests() > 40) response.socket?.resetAndDestroy()
        return service.requests() > 40
      },
    })

    const result = await run(impatient, { env: settingsFor(service) })

    expectIncomplete(expect, result, ['stopped answering plain valid requests', 'closed the connection'])
  })

  test('and is gone from the fortieth request on', async ({ reference, expect }) => {
    const service: ReferenceService = await reference({
      intervene: async () => {
        if (service.requests() === 40) await service.close()
        return service.requests() >= 40
      },
    })

    const result = await run(impatient, { env: settingsFor(service) })

    expectIncomplete(expect, result, ['stopped answering plain valid requests', 'nobody listens'])
  })

  test('and answers 503 from the fortieth request on', async ({ reference, expect }) => {
    const service: ReferenceService = await reference({
      intervene: (_, response) => {
        if (service.requests() > 40) response.writeHead(503).end('maintenance')
        return service.requests() > 40
      },
    })

    const result = await run(impatient, { env: settingsFor(service) })

    expectIncomplete(expect, result, ['stopped answering plain valid requests', 'a gateway answered 503'])
  })
})
