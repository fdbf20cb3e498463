import type { KeyObject } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { KeyFileError, readKey } from '../report/evidence/statement.ts'
import {
  isThere,
  previousFolder,
  asideFolder,
  setAside,
  type SetAside,
} from '../report/folder/reports-folder.ts'
import { readHistory } from '../report/history/history.ts'
import { beginAside } from '../report/write-reports.ts'
import { OwnRuleError } from '../run/plan/errors.ts'
import { redactorOf } from '../run/plan/test-request.ts'
import { judge, type JudgeOptions } from '../run/run.ts'
import { issue, parsed, type Parsed } from '../settings/issue.ts'
import { packageVersion } from '../settings/package-version.ts'
import { isSelected } from '../settings/selection.ts'
import type { RunSettings, Settings } from '../settings/settings.ts'
import { readSources, type SettingsInput } from '../settings/sources.ts'
import type { Catalogue } from '../specification/rules.ts'
import { errorText } from '../text/printable.ts'
import { errorVerdict, unfinishedVerdict, type RunMetadata } from '../verdict/assemble.ts'
import { VerdictFileError, readVerdict } from '../verdict/read-verdict.ts'
import type { Verdict } from '../verdict/verdict.ts'
import type { Ending } from './cli/console.ts'
import { connectionOf, keepBaseline, knownBaseline, withTarget } from './judge-target.ts'
import { readSettingsAndSuites } from './own-suites.ts'

/**
 * Moves earlier reports away before settings are checked and the user's modules are loaded. A mistake in either moves them back. Returns
 * null without a usable folder, which the run reports once it needs the folder.
 */
export async function earlierReports(input: SettingsInput, ending: Ending = {}): Promise<SetAside | null> {
  const { texts } = await readSources(input)
  const folder = resolve(input.cwd, texts.RUN_REPORTS_DIR ?? 'reports')
  const isFolder = (await stat(folder).catch(() => null))?.isDirectory() === true
  const aside = isFolder ? await setAside(folder).catch(() => null) : null
  if (aside !== null) Object.assign(ending, { folders: [folder], isLocked: true })
  return aside
}

/** Everything that a run needs. If there are issues, the settings are only for the verdict. */
export type RunInput = Awaited<ReturnType<typeof readRun>>

/**
 * Reads everything that a run needs, and returns all issues at once: settings, the user's areas, the baseline, the signing key and, with
 * RUN_FAILED, the last run.
 */
export async function readRun(input: SettingsInput) {
  const started = performance.now()
  const read = await readSettingsAndSuites(input)
  const { value: settings, issues } =
    read.kind === 'issues'
      ? parsed(read.partial, ...read.issues)
      : await withFailedRules(read.settings, read.catalogue)
  const baseline = await knownBaseline(settings.run)
  const key = await signingKey(settings.run)
  const startedAt = input.now
  const connection = connectionOf(settings, input.env)
  return {
    own: read.own,
    suites: read.suites,
    notices: read.notices,
    settings,
    baseline: baseline.value,
    key: key.value,
    issues: [...issues, ...baseline.issues, ...key.issues],
    startedAt,
    connection,
    /** The part of the verdict that comes from the settings. */
    head: (): RunMetadata => {
      const suiteVersion = packageVersion()
      const durationMs = performance.now() - started
      return {
        ...settings.run,
        ...settings.target,
        suiteVersion,
        startedAt,
        durationMs,
        connection,
      }
    },
  }
}

/** Locks the reports folder, unless it is locked already, and marks the run there as unfinished. */
export async function beginRun(
  { settings, head }: RunInput,
  earlier: SetAside | null,
  ending: Ending = {},
): Promise<SetAside> {
  const { reportsDir: folder } = settings.run
  const aside = earlier ?? (await setAside(folder))
  try {
    Object.assign(ending, { folders: [folder], isLocked: true })
    await beginAside(aside, unfinishedVerdict(head()))
    ending.begun = (await stat(join(folder, 'verdict.json'))).ino
    return aside
  } catch (error) {
    aside.lock.release()
    throw error
  }
}

