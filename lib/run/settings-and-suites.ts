import { suites } from '../../suites/index.ts'
import type { Area } from '../engine/cases.ts'
import { readSettings, type SettingsResult } from '../settings/read-settings.ts'
import type { SettingsInput } from '../settings/sources.ts'

/** Where settings come from; what is left out is empty, the folder `cwd` of the process, or now. */
export type GivenSettings = Partial<SettingsInput>

/** Checked settings and the areas that they judge, or every issue at once. */
export type SettingsAndSuites =
  | (Extract<SettingsResult, { readonly kind: 'settings' }> & { readonly suites: readonly Area[] })
  | Extract<SettingsResult, { readonly kind: 'issues' }>

/** Reads settings as the command line does, from flags, an environment and an env file, and gives the areas to judge with them. */
export async function readSettingsAndSuites(given: GivenSettings): Promise<SettingsAndSuites> {
  const read = await readSettings({
    env: {},
    flags: {},
    envFile: null,
    cwd: process.cwd(),
    now: new Date(),
    ...given,
  })
  return read.kind === 'settings' ? { ...read, suites } : read
}
