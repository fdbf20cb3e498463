import { startChild } from '../measure/child.ts'
import { inTurn } from '../measure/in-turn.ts'
import { ratioOf, shown, spreadOf } from '../measure/spread.ts'
import type { Measured, Section } from '../section.ts'
import { startReferenceProcess, type ReferenceProcess } from '../services/reference.ts'
import type { Targets, TargetsResult } from '../workers/targets.ts'

/** Targets in a round: five rounds judge a hundred in one process. */
const inRound = { whole: 20, quick: 5, regression: 5 }
const latencyMs = 5
const side = 8

/** Many targets in one process. */
export const targets: Section = {
  name: 'targets',
  title: 'Many targets in one process',
  measure: async ({ kind, rounds }) => {
    const reference = startReferenceProcess()
    const one = startChild<Targets, TargetsResult>('workers/targets')
    const several = startChild<Targets, TargetsResult>('workers/targets')
    try {
      const results = await inTurn(rounds, {
        one: () => judgeRound(one.ask, inRound[kind], 1, reference),
        several: () => judgeRound(several.ask, inRound[kind], side, reference),
      })
      return told(results, inRound[kind], rounds)
    } finally {
      for (const child of [reference, one, several]) child.end()
    }
  },
}

async function judgeRound(
  ask: (targets: Targets) => Promise<TargetsResult>,
  count: number,
  atOnce: number,
  reference: ReferenceProcess,
): Promise<TargetsResult> {
  const services = []
  for (let index = 0; index < count; index += 1) services.push(await reference.start(latencyMs))
  const result = await ask({ settings: services.map(({ env }) => env), atOnce })
  for (const { stop } of services) await stop()
  return result
}

function told(
  results: (name: 'one' | 'several') => readonly TargetsResult[],
  count: number,
  rounds: number,
): Measured {
  const seconds = (name: 'one' | 'several') => results(name).map((result) => result.seconds)
  const memory = (name: 'one' | 'several') => results(name).map(({ peakMiB }) => peakMiB)
  const grown = (name: 'one' | 'several') => spreadOf([(memory(name).at(-1) ?? 0) / (memory(name)[0] ?? 0)])
  const row = (name: 'one' | 'several', says: string): readonly string[] => [
    says,
    shown(spreadOf(seconds(name).map((all) => all / count))),
    shown(ratioOf(seconds(name), seconds('one'))),
    shown(grown(name)),
    shown(spreadOf([(memory(name).at(-1) ?? 0) / (memory('one').at(-1) ?? 0)])),
  ]
  return {
    parts: [
      `${count * rounds} services with ${latencyMs} ms of latency in another process, judged by \`judge\` in one process, ${count} in a round.`,
      {
        head: [
          'judged',
          'seconds a target',
          'of one after the other',
          `memory after ${count * rounds} targets, of that after ${count}`,
          'memory, of one after the other',
        ],
        rows: [row('one', 'one after the other'), row('several', `${side} at once`)],
      },
    ],
    figures: {},
  }
}
