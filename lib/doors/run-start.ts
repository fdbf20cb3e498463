import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { KeyObject } from 'node:crypto'
import type { Baseline } from '../drift/baseline.ts'
import { OwnRuleError } from '../run/plan/errors.ts'
import { KeyFileError, readSigningKey } from '../report/evidence/keys.ts'
import { setAside, type SetAside } from '../report/folder/set-aside.ts'
import { issue, parsed, type Parsed, type SettingIssue } from '../settings/issue.ts'
import type { RunSettings, Settings } from '../settings/settings.ts'
import { readSources, type SettingsInput } from '../settings/sources.ts'
import { errorText } from '../text/printable.ts'
import { errorVerdict, type RunMetadata } from '../verdict/assemble.ts'
import type { Verdict } from '../verdict/verdict.ts'
import { knownBaseline } from './baseline-file.ts'
import { withFailedRules } from './failed-rules.ts'
import { readWithOwn, type SettingsAndOwn } from './settings-and-own.ts'

/**
 * Moves earlier reports away before settings are checked and the user's modules are loaded. A mistake in either moves them back. Returns
 * null without a usable folder, which the run reports once it needs the folder. The folder is recorded in `ending`.
 */
export async function earlierReports(
  input: SettingsInput,
  ending: { aside?: string } = {},
): Promise<SetAside | null> {
  const { texts } = await readSources(input)
  const folder = resolve(input.cwd, texts.RUN_REPORTS_DIR ?? 'reports')
  const isFolder = (await stat(folder).catch(() => null))?.isDirectory() === true
  const aside = isFolder ? await setAside(folder).catch(() => null) : null
  if (aside !== null) ending.aside = folder
  return aside
}

/** Everything that a run needs before it judges, and all issues at once. */
export interface RunInput extends Pick<SettingsAndOwn, 'own' | 'notices'> {
  /** Includes the selection made by RUN_FAILED. If there are issues, only for the verdict. */
  readonly settings: Settings
  readonly baseline: Baseline | null
  /** Signs the reports; null if they are to be unsigned. */
  readonly key: KeyObject | null
  readonly issues: readonly SettingIssue[]
}

/** Reads everything that a run needs: settings, the user's areas, the baseline, the signing key and, with RUN_FAILED, the last run. */
export async function readRun(input: SettingsInput): Promise<RunInput> {
  const read = await readWithOwn(input)
  const { own, notices } = read
  if (read.kind === 'issues')
    return { own, notices, settings: read.partial, baseline: null, key: null, issues: read.issues }
  const settings = await withFailedRules(read.settings, read.catalogue)
  const [baseline, key] = [await knownBaseline(read.settings.run), await signingKey(read.settings.run)]
  const issues = [settings, baseline, key].flatMap((part) => part.issues)
  return { own, notices, settings: settings.value, baseline: baseline.value, key: key.value, issues }
}

/** Reads the signing key before anything is sent; returns null if there is no key file, and an issue if the file is unusable. */
async function signingKey({ signingKeyFile: file }: RunSettings): Promise<Parsed<KeyObject | null>> {
  if (file === null) return parsed(null)
  try {
    return parsed(await readSigningKey(file))
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error
    const expected = `a PEM file with a private Ed25519 key: ${error.message}`
    return parsed(null, issue('RUN_SIGNING_KEY_FILE', { given: file, expected }))
  }
}

/** The verdict of a run that was ended by an error in the user's rules or in the suite. */
export function failedVerdict(head: RunMetadata, error: unknown): Verdict {
  return errorVerdict(head, error instanceof OwnRuleError ? 2 : 4, [errorText(error)])
}
