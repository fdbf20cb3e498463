import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { countGiven, endIn, namesOf } from '../asked.ts'
import type { Situations } from '../second-judge/comparison.ts'
import { figuresOf, openLines } from '../second-judge/figures.ts'
import { built } from '../../bin/build.mjs'
import { profiles as profileTable } from '../../lib/settings/profiles.ts'
import { bundled } from './bundle.ts'
import {
  freshMutants,
  readKept,
  largestSample,
  sampled,
  sampledIds,
  selected,
  writeMutants,
  writePublished,
  type Kept,
  type Selection,
} from './inventory.ts'
import { judgedProfiles, type Job, type JudgedProfile, type MutantOutcome } from './job.ts'
import { listText } from './list.ts'
import type { Half, Mutant } from './mutant.ts'
import { mutantsPage } from './page.ts'
import { idsThat, outcomesIn, type Results } from './summary.ts'
import { runMutants, usualPatience } from './workers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'reports/mutants')
const outcomesFile = join(folder, 'outcomes.jsonl')

const usage = `npm run lab -- mutants [options]: judges services with one small change each, made by a program.
  --half HALF       seen, unseen or both (both)
  --profiles LIST   gate,acceptance (both)
  --only ID         this mutant; may be given several times
  --every           acceptance for every mutant; else only for those that gate did not catch, and a tenth of the others
  --continue        takes what an interrupted run knows already
  --sample N        this many (at most ${largestSample}) mutants of the half seen that were caught before; fails if one is not caught now
  --at-once N       runs side by side (as many as there are cores)
  --list            prints every mutant with its code; runs nothing
  --renew           writes lab/mutants/mutants.json anew; runs nothing
`

interface Asked extends Selection {
  readonly profiles: readonly JudgedProfile[]
  readonly sample: number | null
  readonly every: boolean
  readonly continues: boolean
  readonly atOnce: number
  readonly action: 'run' | 'list' | 'renew'
}

function asked(): Asked {
  const { values } = parseArgs({
    options: {
      half: { type: 'string', default: 'both' },
      profiles: { type: 'string', default: judgedProfiles.join(',') },
      only: { type: 'string', multiple: true, default: [] },
      every: { type: 'boolean', default: false },
      continue: { type: 'boolean', default: false },
      sample: { type: 'string' },
      'at-once': { type: 'string', default: String(availableParallelism()) },
      list: { type: 'boolean', default: false },
      renew: { type: 'boolean', default: false },
    },
  })
  return {
    half: halfNamed(values.half),
    profiles: namesOf('--profiles', values.profiles, judgedProfiles),
    only: values.only,
    every: values.every,
    continues: values.continue,
    sample: values.sample === undefined ? null : countGiven('--sample', values.sample),
    atOnce: countGiven('--at-once', values['at-once']),
    action: values.renew ? 'renew' : values.list ? 'list' : 'run',
  }
}

function halfNamed(given: string): Half | 'both' {
  const half = (['seen', 'unseen', 'both'] as const).find((name) => name === given)
  if (half === undefined) throw new Error(`--half: given ${given}, expected seen, unseen or both`)
  return half
}

type JobsOf = (mutants: readonly Pick<Mutant, 'id'>[], profile: JudgedProfile) => readonly Job[]

async function main(): Promise<number> {
  const wanted = asked()
  const { mutants, code } = await freshMutants()
  if (wanted.action === 'renew') {
    await writeMutants(mutants)
    process.stdout.write(`${String(mutants.length)} mutants\n`)
    return 0
  }
  const kept = await readKept()
  if (JSON.stringify(kept.mutants) !== JSON.stringify(mutants))
    throw new Error(
      'lab/mutants/mutants.json is not of this code; npm run lab -- mutants --renew writes it anew',
    )
  if (wanted.action === 'list') {
    process.stdout.write(await listText(selected(mutants, wanted)))
    return 0
  }
  const active = new Map(code.mutants.map((mutant) => [mutant.id, mutant.active]))
  built()
  const module = await bundled(code.files)
  const jobsOf: JobsOf = (some, profile) =>
    some.map(({ id }) => {
      const number = active.get(id)
      return { id, profile, code: number === undefined ? null : { module, active: number } }
    })
  try {
    return await (wanted.sample === null
      ? judgeAll(kept, wanted, jobsOf)
      : judgeSample(kept, wanted.sample, wanted, jobsOf))
  } finally {
    await rm(dirname(module), { recursive: true, force: true })
  }
}

