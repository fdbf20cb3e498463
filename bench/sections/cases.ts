import { startChild } from '../measure/child.ts'
import { inTurn } from '../measure/in-turn.ts'
import { grouped, ratioOf, shown, spreadOf } from '../measure/spread.ts'
import { versionOf } from '../peers/load.ts'
import type { Measured, Section, Table } from '../section.ts'
import type { Offline, OfflineResult } from '../workers/offline.ts'
import type { Burst, Sender } from '../workers/sending.ts'

const atOnce = { whole: [1, 4, 16], quick: [1, 16], regression: [16] }
/** In one round; one at a time is slow enough to be timed with fewer. */
const inRound = (many: number): number => (many === 1 ? 5_000 : 20_000)

const names = ['fuzzing', 'dispatch', 'autocannon', 'all but the network', 'generated and judged'] as const
type Rates = (name: (typeof names)[number]) => readonly number[]

/** The rate of fuzzing beside what only sends. */
export const cases: Section = {
  name: 'cases',
  title: 'Cases a second',
  measure: async ({ kind, rounds }) => {
    const measured: (readonly [number, Rates])[] = []
    await withChildren(async (rateOf) => {
      for (const many of atOnce[kind]) {
        // What is compiled while it runs first is slow.
        for (const name of names) await rateOf(name, many)
        const rates = await inTurn(rounds, {
          fuzzing: () => rateOf('fuzzing', many),
          dispatch: () => rateOf('dispatch', many),
          autocannon: () => rateOf('autocannon', many),
          'all but the network': () => rateOf('all but the network', many),
          'generated and judged': () => rateOf('generated and judged', many),
        })
        measured.push([many, rates])
      }
    })
    return told(measured)
  },
}

/** Every sender is a process of its own, and so is the service. */
async function withChildren(
  work: (rateOf: (name: (typeof names)[number], atOnce: number) => Promise<number>) => Promise<void>,
): Promise<void> {
  const service = startChild<null, string>('services/quick-process')
  const sender = (name: Sender) => ({ name, ...startChild<Burst, number>('workers/sending') })
  const senders = [sender('fuzzing'), sender('dispatch'), sender('autocannon')]
  const offline = startChild<Offline, OfflineResult>('workers/offline')
  try {
    const url = await service.ask(null)
    await work(async (name, many) => {
      if (name === 'all but the network' || name === 'generated and judged')
        return (await offline.ask({ way: name, cases: inRound(many) })).rate
      const found = senders.find((one) => one.name === name)
      if (found === undefined) throw new Error(name)
      return found.ask({ sender: name, url, atOnce: many, count: inRound(many) })
    })
  } finally {
    for (const child of [service, offline, ...senders]) child.end()
  }
}

function told(measured: readonly (readonly [number, Rates])[]): Measured {
  const table: Table = {
    head: ['at once', 'what', 'a second', 'of autocannon', 'of plain `dispatch`'],
    rows: measured.flatMap(([many, rates]) => names.map((name) => row(many, name, rates))),
  }
  const at16 = measured.find(([many]) => many === 16)?.[1]
  return {
    parts: [about, table],
    figures:
      at16 === undefined
        ? {}
        : {
            'fuzzing : autocannon at 16': ratioOf(at16('fuzzing'), at16('autocannon')),
            'fuzzing : plain undici at 16': ratioOf(at16('fuzzing'), at16('dispatch')),
          },
  }
}

function row(many: number, name: (typeof names)[number], rates: Rates): readonly string[] {
  return [
    String(many),
    says[name](),
    grouped(spreadOf(rates(name)).median),
    shown(ratioOf(rates(name), rates('autocannon'))),
    shown(ratioOf(rates(name), rates('dispatch'))),
  ]
}

const says: Readonly<Record<(typeof names)[number], () => string>> = {
  fuzzing: () => '**fuzzing**: generated, sent, judged, tried with tolerated changes',
  dispatch: () => `undici ${versionOf('undici')}: \`dispatch\`, answers dropped`,
  autocannon: () => `autocannon ${versionOf('autocannon')}`,
  'all but the network': () => 'the same cases, answered from memory',
  'generated and judged': () => 'generated and judged by their rule, nothing else',
}

const about = `Against a service in another process that answers by the three header fields and does nothing else. Every sender is a process of its own,
warmed up before; ${grouped(inRound(16))} cases of \`fuzz/api-key\` a round, ${grouped(inRound(1))} where one is sent at a time, and two seconds of autocannon.`
