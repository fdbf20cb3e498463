import type { Gathered, SettingsInput, Texts } from './gather.ts'
import { settingTable, type SettingName } from './setting-table.ts'
import type { Setting } from './setting.ts'

/**
 * The words that a replay line adds, so that it sends the same case where it is run in the same folder and environment: the env
 * file that was named, the embedded service, the endpoints file, and every flag that decides what is sent, or whether it arrives.
 * The seed stands in the name of a case; profile and selection change no case.
 */
export function replayFlags(
  { flags, envFile }: Pick<SettingsInput, 'flags' | 'envFile'>,
  { texts, fileTexts }: Pick<Gathered, 'texts' | 'fileTexts'>,
): readonly string[] {
  const carried = settingTable
    .filter(isCarried)
    .filter(({ name }) => flags[name] !== undefined || isNamedAnyway(name, texts, fileTexts))
    .flatMap(({ name, flag }) => {
      const text = texts[name]
      return flag === null || text === undefined ? [] : [`--${flag}`, text]
    })

  return [...(envFile === null ? [] : ['--env-file', envFile]), ...carried]
}

const groups: readonly Setting['group'][] = ['The target', 'Fixtures', 'Pace and bounds', 'Connection']
const told: readonly SettingName[] = ['TARGET_LABEL', 'RUN_MAX_MINUTES']

function isCarried({ name, group, secret }: Setting<SettingName>): boolean {
  return !secret && groups.includes(group) && !told.includes(name)
}

/** What the line says also where no flag gave it, unless the env file says it again. */
function isNamedAnyway(name: SettingName, texts: Texts, fileTexts: Texts): boolean {
  if (name === 'TARGET_BASE_URL') return texts[name] === 'embedded'
  return name === 'TARGET_ENDPOINTS' && texts[name] !== fileTexts[name]
}
