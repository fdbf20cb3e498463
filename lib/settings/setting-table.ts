import { fixtureTable } from './fixture-table.ts'
import { outputTable } from './output-table.ts'
import { runTable } from './run-table.ts'
import type { Setting } from './setting.ts'
import { targetTable } from './target-table.ts'

const table = [...targetTable, ...fixtureTable, ...runTable, ...outputTable] as const

/** The entry of a setting with its literal types, so that the type of a checked value follows from the table. */
export type SettingEntry = (typeof table)[number]

/** The name of a setting, as in the environment. */
export type SettingName = SettingEntry['name']

/** Every setting, in the order of `--help` and of `.env.example`. Source: Settings, in the README. */
export const settingTable: readonly Setting<SettingName>[] = table

/** What the names of our settings begin with; HTTPS_PROXY and NO_PROXY are everybody's. */
export const settingPrefixes = ['TARGET_', 'FIXTURE_', 'RUN_'] as const

const byName = new Map<string, Setting<SettingName>>(settingTable.map((setting) => [setting.name, setting]))

/** The entry of that name, or null where there is none. */
export function settingNamed(name: string): Setting<SettingName> | null {
  return byName.get(name) ?? null
}
