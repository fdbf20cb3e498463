import { existsSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { clients } from '../../lib/serve/reference/clients.ts'
import { finderOf, type Finder } from './finder.ts'

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
export async function leaks(shown: Shown, values: readonly string[], find: Finder = finderOf(values)) {
  const leaksIn = (place: string, bytes: Uint8Array): readonly string[] =>
    find(bytes).map(({ value, how }) => `${hint(values[value] ?? '')} can be read in ${place}, ${how}`)
  const told = [
    ...leaksIn('standard output', Buffer.from(shown.stdout)),
    ...leaksIn('standard error', Buffer.from(shown.stderr)),
    ...leaksIn('the command line', Buffer.from((shown.argv ?? []).join('\0'))),
  ]
  for (const file of await filesIn(shown.reportsFolder, shown.except ?? [])) {
    const name = relative(shown.reportsFolder, file)
    told.push(...leaksIn('the name of a file', Buffer.from(name)))
    for (const bytes of packedIn(await readFile(file))) told.push(...leaksIn(name, bytes))
  }
  return [...new Set(told)]
}

/** The credentials in the environment, and those of the reference service. */
export function credentialsIn(env: Readonly<Record<string, string>> = {}): readonly string[] {
  const given = Object.entries(env).filter(([name]) => /_(?:API|SECRET)_KEY$/.test(name))
  const issued = Object.values(clients).flatMap(({ apiKey, secretKey }) => [apiKey, secretKey])
  const all = [...given.map(([, value]) => value), ...issued]
  return [...new Set(all)].filter((value) => value.trim() !== '')
}

/** A finder that ignores encodings, which takes a hundredth of the time. */
export function plainly(values: readonly string[]): Finder {
  return (bytes) =>
    values.flatMap((text, value) => (Buffer.from(bytes).includes(text) ? [{ value, how: 'as text' }] : []))
}

/** Enough to identify a value. Others may read the output of tests. */
function hint(value: string): string {
  return `the value ${value.slice(0, Math.min(10, value.length / 4))}… of ${String(value.length)} characters`
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

/** The bytes of a file and of everything packed in it with gzip. Tar files do not compress. */
function packedIn(bytes: Buffer, deeper = 3): readonly Buffer[] {
  if (deeper === 0 || !bytes.subarray(0, 2).equals(gzipHeader)) return [bytes]
  try {
    return [bytes, ...packedIn(gunzipSync(bytes), deeper - 1)]
  } catch {
    return [bytes]
  }
}

const gzipHeader = Buffer.from([0x1f, 0x8b])