/**
 * Judges the target, which may be the embedded service, and updates the baseline if requested. Keeps the earlier reports once the run is
 * planned; `aside` is null if this run writes no reports.
 */
export async function judgeTarget(
  { suites, ...input }: Pick<RunInput, 'settings' | 'suites' | 'baseline' | 'connection' | 'startedAt'>,
  aside: SetAside | null,
  { signal, onEvent }: Pick<JudgeOptions, 'signal' | 'onEvent'> = {},
): Promise<Verdict> {
  return withTarget(input.settings, async (settings) => {
    const { verdict, shapes } = await judge(settings, suites, {
      ...input,
      earlier: await readHistory(settings.run.history),
      ...(signal !== undefined && { signal }),
      onEvent: (event) => {
        if (event.kind === 'planned') aside?.keep()
        onEvent?.(event)
      },
    })
    const both = { known: input.baseline, seen: shapes }
    return keepBaseline(verdict, settings.run.baseline, both, (text) => redactorOf(settings).redact(text))
  })
}

/**
 * With RUN_FAILED, selects the rules that failed or were inconclusive in the last finished run. Returns an issue if that run judged a
 * different target, or if nothing failed.
 */
export async function withFailedRules(settings: Settings, catalogue: Catalogue): Promise<Parsed<Settings>> {
  const { target, run } = settings
  if (!run.failed) return parsed(settings)

  const mistake = (expected: string, hint: string): Parsed<Settings> =>
    parsed(settings, issue('RUN_FAILED', { given: 'true', expected, hint }))
  const last = await lastRun(run.reportsDir)
  if (typeof last === 'string')
    return mistake('the verdict of a finished run in the reports folder', `${last}; run all rules first`)
  const addressOf = (one: Pick<Verdict['target'], 'baseUrl' | 'embedded'>) =>
    one.embedded ? '' : one.baseUrl
  if (addressOf(last.target) !== addressOf(target))
    return mistake(
      'an earlier run of the same target',
      `the last run judged ${last.target.baseUrl ?? 'nothing'}; run all rules, or set RUN_REPORTS_DIR to the folder of the right run`,
    )
  const only = last.rules
    .filter(({ status }) => status === 'failed' || status === 'inconclusive')
    .map(({ id }) => id)
    .filter((id) => catalogue.has(id) && isSelected(run.only, id))
  return only.length > 0
    ? parsed({ ...settings, run: { ...run, only } })
    : mistake(
        'an earlier run in which a selected rule failed or was inconclusive',
        'there is nothing to judge again; run all rules',
      )
}

/** The verdict of the last finished run in a reports folder, or the reason it is unavailable. */
async function lastRun(folder: string): Promise<Verdict | string> {
  try {
    const aside = join(folder, asideFolder)
    const verdict = await readVerdict(join((await isThere(aside)) ? aside : folder, 'verdict.json'))
    if (verdict.verdict !== 'error') return verdict
    return await readVerdict(join(folder, previousFolder, 'verdict.json'))
  } catch (error) {
    if (error instanceof VerdictFileError) return error.message.replace(join(folder, asideFolder), folder)
    throw error
  }
}

/** Reads the signing key before anything is sent; returns null if there is no key file, and an issue if the file is unusable. */
async function signingKey({ signingKeyFile: file }: RunSettings): Promise<Parsed<KeyObject | null>> {
  if (file === null) return parsed(null)
  return readKey(file, 'private').then(parsed, (error: unknown) => {
    if (!(error instanceof KeyFileError)) throw error
    const expected = `a PEM file with a private Ed25519 key: ${error.message}`
    return parsed(null, issue('RUN_SIGNING_KEY_FILE', { given: file, expected }))
  })
}

/** The verdict of a run that was ended by an error in the user's rules or in the suite. */
export function failedVerdict(head: RunMetadata, error: unknown): Verdict {
  return errorVerdict(head, error instanceof OwnRuleError ? 2 : 4, [errorText(error)])
}
