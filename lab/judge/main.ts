import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { built } from '../../bin/build.mjs'
import { groupBy } from '../../lib/text/members.ts'
import { countGiven, endIn, namesOf } from '../asked.ts'
import { servicesOf } from './all-services.ts'
import { wrongShares } from './expect.ts'
import { runJobs } from './pool.ts'
import { profileNames, sinkNames, sources, type Job, type Outcome, type Service } from './service.ts'
import { goldenSink } from './sinks/golden.ts'
import { peersSink } from './sinks/peers.ts'
import { replaySink, secondSink, type Sink } from './sinks/sink.ts'

const reports = fileURLToPath(new URL('../../reports', import.meta.url))

const usage = `npm run lab -- judge [options]: judges services whose results are known.
  --of LIST        any of ${sources.join(',')} (default all)
  --profiles LIST  any of ${profileNames.join(',')} (default gate)
  --only NAME      services whose name contains NAME
  --part K/N       every Nth service, starting with the Kth
  --seeds N        judges each with the seeds 1 to N (default: the seed of the profile)
  --to LIST        page    writes lab/judge/proof.md if all faults, variants, targets and echoes were judged in gate and acceptance
                   golden  compares exit code, statuses, fingerprints, requests and bytes with reports/golden/golden.json; sends one
                           request at a time, with seed 1
                   second  asks a second judge about each exchange
                   replay  runs the replay line of one finding of each red rule: none may end with 0
                   peers   also tests each fault and variant with an essential gate, newman and pactum; writes the table of
                           README.md if all of them were tested
  --write          writes the golden file instead; judges each service twice, and marks what differs between both runs as ~
  --at-once N      parallel runs (default here: ${availableParallelism() + 1})
The outcomes are written to reports/judge.json. Ends with 1 if any of them is not as expected.
`

type Asked = ReturnType<typeof asked>

function asked() {
  const { values } = parseArgs({
    options: {
      of: { type: 'string', default: sources.join(',') },
      profiles: { type: 'string', default: 'gate' },
      only: { type: 'string', default: '' },
      part: { type: 'string', default: '1/1' },
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

/** The value of `--part`, such as `1/3`: one of several parts of all runs. Throws if it is invalid. */
function partOf(given: string) {
  const [place = 0, of = 0] = (/^(\d+)\/(\d+)$/.exec(given) ?? []).slice(1).map(Number)
  if (place < 1 || place > of)
    throw new Error(`--part: given ${given}, expected K/N with K from 1 to N, such as 1/2`)
  return { place, of }
}

/**
 * Of the services judged by the engine, every tenth is judged by the whole program instead, and its reports
 * are searched for credentials.
 */
const everyByProgram = 10

function jobsOf(known: readonly Service[], { profiles, only, part, seeds, to, write }: Asked) {
  const isGolden = to.includes('golden')
  const over = ({ of, over: usual }: Service, at: number): Job['over'] => {
    // Golden watches the sockets of a single process.
    if (isGolden) return usual === 'process' ? 'program' : usual
    // Credentials of other sources consist of words that may occur anywhere.
    const isOurs = (of === 'faults' || of === 'variants') && usual !== 'process'
    return isOurs && at % everyByProgram === 0 ? 'program' : usual
  }
  const services = known
    .map((service, at) => ({ service, over: over(service, at) }))
    .filter(({ service }) => service.name.includes(only))
  // Every part contains services from every area. Mutants come in rounds of twelve kinds of answers, so the
  // place moves by one from round to round.
  const { place, of } = part
  const chosen = services.filter((_, at) => ((at + Math.floor(at / of)) % of) + 1 === place)
  const jobs = profiles.flatMap((profile) =>
    chosen
      .filter(({ service }) => service.profiles.includes(profile))
      .flatMap(({ service, ...way }) =>
        seeds.map((seed) => ({ of: service.of, name: service.name, profile, ...way, seed, sinks: to })),
      ),
  )
  return isGolden && write ? [...jobs, ...jobs] : jobs
}

async function main(): Promise<number> {
  const given = asked()
  built()
  const services = await servicesOf(given.of)
  const jobs = jobsOf(services, given)
  if (jobs.length === 0) throw new Error(`--only: given ${given.only}, which no name contains`)
  const make: Readonly<Record<(typeof sinkNames)[number], () => Sink | Promise<Sink>>> = {
    // The page needs the services of every source that it describes.
    page: async () => (await import('./sinks/page.ts')).pageSink(),
    golden: () => goldenSink(given.write),
    second: secondSink,
    replay: replaySink,
    peers: peersSink,
  }
  const sinks: Sink[] = []
  for (const name of given.to) sinks.push(await make[name]())
  const outcomes: Outcome[] = []
  const mayNotRun = services.filter(({ expects }) => expects.mayNotRun === true)
  await runJobs(jobs, given.atOnce, (ran, done) => {
    const { of, name, result } = ran.outcome
    const isAllowed = result === 'not run' && mayNotRun.some((one) => one.of === of && one.name === name)
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

/** One line for each unexpected run, and for every fiftieth run, so that CI logs stay readable. */
function progress({ of, name, profile, seed, result, seconds, because }: Outcome, done: number, all: number) {
  if (result === 'as expected' && done % 50 !== 0) return ''
  const run = `${of} ${name}, ${profile}${seed === null ? '' : `, seed ${seed}`}`
  const line = `${done}/${all} ${result === 'as expected' ? '✓' : '✗'} ${run}: ${result}, ${seconds} s\n`
  return line + because.map((sentence) => `      ${sentence}\n`).join('')
}

/** The number of runs with each result, by source and profile. */
function summary(outcomes: readonly Outcome[]): string {
  const groups = groupBy(outcomes, ({ of, profile }) => `${of}, ${profile}`)
  const lines = [...groups].map(([group, runs]) => {
    const results = groupBy(runs, ({ result }) => result)
    const counts = [...results].map(([result, some]) => `${some.length} ${result}`)
    const count = (is: (one: Outcome) => boolean): number => runs.filter(is).length
    const idle = count(({ exit, unreached }) => exit === null || unreached === true)
    const others = idle === 0 ? '' : `, ${idle} did not run or were not reached`
    return `${group}: ${runs.length} runs, ${count(({ noticed }) => noticed)} noticed${others}; ${counts.join(', ')}\n`
  })
  return lines.join('')
}

await endIn(main, usage)
