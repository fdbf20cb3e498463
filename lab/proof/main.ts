import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { built } from '../../bin/build.mjs'
import type { ProfileName } from '../../lib/settings/profiles.ts'
import { provenOtherwise } from '../service/faults/proven-otherwise.ts'
import { groupBy } from '../../lib/text/counts.ts'
import { runProgram } from '../../tests/support/program.ts'
import { trustedProfiles } from '../trust/figures.ts'
import { countGiven, endIn, profilesOf } from '../asked.ts'
import { inPart, partOf, type Part } from '../part.ts'
import { jobsOf, jobsOnce } from './jobs.ts'
import { profileNames } from './profile-names.ts'
import { proofFolder, proofPage, proofTables } from './markdown.ts'
import { progressLine } from './progress.ts'
import { summarise, type Proof } from './summary.ts'
import type { Job, Outcome } from './subject.ts'
import { allSubjects } from './subjects.ts'
import { runJobs } from './workers.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

const usage = `npm run proof [-- options]: runs the whole program against every bent service, variant and target.
  --profiles LIST  gate,acceptance,nightly (all three unless given)
  --only TEXT      subjects whose name holds this, or whose kind is this
  --each-once      one run for each fault, in the first profile that must notice it, and each variant, in acceptance
  --part K/N       every Nth of these runs, from the Kth on
  --again          only what did not end well according to ${proofFolder}/proof.json; the rest is taken from there
  --replay         follows the replay line of one finding of each red rule, too: none may end in 0
  --at-once N      runs side by side (4)
The data and the long tables are written to ${proofFolder}/. A proof of every subject in gate and acceptance, at least,
also writes docs/proof.md; npm run lab -- trust then puts its figures into docs/trust.md.
`

interface Asked {
  readonly profiles: readonly ProfileName[]
  readonly only: string | null
  readonly eachOnce: boolean
  readonly part: Part | null
  readonly again: boolean
  readonly replay: boolean
  readonly atOnce: number
}

function asked(): Asked {
  const { values } = parseArgs({
    options: {
      profiles: { type: 'string', default: profileNames.join(',') },
      only: { type: 'string' },
      'each-once': { type: 'boolean', default: false },
      part: { type: 'string' },
      again: { type: 'boolean', default: false },
      replay: { type: 'boolean', default: false },
      'at-once': { type: 'string', default: '4' },
    },
  })
  const profiles = profilesOf(values.profiles, profileNames)
  const atOnce = countGiven('--at-once', values['at-once'])
  const { only = null, 'each-once': eachOnce, again, replay } = values
  return { profiles, only, eachOnce, part: partOf(values.part), again, replay, atOnce }
}

async function write(proof: Proof, whole: boolean): Promise<void> {
  const folder = join(root, proofFolder)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'proof.json'), `${JSON.stringify(proof, null, 2)}\n`)
  await writeFile(join(folder, 'tables.md'), proofTables(proof))
  if (whole) await writeFile(join(root, 'docs/proof.md'), proofPage(proof))
}

async function prove({ profiles, only, eachOnce, part, again, replay, atOnce }: Asked): Promise<number> {
  built()
  const subjects = allSubjects.filter(
    ({ name, kind }) => only === null || name.includes(only) || kind === only,
  )
  const judged = eachOnce ? jobsOnce(subjects) : jobsOf(subjects, profiles)
  const all = replay ? judged.map((job) => ({ ...job, replays: [] })) : judged
  if (all.length === 0) throw new Error(`--only: given ${only}, which no subject's name holds`)
  const jobs = inPart(part, all)
  const known = again ? await lastProof() : nothingKnown
  const open = jobs.filter((job) => !known.outcomes.some((outcome) => isOf(outcome, job)))
  const taken = known.outcomes.filter((outcome) => jobs.some((job) => isOf(outcome, job)))
  const started = performance.now()
  const made = await runJobs(open, atOnce, (outcome, done) => {
    process.stdout.write(progressLine(outcome, done, open.length))
  })

  const outcomes = [...taken, ...made]
  const proof = summarise(subjects, outcomes, {
    date: new Date().toISOString().slice(0, 10),
    wallSeconds: known.wallSeconds + (performance.now() - started) / 1_000,
    profiles,
    atOnce: Math.max(known.atOnce, atOnce),
    provenOtherwise,
    gateRequests: await requestsOfGate(),
  })
  const isPublished = trustedProfiles.every((profile) => profiles.includes(profile))
  const whole = only === null && !eachOnce && part === null && isPublished
  await write(proof, whole)
  // What only some of the subjects prove says nothing about rules, nor about how many causes faults have.
  const wrong = only === null && part === null ? [...proof.unproven, ...proof.scattered] : []
  for (const sentence of [...proof.shortcomings, ...wrong]) process.stdout.write(`✗ ${sentence}\n`)
  const ends = groupBy(
    outcomes.flatMap(({ replays = [] }) => replays),
    (end) => end,
  )
  for (const [end, { length }] of ends) process.stdout.write(`${length} replays: ${end}\n`)
  process.stdout.write(
    `${outcomes.length - proof.wrongRuns} passed, ${proof.wrongRuns + wrong.length} failed\n`,
  )
  return proof.wrongRuns + wrong.length === 0 ? 0 : 1
}

/** What a gate sends to the plain service with every fixture, by rule. */
async function requestsOfGate(): Promise<Readonly<Record<string, number>>> {
  const { verdict } = await runProgram(['--base-url', 'embedded', '--profile', 'gate'])
  return verdict?.requests.byRule ?? {}
}

/** What an earlier proof says of runs that came out well, how long it took, and with how many side by side. */
interface Known {
  readonly outcomes: readonly Outcome[]
  readonly wallSeconds: number
  readonly atOnce: number
}

const nothingKnown: Known = { outcomes: [], wallSeconds: 0, atOnce: 0 }

async function lastProof(): Promise<Known> {
  const { subjects, wallSeconds, atOnce }: Proof = JSON.parse(
    await readFile(join(root, proofFolder, 'proof.json'), 'utf8'),
  )
  const outcomes = subjects.flatMap((subject) => subject.outcomes)
  return { outcomes: outcomes.filter(({ shortcomings }) => shortcomings.length === 0), wallSeconds, atOnce }
}

function isOf(outcome: Outcome, { kind, name, profile, fuzzCases, replays }: Job): boolean {
  return (
    outcome.kind === kind &&
    outcome.name === name &&
    outcome.profile === profile &&
    outcome.fuzzCases === fuzzCases &&
    (outcome.replays === undefined) === (replays === undefined)
  )
}

await endIn(async () => prove(asked()), usage)
