import { expect } from 'vitest'
import type { SettingIssue } from '../issue.ts'
import { readSettings, type SettingsResult } from '../settings.ts'
import type { SettingsInput } from '../sources.ts'

export { temporaryFolder } from '../../text/folder.testing.ts'

/** A key that occurs nowhere else, so that a test can search for it. */
export const apiKey = 'key-7f3d9a61c2e84b05'

/** The secret of {@link apiKey}, which also occurs nowhere else. */
export const secretKey = 'sec-1b6e0d4f93a75c28'

/** Complete settings for a target. */
const TARGET_BASE_URL = 'https://staging.example'
export const target = { TARGET_BASE_URL, TARGET_API_KEY: apiKey, TARGET_SECRET_KEY: secretKey }

/** Sources of settings other than the environment. */
export type Others = Partial<Omit<SettingsInput, 'env'>>

/** Reads settings from an environment, by default in a folder without `.env`. */
export async function read(env: SettingsInput['env'], others: Others = {}): Promise<SettingsResult> {
  const now = new Date('2026-11-20T02:00:00Z')
  return readSettings({ env, flags: {}, envFile: null, cwd: '/nowhere-at-all', now, ...others })
}

/** The settings in a result that must contain them. */
export function settingsOf(result: SettingsResult) {
  if (result.kind === 'issues') throw new Error(JSON.stringify(result.issues))
  return result.settings
}

/** The issues in a result that must contain some. Fails if an issue shows the credentials above. */
export function issuesOf(result: SettingsResult): readonly SettingIssue[] {
  if (result.kind === 'settings') throw new Error('the settings were accepted')
  const text = JSON.stringify(result)
  expect(text).not.toContain(apiKey.slice(4))
  expect(text).not.toContain(secretKey.slice(4))
  return result.issues
}

/** The names of the wrong settings in a result; empty if all are right. */
export function wrongSettings(result: SettingsResult): readonly string[] {
  return result.kind === 'settings' ? [] : issuesOf(result).map(({ setting }) => setting)
}

/** A mistake whose expectation contains or matches `says`, and whose hint contains `hint`, if given. */
export function mistake(
  setting: string,
  says: string | RegExp,
  given: unknown = expect.any(String),
  hint?: string,
): object {
  const expected = typeof says === 'string' ? expect.stringContaining(says) : expect.stringMatching(says)
  return { setting, given, expected, hint: hint === undefined ? null : expect.stringContaining(hint) }
}
