import type { Area } from '../engine/plan/cases.ts'
import { parsed } from '../settings/issue.ts'
import { readSettings, type SettingsResult } from '../settings/read-settings.ts'
import type { SettingsInput } from '../settings/sources.ts'

/** Settings, and areas of the user's own. */
export type SettingsAndOwn = SettingsResult<Area>

/** Reads the settings, and loads the areas of the folder of RUN_SUITES. */
export function readWithOwn(input: SettingsInput, own: readonly Area[] = []): Promise<SettingsAndOwn> {
  return readSettings<Area>(input, async (folder, search) => {
    if (folder === null && own.length === 0) return parsed([])
    const { loadSuites } = await import('./own-suites.ts')
    return loadSuites({ folder, given: own }, search)
  })
}
