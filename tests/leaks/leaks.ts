import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { finderOf, type Finder } from './finder.ts'
import { packedIn } from './packed-files.ts'

/** All output of a run. */
export interface Shown {
  readonly stdout: string
  readonly stderr: string
  /** Every file in it is searched, names included. The folder may be missing if the run never created it. */
  readonly reportsFolder: string
  /** Files in it that contained credentials before the run, as paths relative to it. */
  readonly except?: readonly string[]
  /** The arguments that a process list shows. */
  readonly argv?: readonly string[]
}

/** A sentence for each place where one of these values can be read, by default in any encoding. Empty if nothing leaks. */
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

/** A finder that ignores encodings, which takes a hundredth of the time. */
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

/** Enough to identify a value. Others may read the output of tests. */
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
    // A run may create no folder. If the parent folder is also missing, the files to search were removed.
    if (existsSync(dirname(folder))) return []
    throw new Error(`searching ${folder} for credentials: neither it nor its parent folder exists any more`)
  }
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !except.includes(relative(folder, file)))
}
