import type { Area } from '../engine/plan/cases.ts'
import { parsed } from '../settings/issue.ts'
import { readSettings, type SettingsResult } from '../settings/read-settings.ts'
import type { SettingsInput } from '../settings/sources.ts'

/** Settings, and areas of the user's own. */
export type SettingsAndOwn = SettingsResult<Area>

/** Where settings come from; what is left out is empty, the folder `cwd` of the process, or now. */
export interface GivenSettings extends Partial<SettingsInput> {
  /** Areas of the caller's own, judged besides those of RUN_SUITES. */
  readonly own?: readonly Area[]
}

/** Checked settings and the areas that they judge, or every issue at once. */
export type SettingsAndSuites =
  | (Extract<SettingsAndOwn, { readonly kind: 'settings' }> & { readonly suites: readonly Area[] })
  | Extract<SettingsAndOwn, { readonly kind: 'issues' }>

/** Reads the settings, and loads the areas of the folder of RUN_SUITES. */
export function readWithOwn(input: SettingsInput, own: readonly Area[] = []): Promise<SettingsAndOwn> {
  return readSettings<Area>(input, async (folder, search) => {
    if (folder === null && own.length === 0) return parsed([])
    const { loadSuites } = await import('./own-suites.ts')
    return loadSuites(folder, own, search)
  })
}

/** Reads settings as the command line does, from flags, an environment and an env file, and gives the areas to judge with them. */
export async function readSettingsAndSuites({ own, ...given }: GivenSettings): Promise<SettingsAndSuites> {
  const input = { env: {}, flags: {}, envFile: null, cwd: process.cwd(), now: new Date(), ...given }
  const read = await readWithOwn(input, own)
  if (read.kind === 'issues') return read
  const { suites } = await import('../../suites/index.ts')
  return { ...read, suites: [...suites, ...read.own] }
}
