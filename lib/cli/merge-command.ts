import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { errorVerdict, type RunHead } from '../report/assemble.ts'
import { merged, type ShardVerdict } from '../report/merge.ts'
import { readVerdict, VerdictFileError } from '../report/read-verdict.ts'
import { FolderInUseError, type FolderLock } from '../report/folder-lock.ts'
import { beginReports } from '../report/reports-folder.ts'
import { verdictJson } from '../report/verdict-json.ts'
import type { ExitCode, Verdict } from '../report/verdict.ts'
import { profiles } from '../settings/profiles.ts'
import { concludeRun } from './conclude-run.ts'
import type { Console } from './console.ts'
import { packageVersion } from './package-info.ts'

/** What `merge` was given. */
export interface MergeOptions {
  readonly folders: readonly string[]
  readonly reportsDir: string | undefined
}

/** Joins the verdicts of the shards of a run into one and writes its reports; exits as `run`. Source: Commands, in the README. */
export async function mergeCommand(
  { folders, reportsDir }: MergeOptions,
  console: Console,
): Promise<ExitCode> {
  const folder = resolve(console.cwd, reportsDir ?? (console.env['RUN_REPORTS_DIR'] || 'reports'))
  const history = resolve(console.cwd, console.env['RUN_HISTORY'] || join(folder, 'history.jsonl'))
  const lost = await wouldBeLost(folders, folder, console.cwd)
  if (lost.length > 0) {
    console.err(
      `the reports of the merged run would replace those of a shard: ${lost.join(', ')}; name another folder with --reports-dir\n`,
    )
    return 2
  }

  const { shards, mistakes } = await readShards(folders, console.cwd)
  const whole = mistakes.length > 0 ? ({ kind: 'mistakes', mistakes } as const) : merged(shards)
  if (whole.kind === 'mistakes') console.err(whole.mistakes.map((mistake) => `${mistake}\n`).join(''))
  const verdict =
    whole.kind === 'verdict'
      ? whole.verdict
      : errorVerdict(headOf(shards[0]?.verdict ?? null, console.now()), 2, whole.mistakes)

  const lock = await begun(folder, verdict)
  if (lock instanceof FolderInUseError) {
    console.err(`${lock.message}\n`)
    return 2
  }
  try {
    return await concludeRun(verdict, { places: { folder, history }, console, format: 'text' })
  } finally {
    lock?.release()
  }
}

/** A folder that cannot be made ready cannot be written to either, which is told with the verdict. */
async function begun(folder: string, verdict: Verdict): Promise<FolderLock | FolderInUseError | null> {
  try {
    return await beginReports(folder, verdictJson(verdict))
  } catch (error) {
    return error instanceof FolderInUseError ? error : null
  }
}

/** The given folders, or those of the given files, in which the reports of the whole run would be written. */
async function wouldBeLost(
  given: readonly string[],
  folder: string,
  cwd: string,
): Promise<readonly string[]> {
  const real = async (path: string): Promise<string> => realpath(path).catch(() => path)
  const lost = [await real(folder), join(await real(folder), 'verdict.json')]
  const places = await Promise.all(
    given.map(async (path) => ({ path, place: await real(resolve(cwd, path)) })),
  )
  return places.filter(({ place }) => lost.includes(place)).map(({ path }) => path)
}

async function readShards(
  folders: readonly string[],
  cwd: string,
): Promise<{ readonly shards: readonly ShardVerdict[]; readonly mistakes: readonly string[] }> {
  const read = await Promise.all(
    folders.map(async (path): Promise<ShardVerdict | string> => {
      try {
        return { path, verdict: await readVerdict(resolve(cwd, path)) }
      } catch (error) {
        if (error instanceof VerdictFileError) return error.message
        throw error
      }
    }),
  )
  return {
    shards: read.filter((one) => typeof one !== 'string'),
    mistakes: read.filter((one) => typeof one === 'string'),
  }
}

/** What is known of a run whose shards cannot be joined: what the first one says, else the defaults. */
function headOf(first: Verdict | null, startedAt: Date): RunHead {
  const { baseUrl, embedded, version, label } = first?.target ?? {
    baseUrl: null,
    embedded: false,
    version: '1',
    label: null,
  }
  const profile = first?.profile ?? 'gate'
  return {
    suiteVersion: packageVersion(),
    baseUrl,
    embedded,
    version,
    label,
    profile,
    strict: first?.strict ?? profiles[profile].strict,
    seed: first?.seed ?? profiles[profile].seed(startedAt),
    fuzzCases: first?.fuzzCases ?? profiles[profile].fuzzCases,
    only: first?.selection.only ?? null,
    shard: null,
    maxRequests: profiles[profile].maxRequests,
    startedAt,
    durationMs: 0,
  }
}
