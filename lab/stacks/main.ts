import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { endIn, namesOf } from '../asked.ts'
import { inPart, partOf, type Part } from '../part.ts'
import { verdictJson } from '../../lib/verdict/verdict-json.ts'
import { judgeStack, setups, type Setup, type StackOutcome, type StackRun } from './judged-stack.ts'
import { stacksPage } from './page.ts'
import {
  firstRun,
  isFound,
  lastRun,
  merged,
  outcomeOf,
  readRecord,
  readSettlements,
  writeRecord,
  type StackRecord,
} from './record.ts'
import { folderOf, type StackFolder } from './running-stack.ts'
import { allStacks, faultsOf, missingFor, versionsOf, type Stack } from './stack.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const reports = join(root, 'reports/stacks')

const usage = `npm run lab -- stacks [options]: judges services that others wrote in other frameworks.
  --only LIST      stacks of these names, as node-http,koa
  --profiles LIST  of gate,acceptance,nightly,described (gate,acceptance unless given); described is acceptance with
                   an endpoints file that describes the parameter of the list
  --faults         each stack also with each of its faults
  --part K/N       every Nth of these faults, from the Kth on
  --seed TEXT      credentials made of this text, as a record names it (new ones for each run unless given)
  --again          the credentials of the runs in lab/stacks/${lastRun}; a fault that was found there must be found
  --page           adds the runs to lab/stacks/${lastRun}, and writes docs/stacks.md
  --first          adds the runs to lab/stacks/${firstRun}, for stacks that are not there yet
The verdicts are written to reports/stacks/.
`

interface Asked {
  readonly stacks: readonly Stack[]
  readonly profiles: readonly Setup[]
  readonly faults: boolean
  readonly part: Part | null
  readonly seed: string | null
  /** The runs to repeat with the same credentials. */
  readonly again: StackRecord | null
  readonly page: boolean
  readonly first: boolean
}

async function asked(): Promise<Asked> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      profiles: { type: 'string', default: 'gate,acceptance' },
      faults: { type: 'boolean', default: false },
      part: { type: 'string' },
      seed: { type: 'string' },
      again: { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
      first: { type: 'boolean', default: false },
    },
  })
  const known = allStacks.map(({ name }) => name)
  const only = values.only?.split(',') ?? known
  const stacks = allStacks.filter(({ name }) => only.includes(name))
  if (stacks.length !== only.length)
    throw new Error(`--only: given ${values.only}, expected of ${known.join(', ')}`)
  const profiles = namesOf('--profiles', values.profiles, setups)
  const { faults, seed = null, page, first } = values
  const again = values.again ? await readRecord(lastRun) : null
  return { stacks, profiles, faults, part: partOf(values.part), seed, again, page, first }
}

/** Runs of a stack, first as it is. */
function runsOf(stack: Stack, { profiles, faults, part }: Asked): readonly StackRun[] {
  const bent = faults ? inPart(part, faultsOf(stack)).map(({ name }) => name) : []
  return [null, ...bent].flatMap((fault) =>
    profiles.map((profile) => ({ stack: stack.name, fault, profile })),
  )
}

async function runAll(what: Asked): Promise<readonly StackOutcome[]> {
  const outcomes: StackOutcome[] = []
  await mkdir(reports, { recursive: true })
  for (const stack of what.stacks) {
    const folder = await folderOf(stack)
    try {
      for (const run of runsOf(stack, what)) {
        const outcome = await tried(run, folder, seedFor(run, what))
        outcomes.push(outcome)
        process.stdout.write(told(outcome))
      }
    } finally {
      await folder.remove()
    }
  }
  return outcomes
}

function seedFor({ stack, fault, profile }: StackRun, { seed, again }: Asked): string {
  const recorded = again === null ? null : outcomeOf(again, stack, fault, profile)
  return seed ?? recorded?.seed ?? randomBytes(6).toString('hex')
}

/** A stack that does not start is an outcome, too. */
async function tried(run: StackRun, folder: StackFolder, seed: string): Promise<StackOutcome> {
  const { stack, fault, profile } = run
  try {
    const { outcome, verdict } = await judgeStack(run, folder, seed)
    await writeFile(join(reports, `${stack}-${fault ?? 'plain'}-${profile}.json`), verdictJson(verdict))
    return outcome
  } catch (error) {
    const red = [{ rule: 'none', status: 'failed', says: [String(error)] }]
    return { ...run, verdict: 'error', red, requests: 0, seconds: 0, seed }
  }
}

