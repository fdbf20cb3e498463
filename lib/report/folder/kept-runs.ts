import { access, cp, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readVerdict } from '../../verdict/read-verdict.ts'

/** Name of the folder of the last finished run, in the reports folder. */
export const previousFolder = 'previous'
/** Name of the folder of the earlier runs that RUN_KEEP keeps, in the reports folder. */
export const runsFolder = 'runs'

/** Folders of earlier runs whose reports are kept, from the reports folder, by the start of the run. */
export type KeptRuns = ReadonlyMap<string, string>

/** Earlier runs whose reports stand in `runs/` or `previous/`. */
export async function keptRuns(folder: string): Promise<KeptRuns> {
  const last = await readVerdict(join(folder, previousFolder)).catch(() => null)
  const previous = last === null ? [] : [[last.startedAt, previousFolder] as const]
  const runs = (await namesOf(folder)).map((name) => [startOf(name), `${runsFolder}/${name}`] as const)
  const all = await Promise.all(
    [...previous, ...runs].map(async (one) =>
      (await isThere(join(folder, one[1], 'index.html'))) ? [one] : [],
    ),
  )
  return new Map(all.flat())
}

/** Whether anything has a name; a link to nothing has not. */
export async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  )
}

/** What is kept of earlier runs: these reports, of at most so many. */
interface Keeping {
  readonly keep: number
  readonly reports: readonly string[]
}

/** Copies the run of `previous/` into `runs/`, whole or not at all, and removes the oldest there beyond `keep`. Throws the file system's error. */
export async function keepPrevious(folder: string, { keep, reports }: Keeping): Promise<void> {
  if (keep === 0) return
  const verdict = await readVerdict(join(folder, previousFolder)).catch(() => null)
  if (verdict === null || verdict.verdict === 'error') return
  const runs = join(folder, runsFolder)
  await makeOwnFolder(runs)
  const name = nameOf(verdict.startedAt)
  if (!(await namesOf(folder)).includes(name)) {
    // A copy that a killed run began has this name, too.
    const copy = join(runs, '.copy')
    await rm(copy, { recursive: true, force: true })
    const filter = (file: string): boolean => {
      const [first = ''] = file.slice(join(folder, previousFolder).length + 1).split(/[\\/]/)
      return first === '' || reports.includes(first)
    }
    await cp(join(folder, previousFolder), copy, { recursive: true, filter })
    await rename(copy, join(runs, name))
  }
  const old = (await namesOf(folder)).toSorted().toReversed().slice(keep)
  for (const one of old) await rm(join(runs, one), { recursive: true, force: true })
}

/** Names of the kept runs. */
async function namesOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(join(folder, runsFolder)).catch(() => [])
  return names.filter((name) => /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z$/.test(name))
}

/** The UTC time as a name that every file system allows: `2026-11-20T02-00-00.000Z`. */
function nameOf(startedAt: string): string {
  return startedAt.replaceAll(':', '-')
}

function startOf(name: string): string {
  return name.replace(/T(\d\d)-(\d\d)-/, 'T$1:$2:')
}

/** Makes a folder if needed. A link with its name is removed, since it leads elsewhere. */
export async function makeOwnFolder(folder: string): Promise<void> {
  if (await isLink(folder)) await rm(folder)
  await mkdir(folder, { recursive: true })
}

/** Whether a name is a symbolic link. */
export async function isLink(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => null))?.isSymbolicLink() === true
}
