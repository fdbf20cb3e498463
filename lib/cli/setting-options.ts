import { Option, type Command } from 'commander'
import type { Setting } from '../settings/setting.ts'
import { settingTable } from '../settings/setting-table.ts'
import type { CommandInput } from './run-command.ts'

/** Adds a flag for every setting that has one, and `--env-file`. */
export function addSettingOptions(command: Command): Command {
  for (const setting of settingTable) {
    const option = optionOf(setting)
    if (option !== null) command.addOption(option)
  }
  return command.addOption(
    new Option('--env-file <file>', 'settings to read instead of .env in this folder').helpGroup(
      'Settings files:',
    ),
  )
}

/** What the flags of a command line say, by the names of settings. */
export function inputOf(command: Command): CommandInput {
  const given: Readonly<Record<string, unknown>> = command.opts()
  const flags = settingTable.flatMap((setting) => {
    const value = given[setting.name]
    return typeof value === 'string' || value === true ? [[setting.name, String(value)] as const] : []
  })
  const envFile = given['envFile']
  return {
    flags: Object.fromEntries(flags),
    envFile: typeof envFile === 'string' ? envFile : null,
    mistakes: [],
  }
}

function optionOf(setting: Setting): Option | null {
  const { name, flag, argument, about, group } = setting
  if (flag === null) return null

  const text = setting.default === undefined ? about : `${about} (default: ${setting.default})`
  const option = new Option(argument === null ? `--${flag}` : `--${flag} ${argument}`, text)
  // Values are kept under the setting's own name, whatever the flag is called.
  option.attributeName = () => name
  return option.helpGroup(`${group}:`)
}
