import { randomUUID } from 'node:crypto'
import {
  constants,
  readFileSync,
  readlinkSync,
  rmSync,
  existsSync,
  lstatSync,
  mkdirSync,
  renameSync,
} from 'node:fs'
import {
  access,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
  type FileHandle,
} from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { readBounded, sizeLimits, UnfitFile } from '../../settings/user-file.ts'
import { jsonValue, objectOr } from '../../text/json.ts'
import { codeOf, errorText, printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'
import { verdictFormat, type Verdict } from '../../verdict/verdict.ts'

/** Reports that every run leaves and that cover only that run, with the verdict first. */
export const reportNames = [
  'verdict.json',
  'index.html',
  'junit.xml',
  'summary.md',
  'requests.http',
  'metrics.prom',
] as const

/** Everything that a run leaves, with the verdict first. The history outlives individual runs. */
const runNames = [...reportNames, 'allure-results', 'run.sha256', 'attestation.json'] as const
/** Name of the page about all runs. The page is never moved, because it contains relative links to them. */
export const historyName = 'history.html'
/** Temporary files from a killed run, and leftovers from a run without a verdict. */
const unfinishedReport = new RegExp(
  `^\\.(?:${[...runNames, historyName].join('|').replaceAll('.', '\\.')})\\.[0-9a-f-]{36}$`,
)

const nameAnother = 'name another folder with RUN_REPORTS_DIR (--reports-dir)'

/** An unusable reports folder. */
export class ReportsFolderError extends UnusableInput {
  override readonly name = 'ReportsFolderError'
}

/** Creates the folder if needed. Throws {@link ReportsFolderError}. */
export async function makeReportsFolder(folder: string) {
  const made = mkdir(folder, { recursive: true })
  await explained(
    folder,
    made.then(async () => access(folder, constants.W_OK)),
  )
}

/** Creates the folder if needed, and removes the reports from an earlier run. Throws {@link ReportsFolderError}. */
export async function clearReports(folder: string) {
  await makeReportsFolder(folder)
  await explained(folder, remove(folder, [...runNames, historyName]))
  await explained(folder, removeUnfinished(folder))
}

/** Writes a report completely or not at all. Throws {@link ReportsFolderError}. */
export async function writeReport(folder: string, name: string, text: string | Buffer) {
  await explained(join(folder, name), writeWhole(join(folder, name), text))
}

/** Removes a report, which may be a folder. Throws {@link ReportsFolderError}. */
export async function removeReport(folder: string, name: string) {
  await explained(join(folder, name), remove(folder, [name]))
}

/** Writes a file completely or not at all, and flushes it to disk before it replaces another. Throws errors from the file system. */
export async function writeWhole(file: string, content: string | Buffer) {
  const temporary = join(dirname(file), `.${basename(file)}.${randomUUID()}`)
  await writeNew(temporary, content)
  await rename(temporary, file).catch(async (error: unknown) => {
    await rm(temporary, { force: true })
    throw error
  })
}

/** Writes and flushes a new file, and removes it if that fails. Throws errors from the file system, including EEXIST if the name is taken, even by a dangling link. */
export async function writeNew(file: string, content: string | Buffer) {
  const handle = await open(file, 'wx')
  try {
    await handle.writeFile(content)
    await handle.sync()
  } catch (error) {
    await rm(file, { force: true })
    throw error
  } finally {
    await handle.close()
  }
}

/** Removes temporary files left by runs that were killed while writing. */
async function removeUnfinished(folder: string) {
  const unfinished = (await readdir(folder)).filter((name) => unfinishedReport.test(name))
  await remove(folder, unfinished)
}

async function remove(folder: string, names: readonly string[]) {
  await Promise.all(names.map((name) => rm(join(folder, name), { recursive: true, force: true })))
}

/** The result of some work, whose error is converted as {@link folderError} does. */
async function explained<Value>(path: string, work: Promise<Value>) {
  return work.catch((error: unknown) => {
    throw folderError(path, error)
  })
}

/** Explains why a folder or a file in it cannot be used, as a {@link ReportsFolderError} or a {@link RefusedFolderError}. */
export function folderError(path: string, error: unknown): Error {
  if (error instanceof RefusedFolderError || error instanceof ReportsFolderError) return error
  if (error instanceof UnfitFile)
    return new RefusedFolderError(
      `${path} cannot be used, because verdict.json or the lock in it is ${error.message}: remove that, or ${nameAnother}`,
    )
  return new ReportsFolderError(
    `the reports cannot be written to ${path}: ${errorText(error)}; ${nameAnother}`,
    { cause: error },
  )
}

/** Name of the folder within the reports folder that contains the last finished run. */
export const previousFolder = 'previous'

/** Whether a file with this name exists. A dangling link does not count. */
export async function isThere(file: string) {
  return (await stat(file).catch(() => null)) !== null
}

/** Whether a path is a symbolic link. */
export async function isLink(file: string) {
  return (await lstat(file).catch(() => null))?.isSymbolicLink() === true
}

/** Name of the lock file in the reports folder. */
export const lockName = '.run.lock'

/** A reports folder that must not be changed, for example because another run is using it. The message says why and what to do. */
export class RefusedFolderError extends UnusableInput {
  override readonly name = 'RefusedFolderError'
}

/** Time between renewals of the lock, in milliseconds. */
const renewedEveryMs = 15_000
/** Age at which a lock's run is presumed dead, in milliseconds. */
const staleAfterMs = 120_000

/**
 * Locks a reports folder for this process, or takes over a lock whose run no longer exists. Creates the folder if needed. `release` is
 * idempotent, and synchronous so that it can be used while the process is exiting. Throws {@link RefusedFolderError}, or
 * {@link ReportsFolderError}.
 */
export async function lockReports(folder: string) {
  await makeReportsFolder(folder)
  const file = join(folder, lockName)
  const text = `${JSON.stringify({ pid: process.pid, host: hostHere(), since: new Date().toISOString() })}\n`
  await explained(folder, create(file, text))
  // The modification time shows that the run is alive. If the folder is missing, the run reports this at the end.
  const renew = async () => {
    const own = await readFile(file, 'utf8').catch(() => null)
    if (own === text) await writeFile(file, text, { flag: 'r+' }).catch(() => {})
  }
  const renewal = setInterval(() => void renew(), renewedEveryMs).unref()
  const release = () => {
    clearInterval(renewal)
    process.removeListener('exit', release)
    try {
      if (readFileSync(file, 'utf8') === text) rmSync(file)
    } catch {
      // The folder has been removed together with the lock.
    }
  }
  process.once('exit', release)
  return { release }
}

/** Creates a lock. A stale lock is removed under a second lock, because otherwise two runs could each remove the other's lock. */
async function create(file: string, text: string) {
  for (;;) {
    try {
      return await writeFile(file, text, { flag: 'wx' })
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
    await refuseLive(file)
    const guard = `${file}.takeover`
    await create(guard, text)
    try {
      await refuseLive(file)
      await rm(file, { force: true })
    } finally {
      await rm(guard, { force: true })
    }
  }
}

/** Throws {@link RefusedFolderError} if the lock belongs to a live run, that is, if it is fresh and its process exists as far as this machine can tell. */
async function refuseLive(file: string) {
  try {
    const { pid, host, since } = objectOr(jsonValue((await readBounded(file, sizeLimits.lines)).toString()))
    const isFresh = Date.now() - (await stat(file)).mtimeMs < staleAfterMs
    if (!isFresh || (host === hostHere() && typeof pid === 'number' && !isAlive(pid))) return
    const holder = [pid, host, since].map((one) => printable(JSON.stringify(one) ?? '?'))
    throw new RefusedFolderError(
      `another run (process ${holder[0]} on ${holder[1]}, since ${holder[2]}) is writing its reports into the same folder: wait until it ends, or ${nameAnother}; remove ${file} only if that run no longer exists`,
    )
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** The host name and, on Linux, the process ID namespace, which differs between containers. */
function hostHere() {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

function isAlive(pid: number) {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

/**
 * Appends text in a single write, so that lines from concurrent runs stay intact, and creates the file if needed. Never blocks: a
 * pipe receives as much as fits into it, provided that it has a reader. `follows` permits a link. `textFor` may read the file,
 * unless it is a pipe. Throws errors from the file system, or an error if the write was incomplete.
 */
export async function appendText(
  file: string,
  textFor: (handle: FileHandle, size: number) => string | Promise<string>,
  follows = true,
) {
  const isPipe = (await stat(file).catch(() => null))?.isFIFO() === true
  const mode = isPipe ? constants.O_WRONLY : constants.O_RDWR
  const flags = mode | constants.O_APPEND | constants.O_CREAT | constants.O_NONBLOCK
  const handle = await open(file, follows ? flags : flags | constants.O_NOFOLLOW)
  try {
    const text = Buffer.from(await textFor(handle, (await handle.stat()).size))
    const { bytesWritten } = await handle.write(text)
    if (bytesWritten < text.length) throw new Error('only part of the text could be written')
  } finally {
    await handle.close()
  }
}

/** Why nothing could be appended, as a phrase, based on an error from {@link appendText}. */
export function appendProblem(error: unknown) {
  const code = codeOf(error)
  if (code === 'ELOOP') return 'it is a symbolic link, which is followed only if a setting names it (ELOOP)'
  if (code === 'ENXIO') return 'it is a pipe without a reader (ENXIO)'
  return errorText(error)
}

/** Subfolder that contains earlier reports until the run begins. The next run continues with what a killed run left there. */
export const asideFolder = '.previous'
/** The verdict comes last, so that a folder without a verdict indicates an unfinished move. */
const reportsThenVerdict = runNames.toReversed()
/** Verdicts from a finished run. An error says nothing about a target. */
const finished: readonly unknown[] = ['conformant', 'nonconformant', 'incomplete']

/** Contents of the subfolder: a finished run, a run that ended because of a user's mistake, anything else, or nothing. */
type Aside = 'finished' | 'slip' | 'other' | 'nothing'

/** A locked reports folder, with the reports of an earlier run set aside. */
export type SetAside = Awaited<ReturnType<typeof setAside>>

/**
 * Creates the folder if needed, locks it, and sets its reports aside, the verdict first. Throws {@link ReportsFolderError}, or
 * {@link RefusedFolderError} if another run is using the folder, or if a pipe or device has the name of one of its files.
 */
export async function setAside(folder: string) {
  const lock = await lockReports(folder)
  let aside = await explained(folder, moveAside(folder)).catch((error: unknown) => {
    lock.release()
    throw error
  })

  /** Moves a finished run into `previous/`, replacing the run there, and deletes anything else. Synchronous, because it is called just before the first request. */
  function keep() {
    const kept = aside
    aside = 'nothing'
    try {
      if (kept !== 'nothing') keepAside(folder, kept === 'finished')
    } catch (error) {
      throw folderError(folder, error)
    }
  }

  return {
    lock,
    keep,

    /** Writes the reports that mark a run as unfinished, from the first request on. Throws {@link ReportsFolderError}. */
    async begin(verdict: string, metrics: string) {
      await writeReport(folder, 'verdict.json', verdict)
      await explained(folder, removeUnfinished(folder))
      await writeReport(folder, 'metrics.prom', metrics)
    },

    /**
     * Restores the earlier reports if a user's mistake ended the run before anything was sent, unless they are only the result of an earlier
     * mistake. Returns whether they were restored.
     */
    async conclude({ exitCode, requests }: Pick<Verdict, 'exitCode' | 'requests'>) {
      const isRestored = exitCode === 2 && requests.sent === 0 && aside !== 'nothing' && aside !== 'slip'
      if (!isRestored) keep()
      else {
        aside = 'nothing'
        await explained(folder, bringBack(folder))
      }
      return isRestored
    },
  }
}

async function bringBack(folder: string) {
  await remove(folder, ['verdict.json', 'metrics.prom'])
  move(join(folder, asideFolder), folder, [historyName, ...reportsThenVerdict])
  await remove(folder, [asideFolder])
}

async function moveAside(folder: string): Promise<Aside> {
  const moving = join(folder, asideFolder)
  const aside = await asideIn(folder)
  // If a killed run left a verdict, it had already begun. Otherwise, it was killed while moving reports or before it began.
  if (aside !== 'nothing')
    keepAside(folder, !(await isLink(moving)) && (await asideIn(moving)) === 'finished')
  // A link leads elsewhere.
  if (await isLink(moving)) await rm(moving)
  await mkdir(moving, { recursive: true })
  move(folder, moving, [...runNames, historyName])
  const isEmpty = (await readdir(moving)).length === 0
  if (isEmpty) await rm(moving, { recursive: true })
  return isEmpty ? 'nothing' : asideIn(moving, 'other')
}

function keepAside(folder: string, isFinished: boolean) {
  const moving = join(folder, asideFolder)
  const kept = join(folder, previousFolder)
  if (isFinished) {
    if (lstatSync(kept, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(kept)
    mkdirSync(kept, { recursive: true })
    // If `previous/` has no verdict, a killed run has already removed the old reports there and begun to move new ones.
    const old = existsSync(join(kept, 'verdict.json')) ? reportsThenVerdict : []
    for (const name of old) rmSync(join(kept, name), { recursive: true, force: true })
    move(moving, kept, reportsThenVerdict)
  }
  rmSync(moving, { recursive: true, force: true })
}

function move(from: string, to: string, names: readonly string[]) {
  for (const name of names) {
    if (lstatSync(join(from, name), { throwIfNoEntry: false }) === undefined) continue
    rmSync(join(to, name), { recursive: true, force: true })
    renameSync(join(from, name), join(to, name))
  }
}

/** Determines the contents of a folder from its verdict. Throws {@link UnfitFile}. */
async function asideIn(folder: string, unread: Aside = 'nothing'): Promise<Aside> {
  const file = join(folder, 'verdict.json')
  if ((await lstat(file).catch(() => null)) === null) return unread
  const bytes = await readBounded(file, sizeLimits.verdict).catch((error: unknown) => {
    if (error instanceof UnfitFile) throw error
    return ''
  })
  const { format, verdict, exitCode } = objectOr(jsonValue(bytes.toString()))
  if (format !== verdictFormat) return 'other'
  if (finished.includes(verdict)) return 'finished'
  return exitCode === 2 ? 'slip' : 'other'
}
