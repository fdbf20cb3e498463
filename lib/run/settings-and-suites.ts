import { suites } from '../../suites/index.ts'
import type { Area } from '../engine/plan/cases.ts'
import type { SettingsInput } from '../settings/sources.ts'
import { readWithOwn, type SettingsAndOwn } from './settings-and-own.ts'

/** Where settings come from; what is left out is empty, the folder `cwd` of the process, or now. */
export interface GivenSettings extends Partial<SettingsInput> {
  /** Areas of the caller's own, judged besides those of RUN_SUITES. */
  readonly own?: readonly Area[]
}

/** Checked settings and the areas that they judge, or every issue at once. */
export type SettingsAndSuites =
  | (Extract<SettingsAndOwn, { readonly kind: 'settings' }> & { readonly suites: readonly Area[] })
  | Extract<SettingsAndOwn, { readonly kind: 'issues' }>

/** Reads settings as the command line does, from flags, an environment and an env file, and gives the areas to judge with them. */
export async function readSettingsAndSuites({ own, ...given }: GivenSettings): Promise<SettingsAndSuites> {
  const input = { env: {}, flags: {}, envFile: null, cwd: process.cwd(), now: new Date(), ...given }
  const read = await readWithOwn(input, own)
  return read.kind === 'settings' ? { ...read, suites: [...suites, ...read.own] } : read
}
