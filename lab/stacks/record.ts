import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failedRules, type Setup, type StackOutcome } from './judged-stack.ts'
import { stacksFolder } from './stack.ts'

/** Runs that were written down. */
export interface StackRecord {
  /** Of the newest of them. */
  readonly date: string
  readonly node: string
  /** Commit of the suite, where it is not the one that the record is in. */
  readonly suite?: string
  /** By stack, what was installed. */
  readonly versions: Readonly<Record<string, readonly (readonly [name: string, version: string | null])[]>>
  readonly outcomes: readonly StackOutcome[]
}

/** A finding or a miss of the first run, and how it was settled. */
export interface Settlement {
  readonly stack: string
  readonly seen: string
  /** Rules that were red in the first run of the plain service by what was seen; none if it had no such run, or a fault was missed. */
  readonly accused?: readonly string[]
  /** Who was wrong; `silent` where the specification does not say, `limit` where the suite cannot know. */
  readonly side: 'service' | 'suite' | 'runner' | 'silent' | 'limit'
  readonly settled: string
  /** Rules that the plain service breaks for good, since what breaks them is a server that cannot be mended. */
  readonly stands?: readonly string[]
}

/** The file of the first run, which is never written again. */
export const firstRun = 'first-run.json'
/** The file of the newest runs. */
export const lastRun = 'last-run.json'

/** Reads a record; null where there is none yet. */
export async function readRecord(file: string): Promise<StackRecord | null> {
  const text = await readFile(join(stacksFolder, file), 'utf8').catch(() => null)
  return text === null ? null : JSON.parse(text)
}

/** Reads what was settled. */
export async function readSettlements(): Promise<readonly Settlement[]> {
  return JSON.parse(await readFile(join(stacksFolder, 'settled.json'), 'utf8'))
}

/** Adds runs to a record; each replaces an earlier one of the same stack, fault and profile. */
export function merged(known: StackRecord | null, made: StackRecord): StackRecord {
  const { outcomes } = made
  const kept = (known?.outcomes ?? []).filter((one) => !outcomes.some((other) => isSameRun(one, other)))
  const all = [...kept, ...outcomes].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  return { ...known, ...made, versions: { ...known?.versions, ...made.versions }, outcomes: all }
}

/** Writes a record, a run on each line. */
export async function writeRecord(file: string, record: StackRecord): Promise<void> {
  const { outcomes, ...head } = record
  const runs = outcomes.map((outcome) => JSON.stringify(outcome)).join(',\n')
  const text = `${JSON.stringify(head).slice(0, -1)},"outcomes":[\n${runs}\n]}\n`
  await writeFile(join(stacksFolder, file), text)
}

/** The run of a stack, with a fault or as it is. */
export function outcomeOf(
  { outcomes }: StackRecord,
  stack: string,
  fault: string | null,
  profile: Setup,
): StackOutcome | null {
  return outcomes.find((one) => isSameRun(one, { stack, fault, profile })) ?? null
}

/** Whether a fault was found: something was wrong that is not wrong without it. */
export function isFound(record: StackRecord, stack: string, fault: string, profile: Setup): boolean {
  const bent = outcomeOf(record, stack, fault, profile)
  const plain = outcomeOf(record, stack, null, profile)
  if (bent?.verdict !== 'nonconformant') return false
  const blamedAnyhow = plain === null ? [] : failedRules(plain)
  return failedRules(bent).some((rule) => !blamedAnyhow.includes(rule))
}

function isSameRun(
  one: Pick<StackOutcome, 'stack' | 'fault' | 'profile'>,
  other: Pick<StackOutcome, 'stack' | 'fault' | 'profile'>,
): boolean {
  return one.stack === other.stack && one.fault === other.fault && one.profile === other.profile
}

function keyOf({ stack, fault, profile }: StackOutcome): string {
  return [stack, fault ?? '', profile].join(' ')
}
