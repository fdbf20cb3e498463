import { setTimeout as sleep } from 'node:timers/promises'
import { seededNumber } from '../../../lib/fuzz/seeded.ts'
import { closed, instead } from '../../../tests/support/program.ts'
import { onReference, type Intervene } from '../../targets/target.ts'
import { ofConformant, profileNames, type Service } from '../service.ts'

/** A bad network: one request in fifty meets a reset connection, and every answer is delayed by up to 50 ms. */
const resets = 0.02
const jitterMs = 50

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
      const intervene: Intervene = async (_, response) => {
        await sleep(draw() * jitterMs)
        return draw() < resets && closed(response)
      }
      return onReference({ intervene })
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
    const intervene: Intervene = (_, response) =>
      draw() < times / answersOfGate && instead(response, 500, '{"error":"internal"}')
    return onReference({ intervene }, { RUN_ESSENTIAL: 'true' })
  },
}))

function drawing(seed: number): () => number {
  let drawn = 0
  return () => seededNumber(seed, String((drawn += 1)), 2 ** 31) / 2 ** 31
}
