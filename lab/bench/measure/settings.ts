import { readSettings } from '../../../lib/settings/read-settings.ts'
import type { Settings } from '../../../lib/settings/settings.ts'

/** The settings of a run that is given these; throws where one is wrong. */
export async function settingsFrom(env: Readonly<Record<string, string>>): Promise<Settings> {
  const read = await readSettings({ env, cwd: process.cwd(), now: new Date(), flags: {}, envFile: null })
  if (read.kind !== 'settings') throw new Error(JSON.stringify(read.issues))
  return read.settings
}