/** Judges some mutants that were caught when the page was written: 1 if one of them is not caught any more. */
async function judgeSample(
  { mutants, conformant, published }: Kept,
  size: number,
  { profiles, atOnce }: Asked,
  jobsOf: JobsOf,
): Promise<number> {
  const jobs = profiles.flatMap((profile) => {
    const caught = mutants.filter(
      ({ id }) => !(id in conformant) && published[profile]?.includes(id) === true,
    )
    return jobsOf(sampled(caught, size), profile)
  })
  if (Object.keys(published).length === 0) {
    process.stdout.write('no results are published yet: there is nothing to compare with\n')
    return 0
  }
  if (size > largestSample) throw new Error(`--sample: given ${size}, expected at most ${largestSample}`)
  if (jobs.length === 0) throw new Error('none of the published mutants is on the list any more')
  const outcomes = await runMutants(jobs, atOnce, usualPatience, () => {})
  const lost = outcomes.filter(({ result }) => result !== 'caught')
  for (const { id, profile, result } of lost)
    process.stdout.write(`✗ ${profile}: ${id} was caught before: ${result}\n`)
  process.stdout.write(`${String(outcomes.length - lost.length)} caught, ${String(lost.length)} not\n`)
  return lost.length === 0 ? 0 : 1
}

/** Judges what is asked for, keeps the raw results, and writes the page if that is everything. */
async function judgeAll(kept: Kept, wanted: Asked, jobsOf: JobsOf): Promise<number> {
  const { profiles, only, half, every, continues, atOnce } = wanted
  const started = performance.now()
  const mutants = selected(kept.mutants, wanted)
  await mkdir(folder, { recursive: true })
  if (!continues) await rm(outcomesFile, { force: true })
  const known = continues ? await knownOutcomes() : []
  const met: Situations = new Map()
  const run = async (jobs: readonly Job[]): Promise<readonly MutantOutcome[]> => {
    const isOf = (job: Job) => (one: MutantOutcome) => one.id === job.id && one.profile === job.profile
    const taken = jobs.flatMap((job) => known.find(isOf(job)) ?? [])
    const open = jobs.filter((job) => !known.some(isOf(job)))
    const tell = (outcome: MutantOutcome, done: number): void => {
      void appendFile(outcomesFile, `${JSON.stringify(outcome)}\n`)
      if (only.length > 0 || outcome.result === 'error') process.stdout.write(`${lineOf(outcome)}\n`)
      else if (done % 50 === 0 || done === open.length)
        process.stdout.write(`${outcome.profile}: ${String(done)} of ${String(open.length)}\n`)
    }
    const made = await runMutants(open, atOnce, usualPatience, tell, met)
    return [...taken, ...made]
  }
  const gate = profiles.includes('gate') ? await run(jobsOf(mutants, 'gate')) : []
  const caught = gate.filter(({ result }) => result === 'caught')
  const checked = sampled(caught, Math.ceil(caught.length / 10))
  const left = every ? [] : caught.filter((outcome) => !checked.includes(outcome)).map(({ id }) => id)
  const leftOut = new Set(profiles.includes('acceptance') ? left : [])
  const further = mutants.filter(({ id }) => !leftOut.has(id))
  const acceptance = profiles.includes('acceptance') ? await run(jobsOf(further, 'acceptance')) : []

  const now = new Date()
  const results: Results = {
    date: now.toISOString().slice(0, 10),
    seed: profileTable.gate.seed(now),
    wallSeconds: Math.round((performance.now() - started) / 1_000),
    atOnce,
    taken: [...leftOut],
    outcomes: [...gate, ...acceptance],
    judges: known.length === 0 ? figuresOf(met) : null,
  }
  const differences = openLines(met)
  for (const line of differences) process.stdout.write(`${line}\n`)
  await writeFile(join(folder, 'results.json'), `${JSON.stringify(results, null, 2)}\n`)
  if (only.length === 0 && half === 'both' && profiles.length === judgedProfiles.length)
    await publish(kept, results)
  return differences.length === 0 ? 0 : 1
}

async function knownOutcomes(): Promise<readonly MutantOutcome[]> {
  const text = await readFile(outcomesFile, 'utf8').catch(() => '')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
}

async function publish(kept: Kept, results: Results): Promise<void> {
  const { mutants, conformant } = kept
  const caughtIn = (profile: JudgedProfile): readonly string[] =>
    sampledIds(idsThat('caught', mutants, outcomesIn(results, profile), { half: 'seen', conformant }))
  await writePublished(Object.fromEntries(judgedProfiles.map((profile) => [profile, caughtIn(profile)])))
  await writeFile(join(root, 'docs/mutants.md'), mutantsPage(kept, results))
}

function lineOf({ id, profile, result, failed, because, seconds }: MutantOutcome): string {
  const why = failed.length > 0 ? failed.join(', ') : because.join(' ')
  return `${profile}: ${id}: ${result}, ${seconds.toFixed(1)} s${why === '' ? '' : `: ${why}`}`
}

await endIn(main, usage)
