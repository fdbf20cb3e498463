import { join } from 'node:path'
import { moduleFile } from '../measure/child.ts'
import { inTurn } from '../measure/in-turn.ts'
import { root, runNode, withInstalled, type Ended } from '../measure/program.ts'
import { exactly, grouped, ratioOf, shown, spreadOf, type Spread } from '../measure/spread.ts'
import { versionOf } from '../peers/load.ts'
import { runNewman } from '../peers/newman.ts'
import type { Measured, Scale, Section, Table } from '../section.ts'
import { startReferenceProcess, type Seen } from '../services/reference.ts'
import type { Seeker } from '../workers/catching.ts'
import { countCatches, type Catches } from './catches.ts'

/** The gate's own bound of requests at once. */
const atOnce = 8

type Name = 'gate' | 'essential' | 'checkout' | 'newman' | 'pactum' | 'plain'
type Run = Ended & Seen

/** Who of them looks for faults. */
const seekers = ['gate', 'essential', 'newman', 'pactum'] as const satisfies readonly Seeker[]
const everyNthFault = { whole: 1, quick: 20 }

/** A whole gate beside what tests by hand, and beside a plain script that only sends. */
export const gate: Section = {
  name: 'gate',
  title: 'A whole gate',
  measure: async (scale) => {
    const runs = await timeRuns(scale)
    const { kind } = scale
    const catches = kind === 'regression' ? null : await countCatches(seekers, everyNthFault[kind])
    return told(runs, catches, kind === 'regression' ? 'busySeconds' : 'seconds')
  },
}

async function timeRuns({ rounds }: Scale): Promise<(name: Name) => readonly Run[]> {
  const reference = startReferenceProcess()
  try {
    return await withInstalled(async (installed) => {
      const run = (...args: readonly string[]): Promise<Run> =>
        reference.during((env) => runNode({ args, env }))
      // Warms the service up, and says how much the plain script has to send.
      const { requests } = await run(installed)
      return inTurn(rounds, {
        gate: () => run(installed),
        essential: () => run(installed, '--essential'),
        checkout: () => run(join(root, 'bin/card-switch-conformance.mjs')),
        newman: () => reference.during(runNewman),
        pactum: () => run(moduleFile('peers/pactum-run')),
        plain: () => run(moduleFile('peers/plain-requests'), String(requests), String(atOnce)),
      })
    })
  } finally {
    reference.end()
  }
}

function told(
  runs: (name: Name) => readonly Run[],
  catches: Catches | null,
  compared: 'seconds' | 'busySeconds',
): Measured {
  const seconds = (name: Name): readonly number[] => runs(name).map((run) => run.seconds)
  const ratio = (theirs: Name): Spread =>
    ratioOf(
      runs('gate').map((run) => run[compared]),
      runs(theirs).map((run) => run[compared]),
    )
  const requests = (name: Name): number => spreadOf(runs(name).map((run) => run.requests)).median
  const row = (name: Name, what: string): readonly string[] => [
    what,
    grouped(requests(name)),
    shown(spreadOf(seconds(name))),
    shown(ratioOf(seconds(name), seconds('newman'))),
    shown(ratioOf(seconds(name), seconds('plain'))),
    ...caughtBy(
      seekers.find((one) => one === name),
      requests(name),
      catches,
    ),
  ]
  const times: Table = {
    head: [
      'what',
      'requests',
      'seconds',
      'of newman’s time',
      'of the plain script’s time',
      'faults caught',
      'faults per 100 requests',
    ],
    rows: [
      row('gate', 'a gate, as installed'),
      row('essential', 'a gate with `--essential`, as installed'),
      row('checkout', 'a gate, in a checkout'),
      row('newman', `newman ${versionOf('newman')}, by hand`),
      row('pactum', `pactum ${versionOf('pactum')}, by hand`),
      row('plain', 'a plain undici script, which judges nothing'),
    ],
  }
  return {
    parts: [about, times, ...(catches === null ? [] : [aboutCatches(catches)])],
    figures: {
      'gate : newman': ratio('newman'),
      'gate : plain undici': ratio('plain'),
      'requests of a gate': exactly(requests('gate')),
      'requests of an essential gate': exactly(requests('essential')),
      ...(catches === null
        ? {}
        : {
            'faults per 100 requests': exactly(per100(catches.caught.gate * catches.every, requests('gate'))),
          }),
    },
  }
}

const about = `Start to exit of a process of its own, against the reference service in another process, with every fixture.
The collections for newman and pactum are the same thirty requests (\`lab/bench/peers/hand-written.ts\`): the valid request, each documented code,
and the variants that a careful tester writes by hand; status, \`error_code\` and content type are asserted. The plain script sends as many
valid requests as the gate sends, ${atOnce} at once, reads the JSON and looks at the status.`

function aboutCatches({ services, every }: Catches): string {
  const some = every === 1 ? '' : `, every ${every}th of them`
  return `Faults are the ${services} services of the proof that a gate must notice without further files${some}. The gate catches one if a rule that is
named for the fault is red; newman and pactum catch it if any assertion fails, or if they would never end. None of them blames the plain service. Requests are those
to the plain service.`
}

function caughtBy(
  seeker: Seeker | undefined,
  requests: number,
  catches: Catches | null,
): readonly [string, string] {
  if (seeker === undefined || catches === null) return ['', '']
  const caught = catches.caught[seeker]
  return [`${caught} of ${catches.services}`, grouped(per100(caught * catches.every, requests))]
}

function per100(caught: number, requests: number): number {
  return (caught / requests) * 100
}
