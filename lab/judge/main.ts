import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { built } from '../../bin/build.mjs'
import { groupBy } from '../../lib/text/counts.ts'
import { countGiven, endIn, namesOf } from '../asked.ts'
import { servicesOf } from './all-services.ts'
import { wrongShares } from './expect.ts'
import { runJobs } from './pool.ts'
import { profileNames, sources, type Job, type Outcome, type Service, type Watching } from './service.ts'
import { goldenSink } from './sinks/golden.ts'
import { peersSink } from './sinks/peers.ts'
import { replaySink } from './sinks/replay.ts'
import { secondSink } from './sinks/second.ts'
import type { Sink } from './sinks/sink.ts'

const reports = fileURLToPath(new URL('../../reports', import.meta.url))

/** One of several shares of runs: the Kth of N, from 1. */
interface Part {
  readonly place: number
  readonly of: number
}

const sinkNames = ['page', 'golden', 'second', 'replay', 'peers', 'json'] as const

type SinkName = (typeof sinkNames)[number]

const usage = `npm run lab -- judge [options]: judges services of which it is known what must come of them.
  --of LIST        of ${sources.join(',')} (all unless given)
  --profiles LIST  of ${profileNames.join(',')} (gate unless given)
  --only NAME      services whose name holds this
  --part K/N       every Nth of them, from the Kth on
  --seeds N        judges each with the seeds 1 to N; else with that of the profile
  --to LIST        page    writes lab/judge/proof.md, if all faults, variants, targets and echoes were judged in gate and acceptance
                   golden  holds exit, statuses, fingerprints, requests and bytes against reports/golden/golden.tsv; sends one
                           request at a time, with seed 1
                   second  asks the second judge about each exchange
                   replay  plays the replay line of one finding of each red rule: none may end in 0
                   peers   has a gate of one case a rule, newman and pactum look at each fault and variant, too; writes the table of
                           README.md, if they looked at all
                   json    prints the outcomes
  --write          writes the file of golden instead; each is judged twice, and what differs by itself is left out as ~
  --at-once N      runs side by side (${availableParallelism() + 1} here)
The outcomes are written to reports/judge.json. Ends in 1 where one of them is not as expected.
`

interface Asked {
  readonly of: readonly (typeof sources)[number][]
  readonly profiles: readonly (typeof profileNames)[number][]
  readonly only: string
  readonly part: Part | null
  readonly seeds: readonly (number | null)[]
  readonly to: readonly SinkName[]
  readonly write: boolean
  readonly atOnce: number
}

function asked(): Asked {
  const { values } = parseArgs({
    options: {
      of: { type: 'string', default: sources.join(',') },
      profiles: { type: 'string', default: 'gate' },
      only: { type: 'string', default: '' },
      part: { type: 'string' },
      seeds: { type: 'string' },
      to: { type: 'string', default: '' },
      write: { type: 'boolean', default: false },
      'at-once': { type: 'string', default: String(availableParallelism() + 1) },
    },
  })
  const count = values.seeds === undefined ? 0 : countGiven('--seeds', values.seeds)
  return {
    of: namesOf('--of', values.of, sources),
    profiles: namesOf('--profiles', values.profiles, profileNames),
    only: values.only,
    part: partOf(values.part),
    seeds: count === 0 ? [null] : Array.from({ length: count }, (_, at) => at + 1),
    to: namesOf('--to', values.to, sinkNames),
    write: values.write,
    atOnce: countGiven('--at-once', values['at-once']),
  }
}

/** What `--part` says, as `1/3`; null where it is absent, and an error where it is none. */
function partOf(given: string | undefined): Part | null {
  if (given === undefined) return null
  const [place = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(given) ?? []).slice(1).map(Number)
  if (place < 1 || place > of)
    throw new Error(`--part: given ${given}, expected K/N with K from 1 to N, as 1/2`)
  return { place, of }
}

/** Every so many of those that the engine judges are judged by the whole program, whose reports are searched for credentials. */
const everyByProgram = 10

/** Credentials of others are made of words, which everything may hold. */
function isOurs({ of, over }: Service): boolean {
  return (of === 'faults' || of === 'variants') && over !== 'process'
}

