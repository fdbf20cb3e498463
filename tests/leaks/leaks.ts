import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { finderOf, type Finder } from './finder.ts'
import { packedIn } from './packed-files.ts'

/** Everything that a run shows to anybody. */
export interface Shown {
  readonly stdout: string
  readonly stderr: string
  /** Every file in it counts, whoever wrote it, and its name; a folder that a run never made shows nothing. */
  readonly reportsFolder: string
  /** Files in it, by their path from it, that held credentials before the run. */
  readonly except?: readonly string[]
  /** The arguments that a process list shows. */
  readonly argv?: readonly string[]
}

/** Where one of these values can be read, in whatever writing unless told otherwise, as sentences; none is what is wanted. */
export async function leaks(
  shown: Shown,
  values: readonly string[],
  find: Finder = finderFor(values),
): Promise<readonly string[]> {
  const texts = [
    { place: 'standard output', bytes: Buffer.from(shown.stdout) },
    { place: 'standard error', bytes: Buffer.from(shown.stderr) },
    { place: 'the command line', bytes: Buffer.from((shown.argv ?? []).join('\0')) },
  ]
  const told = texts.flatMap(({ place, bytes }) => leaksIn(bytes, { place, find, values }))
  for (const file of await filesIn(shown.reportsFolder, shown.except ?? [])) {
    const place = relative(shown.reportsFolder, file)
    const bytes = await readFile(file)
    told.push(
      ...leaksIn(Buffer.from(place), { place: 'the name of a file', find, values }),
      ...packedIn(bytes).flatMap((one) => leaksIn(one, { place, find, values })),
    )
  }
  return [...new Set(told)]
}

/** Finds these values as they are, in a hundredth of the time. */
export function plainly(values: readonly string[]): Finder {
  return (bytes) =>
    values.flatMap((text, value) => (Buffer.from(bytes).includes(text) ? [{ value, how: 'as text' }] : []))
}

interface Search {
  readonly place: string
  readonly find: Finder
  readonly values: readonly string[]
}

function leaksIn(bytes: Uint8Array, { place, find, values }: Search): readonly string[] {
  return find(bytes).map(({ value, how }) => `${hint(values[value] ?? '')} can be read in ${place}, ${how}`)
}

/** Enough to know which it is; what a test prints may be read by others. */
function hint(value: string): string {
  return `the value ${value.slice(0, Math.min(10, value.length / 4))}… of ${String(value.length)} characters`
}

const finders = new Map<string, Finder>()

function finderFor(values: readonly string[]): Finder {
  const name = JSON.stringify(values)
  const finder = finders.get(name) ?? finderOf(values)
  finders.clear()
  finders.set(name, finder)
  return finder
}

async function filesIn(folder: string, except: readonly string[]): Promise<readonly string[]> {
  const status = await stat(folder).catch(() => null)
  if (status?.isFile() === true) return [folder]
  if (status === null) {
    // A run may make no folder; but where the one around it is gone, somebody removed what was to be searched.
    if (existsSync(dirname(folder))) return []
    throw new Error(
      `searching ${folder} for credentials: neither it nor the folder around it exists any more`,
    )
  }
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !except.includes(relative(folder, file)))
}
