import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setAside, type SetAside } from '../report/folder/set-aside.ts'
import { readSources, type SettingsInput } from '../settings/sources.ts'

/**
 * Moves the reports of an earlier run out of the way before settings are checked and code of the user's own is loaded; they come back after
 * a slip. Null without a folder, and if it cannot be used, which the run says once it needs it. `ending` gets the folder.
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
