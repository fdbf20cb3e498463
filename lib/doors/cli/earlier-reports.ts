import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setAside, type SetAside } from '../../report/folder/set-aside.ts'
import { readSources } from '../../settings/sources.ts'
import type { CommandInput } from './command-line.ts'
import type { Console } from './console.ts'

/**
 * Moves the reports of an earlier run out of the way before settings are checked and code of the user's own is loaded; they come back after
 * a slip. Null without a folder, and if it cannot be used, which the run says once it needs it.
 */
export async function earlierReports(
  input: CommandInput,
  { env, cwd, now, ending }: Console,
): Promise<SetAside | null> {
  const { texts } = await readSources({ env, cwd, now: now(), ...input })
  const folder = resolve(cwd, texts.RUN_REPORTS_DIR ?? 'reports')
  const isFolder = (await stat(folder).catch(() => null))?.isDirectory() === true
  const aside = isFolder ? await setAside(folder).catch(() => null) : null
  if (aside !== null) ending.aside = folder
  return aside
}
