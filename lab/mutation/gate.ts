import { fork } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { servicesOf } from '../judge/all-services.ts'
import { bundled } from '../judge/bundle.ts'
import type { Job, Source } from '../judge/service.ts'
import { ask, renewable } from './processes.ts'
import type { Drawn } from './sample.ts'
import type { Fate } from './tests.ts'

export interface GateAsked {
  readonly job: Job
  readonly mutant: string | null
}

/** What came of a run, and the mutants that were met before it and in it. */
export interface Judged {
  readonly came: string
  readonly before: readonly string[]
  readonly met: readonly string[]
}

/** How many services of each source are judged. */
const counts: readonly (readonly [Source, number])[] = [
  ['variants', 4],
  ['faults', 10],
]
/** Without an answer for so long a run hangs, in milliseconds. */
const hangsMs = 240_000

async function jobsOf(): Promise<readonly Job[]> {
  const some = counts.map(async ([of, count]) => {
    const all = (await servicesOf([of])).filter(({ over }) => over === 'memory')
    const chosen = all.filter((_, at) => at % Math.floor(all.length / count) === 0).slice(0, count)
    return chosen.map(({ name }): Job => ({ of, name, profile: 'gate', over: 'memory', seed: 1, sinks: [] }))
  })
  return (await Promise.all(some)).flat()
}

/** Judges mutants in gate, each over the same services: one that changes an exit code or what is red is killed. */
export async function gateOf(
  texts: ReadonlyMap<string, string>,
): Promise<{ readonly fateOf: (mutant: Drawn) => Promise<Fate | null>; readonly end: () => Promise<void> }> {
  const file = await bundled('lab/mutation/gate-process.ts', texts)
  const processOf = (env: object) =>
    renewable(() => fork(file, { execArgv: [], env: { ...process.env, NODE_NO_WARNINGS: '1', ...env } }))
  const warm = processOf({})
  const asked = (child: typeof warm, job: Job, mutant: string | null): Promise<Judged | null> =>
    ask<Judged>(child.get(), { job, mutant } satisfies GateAsked, hangsMs)

  const plain: { readonly job: Job; readonly came: string; readonly met: readonly string[] }[] = []
  let loaded: readonly string[] | null = null
  for (const job of await jobsOf()) {
    const [first, again] = [await asked(warm, job, null), await asked(warm, job, null)]
    loaded ??= first?.before ?? []
    // What differs by itself shows nothing.
    if (first !== null && first.came === again?.came) plain.push({ job, ...first })
  }
  return {
    async fateOf({ active }) {
      const isLoaded = loaded?.includes(active) === true
      const services = plain.filter(({ met }) => isLoaded || met.includes(active))
      const child = isLoaded ? processOf({ __STRYKER_ACTIVE_MUTANT__: active }) : warm
      try {
        for (const { job, came } of services) {
          const judged = await asked(child, job, active)
          if (judged === null) return { status: 'timed out', by: job.name }
          if (judged.came === came) continue
          // What it kept of a mutant must not meet the next.
          child.end()
          return { status: 'killed by the gate', by: job.name }
        }
        return services.length === 0 ? null : { status: 'survived', by: null }
      } finally {
        if (isLoaded) child.end()
      }
    },
    async end() {
      warm.end()
      await rm(dirname(file), { recursive: true, force: true })
    },
  }
}
