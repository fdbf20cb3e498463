import type { Area } from '../run/plan/cases.ts'
import { parsed } from '../settings/issue.ts'
import { readSettings, type SettingsResult } from '../settings/read-settings.ts'
import type { SettingsInput } from '../settings/sources.ts'

/** The settings and the user's areas. */
export type SettingsAndOwn = SettingsResult<Area>

/** Sources of the settings. The defaults are no values, the working folder of the process, and the current time. */
export interface GivenSettings extends Partial<SettingsInput> {
  /** The caller's areas, judged in addition to those in RUN_SUITES. */
  readonly own?: readonly Area[]
}

/** Checked settings and the areas to judge, or all issues at once. */
export type SettingsAndSuites = SettingsAndOwn & { readonly suites: readonly Area[] }

/** Reads the settings and loads the areas from the folder RUN_SUITES. */
export function readWithOwn(input: SettingsInput, own: readonly Area[] = []): Promise<SettingsAndOwn> {
  return readSettings<Area>(input, async (folder, search) => {
    if (folder === null && own.length === 0) return parsed([])
    const { loadSuites } = await import('./own-suites.ts')
    return loadSuites(folder, own, search)
  })
}

/** Reads settings as the command line does, from flags, an environment and an env file. Also returns the areas to judge. */
export async function readSettingsAndSuites({ own, ...given }: GivenSettings): Promise<SettingsAndSuites> {
  const input = { env: {}, flags: {}, envFile: null, cwd: process.cwd(), now: new Date(), ...given }
  const read = await readWithOwn(input, own)
  const { suites } = await import('../../suites/index.ts')
  return { ...read, suites: [...suites, ...read.own] }
}
