import { join } from 'node:path'
import { specCatalogue, type Catalogue } from '../specification/catalogue.ts'
import { isThere } from '../report/folder/previous-run.ts'
import { asideFolder } from '../report/folder/set-aside.ts'
import { issue, parsed, type Parsed } from '../settings/issue.ts'
import { isSelected } from '../settings/selection.ts'
import type { Settings } from '../settings/settings.ts'
import { readVerdict, VerdictFileError } from '../verdict/read-verdict.ts'
import type { Verdict } from '../verdict/verdict.ts'

/**
 * The settings, with the rules that failed or were inconclusive in the last finished run as their selection if RUN_FAILED asks for
 * that. An issue without such a run of the same target, and if nothing of the selection failed.
 */
export async function withFailedRules(
  settings: Settings,
  catalogue: Catalogue = specCatalogue,
): Promise<Parsed<Settings>> {
  const { target, run } = settings
  if (!run.failed) return parsed(settings)

  const mistake = (expected: string, hint: string): Parsed<Settings> =>
    parsed(settings, issue('RUN_FAILED', { given: 'true', expected, hint }))
  const last = await lastRun(run.reportsDir)
  if (typeof last === 'string')
    return mistake('the verdict of a finished run in the reports folder', `${last}; make a whole run first`)
  if (
    last.target.embedded !== target.embedded ||
    (!target.embedded && last.target.baseUrl !== target.baseUrl)
  )
    return mistake(
      'a last run of the same target',
      `the last one judged ${last.target.baseUrl ?? 'nothing'}; make a whole run, or name the folder of the right one with RUN_REPORTS_DIR`,
    )
  const only = last.rules
    .filter(({ status }) => status === 'failed' || status === 'inconclusive')
    .map(({ id }) => id)
    .filter((id) => catalogue.has(id) && isSelected(run.only, id))
  if (only.length === 0)
    return mistake(
      'a last run in which a selected rule failed or was inconclusive',
      'nothing is left to judge again; make a whole run',
    )
  return parsed({ ...settings, run: { ...run, only } })
}

/** The verdict of the last finished run in a reports folder, or why there is none. */
async function lastRun(folder: string): Promise<Verdict | string> {
  try {
    const aside = join(folder, asideFolder)
    const verdict = await readVerdict(join((await isThere(aside)) ? aside : folder, 'verdict.json'))
    return verdict.verdict === 'error' ? await readVerdict(join(folder, 'previous', 'verdict.json')) : verdict
  } catch (error) {
    if (error instanceof VerdictFileError) return error.message.replace(join(folder, asideFolder), folder)
    throw error
  }
}
