// Judges services in gate by mutated code, as the process that started it asks.
import { judgeJob } from '../judge/run.ts'
import type { GateAsked, Judged } from './gate.ts'

/** What the instrumented code reads and writes. */
interface Switch {
  activeMutant?: string
  mutantCoverage?: { static: object }
}

const state: Switch = Reflect.get(globalThis, '__stryker__')

process.on('disconnect', () => process.exit())
process.on('message', ({ job, mutant }: GateAsked) => {
  if (mutant === null) delete state.activeMutant
  else state.activeMutant = mutant
  const met = Object.keys(state.mutantCoverage?.static ?? {})
  if (state.mutantCoverage !== undefined) state.mutantCoverage.static = {}
  void judgeJob(job).then(
    ({ outcome: { exit, red } }) => tell({ came: `exit ${exit}, ${red.join(' ')}`, before: met }),
    (error: unknown) => tell({ came: String(error), before: met }),
  )
})

function tell({ came, before }: { readonly came: string; readonly before: readonly string[] }): void {
  const met = Object.keys(state.mutantCoverage?.static ?? {})
  process.send?.({ came, before, met } satisfies Judged)
}
