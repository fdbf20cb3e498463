import type { Mistake } from './mistake.ts'
import { distance } from './nearest.ts'
import { settingNamed, settingPrefixes, settingTable, type SettingName } from './setting-table.ts'

/**
 * From this length on, prefix not counted, two wrong letters are still a slip. In shorter names they make another honest word,
 * and CI systems have names of their own: RUN_SCRIPT is no RUN_STRICT, TARGET_LEVEL no TARGET_LABEL.
 */
const longName = 7

/** The setting that a name with one of our prefixes probably means; null where it is one, or means something else. */
export function settingMeantBy(name: string): SettingName | null {
  if (settingNamed(name) !== null) return null

  const upper = name.toUpperCase()
  const prefix = settingPrefixes.find((one) => upper.startsWith(one))
  if (prefix === undefined) return null
  if (upper !== name) return settingNamed(upper)?.name ?? null

  const near = settingTable
    .filter((setting) => setting.name.startsWith(prefix))
    .map((setting) => ({ setting: setting.name, away: distance(name, setting.name) }))
    .filter(({ setting, away }) => away <= (setting.length - prefix.length >= longName ? 2 : 1))
    .toSorted((one, other) => one.away - other.away)

  return near[0]?.setting ?? null
}

/** A mistake for each misspelt name among variables that hold something; their values are never looked at further. */
export function misspelt(
  variables: Readonly<Record<string, string | undefined>>,
): readonly (Mistake & { readonly means: SettingName })[] {
  return Object.entries(variables)
    .filter(([, value]) => value !== undefined && value.trim() !== '')
    .flatMap(([name]) => {
      const means = settingMeantBy(name)
      if (means === null) return []

      return [
        {
          setting: name,
          means,
          given: null,
          expected: 'the name of a setting; there is none of this name, so its value would be ignored',
          hint: `did you mean ${means}?`,
        },
      ]
    })
}
