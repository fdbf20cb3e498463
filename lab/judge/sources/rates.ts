import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { settingsOf } from '../../../lib/doors/cli/serve-command.ts'
import { seededNumber } from '../../../lib/fuzz/seeded.ts'
import { startReference } from '../../../lib/serve/reference/service.ts'
import { ofConformant, profileNames, type Service, type Started } from '../service.ts'

/** A bad network: one request in fifty meets a reset connection, and every answer is delayed by up to 50 ms. */
const resets = 0.02
const jitterMs = 50

type Intervene = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>

/** A conformant service behind a bad network. The seed of the run decides what happens. */
export const networkServices: readonly Service[] = [
  {
    of: 'networks',
    name: 'resets-and-waits',
    expects: ofConformant,
    profiles: profileNames,
    over: 'sockets',
    start: (seed) => {
      const draw = drawing(seed ?? 1)
      return started(async (_, response) => {
        await sleep(draw() * jitterMs)
        if (draw() >= resets) return false
        response.socket?.resetAndDestroy()
        return true
      })
    },
  },
]

/**
 * The number of answers in an essential gate that could show a breach, according to its verdict on the plain
 * service.
 */
const answersOfGate = 29

/** Services that are wrong at random, at rates for which a verdict claims the share of runs that notice it. */
export const rateServices: readonly Service[] = [1, 3, 5].map((times) => ({
  of: 'rates',
  name: `${times}-in-${answersOfGate}`,
  expects: { exit: 1, share: 1 - Math.exp(-times) },
  profiles: ['gate'],
  over: 'sockets',
  start: async (seed) => {
    const draw = drawing(seed ?? 1)
    const service = await started((_, response) => {
      const isWrong = draw() < times / answersOfGate
      if (isWrong) response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":"internal"}')
      return isWrong
    })
    return { ...service, env: { ...service.env, RUN_ESSENTIAL: 'true' } }
  },
}))

async function started(intervene: Intervene): Promise<Started> {
  const service = await startReference({ intervene })
  return { env: settingsOf(service), close: () => service.close() }
}

function drawing(seed: number): () => number {
  let drawn = 0
  return () => seededNumber(seed, String((drawn += 1)), 2 ** 31) / 2 ** 31
}
