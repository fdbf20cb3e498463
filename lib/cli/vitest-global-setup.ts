import type { TestProject } from 'vitest/node'
import { describeMistakes } from '../settings/describe-mistakes.ts'
import { readSettings } from '../settings/read-settings.ts'
import { sealSettings } from '../settings/seal-settings.ts'
import { utcDay } from '../settings/waivers.ts'
import { startEmbedded } from './embedded.ts'
import { packageVersion } from './package-info.ts'

/**
 * What the program does before it starts the suites, for `npx vitest run --project conformance` while they are written: settings from the
 * environment and .env (TARGET_BASE_URL=embedded is the embedded service). There is no plan, no report, and no exit code but vitest's.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const now = new Date()
  const read = await readSettings({ env: process.env, flags: {}, envFile: null, cwd: process.cwd(), now })
  for (const notice of read.notices) process.stderr.write(`${notice}\n`)
  if (read.kind === 'mistakes') throw new Error(describeMistakes(read.mistakes))

  const embedded = read.settings.target.embedded ? await startEmbedded(read.settings) : null
  const settings = embedded?.settings ?? read.settings
  project.provide('run', {
    settings: sealSettings(settings),
    channel: null,
    version: packageVersion(),
    today: utcDay(now),
    replayed: null,
    baseline: null,
    quotaWasOverrun: false,
  })
  project.provide('allotment', {})
  project.provide('asked', [])
  return async () => embedded?.service.close()
}
