import { join } from 'node:path'
import { specCatalogue, type Catalogue } from '../specification/catalogue.ts'
import { isThere } from '../report/folder/reports-folder.ts'
import { asideFolder } from '../report/folder/set-aside.ts'
import { issue, parsed, type Parsed } from '../settings/issue.ts'
import { isSelected } from '../settings/selection.ts'
import type { Settings } from '../settings/settings.ts'
import { readVerdict, VerdictFileError } from '../verdict/read-verdict.ts'
import type { Verdict } from '../verdict/verdict.ts'

/**
 * With RUN_FAILED, selects the rules that failed or were inconclusive in the last finished run. Returns an issue if that run judged a
 * different target, or if nothing failed.
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
    return mistake('the verdict of a finished run in the reports folder', `${last}; run all rules first`)
  if (
    last.target.embedded !== target.embedded ||
    (!target.embedded && last.target.baseUrl !== target.baseUrl)
  )
    return mistake(
      'an earlier run of the same target',
      `the last run judged ${last.target.baseUrl ?? 'nothing'}; run all rules, or set RUN_REPORTS_DIR to the folder of the right run`,
    )
  const only = last.rules
    .filter(({ status }) => status === 'failed' || status === 'inconclusive')
    .map(({ id }) => id)
    .filter((id) => catalogue.has(id) && isSelected(run.only, id))
  if (only.length === 0)
    return mistake(
      'an earlier run in which a selected rule failed or was inconclusive',
      'there is nothing to judge again; run all rules',
    )
  return parsed({ ...settings, run: { ...run, only } })
}

/** The verdict of the last finished run in a reports folder, or the reason it is unavailable. */
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
