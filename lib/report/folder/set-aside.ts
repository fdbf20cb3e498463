import { existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readBounded, sizeLimits, UnfitFile } from '../../settings/user-file.ts'
import { jsonValue, objectOr } from '../../text/json-value.ts'
import { verdictFormat, type Verdict } from '../../verdict/verdict.ts'
import {
  isLink,
  makeOwnFolder,
  previousFolder,
  explained,
  folderError,
  historyName,
  lockReports,
  runNames,
  removeUnfinished,
  writeReport,
} from './reports-folder.ts'

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
  const moving = join(folder, asideFolder)
  let aside = await explained(folder, async () => moveAside(folder)).catch((error: unknown) => {
    lock.release()
    throw error
  })

  /** Moves a finished run into `previous/`, replacing the run there, and deletes anything else. Synchronous, because it is called just before the first request. */
  function keep(): void {
    const kept = aside
    aside = 'nothing'
    try {
      if (kept !== 'nothing') keepAside(folder, kept === 'finished')
    } catch (error) {
      throw folderError(folder, error)
    }
  }

  /** Puts everything back; returns false if there is nothing to restore, or only the result of an earlier mistake. */
  async function bringBack(): Promise<boolean> {
    if (aside === 'nothing' || aside === 'slip') return false
    aside = 'nothing'
    await explained(folder, async () => {
      for (const name of ['verdict.json', 'metrics.prom']) await rm(join(folder, name), { force: true })
      move(moving, folder, [historyName, ...reportsThenVerdict])
      await rm(moving, { recursive: true, force: true })
    })
    return true
  }

  return {
    lock,
    keep,
    bringBack,

    /** Writes the reports that mark a run as unfinished, from the first request on. Throws {@link ReportsFolderError}. */
    async begin(verdict: string, metrics: string): Promise<void> {
      await writeReport(folder, 'verdict.json', verdict)
      await explained(folder, async () => removeUnfinished(folder))
      await writeReport(folder, 'metrics.prom', metrics)
    },

    /** Restores the earlier reports if a user's mistake ended the run before anything was sent. Returns whether they were restored. */
    async conclude({ exitCode, requests }: Pick<Verdict, 'exitCode' | 'requests'>): Promise<boolean> {
      if (exitCode === 2 && requests.sent === 0 && (await bringBack())) return true
      keep()
      return false
    },
  }
}

async function moveAside(folder: string): Promise<Aside> {
  const moving = join(folder, asideFolder)
  const aside = await asideIn(folder)
  // If a killed run left a verdict, it had already begun. Otherwise, it was killed while moving reports or before it began.
  if (aside !== 'nothing')
    keepAside(folder, !(await isLink(moving)) && (await asideIn(moving)) === 'finished')
  await makeOwnFolder(moving)
  move(folder, moving, [...runNames, historyName])
  const isEmpty = (await readdir(moving)).length === 0
  if (isEmpty) await rm(moving, { recursive: true })
  return isEmpty ? 'nothing' : asideIn(moving, 'other')
}

function keepAside(folder: string, isFinished: boolean): void {
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

function move(from: string, to: string, names: readonly string[]): void {
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