function jobsOf(
  known: readonly Service[],
  { profiles, only, part, seeds, to, write }: Asked,
): readonly Job[] {
  const isGolden = to.includes('golden')
  const over = (service: Service, at: number): Job['over'] => {
    const { over: usual } = service
    // Golden sees what is written to the sockets of one process.
    if (isGolden) return usual === 'process' ? 'program' : usual
    return isOurs(service) && at % everyByProgram === 0 ? 'program' : usual
  }
  const services = known
    .map((service, at) => ({ service, over: over(service, at) }))
    .filter(({ service }) => service.name.includes(only))
  // Each share has some of every area.
  const chosen = services.filter((_, at) => part === null || at % part.of === part.place - 1)
  const sinks = (['golden', 'second', 'replay', 'peers'] as const satisfies readonly Watching[]).filter(
    (sink) => to.includes(sink),
  )
  const jobs = profiles.flatMap((profile) =>
    chosen
      .filter(({ service }) => service.profiles.includes(profile))
      .flatMap(({ service, ...way }) =>
        seeds.map((seed) => ({ of: service.of, name: service.name, profile, ...way, seed, sinks })),
      ),
  )
  return isGolden && write ? [...jobs, ...jobs] : jobs
}

async function main(): Promise<number> {
  const given = asked()
  built()
  const services = await servicesOf(given.of)
  const jobs = jobsOf(services, given)
  if (jobs.length === 0) throw new Error(`--only: given ${given.only}, which no name holds`)
  const make: Readonly<Record<SinkName, () => Sink | Promise<Sink>>> = {
    // It needs the services of every source that the page tells of.
    page: async () => (await import('./sinks/page.ts')).pageSink(),
    golden: () => goldenSink(given.write),
    second: secondSink,
    replay: replaySink,
    peers: peersSink,
    json: jsonSink,
  }
  const sinks: Sink[] = []
  for (const name of given.to) sinks.push(await make[name]())
  const outcomes: Outcome[] = []
  const mayNotRun = new Set(
    services.filter(({ expects }) => expects.mayNotRun === true).map(({ of, name }) => `${of} ${name}`),
  )
  await runJobs(jobs, given.atOnce, (ran, done) => {
    const { of, name, result } = ran.outcome
    const isAllowed = result === 'not run' && mayNotRun.has(`${of} ${name}`)
    const outcome: Outcome = isAllowed ? { ...ran.outcome, result: 'as expected' } : ran.outcome
    outcomes.push(outcome)
    process.stderr.write(progress(outcome, done, jobs.length))
    for (const sink of sinks) sink.each?.(ran)
  })
  await mkdir(reports, { recursive: true })
  await writeFile(join(reports, 'judge.json'), `${JSON.stringify(outcomes, null, 1)}\n`)
  const wrong = outcomes.filter(({ result }) => result !== 'as expected').length
  const open = [...wrongShares(services, outcomes)]
  for (const sink of sinks) open.push(...(await sink.end(outcomes)))
  for (const sentence of open) process.stdout.write(`✗ ${sentence}\n`)
  process.stderr.write(summary(outcomes))
  return wrong + open.length === 0 ? 0 : 1
}

function jsonSink(): Sink {
  return {
    end(all) {
      process.stdout.write(`${JSON.stringify(all)}\n`)
      return Promise.resolve([])
    },
  }
}

/** One line for each run that is not as expected, and one for every fiftieth, so that a log of CI stays readable. */
function progress(
  { of, name, profile, seed, result, seconds, because }: Outcome,
  done: number,
  all: number,
): string {
  if (result === 'as expected' && done % 50 !== 0) return ''
  const run = `${of} ${name}, ${profile}${seed === null ? '' : `, seed ${seed}`}`
  const line = `${done}/${all} ${result === 'as expected' ? '✓' : '✗'} ${run}: ${result}, ${seconds} s\n`
  return line + because.map((sentence) => `      ${sentence}\n`).join('')
}

/** How many runs came to what, by source and profile. */
function summary(outcomes: readonly Outcome[]): string {
  const groups = groupBy(outcomes, ({ of, profile }) => `${of}, ${profile}`)
  const lines = [...groups].map(([group, runs]) => {
    const counts = [...groupBy(runs, ({ result }) => result)].map(
      ([result, some]) => `${some.length} ${result}`,
    )
    const count = (is: (one: Outcome) => boolean): number => runs.filter(is).length
    const idle = count(({ exit, unreached }) => exit === null || unreached === true)
    const others = idle === 0 ? '' : `, ${idle} did not run or were not reached`
    return `${group}: ${runs.length} runs, ${count(({ noticed }) => noticed)} noticed${others}; ${counts.join(', ')}\n`
  })
  return lines.join('')
}

await endIn(main, usage)
