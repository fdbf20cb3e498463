import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync, rmSync } from 'node:fs'
import { constants, copyFile, link, open, rename, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isObject, jsonValue } from '../../json/json-value.ts'
import { codeOf, printable } from '../../text/printable.ts'
import { readBounded, sizeLimits } from '../../settings/user-file.ts'

/** Name of the lock in the reports folder. */
export const lockName = '.run.lock'

/** A reports folder that is left as it is; the message says why, and what to do. */
export class RefusedFolderError extends Error {
  override readonly name: string = 'RefusedFolderError'
}

/** Another run uses the reports folder; the message says which. */
export class FolderInUseError extends RefusedFolderError {
  override readonly name = 'FolderInUseError'
}

/** A reports folder locked by this process. */
export interface FolderLock {
  /** Removes the lock; idempotent, and synchronous for use while the process ends. */
  readonly release: () => void
}

/** Interval between renewals of the lock, in milliseconds. */
const renewedEveryMs = 15_000
/** Age at which a lock is stale if its process cannot be looked up, in milliseconds. */
const staleAfterMs = 120_000

/** Process that holds a lock, as in the lock's JSON. */
interface Holder {
  readonly pid: number
  readonly host: string
  /** Namespace of the process id, which differs between containers of a host; null if unknown. */
  readonly namespace: string | null
  /** Boot and start time, to notice a reused process id; null if unknown. */
  readonly started: string | null
  readonly since: string
}

/** Locks an existing reports folder, or takes over a dead process's lock. Throws {@link FolderInUseError}, or the file system's error. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const file = join(folder, lockName)
  const text = `${JSON.stringify(holderHere())}\n`
  const own = join(folder, `${lockName}.${randomUUID()}`)
  await writeFile(own, text, { flag: 'wx' })
  try {
    while (!(await isCreated(own, file)) && !(await isTakenOver(own, file))) continue
  } finally {
    await rm(own, { force: true })
  }
  return held(file, text)
}

/** Creates the lock with its content in one step: by a link, or an exclusive copy if there are no links. */
async function isCreated(own: string, file: string): Promise<boolean> {
  try {
    await link(own, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
  }
  try {
    await copyFile(own, file, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Replaces the lock of a run that is gone; false if it changed meanwhile, so that the caller tries again. Throws {@link
 * FolderInUseError} if the run lives.
 */
async function isTakenOver(own: string, file: string): Promise<boolean> {
  const seen = await readIfThere(file)
  if (seen === null) return false
  if (!(await isGone(seen, file, own))) throw new FolderInUseError(inUse(seen, file))

  // Only one process may replace a stale lock, or each would remove the one before's.
  const guard = `${file}.takeover`
  if (!(await isCreated(own, guard))) {
    const other = await readIfThere(guard)
    if (other !== null && !(await isGone(other, guard, own))) {
      throw new FolderInUseError(inUse(other, file))
    }
    await rm(guard, { force: true })
    return false
  }
  try {
    if ((await readIfThere(file)) !== seen) return false
    await rename(own, file)
    return true
  } finally {
    await rm(guard, { force: true })
  }
}

async function isGone(text: string, file: string, own: string): Promise<boolean> {
  const holder = parsedHolder(text)
  const here = holderHere()
  if (holder !== null && holder.host === here.host && holder.namespace === here.namespace) {
    return !isAlive(holder)
  }
  // Both times come from the file system's clock, which hosts share.
  const [lock, fresh] = await Promise.all([stat(file).catch(() => null), stat(own)])
  return lock === null || fresh.mtimeMs - lock.mtimeMs > staleAfterMs
}

function isAlive({ pid, started }: Holder): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false
  }
  const now = startOf(pid)
  return started === null || now === null || now === started
}

function held(file: string, text: string): FolderLock {
  const renewal = setInterval(() => void renew(file, text), renewedEveryMs).unref()
  const release = (): void => {
    clearInterval(renewal)
    process.removeListener('exit', release)
    try {
      if (readFileSync(file, 'utf8') === text) rmSync(file, { force: true })
    } catch {
      // The folder is gone, with the lock.
    }
  }
  process.once('exit', release)
  return { release }
}

/** Rewrites the text in place, so that the modification time shows that the run lives. */
async function renew(file: string, text: string): Promise<void> {
  try {
    const handle = await open(file, 'r+')
    try {
      if ((await handle.readFile('utf8')) === text) await handle.write(text, 0)
    } finally {
      await handle.close()
    }
  } catch {
    // The run reports a missing folder at its end.
  }
}

function inUse(text: string, file: string): string {
  const holder = parsedHolder(text)
  const who =
    holder === null
      ? 'another run'
      : `another run (process ${holder.pid} on ${printable(holder.host)}, since ${printable(holder.since)})`
  return `${who} writes its reports into the same folder: wait for its end, or name another folder with RUN_REPORTS_DIR (--reports-dir); remove ${file} only if that run is gone`
}

function holderHere(): Holder {
  return {
    pid: process.pid,
    host: hostname(),
    namespace: attempt(() => readlinkSync('/proc/self/ns/pid')),
    started: startOf(process.pid),
    since: new Date().toISOString(),
  }
}

/** Start of a process on Linux: the boot, and the ticks since. Source: proc_pid_stat(5), field 22. */
function startOf(pid: number): string | null {
  return attempt(() => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const stats = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses, which may hold anything.
    const ticks = stats.slice(stats.lastIndexOf(')') + 2).split(' ')[19]
    return ticks === undefined ? null : `${boot} ${ticks}`
  })
}

function parsedHolder(text: string): Holder | null {
  const value = jsonValue(text)
  if (!isObject(value)) return null
  const { pid, host, namespace, started, since } = value
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return null
  if (typeof host !== 'string' || typeof since !== 'string') return null
  return { pid, host, namespace: textOrNull(namespace), started: textOrNull(started), since }
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function attempt<Value>(work: () => Value): Value | null {
  try {
    return work()
  } catch {
    return null
  }
}

async function readIfThere(file: string): Promise<string | null> {
  try {
    return (await readBounded(file, sizeLimits.lines)).toString()
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
