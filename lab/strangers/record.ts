import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { strangersFolder, type StrangerOutcome } from './stranger.ts'

/** What was written down of the first time that the services were judged. */
export interface StrangerRecord {
  readonly date: string
  readonly node: string
  /** Commit of the suite. */
  readonly suite: string
  readonly outcomes: readonly StrangerOutcome[]
}

const file = join(strangersFolder, 'first-run.json')

/** Reads the record; null where there is none yet. */
export async function readFirstRun(): Promise<StrangerRecord | null> {
  const text = await readFile(file, 'utf8').catch(() => null)
  return text === null ? null : JSON.parse(text)
}

/** Adds runs to the record, a line each. Throws for a service that is there already in this profile. */
export async function addToFirstRun(made: StrangerRecord): Promise<void> {
  const { outcomes, ...head } = (await readFirstRun()) ?? { ...made, outcomes: [] }
  const known = made.outcomes.find((one) => outcomes.some((other) => isSame(one, other)))
  if (known !== undefined)
    throw new Error(`--first: ${known.service} is in the first run already, which is never changed`)
  const runs = [...outcomes, ...made.outcomes].map((outcome) => JSON.stringify(outcome)).join(',\n')
  await writeFile(file, `${JSON.stringify(head).slice(0, -1)},"outcomes":[\n${runs}\n]}\n`)
}

function isSame(one: StrangerOutcome, other: StrangerOutcome): boolean {
  return one.service === other.service && one.profile === other.profile
}
