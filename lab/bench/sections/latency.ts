import { runNode, withInstalled, type Ended } from '../measure/program.ts'
import { grouped, ratioOf, shown, spreadOf, type Spread } from '../measure/spread.ts'
import type { Measured, Scale, Section, Table } from '../section.ts'
import { startReferenceProcess, type ReferenceProcess, type Seen } from '../services/reference.ts'

/** The gate's own bound of requests at once. */
const atOnce = 8
/** The default rate against anything but loopback, in requests a second. */
const maxRps = 25

type Run = Ended & Seen

/** What a gate has to wait for. */
interface Wait {
  readonly says: string
  readonly latencyMs: number
  readonly env: Readonly<Record<string, string>>
  /** The least that so many requests must wait, in seconds. */
  readonly bound: (requests: number) => number
}

const slow = (latencyMs: number): Wait => ({
  says: `${latencyMs} ms an answer`,
  latencyMs,
  env: {},
  bound: (requests) => (requests / atOnce) * (latencyMs / 1_000),
})

const waits = {
  '20 ms': slow(20),
  '100 ms': slow(100),
  '300 ms': slow(300),
  '25 a second': {
    says: `${maxRps} requests a second`,
    latencyMs: 0,
    env: { RUN_MAX_RPS: String(maxRps) },
    bound: (requests) => requests / maxRps,
  },
} satisfies Record<string, Wait>

type Kind = keyof typeof waits

/** What runs one after the other; such series run side by side, since they mostly wait. */
const series: Readonly<Record<Scale['kind'], readonly (readonly Kind[])[]>> = {
  whole: [['20 ms', '100 ms'], ['300 ms'], ['25 a second']],
  quick: [['20 ms'], ['25 a second']],
  regression: [['100 ms']],
}

/** The gate where it has to wait, beside the least that it must wait. */
export const latency: Section = {
  name: 'latency',
  title: 'A gate that has to wait',
  measure: async ({ kind, rounds }) => {
    const reference = startReferenceProcess()
    const runs = new Map<Kind, Run[]>(series[kind].flat().map((name) => [name, []]))
    try {
      await withInstalled(async (installed) => {
        for (let round = 0; round < rounds; round += 1) {
          const inSeries = async (names: readonly Kind[]): Promise<void> => {
            for (const name of names) runs.get(name)?.push(await runGate(waits[name], installed, reference))
          }
          await Promise.all(series[kind].map(inSeries))
        }
      })
      return told(runs)
    } finally {
      reference.end()
    }
  },
}

async function runGate(
  { env: more, latencyMs }: Wait,
  installed: string,
  reference: ReferenceProcess,
): Promise<Run> {
  return reference.during((env) => runNode({ args: [installed], env: { ...env, ...more } }), latencyMs)
}

function told(runs: ReadonlyMap<Kind, readonly Run[]>): Measured {
  const of = (name: Kind, what: (run: Run) => number): readonly number[] => (runs.get(name) ?? []).map(what)
  const ratio = (name: Kind, more: (run: Run) => number): Spread =>
    ratioOf(
      of(name, ({ seconds }) => seconds),
      of(name, (run) => waits[name].bound(run.requests) + more(run)),
    )
  const table: Table = {
    head: ['a gate at', 'requests', 'seconds', 'of the bound', 'of the bound and start-up'],
    rows: [...runs.keys()].map((name) => [
      waits[name].says,
      grouped(spreadOf(of(name, ({ requests }) => requests)).median),
      shown(spreadOf(of(name, ({ seconds }) => seconds))),
      shown(ratio(name, () => 0)),
      shown(ratio(name, startUp)),
    ]),
  }
  return {
    parts: [about, table],
    figures: runs.has('100 ms') ? { 'gate at 100 ms : bound': ratio('100 ms', startUp) } : {},
  }
}

/** Until the first request arrived, in seconds. */
function startUp({ firstAt, startedAt }: Run): number {
  return (firstAt - startedAt) / 1_000
}

const about = `Start to exit of the installed program against the reference service in another process. The bound is what no client can beat with so many
requests: requests ÷ ${atOnce} at once × latency, or requests ÷ ${maxRps} a second. Start-up is the time until the first request arrived, measured in
the same run.`
