import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { built } from '../../bin/build.mjs'
import { verdictJson } from '../../lib/verdict/verdict-json.ts'
import { countGiven, endIn, namesOf } from '../asked.ts'
import { inPart, partOf } from '../part.ts'
import { atMost } from '../../tests/support/program.ts'
import { addToFirstRun, readFirstRun, type StrangerRecord } from './record.ts'
import {
  allStrangers,
  isWrong,
  judgeStranger,
  senseOf,
  senses,
  strangerProfiles,
  type Stranger,
  type StrangerOutcome,
  type StrangerRun,
} from './stranger.ts'

const reports = fileURLToPath(new URL('../../reports/strangers', import.meta.url))

const usage = `npm run lab -- strangers [options]: judges services by people who knew the specification alone, two at a time.
  --profiles LIST  of gate,acceptance (both unless given)
  --only TEXT      services whose name holds this, as sharing/
  --part K/N       every Nth of these, from the Kth on
  --times N        judges each so many times (1)
  --first          adds the runs to lab/strangers/first-run.json, for services that are not there yet
Ends in 1 where a conformant one is blamed, one of sharing/ that was found at first is missed in gate, or a run could not be made. The verdicts are written to reports/strangers/.
`

interface Asked {
  readonly strangers: readonly Stranger[]
  readonly profiles: readonly StrangerRun['profile'][]
  readonly times: number
  readonly first: boolean
}

function asked(): Asked {
  const { values } = parseArgs({
    options: {
      profiles: { type: 'string', default: strangerProfiles.join(',') },
      only: { type: 'string', default: '' },
      part: { type: 'string' },
      times: { type: 'string', default: '1' },
      first: { type: 'boolean', default: false },
    },
  })
  const { only, first } = values
  const profiles = namesOf('--profiles', values.profiles, strangerProfiles)
  const strangers = inPart(
    partOf(values.part),
    allStrangers.filter(({ name }) => name.includes(only)),
  )
  if (strangers.length === 0) throw new Error(`--only: given ${only}, which no name holds`)
  return { strangers, profiles, times: countGiven('--times', values.times), first }
}

/** Requests of one run must not wait long for the processor that another uses. */
const oneOfTwo = atMost(2)

async function judgeAll({ strangers, profiles, times }: Asked): Promise<readonly StrangerOutcome[]> {
  const runs = strangers.flatMap(({ name }) =>
    profiles.flatMap((profile) =>
      Array.from({ length: times }, (_, at) => ({ service: name, profile, run: at + 1 })),
    ),
  )
  return Promise.all(runs.map((run) => oneOfTwo(() => judged(run))))
}

async function judged(run: StrangerRun): Promise<StrangerOutcome> {
  const { outcome, verdict } = await tried(run)
  const { service, profile, code, requests, seconds } = outcome
  const file = join(reports, `${service}-${profile}-${run.run}.json`)
  await mkdir(dirname(file), { recursive: true })
  if (verdict !== null) await writeFile(file, verdictJson(verdict))
  process.stderr.write(`${service} ${profile} ${run.run}: ${code}, ${requests} requests, ${seconds} s\n`)
  return outcome
}

/** A run that could not be made is an outcome, too. */
async function tried(run: StrangerRun): ReturnType<typeof judgeStranger> {
  try {
    return await judgeStranger(run)
  } catch (error) {
    const nothing = { code: null, failed: [], notJudged: [], requests: 0, seconds: 0 }
    return { outcome: { ...run, ...nothing, because: [String(error)] }, verdict: null }
  }
}

function table(outcomes: readonly StrangerOutcome[]): string {
  const rows = outcomes.map(({ service, profile, code, failed }) => [
    service,
    isWrong(service) ? 'wrong' : 'conformant',
    profile,
    String(code),
    failed.join(', '),
  ])
  const all = [['service', 'is', 'profile', 'exit', 'failed rules'], ...rows]
  const widths = all[0]?.map((_, at) => Math.max(...all.map((row) => row[at]?.length ?? 0))) ?? []
  return all
    .map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

/** How many runs came to what in each profile, and each that came to what it should not. */
function summary(outcomes: readonly StrangerOutcome[]): string {
  const lines = strangerProfiles.flatMap((profile) => {
    const runs = outcomes.filter((one) => one.profile === profile)
    const counts = senses.map((sense) => `${runs.filter((one) => senseOf(one) === sense).length} ${sense}`)
    const others = runs.filter((one) => !['found', 'cleared'].includes(senseOf(one)))
    const told = others.map((one) => `    ${senseOf(one)}: ${one.service} ${one.because.join(' ')}`.trimEnd())
    return runs.length === 0 ? [] : [`${profile}: ${counts.join(', ')}`, ...told]
  })
  return lines.map((line) => `${line}\n`).join('')
}

/** The commit is the last one that changed what judges. */
function headOfRecord(): Omit<StrangerRecord, 'outcomes'> {
  const log = ['log', '-1', '--format=%h', '--', 'lib', 'suites', 'bin']
  const suite = execFileSync('git', log, { encoding: 'utf8' }).trim()
  return { date: new Date().toISOString().slice(0, 10), node: process.version, suite }
}

/** Which request follows which on a connection of the pool is chance: on a busy machine none may follow two successes. */
const byChance = ['sharing/sticky-connection']

function mustBeFound({ service, profile }: StrangerOutcome, first: readonly StrangerOutcome[]): boolean {
  if (profile !== 'gate' || !service.startsWith('sharing/') || byChance.includes(service)) return false
  return first.some((one) => one.service === service && one.profile === profile && senseOf(one) === 'found')
}

async function main(): Promise<number> {
  const given = asked()
  built()
  const outcomes = await judgeAll(given)
  process.stdout.write(`${table(outcomes)}\n${summary(outcomes)}`)
  if (given.first) await addToFirstRun({ ...headOfRecord(), outcomes })
  const first = (await readFirstRun())?.outcomes ?? []
  const isWorse = (one: StrangerOutcome): boolean =>
    ['blamed', 'not judged'].includes(senseOf(one)) || (senseOf(one) !== 'found' && mustBeFound(one, first))
  return outcomes.some(isWorse) ? 1 : 0
}

await endIn(main, usage)
