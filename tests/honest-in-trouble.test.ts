import { setTimeout as sleep } from 'node:timers/promises'
import { describe } from 'vitest'
import { conformantService, type Manner } from './conformant/service.ts'
import { expectConformant, expectNobodyBlamed, run, test } from './program-test.ts'

/** What is conformant in strict is so in gate, which asks the same and lets more pass. */
const strictly = ['--strict'] as const

describe.concurrent('conformant in between:', () => {
  test.for([
    { status: 502, from: 50 },
    { status: 503, from: 100 },
  ])(
    '$status for two seconds from request $from on',
    async ({ status, from }, { onTestFinished, expect }) => {
      let until: number | null = null
      const service = await conformantService(
        {
          before: (_, response, count) => {
            if (count === from) until = performance.now() + 2_000
            if (until === null || performance.now() > until) return false
            response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>restarting</h1>')
            return true
          },
        },
        onTestFinished,
      )

      expectConformant(expect, await run(strictly, { env: service.settings }))
    },
  )

  test('nobody listens for 1.5 s from request 100 on', async ({ onTestFinished, expect }) => {
    const service = await conformantService(
      {
        before: async (_, __, count) => {
          if (count !== 100) return false
          service.down()
          await sleep(1_500)
          service.up()
          return true
        },
      },
      onTestFinished,
    )

    expectConformant(expect, await run(strictly, { env: service.settings }))
  })

  test('one connection of fifty is reset', async ({ onTestFinished, expect }) => {
    const chance = seeded(7)
    const service = await conformantService(
      {
        headers: { connection: 'close' },
        onConnection: (socket) => {
          if (chance() < 0.02) socket.resetAndDestroy()
        },
      },
      onTestFinished,
    )

    expectConformant(expect, await run(strictly, { env: service.settings }))
  })

  test('one request of fifty is answered by closing', async ({ onTestFinished, expect }) => {
    const chance = seeded(11)
    const service = await conformantService(
      {
        before: ({ socket }) => {
          if (chance() >= 0.02) return false
          socket.resetAndDestroy()
          return true
        },
      },
      onTestFinished,
    )

    expectConformant(expect, await run(strictly, { env: service.settings }))
  })
})

describe.concurrent('conformant, and not to be hurried:', () => {
  const limited = (perSecond: number, headers: Readonly<Record<string, string>>): Partial<Manner> => {
    let [second, taken] = [0, 0]
    return {
      before: (_, response) => {
        const now = Math.floor(performance.now() / 1_000)
        taken = now === second ? taken + 1 : 1
        second = now
        if (taken <= perSecond) return false
        response.writeHead(429, headers).end()
        return true
      },
    }
  }

  // A whole run would take a minute.
  const aPart = ['--strict', '--only', 'conventions/*,versioning/*'] as const

  test('ten requests a second, with Retry-After', async ({ onTestFinished, expect }) => {
    const service = await conformantService(limited(10, { 'retry-after': '1' }), onTestFinished)

    const result = await run(aPart, { env: service.settings })

    expectNobodyBlamed(expect, result)
  })

  test('fifteen requests a second, without Retry-After', async ({ onTestFinished, expect }) => {
    const service = await conformantService(limited(15, {}), onTestFinished)

    const result = await run(aPart, { env: service.settings })

    expectNobodyBlamed(expect, result)
  })
})

/** Numbers from 0 to below 1, the same every time. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}
