import { readFileSync, readlinkSync, rmSync } from 'node:fs'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { readBounded, sizeLimits } from '../../settings/user-file.ts'
import { jsonValue, objectOr } from '../../text/json-value.ts'
import { codeOf, printable } from '../../text/printable.ts'
import { UnusableInput } from '../../text/unusable-input.ts'

/** Name of the lock file in the reports folder. */
export const lockName = '.run.lock'

/** A reports folder that must not be changed, for example because another run is using it. The message says why and what to do. */
export class RefusedFolderError extends UnusableInput {
  override readonly name = 'RefusedFolderError'
}

/** A reports folder locked by this process. */
export interface FolderLock {
  /** Removes the lock. Idempotent, and synchronous so that it can be used while the process is exiting. */
  readonly release: () => void
}

/** Time between renewals of the lock, in milliseconds. */
const renewedEveryMs = 15_000
/** Age at which a lock's run is presumed dead, in milliseconds. */
const staleAfterMs = 120_000

/** Locks an existing reports folder, or takes over a lock whose run no longer exists. Throws {@link RefusedFolderError}, or errors from the file system. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const file = join(folder, lockName)
  const text = `${JSON.stringify({ pid: process.pid, host: hostHere(), since: new Date().toISOString() })}\n`
  await create(file, text)
  const renewal = setInterval(() => void renew(file, text), renewedEveryMs).unref()
  const release = (): void => {
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
async function create(file: string, text: string): Promise<void> {
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
async function refuseLive(file: string): Promise<void> {
  try {
    const { pid, host, since } = objectOr(jsonValue((await readBounded(file, sizeLimits.lines)).toString()))
    const isFresh = Date.now() - (await stat(file)).mtimeMs < staleAfterMs
    if (!isFresh || (host === hostHere() && typeof pid === 'number' && !isAlive(pid))) return
    const holder = [pid, host, since].map((one) => printable(JSON.stringify(one) ?? '?'))
    throw new RefusedFolderError(
      `another run (process ${holder[0]} on ${holder[1]}, since ${holder[2]}) is writing its reports into the same folder: wait until it ends, or name another folder with RUN_REPORTS_DIR (--reports-dir); remove ${file} only if that run no longer exists`,
    )
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

/** The host name and, on Linux, the process ID namespace, which differs between containers. */
function hostHere(): string {
  try {
    return `${hostname()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

/** Rewrites the same text, so that the modification time shows that the run is alive. If the folder is missing, the run reports this at the end. */
async function renew(file: string, text: string): Promise<void> {
  const own = await readFile(file, 'utf8').catch(() => null)
  if (own === text) await writeFile(file, text, { flag: 'r+' }).catch(() => {})
}
