import { suiteContext, type SuiteContext } from '../../lib/engine/suite-context.ts'
import { readSettings } from '../../lib/settings/read-settings.ts'
import { userAgent } from '../../lib/engine/test-request.ts'
import type { Settings } from '../../lib/settings/settings.ts'

/** Tells one line of figures. */
export type Tell = (line: string) => void

/** Credentials as services hand them out, of several forms. */
export const keys = ['ak_live_4hT9mQzL2cVxNf', 'Zm9vYmFyYmF6cXV4MTIzNA', 'K7-PLQ-0912-XRTA-kk'] as const

/** The secret that belongs to the first of them. */
export const secretKey = 'Jw8RtU3nBvD5eXyK0aPqLs7G'

/** Settings for a target at this address. */
export async function settingsFor(
  baseUrl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Settings> {
  const read = await readSettings({
    env: {
      TARGET_BASE_URL: baseUrl,
      TARGET_API_KEY: keys[0],
      TARGET_SECRET_KEY: secretKey,
      RUN_PROFILE: 'nightly',
      ...more,
    },
    cwd: process.cwd(),
    now: new Date(),
    flags: {},
    envFile: null,
  })
  if (read.kind !== 'settings') throw new Error(JSON.stringify(read.issues))
  return read.settings
}

/** What suites would make their cases from. */
export function contextOf(settings: Settings): SuiteContext {
  return suiteContext(settings, userAgent('bench'))
}