function told({ stack, fault, profile, verdict, red, requests, seconds, seed }: StackOutcome): string {
  const head = `${stack} ${fault ?? 'plain'} ${profile}: ${verdict}, ${requests} requests, ${seconds} s, seed ${seed}\n`
  const shown = fault === null || verdict === 'error' ? red : []
  return head + shown.flatMap(({ rule, says }) => says.map((one) => `    ${rule}: ${one}\n`)).join('')
}

/** Plain services that were blamed or not judged to the end, and faults that were found before and are not now. */
async function wrongIn(made: StackRecord, before: StackRecord | null): Promise<readonly string[]> {
  const settlements = await readSettlements()
  const standing = (name: string): readonly string[] =>
    settlements.filter((one) => one.stack === name).flatMap(({ stands = [] }) => stands)
  return made.outcomes.flatMap(({ stack, fault, profile, verdict, red }) => {
    if (verdict === 'error') return [`${stack} ${fault ?? 'plain'} could not be judged in ${profile}`]
    if (fault === null)
      return verdict !== 'incomplete' && red.every(({ rule }) => standing(stack).includes(rule))
        ? []
        : [`${stack} is ${verdict} in ${profile}`]
    const isKnown = before !== null && isFound(before, stack, fault, profile)
    return isKnown && !isFound(made, stack, fault, profile)
      ? [`the fault ${fault} of ${stack} was found before in ${profile}, and is not now`]
      : []
  })
}

/** The first run of a stack is written down once. */
async function writeFirst(made: StackRecord): Promise<void> {
  const first = await readRecord(firstRun)
  const known = made.outcomes.find(({ stack }) => first?.outcomes.some((one) => one.stack === stack))
  if (known !== undefined)
    throw new Error(`--first: ${known.stack} is in ${firstRun} already, which is never changed`)
  await writeRecord(firstRun, merged(first, made))
}

/** What is said of a fault is in its verdict. */
function inShort(outcome: StackOutcome): StackOutcome {
  if (outcome.fault === null) return outcome
  return { ...outcome, red: outcome.red.map((rule) => ({ ...rule, says: [] })) }
}

async function writePage(made: StackRecord): Promise<void> {
  const first = await readRecord(firstRun)
  if (first === null) throw new Error(`--page: there is no ${firstRun}`)
  const last = merged(await readRecord(lastRun), { ...made, outcomes: made.outcomes.map(inShort) })
  await writeRecord(lastRun, last)
  const stacks = allStacks.map((stack) => ({ ...stack, faults: faultsOf(stack) }))
  const settlements = await readSettlements()
  await writeFile(join(root, 'docs/stacks.md'), stacksPage({ stacks, first, last, settlements }))
}

async function main(): Promise<number> {
  const given = await asked()
  const left = given.stacks.filter((stack) => missingFor(stack).length > 0)
  for (const stack of left) {
    const missing = missingFor(stack).join(', ')
    process.stdout.write(`${stack.name} is left out: ${missing} not installed, run .ci/install-stacks\n`)
  }
  const stacks = given.stacks.filter((stack) => !left.includes(stack))
  const made: StackRecord = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    versions: Object.fromEntries(stacks.map((stack) => [stack.name, versionsOf(stack)])),
    outcomes: await runAll({ ...given, stacks }),
  }
  const demanded = (process.env['TESTS_DEMAND_PROGRAMS'] ?? '') !== ''
  const wrong = [
    ...(await wrongIn(made, given.again)),
    ...(demanded ? left.map(({ name }) => `${name} was left out, and TESTS_DEMAND_PROGRAMS demands it`) : []),
  ]
  if (given.first) await writeFirst(made)
  if (given.page) await writePage(made)
  for (const sentence of wrong) process.stdout.write(`✗ ${sentence}\n`)
  process.stdout.write(`${made.outcomes.length} runs, ${wrong.length} wrong\n`)
  return wrong.length > 0 ? 1 : 0
}

await endIn(main, usage)
